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
    signs = [kinds.setdefault(sign(record, record.entries[i]), len(kinds)) for i in entries]
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


def sign(record: Record, entry: Entry) -> tuple:
    """What makes two entries equal: the same op at the same place in the code, on the same shapes."""
    shapes = tuple(v.shape for v in (*entry.inputs, *entry.outputs))
    by = entry.by if entry.by is None else record.entries[record.readings[entry.by].entry].name
    return entry.name, entry.kind, entry.mark, by, shapes, entry.inside, len(entry.wires)


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
    """The entries of one tape."""

    wide: Callable[[list[Part]], float]  # how wide some parts are, beside each other: whoever draws them knows

    def __init__(self, record: Record, level: int, room: float, narrow: bool) -> None:
        self.record, self.level, self.room = record, level, room
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
        own, seen = self.units[at], self.units[max(at - style.MANY, 0) : at + style.MANY]
        units = self.units[max(at - style.MOST_OPEN, 0) : at + style.MOST_OPEN]
        near = [i for unit in units for i in unit.entries if unit is own or not unit.turns]  # (no other turn of a loop)
        middle = near.index(focus)
        order = sorted(near, key=lambda i: abs(near.index(i) - middle) * 2 + (near.index(i) > middle))
        found = [focus]
        for shape in self.shapes:
            if self.wide(self.closed(seen, own, found, *shape)) <= self.room:
                break
        for i in order[1 : 2 * style.MOST_OPEN]:
            if self.wide(self.closed(seen, own, [*found, i], *shape)) > self.room:
                break
            found.append(i)
        return self.closed(seen, own, found, *shape)

    def closed(
        self, units: tuple[Unit, ...], own: Unit, opened: list[int], tight: int, spines: int | None,
        folded: bool = False
    ) -> list[Part]:  # fmt: skip
        """The parts with these entries open."""
        out: list[Part] = []
        for unit in units:
            if unit is own or not unit.turns:
                out += [Part('open' if i in opened else 'spine', (i,), unit, tight, folded) for i in unit.entries]
            else:
                out.append(Part('spine', unit.entries, unit))
        places = [k for k, part in enumerate(out) if part.kind == 'open']
        first, end = places[0], places[-1] + 1
        if spines is None:
            return out[first:end]
        shown = out[max(first - spines, 0) : end + spines]
        before = tuple(i for i in self.entries if i < shown[0].entries[0])
        after = tuple(i for i in self.entries if i > shown[-1].entries[-1])
        return [Part('more', before)] * bool(before) + shown + [Part('more', after)] * bool(after)


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
