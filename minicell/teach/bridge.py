"""From the page to the kernel: one widget for a lesson, which is never displayed.

A displayed widget has nothing to show once its kernel is gone: "model not found" stands in its place on the next day.
This one is made, and `initialize` in `bridge.js` runs as soon as the page hears of it; that is all that anywidget, a
small library for exactly this, is needed for. VS Code and Colab may load a widget only where it is displayed, so there
it is (this was not tried).
"""

import os
import sys
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from IPython.display import display

MISSING = 'anywidget is not installed, so answers are not kept. Write: pip install anywidget'
DISPLAYED = 'VSCODE_PID' in os.environ or 'google.colab' in sys.modules
_open: dict[str, Any] = {}  # lesson -> its bridge: a lesson that is set up again has one


def bridge(lesson: str, hear: Callable[[dict[str, Any]], None]) -> Any:
    """The bridge of a lesson; what cards say is given to `hear`. None where anywidget is missing."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class Bridge(anywidget.AnyWidget):
        """Hands on what cards say, and draws them again where the notebook cannot."""

        _esm = files(__package__).joinpath('bridge.js').read_text(encoding='utf-8')
        lesson = traitlets.Unicode().tag(sync=True)

    if lesson in _open:
        _open.pop(lesson).close()
    _open[lesson] = made = Bridge(lesson=lesson)
    if DISPLAYED:
        display(made)
    made.on_msg(lambda _, said, buffers: hear(said))
    return made
