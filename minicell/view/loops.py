"""Equal neighbours on a tape: a loop over time writes the same entries again and again, and a few turns tell all."""

from functools import lru_cache

from ..story.record import Entry, Record
from . import style


@lru_cache(maxsize=style.RECORDS)
def turns(record: Record, level: int) -> tuple[tuple[int, ...], ...]:
    """The entries of one tape; those that take turns in a loop stand together."""
    entries = [i for i, e in enumerate(record.entries) if e.level == level]
    kinds: dict[tuple, int] = {}
    signs = [kinds.setdefault(sign(record.entries[i]), len(kinds)) for i in entries]
    out: list[tuple[int, ...]] = []
    at = 0
    while at < len(entries):
        period, times = repeats(signs, at)
        if times < style.FEWEST_TURNS:
            period = times = 1
        for k in range(period):
            out.append(tuple(entries[at + k + t * period] for t in range(times)))
        at += period * times
    return tuple(out)


def sign(entry: Entry) -> tuple:
    """What makes two entries equal: the same op at the same place in the code, on the same shapes."""
    shapes = tuple(v.shape for v in (*entry.inputs, *entry.outputs))
    return entry.name, entry.kind, entry.mark, entry.note, shapes, entry.inside, len(entry.wires)


def repeats(signs: list[int], at: int) -> tuple[int, int]:
    """The period and the number of turns that cover the most from here on."""
    best = (1, 1)
    for period in range(1, min(style.LONGEST_TURN, (len(signs) - at) // style.FEWEST_TURNS) + 1):
        turns = 1
        while signs[at : at + period] == signs[at + turns * period : at + (turns + 1) * period]:
            turns += 1
        if turns >= style.FEWEST_TURNS and period * turns > best[0] * best[1]:
            best = (period, turns)
    return best
