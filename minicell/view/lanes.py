"""What runs between and around the cards: arrows, the detour, the strip of a long tape, the gradients, the steps."""

from . import cards, thumb
from .caption import rules, which_gradient
from .layout import GAP, LANE_W, LANE_X, Plan, slot
from .metrics import width
from .model import Arrival, Mark, Part, Reading, Record, Value
from .shapes import BACKWARD, BACKWARD_TEXT, FORWARD, INK, MUTED, PAPER, Box, Path, Shape, arrow, text
from .stage import Stage


def wires(record: Record, plan: Plan, step: int, stage: Stage) -> list[Shape]:
    """The arrows between neighbouring cards, and the way of the cotangents."""
    out: list[Shape] = []
    for number, x in stage.xs.items():
        entry = record.entries[number]
        done = entry.kind != 'torn' and step >= entry.first
        if number in stage.before and stage.before[number] in entry.sources and done:
            y = stage.place.y_forward + 26
            out += arrow([(x - GAP + 4, y), (x - 4, y)], FORWARD, 2.5)
        readings = [r for r in record.readings_of.get(number, ()) if r.reached <= step]
        now = record.steps[step]
        if now.kind == 'start' and now.entry == number:
            out += seed(stage, x + plan.columns[number].w, number in stage.after)
        elif readings:
            out += incoming(record, plan, readings[-1], number, stage, step)
    return out


def incoming(record: Record, plan: Plan, reading: Reading, number: int, stage: Stage, step: int) -> list[Shape]:
    """The cotangent's way into a backward card: from its neighbour, or through the detour lane into a bprop."""
    right = stage.xs[number] + plan.columns[number].w
    now = record.steps[step].reading is not None and record.readings[record.steps[step].reading] is reading
    line = 4.0 if now else 2.5
    neighbour = reading.origin is not None and reading.origin == stage.after.get(number)
    if record.entries[number].kind == 'call':
        return detour(record, plan, reading, number, stage, neighbour, line)
    if neighbour:
        y = stage.place.y_backward + 26
        return arrow([(right + GAP - 4, y), (right + 4, y)], BACKWARD, line - 0.5)
    if reading.origin is None:
        return seed(stage, right, number in stage.after)
    return []


def seed(stage: Stage, right: float, crowded: bool) -> list[Shape]:
    """Where backward starts: an arrow, out of the word `start` if there is room for it."""
    x = right + GAP
    y = stage.place.y_backward + 26
    room = min(60, LANE_X + LANE_W - x)
    if room < 0:
        return []
    out = arrow([(x - 4, y), (right + 4, y)], BACKWARD, 2.5)
    if crowded or room < 40:  # a bar: it comes from nowhere, not from the neighbour
        return [*out, Path((((x - 4, y - 6), (x - 4, y + 6)),), BACKWARD, 2.5)]
    return [*out, text(x, y + 4, room, 'start', 12, BACKWARD_TEXT, bold=True)]


def detour(
    record: Record, plan: Plan, reading: Reading, number: int, stage: Stage, neighbour: bool, line: float
) -> list[Shape]:
    """The jump over the hidden ops' rules: along the reserved lane, and into the card's left edge."""
    entry, x, col = record.entries[number], stage.xs[number], plan.columns[number]
    right, y = x + col.w, stage.place.y_detour
    words = f'jumps over {rules(entry)}'
    room = width(words, 13, True) + 12
    middle = x + col.w / 2
    after = stage.after.get(number)
    out: list[Shape] = []
    if neighbour:
        foot = stage.place.y_backward + 26
        tail = ((right + GAP - 4, foot), (right + GAP / 2, foot), (right + GAP / 2, y))
    elif right + GAP + 70 <= LANE_X + LANE_W and (after is None or record.entries[after].kind != 'call'):
        tail = ((right + GAP, y),)
        origin = record.entries[reading.origin] if reading.origin is not None else None
        begin = f'from {origin.label} {origin.name}' if origin else 'start'
        left = right + GAP + 6
        out.append(text(left, y + 4, LANE_X + LANE_W - left, begin, 12, BACKWARD_TEXT, bold=True))
    else:
        tail = ((right, y),)
    down = x - GAP / 2
    out.append(Path(((*tail, (middle + room / 2, y)),), BACKWARD, line))
    foot = stage.place.y_backward + 22
    out += arrow([(middle - room / 2, y), (down, y), (down, foot), (x - 2, foot)], BACKWARD, line, 11)
    out.append(text(middle, y + 4.5, room, words, 13, BACKWARD_TEXT, 'middle', bold=True))
    return out


def leader(mark: Mark | None, y_line: float | None, y_card: float, right: float) -> list[Shape]:
    """A line from the executing line of code to the card that it fills."""
    if mark is None or y_line is None:
        return []
    x = LANE_X - 23
    run = ((right, y_line), (x, y_line), (x, y_card), (LANE_X - 8, y_card))
    tip = ((LANE_X - 1, y_card), (LANE_X - 10, y_card - 5), (LANE_X - 10, y_card + 5))
    return [Path((run,), INK, 1.5), Path((tip,), fill=INK)]


def band(record: Record, plan: Plan, step: int) -> list[Shape]:
    """The gradients as they arrive at the inputs, each with where it came from."""
    now = record.steps[step].run
    run = record.passes[now] if now is not None else next((r for r in reversed(record.passes) if r.begun <= step), None)
    y = plan.y_band
    out: list[Shape] = [text(LANE_X, y - 10, LANE_W, 'GRADIENTS', 13, BACKWARD_TEXT, bold=True)]
    used = width('GRADIENTS', 13, True) + 12
    out[0] = out[0]._replace(box=(LANE_X, y - 23, used, 17))
    which = f'of the {which_gradient(record, run)} gradient ' if run and which_gradient(record, run) else ''
    out.append(text(LANE_X + used, y - 10, LANE_W - used, f'{which}arrive at the inputs', 12, MUTED))
    if run is None or not run.arrivals:
        ends = 'the error ended the run' if step == len(record.steps) - 1 else 'an error ended this gradient'
        words = f'none: {ends}' if record.steps[step].kind == 'fail' else 'none yet'
        return [*out, text(LANE_X, y + 16, LANE_W, words, 12, MUTED)]
    wanted = [arrival_width(a) for a in run.arrivals]
    x = float(LANE_X)
    for i, (a, w) in enumerate(zip(run.arrivals, wanted, strict=True)):
        left = LANE_X + LANE_W - x
        if w > left - (70 if i + 1 < len(wanted) else 0):
            words = f'and {len(wanted) - i} more'
            named = f'{words}: {", ".join(shown(rest).name for rest in run.arrivals[i:])}'
            out.append(text(x, y + 16, left, named if width(named, 12) <= left else words, 12, MUTED))
            break
        ended = run.ended is not None and step >= run.ended
        what = record.steps[step]
        now = what.kind == 'arrive' or (what.kind == 'add' and what.what == a.of)
        out += arrival(a, x, y, w, step, ended, now)
        x += w + 24
    return out


def arrival_width(a: Arrival) -> float:
    """The room of one arrived gradient with its sources."""
    longest = max((width(source(p), 12) for _, p in a.parts), default=width(a.why, 12))
    longest = max(longest, width(f'and {len(a.parts)} more', 12)) if len(a.parts) > 3 else longest
    badge = 30 if len(a.parts) > 1 else 6
    return slot(shown(a))[0] + 14 + min(longest + badge, 460)


def shown(a: Arrival) -> Value:
    """The gradient as a value, for its room."""
    return a.total or Value(a.name, a.shape)


def source(p: Part) -> str:
    """Which entry brought a contribution."""
    number = (
        f'{thumb.short(float(p.value.data.item()))} ' if p.value.data is not None and p.value.data.size == 1 else ''
    )
    return f'{number}from {p.label}'


def arrival(a: Arrival, x: float, y: float, w: float, step: int, ended: bool, now: bool) -> list[Shape]:
    """One gradient: a dashed place until it is there, then its numbers and where they came from."""
    v = shown(a)
    here = [p for at, p in a.parts if at <= step]
    value = a.total if ended else so_far(v, here)
    out = cards.value(value, x, y) if value else cards.waiting(v, x, y)
    if value and now:
        w_picture, h = thumb.size(value)
        out.append(Box(x - 3, y + thumb.LABEL_H - 3, w_picture + 5, h + 5, 'none', INK, 2, 3))
    left = x + slot(v)[0] + 14
    room = x + w - left
    top = y + thumb.LABEL_H
    if not a.parts and ended:
        return [*out, text(left, top + 14, room, a.why, 12, MUTED)]
    most = max(min(len(here), 3), 1)
    indent = 29 if len(a.parts) > 1 else 0
    for i, p in enumerate(here[:most]):
        words = source(p) if len(here) <= 3 or i < most - 1 else f'and {len(here) - most + 1} more'
        if i:
            out += [Box(left, top + 3 + i * 16, 24, 14, BACKWARD_TEXT, radius=3)]
            out.append(text(left + 12, top + 14 + i * 16, 24, '+=', 11, PAPER, 'middle', bold=True))
        out.append(text(left + indent, top + 14 + i * 16, room - indent, words, 12, BACKWARD_TEXT))
    return out


def so_far(v: Value, parts: list[Part]) -> Value | None:
    """The sum of the contributions that have come."""
    found = [p.value.data for p in parts if p.value.data is not None]
    return v._replace(data=sum(found[1:], found[0])) if found else None
