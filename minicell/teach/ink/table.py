"""A table in a picture: heads over columns, and rows of cells. A cell is a text, or shapes that draw themselves."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .shapes import FORWARD, HIGHLIGHT, INK, MUTED, RULE, WRONG, Box, Path, Shape, text, tick

SIZE = 13.0  # of a cell; a head is one smaller
Drawn = Callable[[float, float], list[Shape]]  # of where its column begins, and its base line


class Column(NamedTuple):
    """Where a column begins (or ends, with the anchor `end`), what stands over it, and how wide its texts may be."""

    x: float
    head: str
    room: float
    anchor: str = 'start'
    mono: bool = False


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str | Drawn]],
    base: float,
    high: float,
    edges: tuple[float, float],
    picked: int | None = None,
    size: float = SIZE,
) -> list[Shape]:
    """The table; `base` is the base line of its heads, `edges` are its left and right. One row may be picked out."""
    left, right = edges
    out: list[Shape] = [
        text(column.x, base, column.room, column.head, size - 1, MUTED, column.anchor)
        for column in columns
        if column.head
    ]
    for k, row in enumerate(rows):
        top = base + 8 + k * high
        y = top + high / 2 + 4.5
        if k == picked:
            out.append(Box(left - 6, top, right - left + 12, high, HIGHLIGHT, INK, 1.5, 4))
        else:
            out.append(Path((((left, top), (right, top)),), RULE, 1))
        for column, cell in zip(columns, row, strict=True):
            if isinstance(cell, str):
                bold = k == picked
                out.append(text(column.x, y, column.room, cell, size, INK, column.anchor, bold, column.mono))
            else:
                out += cell(column.x, y)
    return out


def verdict(ok: bool, word: str, room: float) -> Drawn:
    """A tick or a cross, and a word beside it."""
    colour = FORWARD if ok else WRONG
    return lambda x, y: [tick(x, y - 11, ok, colour, 12), text(x + 20, y, room - 20, word, SIZE, colour, bold=True)]
