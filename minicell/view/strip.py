"""What a tape is made of, as a reader sees it: single entries, and the turns of loops."""

from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from ..story import source
from ..story.record import Entry, Mark, Record
from . import style
from .formula import TAKEN


class Unit(NamedTuple):
    """What opens and closes together: an entry, or one turn of a loop."""

    entries: tuple[int, ...]
    turn: int = 0  # counted from 1; 0: no loop
    turns: int = 0
    carries: bool = False  # a turn reads what the one before has made: it is a time step


class Part(NamedTuple):
    """A column of what is seen: an entry that is `open`, a closed unit, so many that are left out, or values."""

    kind: str  # open, spine, more, values
    entries: tuple[int, ...] = ()
    unit: Unit | None = None
    tight: int = 0
    folded: bool = False  # what it is the first to read stands over its card, and not beside it
    slots: tuple = ()  # the values, or those that stand over a card


@lru_cache(maxsize=style.RECORDS)
def units(record: Record, level: int) -> tuple[Unit, ...]:
    """The entries of a tape, those of a loop turn by turn."""
    entries = [i for i, e in enumerate(record.entries) if e.level == level]
    out: list[Unit] = []
    for loop, same in groupby(entries, lambda i: source.loop(record.entries[i].mark)):
        found = list(same)
        turns = in_turns(record, found) if loop and not level else []
        if len(turns) > 1:
            made = {key for i in turns[0] for key in record.entries[i].made}
            carries = any(key in made for i in turns[1] for key in record.entries[i].keys)
            out += [Unit(tuple(turn), k + 1, len(turns), carries) for k, turn in enumerate(turns)]
        else:
            out += [Unit((i,)) for i in found]
    return tuple(out)


def in_turns(record: Record, entries: list[int]) -> list[list[int]]:
    """The entries of a loop turn by turn: a turn ends where a line comes again."""
    turns: list[list[int]] = [[]]
    seen: dict[Mark, int] = {}
    line = 0
    for i in entries:
        mark = record.entries[i].mark
        # What ran there: a Cell, which may write several entries, or else the op itself.
        ran = next((s for s in record.entries[i].scopes if record.scopes[s].mark == mark), -1 - i)
        if seen.get(mark, ran) != ran or mark.line < line:
            turns.append([])
            seen = {}
        turns[-1].append(i)
        seen[mark], line = ran, mark.line
    return turns


def told(unit: Unit) -> str:
    """`time step 2 of 3`, of a turn of a loop."""
    return f'{"time step" if unit.carries else "turn"} {unit.turn} of {unit.turns}'


def numbered(entry: Entry) -> bool:
    """Whether it has a number on its tape: it was taped."""
    return entry.label[:1].isdigit()


def taken(entry: Entry) -> bool:
    """Whether the user's own code takes over there."""
    return entry.kind in TAKEN
