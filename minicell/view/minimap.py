"""A long tape at a glance: small cards around the focus, a tick for each entry, brackets for the Cells."""

from . import fold
from .layout import LANE_W, LANE_X, SMALL_CARDS, Plan
from .model import Frame, Record
from .shapes import BACKWARD, BACKWARD_TEXT, FAINT, FORWARD, INK, MUTED, PAPER, Box, Path, Shape, text
from .stage import Stage, followed


def strip(frame: Frame, plan: Plan, seen: list[Stage]) -> list[Shape]:
    """A long tape at a glance: 13 small cards around the focus, the rest as ticks."""
    record, step, look = frame.record, frame.step, frame.look
    near = {entry for one in seen for entry in one.xs}
    focus = next((entry for _, entry in followed(record, step)), 0)
    slots = sorted((slot for tier in plan.tiers for slot in tier.slots), key=lambda slot: slot.entries[0])
    here = next(i for i, slot in enumerate(slots) if focus in slot.entries)
    first = min(max(here - SMALL_CARDS // 2, 0), max(len(slots) - SMALL_CARDS, 0))
    last = min(first + SMALL_CARDS, len(slots))
    pitch, y = min(LANE_W / (last - first), 110), plan.top
    out: list[Shape] = []
    drawn = []
    for i, slot in enumerate(slots[first:last]):
        entry = fold.shown(record, look, slot, step)
        drawn.append(entry)
        count = len(slot.entries)
        out += small(record, entry, LANE_X + i * pitch, y, pitch - 5, step, entry == focus, entry in near, count)
    return out + (ticks(record, step, y + 56, sorted(drawn)) if plan.strip > 52 else [])


def ticks(record: Record, step: int, y: float, drawn: list[int]) -> list[Shape]:
    """A tick for each entry, what is written thick; a frame around the small cards above; the Cells under them."""
    count = len(record.entries)
    share = LANE_W / count
    written = [i for i, e in enumerate(record.entries) if e.written is not None and e.written <= step]
    rest = sorted(set(range(count)) - set(written))
    out: list[Shape] = []
    for numbers, colour in ((written, FORWARD), (rest, FAINT)):
        runs = tuple(((LANE_X + (i + 0.5) * share, y), (LANE_X + (i + 0.5) * share, y + 8)) for i in numbers)
        if runs:
            out.append(Path(runs, colour, max(min(share * 0.5, 3), 1)))
    for a, b in runs_of(drawn):
        out.append(Box(LANE_X + a * share, y - 3, (b - a + 1) * share, 14, 'none', INK, 1.5, 2))
    return out + brackets(record, share, y + 14)


def runs_of(numbers: list[int]) -> list[tuple[int, int]]:
    """Neighbours in a sorted list of numbers, as (first, last)."""
    out: list[tuple[int, int]] = []
    for n in numbers:
        out[-1:] = [(out[-1][0], n)] if out and n == out[-1][1] + 1 else [*out[-1:], (n, n)]
    return out


def brackets(record: Record, share: float, y: float) -> list[Shape]:
    """The Cells that the entries ran in: a bracket for each call, with its name where there is room."""
    spans: dict[int, list[int]] = {}
    for i, e in enumerate(record.entries):
        if e.scopes and e.kind != 'cell':
            spans.setdefault(e.scopes[0], [i, i])[1] = i
    lines = []
    out: list[Shape] = []
    for scope, (first, last) in spans.items():
        left, right = LANE_X + first * share + 1, LANE_X + (last + 1) * share - 1
        lines.append(((left, y - 2), (left, y + 2), (right, y + 2), (right, y - 2)))
        if right - left >= 36:
            name = record.scopes[scope].name
            out.append(text((left + right) / 2, y + 14, right - left, name, 11, MUTED, 'middle'))
    return [Path(tuple(lines), MUTED, 1), *out] if lines else []


def small(
    record: Record, number: int, x: float, y: float, w: float, step: int, focus: bool, near: bool, count: int
) -> list[Shape]:
    """One entry of a long tape: number, name, and what has happened to it."""
    entry = record.entries[number]
    there = step >= entry.first
    read = any(r.entry == number and r.reached <= step for r in record.readings)
    colour = BACKWARD if read else FORWARD if there and entry.kind != 'loose' else FAINT
    out: list[Shape] = [Box(x, y, w, 44, PAPER, colour, 3 if focus else 1.5 if near else 1, 5, '' if there else '4 3')]
    if entry.kind == 'call' and there:
        out.append(Box(x + 3, y + 3, w - 6, 38, 'none', colour, 1, 3))
    ink = BACKWARD_TEXT if read else FORWARD if there else MUTED
    out.append(text(x + w / 2, y + 18, w - 8, entry.label + (' ◂' if read else ''), 11, ink, 'middle', bold=True))
    if there:
        words = f'{entry.name} × {count}' if count > 1 else entry.name
        out.append(text(x + w / 2, y + 34, w - (8 if entry.kind == 'call' else 4), words, 11, INK, 'middle'))
    return out
