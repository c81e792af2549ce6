"""Equal neighbours on a tape: a loop over time writes the same entries again and again; one card can stand for all."""

from functools import lru_cache
from typing import NamedTuple

from .model import Entry, Look, Record

LONGEST = 12  # entries of one turn
FEWEST = 3  # turns; two stand beside each other
FEW = 13  # so many cards are never folded unasked


class Slot(NamedTuple):
    """A card's place: the entries that take turns in it, one after the other; mostly one."""

    entries: tuple[int, ...]
    block: int = -1  # slots of one block turn together; -1: the only entry


@lru_cache(maxsize=32)
def slots(record: Record, level: int, fold: bool | None) -> tuple[Slot, ...]:
    """The places on one tape, from left to right."""
    entries = [i for i, e in enumerate(record.entries) if e.level == level]
    if fold is False or (fold is None and len(entries) <= FEW):
        return tuple(Slot((i,)) for i in entries)
    kinds: dict[tuple, int] = {}
    signs = [kinds.setdefault(sign(record.entries[i]), len(kinds)) for i in entries]
    out: list[Slot] = []
    at = 0
    while at < len(entries):
        period, turns = repeats(signs, at)
        if turns < FEWEST:
            out.append(Slot((entries[at],)))
            at += 1
            continue
        block = entries[at]
        for k in range(period):
            out.append(Slot(tuple(entries[at + k + t * period] for t in range(turns)), block))
        at += period * turns
    return tuple(out)


def sign(entry: Entry) -> tuple:
    """What makes two entries equal: the same op at the same place in the code, on the same shapes."""
    shapes = tuple(v.shape for v in (*entry.inputs, *entry.outputs))
    return entry.name, entry.kind, entry.mark, entry.note, shapes, entry.inside, len(entry.wires)


def repeats(signs: list[int], at: int) -> tuple[int, int]:
    """The period and the number of turns that cover the most from here on."""
    best = (1, 1)
    for period in range(1, min(LONGEST, (len(signs) - at) // FEWEST) + 1):
        turns = 1
        while signs[at : at + period] == signs[at + turns * period : at + (turns + 1) * period]:
            turns += 1
        if turns >= FEWEST and period * turns > best[0] * best[1]:
            best = (period, turns)
    return best


@lru_cache(maxsize=32)
def places(record: Record, fold: bool | None) -> dict[int, tuple[Slot, int]]:
    """For each entry its slot, and its turn in it from 0."""
    levels = range(max((e.level for e in record.entries), default=0) + 1)
    return {e: (slot, t) for n in levels for slot in slots(record, n, fold) for t, e in enumerate(slot.entries)}


def turn(record: Record, look: Look, entry: int | None) -> tuple[int, int]:
    """Which turn of how many an entry is; (0, 1) where nothing is folded."""
    if entry is None:
        return 0, 1
    slot, t = places(record, look.fold)[entry]
    return t, len(slot.entries)


def most(record: Record, look: Look) -> int:
    """The number of turns of the longest fold."""
    return max((len(slot.entries) for slot, _ in places(record, look.fold).values()), default=1)


def shown(record: Record, look: Look, slot: Slot, step: int) -> int:
    """The entry that stands in a slot at a step: the turn that was asked for, or that the steps were last about."""
    if len(slot.entries) == 1:
        return slot.entries[0]
    if look.turn is not None:
        return slot.entries[min(max(look.turn, 0), len(slot.entries) - 1)]
    where = places(record, look.fold)
    for i in range(step, -1, -1):
        entry = record.steps[i].entry
        while entry is not None:
            found, t = where[entry]
            if found.block == slot.block:
                return slot.entries[t]
            by = record.entries[entry].by
            entry = record.readings[by].entry if by is not None and by >= 0 else None
    return slot.entries[0]
