"""Where each control of a page began, so that a lesson can be put back there. (A tape's picture has none of them.)"""

from typing import Any
from weakref import WeakKeyDictionary

import ipywidgets as w

# What a hand moves; pictures and text are widgets with a value, too.
CONTROLS = (
    w.IntSlider,
    w.FloatSlider,
    w.FloatLogSlider,
    w.SelectionSlider,
    w.Dropdown,
    w.Select,
    w.RadioButtons,
    w.ToggleButtons,
    w.ToggleButton,
    w.Checkbox,
    w.Text,
    w.Textarea,
    w.BoundedIntText,
    w.BoundedFloatText,
)
_began: WeakKeyDictionary[w.Widget, Any] = WeakKeyDictionary()


def watch() -> None:
    """From now on, note the first value of each control that is made."""
    w.Widget.on_widget_constructed(_note)


def _note(widget: w.Widget) -> None:
    if isinstance(widget, CONTROLS):
        _began[widget] = widget.value


def back() -> None:
    """Put each control back to where it began."""
    for widget, value in list(_began.items()):
        widget.value = value
