"""A gradient as it is shown wherever it stands: its name and what is known of it over its numbers.

What a takeover returns, what was asked for and what is true are told with the same words at the same places.
"""

from collections.abc import Callable
from typing import NamedTuple

from ..ink import numbers, tiles
from ..ink.boxes import Box, Column, Flow, Grid, Row, Space, Text
from ..ink.shapes import width
from ..judge.verdict import WRONG
from ..story.record import Pass, Value
from . import phrases, style, verdict
from .now import Now
from .tape import named

NO_PATH = 'no path leads to it', 'dim'


class Shown(NamedTuple):
    """A gradient at a moment."""

    key: str  # of its numbers
    name: str
    shape: Value  # its numbers as they will be
    value: Value | None  # and as far as they are there
    badge: verdict.Said | None = None  # what is known of it
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


# ---- what was asked for: as numbers where they are few and small, else a row for each ----


def arrivals(now: Now, run: Pass, level: int, w: float) -> Box:
    """The gradients that were asked for, as far as they have come. What a takeover hands out stands beside its
    lines, and not here once more."""
    number = now.handing(level)
    gave = now.story.handed(now.record.readings[number]) if number is not None else ()
    places = [k for k, a in enumerate(run.arrivals) if a.key not in gave or len(a.parts) != 1]
    came, most = [now.story.arriving(run.arrivals[k]).last(now.step) for k in places], style.LIST_MOST
    latest = max(range(len(came)), key=came.__getitem__, default=0)
    first = max(0, min(latest - most // 2, len(came) - most))  # of many, those around the latest
    room = style.VALUES[0 if len(places) <= 2 else -1]
    few = lambda v: (style.SINGLE, 'num xxl') if phrases.single(v) else (style.TALL, 'num')
    plate = lambda v: tiles.plate(v, *room, *few(v), (w, room[1])) if len(places) <= 2 else tiles.plate(v, *room)
    boxes = [box(asked_for(now, run, k), w - style.ROOMY, plate, w) for k in places[first : first + most]]
    said = f'{first + 1}–{first + most} of {len(places)} gradients' * (len(places) > most)
    more = Text(said, 'dim', key='G') if said else None
    return Column(more, Flow(*boxes, room=w, gap=style.GAP, across='start'), gap=style.CLOSE, across='start')


def asked(now: Now, level: int) -> Pass | None:
    """The gradient whose arrivals are shown beside a tape: the last that has come to it of those that read no later
    one, and before one has, the first that will."""
    home = {n: (level, when) for level, found in enumerate(now.story.comers) for n, when in found.items()}
    runs = enumerate(now.record.passes)
    starts = [(*home.get(n, (now.record.depth, run.begun)), n) for n, run in runs if run.arrivals]
    found = [start for start in starts if start[0] == level]
    came = [each for each in found if each[1] <= now.step] or found[:1]
    return now.record.passes[max(came)[-1]] if came else None


def asked_for(now: Now, run: Pass, k: int) -> list[Shown]:
    """A gradient that was asked for, with what is known of it once it has come and is compared; and beside it what it
    should be, where that is something else."""
    arrival, key = run.arrivals[k], f'{now.record.passes.index(run)}.{k}'
    ended = run.ended is not None and run.ended <= now.step
    compared = run.outermost or any(now.story.by(now.record.readings[n]) is run for n in now.shot.known)
    v = run.verdicts[k] if compared and ended and run.verdicts else None
    badge = v and (NO_PATH if not arrival.parts and v.ok else verdict.badge(v))
    name, sums = run.names.get(arrival.name, arrival.name), now.story.arriving(arrival)
    shape, came = arrival.total or Value(arrival.name, words='none'), sums.parts(now.step)
    value = shape if ended else sums.until(now.step)
    if value is not None and len(arrival.parts) > 1:
        name += ' so far' if len(came) < len(arrival.parts) else ' in all'
    added = phrases.added(came) if len(came) > 1 and phrases.single(came[0]) else ''
    added = added if len(came) <= style.LIST_MOST else f'of {len(came)} parts'
    due = verdict.due(v, arrival.name) if v and v.verdict == WRONG else None
    mine = Shown(f'p{key}', name, shape, value, badge, note=added)
    return beside(mine, due, f'u{key}', 'should be')
