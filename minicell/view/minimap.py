"""A long tape at a glance: small cards around the focus, a tick for each entry, brackets for the Cells."""

from .layout import LANE_W, LANE_X, SMALL_CARDS, Plan
from .model import Record
from .shapes import BACKWARD, BACKWARD_TEXT, FAINT, FORWARD, INK, MUTED, PAPER, Box, Path, Shape, text
from .stage import Stage, followed


def strip(record: Record, plan: Plan, step: int, seen: list[Stage]) -> list[Shape]:
    """A long tape at a glance: 13 small cards around the focus, the rest as ticks."""
    count = len(record.entries)
    near = {entry for one in seen for entry in one.xs}
    focus = next((entry for _, entry in followed(record, step)), 0)
    first = min(max(focus - SMALL_CARDS // 2, 0), max(count - SMALL_CARDS, 0))
    last = min(first + SMALL_CARDS, count)
    pitch, y = min(LANE_W / (last - first), 110), plan.top
    out: list[Shape] = []
    for i in range(first, last):
        out += small(record, i, LANE_X + (i - first) * pitch, y, pitch - 5, step, i == focus, i in near)
    if count <= SMALL_CARDS:
        return out
    y_ticks = y + 56
    share = LANE_W / count
    written = [i for i, e in enumerate(record.entries) if e.written is not None and e.written <= step]
    rest = sorted(set(range(count)) - set(written))
    for numbers, colour, dash in ((written, FORWARD, ''), (rest, FAINT, '')):
        xs = [LANE_X + (i + 0.5) * share for i in numbers]
        runs = tuple(((x, y_ticks), (x, y_ticks + 8)) for x in xs)
        if runs:
            out.append(Path(runs, colour, max(min(share * 0.5, 3), 1), dash=dash))
    out.append(Box(LANE_X + first * share, y_ticks - 3, (last - first) * share, 14, 'none', INK, 1.5, 2))
    return out


def small(record: Record, number: int, x: float, y: float, w: float, step: int, focus: bool, near: bool) -> list[Shape]:
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
        out.append(text(x + w / 2, y + 34, w - 8, entry.name, 11, INK, 'middle'))
    return out
