"""A gradient as it is shown wherever it stands: its name and what is known of it over its numbers.

What a takeover returns, what was asked for and what is true are told with the same words at the same places.
"""

from collections.abc import Callable
from typing import NamedTuple

from ..ink import numbers, tiles
from ..ink.boxes import Box, Column, Flow, Grid, Row, Space, Text
from ..ink.shapes import width
from ..story.record import Value
from . import style
from .tape import named
from .verdict import Said


class Shown(NamedTuple):
    """A gradient at a moment."""

    key: str  # of its numbers
    name: str
    shape: Value  # its numbers as they will be
    value: Value | None  # and as far as they are there
    badge: Said | None = None  # what is known of it
    formula: str | None = None  # how it was made; None: there is no line for that
    due: bool = False  # it is the true one
    marks: tiles.Marks | None = None
    top: float | None = None  # the number whose square fills its cell
    note: str = ''  # stands under the numbers

    def rows(self, room: float, plate: Callable[[Value], tiles.Plate]) -> tuple[Box | None, ...]:
        """Its name, its formula, its numbers with their note; `plate`: how the numbers are drawn."""
        there, ink, roomy = self.value is not None, ' af' * self.due, room + style.ROOMY
        look = f'mid3{ink}' if there else 'mid3 fut'
        head, second = named(self.name, look, room, f'{self.key}N'), None
        if self.formula is not None:
            fits = there and width(self.formula, 'm') <= roomy
            second = Text(self.formula * fits, f'm{ink}', key=f'{self.key}F')
        if self.badge:  # beside the name where it has room, else in place of the formula
            badge = named(*self.badge, roomy, f'{self.key}B')
            beside = head.size[0] + style.WORDS + badge.size[0] <= roomy
            said = Row(head, badge, Space(), gap=style.WORDS)  # (apart from the true one beside it)
            head, second = (said, second) if beside else (head, badge)
        value = self.value or self.shape
        how = plate(value)
        ground = ' tru bare' if self.due else ' bare' if how.ink else ' on'
        tile = tiles.Tile(value, key=self.key, how=how, there=there, classes=ground, account=there and not self.due,
                          marks=self.marks, top=self.top)  # fmt: skip
        if self.note:  # beside them, or under them
            tile = Flow(tile, named(self.note, 'dim', room, f'{self.key}L'), room=room, gap=style.PAD, lead=style.CLOSE)
        return head, second, tile


def box(found: list[Shown], room: float, plate: Callable[[Value], tiles.Plate], most: float) -> Box:
    """A gradient, and the true one beside it row by row; under it where both are wider than `most`."""
    for wide in (room, (room - style.ROOMY) / 2):  # with what is known beside the name, or under it
        rows = [row for row in zip(*(each.rows(wide, plate) for each in found), strict=True) if any(row)]
        both = Grid(rows, (style.PAD, style.CLOSE), stretch=(), key=f'{found[0].key}-')
        if both.size[0] <= most or not found[1:]:
            return both
    return Column(*[box([each], room, plate, most) for each in found], gap=style.CLOSE, across='start')


def beside(mine: Shown, true: Value | None, key: str, name: str, formula: str | None = None) -> list[Shown]:
    """It, and the true one, where that is another; of one shape, the squares of both have one scale."""
    if true is None:
        return [mine]
    alike = mine.shape.data is not None and mine.shape.shape == true.shape
    top = max(numbers.largest(mine.shape.data), numbers.largest(true.data)) if alike else None
    peer = mine.marks and mine.marks._replace(peer=True)
    return [mine._replace(top=top), Shown(key, name, true, true, None, formula, True, peer, top)]
