"""A tensor as a picture: its numbers where they are few, else squares whose area is the size of each number."""

import math
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from . import numbers
from .metrics import shape_text
from .shapes import Frame, width

MOST = 4  # rows and columns that are written as numbers
ROW = 20
WIDE = 76  # px of such a number, at most
LEAST, LARGEST = 5.0, 12.0  # px of a cell that is a square
FOLDED = 'of {}'


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
    digits: int | None = None  # decimals, where two tensors would look the same
    note: str = ''  # of how much this is a part
    ink: str = ''  # the class of its numbers


def folded(array: np.ndarray) -> np.ndarray:
    """An array of any rank as rows: what comes before the last axis lies below one another."""
    array = np.asarray(array)
    return array.reshape(-1, array.shape[-1] if array.ndim and array.size else 1) if array.ndim != 2 else array


def plate(
    value: Value, room_w: float, room_h: float, digits: int | None = None, row: float = ROW, ink: str = ''
) -> Plate:  # fmt: skip
    """How a value fits into a room; `ink` is the class of its numbers. A single number is always written, and takes the
    room that its digits need: `least` says how much, so that who gives the room can keep it free."""
    if value.data is None or not value.data.size:
        words = value.words or ('no elements' if value.data is not None else 'none')
        return Plate('words', min(room_w, width(words) + 12), row, note=words)
    array = folded(value.data)
    rows, columns = array.shape
    if rows == 1:
        row = max(16.0, min(row, room_h))
    if rows <= MOST and columns <= MOST and rows * row <= max(room_h, 16) + 0.5:
        texts = [shown(n, digits) for n in array.ravel()]
        looks = (ink, f'{ink} onw') if ink else ('',)  # smaller, where they are many
        for look in looks:
            wide = max(width(t, look) for t in texts) + (9 if ink else 7)
            cell = max(wide, 30 if array.size > 1 else min(44, room_w))
            cell = max(cell, min(WIDE, room_w / columns)) if ink else cell  # as large as may be
            if columns * cell <= room_w + 0.5 or (array.size == 1 and look is looks[-1]):
                return Plate('numbers', columns * cell, rows * row, cell, row, rows, columns, digits, ink=look)
    note_h = 15
    cell = max(LEAST, min(LARGEST, room_w / columns, (room_h - note_h) / rows))
    seen_columns = max(1, min(columns, int(room_w // cell)))
    seen_rows = max(1, min(rows, int((room_h - note_h) // cell) or 1))
    if rows * cell <= room_h + 0.5:
        seen_rows = rows
    whole = seen_rows == rows and seen_columns == columns
    shape = shape_text(value.shape)
    note = '' if whole else FOLDED.format(shape)
    if width(note) > room_w:
        note = ''
    wide = max(seen_columns * cell, width(note) if note else 0)
    return Plate('squares', wide, seen_rows * cell + (0 if whole else note_h), cell, cell, seen_rows, seen_columns,
                 note=note)  # fmt: skip


def least(value: Value) -> float:
    """The width that a value cannot do without: a single number is written, whatever stands beside it."""
    return plate(value, 0, ROW).w if value.data is not None and value.data.size == 1 else 0


def on_road(value: Value, least: float = 0) -> Plate | None:
    """How a value is written on backward's road, if it is small enough to stand there."""
    array = folded(value.data) if value.data is not None else np.zeros((0, 0))
    rows, columns = array.shape
    if not array.size or rows > 2 or columns > 3:
        return None
    ink, row = ('onr', 20) if rows == 1 else ('onr onw', 16)
    cell = max(max(width(shown(n), ink) for n in array.ravel()) + 9, least / columns)
    return Plate('numbers', columns * cell, rows * row, cell, row, rows, columns, ink=ink)


class Marks(NamedTuple):
    """Which cells are wrong, which one is the worst, and which one is its partner."""

    wrong: np.ndarray
    worst: tuple[int, int]
    off: np.ndarray  # how far each is off, as a part of the worst
    peer: bool = False  # this is the true one: only the partner is framed


def draw(
    frame: Frame, key: str, x: float, y: float, value: Value, how: Plate, *, there: bool = True, classes: str = '',
    account: bool = False, marks: Marks | None = None, top: float | None = None, layer: int = 3,
) -> None:  # fmt: skip
    """A value at (x, y). `there`: it has come; before that only its place is seen. `top`: the number whose square
    fills its cell."""
    if not there and how.ink:
        for i in range(how.rows):
            for j in range(how.columns):
                left, top_ = x + j * how.cell_w, y + i * how.cell_h
                frame.rect(f'{key}[{i},{j}]p', left + 2, top_, how.cell_w - 4, how.cell_h - 4, 'place', layer - 1, rx=6)
    elif not there:
        frame.rect(f'{key}.', x + 1, y + 1, how.w - 2, how.h - 2, 'card', layer, rx=3)
    elif how.kind == 'words':
        frame.rect(f'{key}.', x + 1, y + 1, how.w - 2, how.h - 2, f'tile{classes}', layer, rx=3)
        said = how.note if width(how.note) <= how.w - 8 else '–'
        frame.text(f'{key}.t', x + how.w / 2, y + how.h / 2 + 4.5, said, 'mid dim')
    elif how.kind == 'numbers':
        _numbers(frame, key, x, y, value, how, classes, account, marks, layer)
    else:
        _squares(frame, key, x, y, folded(value.data), how, classes, marks, top, layer)


def _numbers(
    frame: Frame, key: str, x: float, y: float, given: Value, how: Plate, classes: str, account: bool,
    marks: Marks | None, layer: int,
) -> None:  # fmt: skip
    """The numbers on one ground; each has a cell that can be pressed."""
    has, array = set(classes.split()), folded(given.data)
    judged = marks is not None and not marks.peer
    ground = f'tile{classes}' + ' wrong' * (judged and bool(marks.wrong.any()))
    frame.rect(f'{key}.', x + 1, y + 1, how.w - 2, how.h - 2, ground, layer, rx=4)
    for i in range(how.rows):
        for j in range(how.columns):
            worst = marks is not None and marks.worst == (i, j) and bool(marks.off[i, j] == 1)
            value = f'{key}[{i},{j}]'
            left, top = x + j * how.cell_w, y + i * how.cell_h
            if how.ink.startswith('num'):  # a gradient: each number has a ground of its own
                place = (left + 2, top + 2, how.cell_w - 4, how.cell_h - 4)
                wrong = judged and bool(marks.wrong[i, j])
                paper = 'block' if wrong else 'card' if judged else 'tile on'  # without colour: an outline, no fill
                frame.rect(f'{value}p', *place, paper, layer - 1, rx=6)
                if wrong:  # the further it is off, the redder
                    frame.rect(f'{value}w', *place, 'block wrong', layer - 1, rx=6, opacity=heat(marks.off[i, j]))
                elif worst:  # what the worst should be
                    frame.rect(f'{value}w', *place, 'rl', layer - 1, rx=6)
            look = 'cell hot' + ' rl' * ('rl' in has)
            frame.rect(value, left + 1, top + 1, how.cell_w - 2, how.cell_h - 2, look, layer, rx=3, v=value,
                       rc=value if account else None)  # fmt: skip
            ink, said = how.ink, shown(array[i, j], how.digits, given.words)
            if worst:
                ink += ' onr'
            elif 'tru' in has:  # as the rule would have it
                ink += ' af'
            elif 'rl' in has:
                ink += ' past' * ('past' in has)
            elif 'past' in has:  # it stays behind what came
                ink += ' dim'
            frame.text(f'{value}t', left + how.cell_w / 2, top + how.cell_h / 2 + 5, said,
                       f'mid {ink}'.strip(), layer + 1, v=value)  # fmt: skip


def heat(off: float) -> float:
    """How red a wrong number's ground is: the further it is off, the redder; the worst of all is dark."""
    return 1 if off == 1 else round(0.06 + 0.2 * float(off), 2)


def largest(array: np.ndarray) -> float:
    """The largest finite size among the numbers."""
    size = np.abs(np.asarray(array, np.float64))
    return float(np.max(size[np.isfinite(size)], initial=0.0))


def shown(number: object, digits: int | None = None, unknown: str = '') -> str:
    """A number of a tensor; a truth value is a word, and so is what nobody knows."""
    if isinstance(number, np.bool_):
        return str(bool(number))
    return unknown if unknown and number != number else numbers.said(number, digits)


def _squares(
    frame: Frame, key: str, x: float, y: float, array: np.ndarray, how: Plate, classes: str, marks: Marks | None,
    top: float | None, layer: int,
) -> None:  # fmt: skip
    """Area is size; filled is positive, hollow negative, a cross is no number."""
    cell, h = how.cell_w, how.rows * how.cell_w
    seen = np.asarray(array[: how.rows, : how.columns], np.float64)
    own = classes + (' wrong' if marks is not None and not marks.peer and marks.wrong.any() else '')
    frame.rect(f'{key}.', x - 1, y - 1, how.columns * cell + 2, h + 2, f'tile hot{own}', layer, rx=2, v=key)
    for name, d in _paths(seen.tobytes(), how.columns, x, y, cell, top):
        frame.path(f'{key}{name}', d, name, layer + 1)
    if marks is not None and marks.worst[0] < how.rows and marks.worst[1] < how.columns:
        i, j = marks.worst
        look = 'peer' + ' worst' * (not marks.peer)
        frame.rect(f'{key}w', x + j * cell - 1, y + i * cell - 1, cell + 2, cell + 2, look, layer + 2)
    if how.note:
        frame.text(f'{key}c', x, y + h + 13, how.note, 'dim', layer + 1)


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
