"""A widget on the page, and what a reader has who opens the notebook without a kernel."""

import os
from importlib.resources import files
from typing import Any

import ipywidgets as w
from IPython.display import display

from minicell.view.picture import STILL

SCRIPT = 'application/javascript'
EDGE = 8  # pixels around the block in an HTML widget


class Shown:
    """What a cell shows: its `text` everywhere, and where there is more than text its `widget`, or a `page` that needs
    no kernel. `pictures` are what of a page is kept in a notebook, and of a widget where there is no kernel."""

    def __init__(
        self, widget: w.Widget | None, text: str, page: str = '', pictures: dict[str, str] | None = None
    ) -> None:  # fmt: skip
        self.widget = widget
        self.text = text
        self.page = page
        self.pictures = pictures or {}

    def __repr__(self) -> str:
        return self.text

    @property
    def plays(self) -> bool:
        """Whether its page is all there is to it: it moves without a kernel."""
        return bool(self.page and self.pictures)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        live = (self.widget and self.widget._repr_mimebundle_()) or {}
        page = {'text/html': self.page} if self.page else {}
        out = page | self.pictures
        if self.plays:
            out = self.pictures if os.environ.get(STILL) else {} if self.widget else page
        return {'text/plain': self.text, **out, **{kind: data for kind, data in live.items() if kind != 'text/plain'}}


def paged(page: str) -> w.Output:
    """A page as a widget, which can be hidden."""
    output = {'output_type': 'display_data', 'data': {'text/html': page}, 'metadata': {}}
    return w.Output(outputs=(output,))


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
