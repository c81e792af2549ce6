"""A widget on the page, and what a reader has who opens the notebook without a kernel."""

import os
from html import escape
from importlib.resources import files
from typing import Any

import ipywidgets as w
from IPython.display import display

from minicell.view.picture import STILL

from .bridge import by_itself

SCRIPT = 'application/javascript'
EDGE = 8  # pixels around the block in an HTML widget
HOST = (
    '<div class="minicell-host" data-model="{}">{}</div>'
    "<script>document.dispatchEvent(new Event('minicell-host'))</script>"
)


class Shown:
    """What a cell shows: its `text` everywhere, and besides a `widget`, or a `page` that needs no kernel to move.

    What is displayed of a widget are its `pictures`. The lesson's bridge puts the widget in their place as long as
    there is one: a notebook that is opened without its kernel has the pictures, and no widget to miss.
    """

    def __init__(
        self, widget: w.Widget | None, text: str, page: str = '', pictures: dict[str, str] | None = None
    ) -> None:
        self.widget = widget
        self.text = text
        self.page = page
        self.pictures = pictures or {}

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {'text/plain': self.text, **self.pictures}
        if os.environ.get(STILL):
            return still
        if self.widget is None:
            return {'text/plain': self.text, 'text/html': self.page}
        if by_itself():
            return still | {k: v for k, v in self.widget._repr_mimebundle_().items() if k != 'text/plain'}
        return {'text/plain': self.text, 'text/html': HOST.format(self.widget.model_id, self.still())}

    def still(self) -> str:
        """What stands there without a kernel, as HTML."""
        return self.page or self.pictures.get('image/svg+xml') or f'<pre>{escape(self.text)}</pre>'


def html(value: str, height: int | None = None) -> w.HTML:
    """An HTML widget over the whole width; with `height` it never moves what stands below it."""
    fixed = {'height': f'{height + EDGE}px', 'overflow': 'hidden'} if height else {}
    return w.HTML(value, layout=w.Layout(width='auto', **fixed))


def spoken(height: int | None = None) -> w.HTML:
    """A place for what answers a press; the page's script tells it to who does not see it."""
    made = html('', height)
    made.add_class('minicell-said')
    return made


def button(words: str, tooltip: str, act: Any, width: str = 'auto') -> w.Button:
    """A button with words on it."""
    made = w.Button(description=words, tooltip=tooltip, layout=w.Layout(width=width))
    made.on_click(lambda _: act())
    return made


def column(*children: w.Widget) -> w.VBox:
    """Widgets one under the other, over the whole width."""
    return w.VBox(children, layout=w.Layout(width='100%'))


def row(*children: w.Widget) -> w.HBox:
    """Widgets side by side; they break to the next line where the page is narrow."""
    return w.HBox(children, layout=w.Layout(flex_flow='row wrap', align_items='center'))


def script(name: str) -> None:
    """Run a script of this package in the page; what is shown works without it."""
    display({SCRIPT: files(__package__).joinpath(name).read_text(encoding='utf-8')}, raw=True)
