"""A tensor as a picture: its numbers where they are few, else squares whose area is the size of each number."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from . import numbers, style
from .boxes import BASE, Box, Canvas
from .metrics import shape_text
from .shapes import Frame, width

MOST = 4  # rows and columns that are written as numbers
ROW = 20
WIDE = 76  # px of such a number, at most
LEAST, LARGEST = 5.0, 12.0  # px of a cell that is a square
NOTE = 15  # of how much this is a part, under it


class Value(Protocol):
    """What a tile shows: an array, or the `words` that stand where there is none."""

    shape: tuple[int, ...]
    data: np.ndarray | None
    words: str


def cell_of(place: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, int]:
    """Where a number of an array stands when that is folded to rows."""
    flat = int(np.ravel_multi_index(place, shape)) if place else 0
    return divmod(flat, shape[-1] if shape else 1)


class Plate(NamedTuple):
    """How a value will be drawn: `kind` is numbers, squares or words."""

    kind: str
    w: float
    h: float
    cell_w: float = 0
    cell_h: float = 0
    rows: int = 1
    columns: int = 1
    note: str = ''  # of how much this is a part
    ink: str = ''  # the class of its numbers


def folded(array: np.ndarray) -> np.ndarray:
    """An array of any rank as rows: what comes before the last axis lies below one another."""
    array = np.asarray(array)
    return array.reshape(-1, array.shape[-1] if array.ndim and array.size else 1) if array.ndim != 2 else array


def plate(
    value: Value, room_w: float, room_h: float, row: float = ROW, ink: str = '', digits: Sequence[float] = (0, 0)
) -> Plate:
    """How a value fits into a room; `ink` is the class of its numbers, `digits` the room that these may have, if it is
    more than that of squares. A single number is always written, and takes the room that its digits need."""
    if value.data is None or not value.data.size:
        words = value.words or ('no elements' if value.data is not None else 'none')
        return Plate('words', min(room_w, width(words) + 12), row, note=words)
    array = folded(value.data)
    rows, columns = array.shape
    if rows == 1:
        row = max(16.0, min(row, room_h))
    if rows <= MOST and columns <= MOST and rows * row <= max(room_h, digits[1], 16) + 0.5:
        texts = [shown(n) for n in array.ravel()]
        looks = (ink, f'{ink} onw') if ink else ('',)  # smaller, where they are many
        for most_w, look in product((room_w, max(room_w, digits[0])), looks):
            wide = max(width(t, look) for t in texts) + (9 if ink else 7)
            cell = max(wide, 30 if array.size > 1 else min(44, room_w))
            cell = max(cell, min(WIDE, room_w / columns)) if ink else cell  # as large as may be
            if columns * cell <= most_w + 0.5 or (array.size == 1 and look is looks[-1]):
                return Plate('numbers', columns * cell, rows * row, cell, row, rows, columns, ink=look)
    cell = max(LEAST, min(LARGEST, room_w / columns, (room_h - NOTE) / rows))
    across = max(1, min(columns, int(room_w // cell)))
    down = rows if rows * cell <= room_h + 0.5 else max(1, min(rows, int((room_h - NOTE) // cell)))
    cut = (down, across) != (rows, columns)
    note = f'of {shape_text(value.shape)}' * cut
    note = note if width(note) <= room_w else ''
    wide, high = max(across * cell, width(note)), down * cell + NOTE * cut
    return Plate('squares', wide, high, cell, cell, down, across, note=note)


def on_road(value: Value) -> Plate | None:
    """How a value is written on backward's road, if it is small enough to stand there."""
    array = folded(value.data) if value.data is not None else np.zeros((0, 0))
    rows, columns = array.shape
    if not array.size or rows > 2 or columns > 3:
        return None
    ink, row = ('onr', 20) if rows == 1 else ('onr onw', 16)
    cell = max(width(shown(n), ink) for n in array.ravel()) + 9
    return Plate('numbers', columns * cell, rows * row, cell, row, rows, columns, ink=ink)


class Marks(NamedTuple):
    """Which cells are wrong, which one is the worst, and which one is its partner."""

    wrong: np.ndarray
    worst: tuple[int, int]
    off: np.ndarray  # how far each is off, as a part of the worst
    peer: bool = False  # this is the true one: only the partner is framed


class Tile(Box):
    """A tensor: its numbers where they are few, else squares. `how`: the plate, if somebody has chosen it already.
    `there`: it has come; before that only its place is seen. `account`: one can ask how each number was made. `top`:
    the number whose square fills its cell."""

    def __init__(
        self, value: Value, room: tuple[float, float] = (200.0, 90.0), key: str = '', how: Plate | None = None,
        there: bool = True, classes: str = '', account: bool = False, marks: Marks | None = None,
        top: float | None = None,
    ) -> None:  # fmt: skip
        self.value, self.key, self.how = value, key, how or plate(value, *room)
        self.there, self.classes, self.account, self.marks, self.top = there, classes, account, marks, top
        self.size = (self.how.w, self.how.h)

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """At the left, in the middle of the height."""
        how, frame, key = self.how, to.frame, to.path
        y += (h - how.h) / 2
        if not self.there and how.ink:
            for i, j, left, top in self.cells(x, y):
                frame.rect(f'{key}[{i},{j}]p', left + 2, top, how.cell_w - 4, how.cell_h - 4, 'place', 2, rx=6)
        elif not self.there:
            frame.rect(f'{key}.', x + 1, y + 1, how.w - 2, how.h - 2, 'card', 3, rx=3)
        elif how.kind == 'words':
            frame.rect(f'{key}.', x + 1, y + 1, how.w - 2, how.h - 2, f'tile{self.classes}', 3, rx=3)
            said = how.note if width(how.note) <= how.w - 8 else '–'
            frame.text(f'{key}.t', x + how.w / 2, y + how.h / 2 + 4.5, said, 'mid dim')
        elif how.kind == 'numbers':
            self.numbers(frame, key, x, y)
        else:
            self.squares(frame, key, x, y)

    def cells(self, x: float, y: float) -> Iterator[tuple[int, int, float, float]]:
        """Where each number stands: (row, column, left, top)."""
        how = self.how
        for i, j in np.ndindex(how.rows, how.columns):
            yield i, j, x + j * how.cell_w, y + i * how.cell_h

    def numbers(self, frame: Frame, key: str, x: float, y: float) -> None:
        """The numbers on one ground; each has a cell that can be pressed."""
        how, marks, has, array = self.how, self.marks, set(self.classes.split()), folded(self.value.data)
        judged = marks is not None and not marks.peer
        ground = f'tile{self.classes}' + ' wrong' * (judged and bool(marks.wrong.any()))
        frame.rect(f'{key}.', x + 1, y + 1, how.w - 2, how.h - 2, ground, 3, rx=4)
        for i, j, left, top in self.cells(x, y):
            worst = marks is not None and marks.worst == (i, j) and bool(marks.off[i, j] == 1)
            value = f'{key}[{i},{j}]'
            if how.ink.startswith('num'):  # a gradient: each number has a ground of its own
                place = (left + 2, top + 2, how.cell_w - 4, how.cell_h - 4)
                wrong = judged and bool(marks.wrong[i, j])
                paper = 'block' if wrong else 'card' if judged else 'tile on'  # without colour: an outline, no fill
                frame.rect(f'{value}p', *place, paper, 2, rx=6)
                if wrong:  # the further it is off, the redder; the worst of all is dark
                    red = 1 if marks.off[i, j] == 1 else round(0.06 + 0.2 * float(marks.off[i, j]), 2)
                    frame.rect(f'{value}w', *place, 'block wrong', 2, rx=6, opacity=red)
                elif worst:  # what the worst should be
                    frame.rect(f'{value}w', *place, 'rl', 2, rx=6)
            look = 'cell hot' + ' rl' * ('rl' in has)
            frame.rect(value, left + 1, top + 1, how.cell_w - 2, how.cell_h - 2, look, 3, rx=3, v=value,
                       rc=value if self.account else None)  # fmt: skip
            ink = how.ink
            if worst:
                ink += ' onr'
            elif 'tru' in has:  # as the rule would have it
                ink += ' af'
            elif 'rl' in has:
                ink += ' past' * ('past' in has)
            elif 'past' in has:  # it stays behind what came
                ink += ' dim'
            said = shown(array[i, j], unknown=self.value.words)
            low = top + how.cell_h / 2 + round(BASE * style.look('text', ink)['size'])
            frame.text(f'{value}t', left + how.cell_w / 2, low, said, f'mid {ink}'.strip(), v=value)

    def squares(self, frame: Frame, key: str, x: float, y: float) -> None:
        """Area is size; filled is positive, hollow negative, a cross is no number."""
        how, marks = self.how, self.marks
        cell, h = how.cell_w, how.rows * how.cell_w
        seen = np.asarray(folded(self.value.data)[: how.rows, : how.columns], np.float64)
        wrong = ' wrong' * (marks is not None and not marks.peer and bool(marks.wrong.any()))
        wide, asked = how.columns * cell + 2, key if self.account else None
        frame.rect(f'{key}.', x - 1, y - 1, wide, h + 2, f'tile hot{self.classes}{wrong}', rx=2, v=key, rc=asked)
        for name, d in _paths(seen.tobytes(), how.columns, x, y, cell, self.top):
            frame.path(f'{key}{name}', d, name, 4)
        if marks is not None and marks.worst[0] < how.rows and marks.worst[1] < how.columns:
            i, j = marks.worst
            look = 'peer' + ' worst' * (not marks.peer)
            frame.rect(f'{key}w', x + j * cell - 1, y + i * cell - 1, cell + 2, cell + 2, look, 5)
        if how.note:
            frame.text(f'{key}c', x, y + h + 13, how.note, 'dim')


def shown(number: object, digits: int | None = None, unknown: str = '') -> str:
    """A number of a tensor; a truth value is a word, and so is what nobody knows."""
    if isinstance(number, np.bool_):
        return str(bool(number))
    return unknown if unknown and number != number else numbers.said(number, digits)


@lru_cache(maxsize=64)  # frame after frame shows the same numbers at the same place
def _paths(data: bytes, columns: int, x: float, y: float, cell: float, top: float | None) -> tuple:
    """(class, path) of the positive, of the negative, and of what is no number."""
    seen = np.frombuffer(data).reshape(-1, columns)
    size, finite = np.abs(seen), np.isfinite(seen)
    top = top or float(np.max(size[finite], initial=0.0)) or 1.0
    sides = cell * 0.92 * np.sqrt(np.minimum(1, np.where(finite, size, 0) / top))
    rows, places = np.nonzero((sides >= 0.7) | ~finite)
    s = sides[rows, places]
    lefts, ups = x + places * cell + (cell - s) / 2, y + rows * cell + (cell - s) / 2
    paths = {'hp': [], 'hn': [], 'hx': []}
    for number, side, left, up in np.stack([seen[rows, places], s, lefts, ups], 1).tolist():
        if math.isfinite(number):
            paths['hp' if number > 0 else 'hn'].append(f'M{left:.1f},{up:.1f}h{side:.1f}v{side:.1f}h-{side:.1f}z')
        else:
            corner = cell / 2 - 1
            paths['hx'].append(f'M{left - corner:.1f},{up - corner:.1f}l{cell - 2:.1f},{cell - 2:.1f}')
    return tuple((name, ''.join(runs)) for name, runs in paths.items() if runs)
