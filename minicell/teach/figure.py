"""A figure: pictures of one size, one for each place of its slider. A page plays them, and needs no kernel for it."""

import base64
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import minicell as ms
from minicell.ink import boxes, png, sheet, svg
from minicell.ink.boxes import Box
from minicell.ink.film import Film, Step
from minicell.ink.line import Mark, step_line
from minicell.ink.page import fragment
from minicell.ink.sheet import Sheet
from minicell.view.picture import STILL

from .trials import executed

WIDTH = 760  # pixels of a figure
LINE = 340  # of its slider, which fits on a phone
SPACE = 16  # between stills


class Drawing(NamedTuple):
    """A picture as a tree of boxes, what stands over it, and all of it in words, with its numbers."""

    box: Box
    title: str
    caption: str
    words: str


class Shown:
    """What a cell shows: its `text`, and a `page` that plays; `pictures` where a notebook is kept."""

    def __init__(self, text: str, page: str, pictures: dict[str, str]) -> None:
        self.text, self.page, self.pictures = text, page, pictures

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = self.pictures if os.environ.get(STILL) else {'text/html': self.page}
        return {'text/plain': self.text, **shown}


class Figure:
    """`draw` makes the picture for a value; `values` are the places of the slider, which is called `label`.

    It opens at the value `start`. `stills` are for a page that runs no script: values, or drawings of their own.
    `names` are the values that are named under the slider, by default the first and the last.
    """

    def __init__(
        self, name: str, label: str, values: Sequence[Any], draw: Callable[[Any], Drawing], start: Any,
        stills: Sequence[Any] = (), names: Mapping[Any, str] | None = None,
    ) -> None:  # fmt: skip
        self.name, self.values = name, list(values)
        self.drawn = [draw(value) for value in self.values]
        names = {self.values[k]: self.drawn[k].title for k in (0, -1)} if names is None else names
        wide, high = (max(limit, *(one.box.size[way] for one in self.drawn)) for way, limit in ((0, WIDTH), (1, 0)))
        self.film = Film(wide, high)
        marks = [Mark(self.values.index(value), said) for value, said in names.items()]
        self.film.line, at = step_line(len(self.drawn), marks, LINE, label)
        for one, place in zip(self.drawn, at, strict=True):
            self.film.add(boxes.draw(one.box, wide, high)[0].frame, Step(one.title, one.caption, place))
        self.opens = self.values.index(start)
        kept = [still if isinstance(still, Drawing) else self[still] for still in stills or (start,)]
        here, words = self.drawn[self.opens], '\n'.join(one.words for one in kept)
        page = fragment.fragment([self.film], svg.write(still_of(here)), self.opens, here.words)
        self.shown = Shown(words, page, printed([still_of(one) for one in kept], words))

    def __getitem__(self, value: Any) -> Drawing:
        """The drawing of a value."""
        return self.drawn[self.values.index(value)]


def tape_of(text: str, stops: bool = False, **space: Any) -> ms.Tape:
    """The tape of a few lines, which the picture shows as it shows the reader's own; `space` holds what they use.

    With `stops`, lines that end in an error are shown as far as they came.
    """
    tape = ms.Tape()
    with suppress(Exception if stops else ()), tape:
        executed(text, 'lines', {'ms': ms, **space})
    return tape


def still_of(drawn: Drawing) -> Sheet:
    """A drawing as a still."""
    canvas, *size = boxes.draw(drawn.box, WIDTH)
    return sheet.sheet(canvas.frame, (size[0], size[1]), drawn.title, drawn.caption)


def printed(stills: Sequence[Sheet], words: str) -> dict[str, str]:
    """Stills one under the other, as SVG and as PNG (GitHub often hides SVG)."""
    marks, top = [], 0.0
    for one in stills:
        marks += [mark._replace(y=mark.y + top) for mark in one.marks]
        top += one.height + SPACE
    page = Sheet(marks, max(one.width for one in stills), top - SPACE, stills[0].title, stills[0].caption)
    data = base64.b64encode(png.write(page)).decode('ascii')
    return {'image/svg+xml': svg.write(page, words=words), 'image/png': data}
