"""A figure: pictures of one size, one for each place of its slider. A page plays them, and needs no kernel for it.

They are drawings, or the pictures of tapes that a learner's own code has made.
"""

import base64
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink import boxes, png, sheet, svg, tiles
from minicell.ink.boxes import Box, Canvas, Row, Text
from minicell.ink.film import Film, Step
from minicell.ink.line import Mark, step_line
from minicell.ink.numbers import said
from minicell.ink.page import fragment
from minicell.ink.shapes import Frame, Shape
from minicell.ink.sheet import Sheet
from minicell.story.record import Value
from minicell.view.picture import STILL, Picture

from .trials import executed

WIDTH = 760  # pixels of a figure
LINE = 340  # of its slider, which fits on a phone
SPACE = 16  # between stills
BACK = 'pen bk', 'rl'  # the looks of a thin arrow of backward, and of its head


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
        self.film = film(self.drawn, label, [Mark(self.values.index(value), said) for value, said in names.items()])
        self.opens = self.values.index(start)
        kept = [still if isinstance(still, Drawing) else self[still] for still in stills or (start,)]
        here, words = self.drawn[self.opens], '\n'.join(one.words for one in kept)
        page = fragment.fragment([self.film], svg.write(still_of(here)), self.opens, here.words)
        self.shown = Shown(words, page, printed([still_of(one) for one in kept], words))

    def __getitem__(self, value: Any) -> Drawing:
        """The drawing of a value."""
        return self.drawn[self.values.index(value)]


class Tapes:
    """`program` makes a tape for each of `values`; each place of the slider shows the last step of one, as its picture
    does. `name` is what a value is, in a title; `says` is the caption of a still.

    It opens at the value `start`. `stills` are for a page that runs no script.
    """

    def __init__(
        self, name: str, label: str, values: Sequence[float], program: Callable[[float], Any], start: float,
        stills: Sequence[float], says: Callable[[Picture], str],
    ) -> None:  # fmt: skip
        pictures = [Picture(program(value)) for value in values]
        named = [f'{name} {said(value)}' for value in values]
        self.films = [last_steps([each.films[k] for each in pictures], label, values, named) for k in (0, 1)]
        places = [values.index(still) for still in stills]
        kept = [sheet.of(self.films[0], at)._replace(caption=says(pictures[at])) for at in places]
        words = '\n'.join(f'{one.title}. {one.caption}' for one in kept)
        opens = values.index(start)
        page = fragment.fragment(self.films, svg.write(sheet.of(self.films[0], opens)), opens)
        self.shown = Shown(words, page, printed(kept, words))


def last_steps(films: Sequence[Film], label: str, values: Sequence[float], named: Sequence[str]) -> Film:
    """The last steps of several films, as the steps of one. A number answers for its own film alone."""
    made = Film(max(each.width for each in films), max(each.height for each in films))
    marks = [Mark(k, said(value)) for k, value in enumerate(values)]
    made.line, places = step_line(len(films), marks, LINE, label)
    for k, (each, at) in enumerate(zip(films, places, strict=True)):
        last, own = each.steps[-1], lambda value, k=k: f'{k} {value}'
        frame = Frame({key: renamed(shape, own) for key, shape in each.frames[-1].items()})
        made.add(frame, Step(f'{named[k]}: {last.title}', last.caption, at))
        made.links |= {own(value): link | {'l': [*map(own, link['l'])]} for value, link in each.links.items()}
        made.accounts |= {own(value): account for value, account in each.accounts.items()}
    return made


def renamed(shape: Shape, own: Callable[[str], str]) -> Shape:
    """A shape with other names of the values that it shows and accounts for."""
    return shape._replace(attrs={k: own(v) if k in ('v', 'rc') else v for k, v in shape.attrs.items()})


def tape_of(text: str, stops: bool = False, **space: Any) -> ms.Tape:
    """The tape of a few lines, which the picture shows as it shows the reader's own; `space` holds what they use.

    With `stops`, lines that end in an error are shown as far as they came.
    """
    tape = ms.Tape()
    with suppress(Exception if stops else ()), tape:
        executed(text, 'lines', {'ms': ms, **space})
    return tape


def film(drawn: Sequence[Drawing], label: str, marks: Sequence[Mark] = ()) -> Film:
    """The drawings as the steps of a film, all of one size."""
    wide, high = (max(limit, *(one.box.size[way] for one in drawn)) for way, limit in ((0, WIDTH), (1, 0)))
    made = Film(wide, high)
    made.line, places = step_line(len(drawn), marks, LINE, label)
    for one, at in zip(drawn, places, strict=True):
        made.add(boxes.draw(one.box, wide, high)[0].frame, Step(one.title, one.caption, at))
    return made


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


# ---- what figures are made of --------------------------------------------------------------------------------------


def tile(numbers: Any, room: tuple[float, float] = (200.0, 90.0), key: str = '', **looks: Any) -> tiles.Tile:
    """An array as a tile."""
    array = np.asarray(numbers)
    return tiles.Tile(Value('', array.shape, data=array), room, key, **looks)


def listed(numbers: Any) -> str:
    """Numbers in a sentence."""
    return ', '.join(said(float(number)) for number in np.ravel(numbers))


class Stroke(Box):
    """A short line of a look, beside what it means."""

    size = 36, 4

    def __init__(self, look: str) -> None:
        self.look = look

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """From left to right."""
        to.frame.path(to.path, f'M{x:g},{y + h / 2:g}H{x + w:g}', self.look)


def heading(name: str, look: str, words: str) -> Box:
    """The name of a lane, and what is in it."""
    return Row(Text(name, look), Text(words, 'dim'), gap=10)
