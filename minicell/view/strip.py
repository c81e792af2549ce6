"""What is seen of a tape around the entry in focus: which entries are open, which are closed, which are only counted.

All are open where they have room. Else the one in focus is, and as many of its neighbours as fit; the others are
spines, and far away they are a number. Turns of a loop that are not in focus are a spine each, whatever they hold.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..story.record import Entry, Mark, Record
from . import program, style
from .formula import TAKEN


class Unit(NamedTuple):
    """What opens and closes together: an entry, or one turn of a loop."""

    entries: tuple[int, ...]
    turn: int = 0  # counted from 1; 0: no loop
    turns: int = 0
    carries: bool = False  # a turn reads what the one before has made


class Part(NamedTuple):
    """A column of what is seen: an entry that is `open`, a closed unit, so many that are left out, or values."""

    kind: str  # open, spine, more, values
    entries: tuple[int, ...] = ()
    unit: Unit | None = None
    tight: int = 0  # 1: without the expression that it stands for; 2: and its tensors are small
    folded: bool = False  # what it is the first to read stands over its card, and not beside it
    slots: tuple = ()  # the values, or those that stand over a card


@lru_cache(maxsize=style.RECORDS)
def units(record: Record, level: int) -> tuple[Unit, ...]:
    """The entries of a tape, those of a loop turn by turn: of a loop in the source, else of what repeats itself."""
    entries = [i for i, e in enumerate(record.entries) if e.level == level]
    kinds: dict[tuple, int] = {}  # equal entries share a number
    signs = [kinds.setdefault(sign(record.entries[i]), len(kinds)) for i in entries]
    out: list[Unit] = []
    at = 0
    while at < len(entries):
        turns = in_source(record, entries, at) or repeated(entries, signs, at)
        told = [Unit(turn, k + 1, len(turns), carries(record, turns)) for k, turn in enumerate(turns)]
        out += told or [Unit((entries[at],))]
        at += sum(map(len, turns)) or 1
    return tuple(out)


def in_source(record: Record, entries: list[int], at: int) -> list[tuple[int, ...]]:
    """The turns of the loop that an entry stands in, if there are several: a turn ends where a line comes again."""
    loop = program.loop(record.entries[entries[at]].mark)
    if loop is None or record.entries[entries[at]].level:
        return []
    turns: list[list[int]] = [[]]
    seen: dict[Mark, int] = {}
    line = 0
    for i in entries[at:]:
        mark = record.entries[i].mark
        if program.loop(mark) != loop:
            break
        # What ran there: a Cell, which may write several entries, or else the op itself.
        ran = next((s for s in record.entries[i].scopes if record.scopes[s].mark == mark), -1 - i)
        if seen.get(mark, ran) != ran or mark.line < line:
            turns.append([])
            seen = {}
        turns[-1].append(i)
        seen[mark] = ran
        line = mark.line
    return [tuple(turn) for turn in turns] if len(turns) > 1 else []


def sign(entry: Entry) -> tuple:
    """What makes two entries equal: the same op at the same place in the code, on the same shapes."""
    shapes = tuple(v.shape for v in (*entry.inputs, *entry.outputs))
    return entry.name, entry.kind, entry.mark, entry.note, shapes, entry.inside, len(entry.wires)


def repeated(entries: list[int], signs: list[int], at: int) -> list[tuple[int, ...]]:
    """The turns of what repeats itself from here on: of all periods that which covers the most."""
    best = (1, 1)
    for period in range(1, min(style.LONGEST_TURN, (len(signs) - at) // style.FEWEST_TURNS) + 1):
        times = 1
        while signs[at : at + period] == signs[at + times * period : at + (times + 1) * period]:
            times += 1
        if times >= style.FEWEST_TURNS and period * times > best[0] * best[1]:
            best = (period, times)
    period, times = best
    return [tuple(entries[at + t * period :][:period]) for t in range(times)] if period > 1 else []


def carries(record: Record, turns: list[tuple[int, ...]]) -> bool:
    """Whether a turn reads what the one before has made: it is a time step."""
    made = {key for i in turns[0] for key in record.entries[i].made}
    return any(key in made for i in turns[1] for key in record.entries[i].keys)


class Strip:
    """The entries of one tape. `wide`: how wide some parts are, beside each other."""

    def __init__(
        self, record: Record, level: int, room: float, wide: Callable[[list[Part]], float], narrow: bool
    ) -> None:  # fmt: skip
        self.record, self.level, self.room, self.wide = record, level, room, wide
        self.narrow, self.shapes = narrow, style.SHAPES_NARROW if narrow else style.SHAPES
        self.entries = [i for i, e in enumerate(record.entries) if e.level == level]
        self.count = sum(numbered(record.entries[i]) for i in self.entries)
        self.units = units(record, level)
        self.unit_of = {i: n for n, unit in enumerate(self.units) for i in unit.entries}
        self.seen: dict[int | None, list[Part]] = {}

    @cached_property
    def all(self) -> list[Part] | None:
        """Every entry, where they have room."""
        if len(self.entries) > style.MOST_OPEN:
            return None
        for tight in range(2):
            parts = [Part('open', (i,), tight=tight) for i in self.entries]
            if self.wide(parts) <= self.room:
                return parts
        return None

    def parts(self, focus: int | None) -> list[Part]:
        """What is seen with this entry in focus."""
        if self.all is not None:
            return self.all
        focus = self.entries[0] if focus is None else focus
        if focus not in self.seen:
            self.seen[focus] = self.around(focus)
        return self.seen[focus]

    def around(self, focus: int) -> list[Part]:
        """The entry in focus and its neighbours open as far as there is room, the rest closed."""
        at = self.unit_of[focus]
        own = list(self.units[at].entries)
        near = [i for n in range(max(at - style.MOST_OPEN, 0), at + style.MOST_OPEN) for i in self.unit(n, at)]
        middle = near.index(focus)
        order = sorted(near, key=lambda i: abs(near.index(i) - middle) * 2 + (near.index(i) > middle))
        for shape in self.shapes:
            found = [focus]
            if self.wide(self.closed(found, own, at, *shape)) <= self.room:
                break
        for i in order[1 : 2 * style.MOST_OPEN]:
            if self.wide(self.closed([*found, i], own, at, *shape)) > self.room:
                break
            found.append(i)
        return self.closed(found, own, at, *shape)

    def unit(self, n: int, at: int) -> tuple[int, ...]:
        """The entries of a unit that may be open beside the one in focus: of another turn of a loop, none."""
        if not 0 <= n < len(self.units) or (n != at and self.units[n].turns):
            return ()
        return self.units[n].entries

    def closed(
        self, opened: list[int], own: list[int], at: int, tight: int, spines: int | None, folded: bool = False
    ) -> list[Part]:  # fmt: skip
        """The parts with these entries open."""
        out: list[Part] = []
        for n, unit in enumerate(self.units[max(at - style.MANY, 0) : at + style.MANY], max(at - style.MANY, 0)):
            if n == at or not unit.turns:
                out += [Part('open' if i in opened else 'spine', (i,), unit, tight, folded) for i in unit.entries]
            else:
                out.append(Part('spine', unit.entries, unit))
        first = next(k for k, part in enumerate(out) if part.kind == 'open')
        last = next(k for k in reversed(range(len(out))) if out[k].kind == 'open')
        if spines is None:
            return out[first : last + 1]
        before, after = out[max(first - spines, 0) : first], out[last + 1 : last + 1 + spines]
        seen = [i for part in (*before, *out[first : last + 1], *after) for i in part.entries]
        left = [i for i in self.entries if i < seen[0]], [i for i in self.entries if i > seen[-1]]
        more = [Part('more', tuple(each)) if each else None for each in left]
        return [part for part in (more[0], *before, *out[first : last + 1], *after, more[1]) if part is not None]


def told(unit: Unit | None) -> str:
    """`time step 2 of 3`, of a turn of a loop."""
    if unit is None or not unit.turns:
        return ''
    return f'{"time step" if unit.carries else "turn"} {unit.turn} of {unit.turns}'


def numbered(entry: Entry) -> bool:
    """Whether it has a number on its tape: it was taped."""
    return entry.label[:1].isdigit()


def taken(entry: Entry) -> bool:
    """Whether the user's own code takes over there."""
    return entry.kind in TAKEN
