"""Which entries stand on the picture at a step, and where: one tape, or the one that is read and the one it writes."""

from typing import NamedTuple

from . import fold
from .layout import GAP, LANE_X, Place, Plan
from .model import PLAIN, Look, Record


class Stage(NamedTuple):
    """A tape as it is seen: where its lanes are, and the left edge of each entry's cards."""

    level: int
    place: Place
    focus: int | None
    xs: dict[int, float]
    before: dict[int, int]  # the left neighbour of an entry
    after: dict[int, int]  # the right neighbour


def stages(record: Record, plan: Plan, step: int, look: Look = PLAIN) -> list[Stage]:
    """The tapes that are seen at a step, the first one on top."""
    trail = followed(record, step)
    deepest = min(trail[0][0] if trail else 0, len(plan.tiers) - 1)
    first = max(deepest - 1, 0) if len(plan.places) > 1 else 0
    out = []
    for level, place in zip(range(first, len(plan.tiers)), plan.places, strict=False):
        focus = next((entry for at, entry in trail if at == level), None)
        out.append(stage(record, plan, level, place, focus, look, step))
    return out


def followed(record: Record, step: int) -> list[tuple[int, int]]:
    """What a step is about, and what it was about before: (level, entry), latest first.

    An entry that a gradient wrote brings with it the one that was read when it was written.
    """
    out: list[tuple[int, int]] = []
    deepest = max((e.level for e in record.entries), default=0)
    seen: set[int] = set()
    for i in range(step, -1, -1):
        number = record.steps[i].entry
        while number is not None:
            entry = record.entries[number]
            if entry.level not in seen:
                seen.add(entry.level)
                out.append((entry.level, number))
            number = record.readings[entry.by].entry if entry.by is not None and entry.by >= 0 else None
        if len(seen) == deepest + 1:
            break
    return out


def stage(record: Record, plan: Plan, level: int, place: Place, focus: int | None, look: Look, step: int) -> Stage:
    """One tape, at the page where its focus is at home."""
    tier = plan.tiers[level]
    if not tier.slots:
        return Stage(level, place, None, {}, {}, {})
    first, last = tier.pages[tier.home[focus] if focus is not None else 0]
    seen = [fold.shown(record, look, slot, step) for slot in tier.slots[first : last + 1]]
    xs, x = {}, float(LANE_X)
    for entry in seen:
        xs[entry] = x
        x += plan.columns[entry].w + GAP
    before = dict(zip(seen[1:], seen, strict=False))
    return Stage(level, place, focus, xs, before, {a: b for b, a in before.items()})
