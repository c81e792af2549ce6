"""What runs between and around the cards: arrows, the detour, the strip of a long tape, the gradients, the steps."""

from . import cards, thumb
from .caption import rules, which_gradient
from .layout import GAP, LANE_W, LANE_X, SMALL_CARDS, Plan, slot
from .metrics import width
from .model import Arrival, Part, Reading, Record, Value
from .shapes import (
    BACKWARD,
    BACKWARD_TEXT,
    FAINT,
    FORWARD,
    INK,
    MUTED,
    PAPER,
    RULE,
    Box,
    Path,
    Shape,
    arrow,
    text,
)

BACK = ('start', 'reach', 'inside', 'give', 'add', 'arrive', 'fail')  # the steps of backward


def wires(record: Record, plan: Plan, step: int, xs: dict[int, float]) -> list[Shape]:
    """The arrows between neighbouring cards, and the way of the cotangents."""
    out: list[Shape] = []
    for number, x in xs.items():
        entry = record.entries[number]
        done = entry.kind != 'torn' and step >= entry.first
        if number - 1 in xs and number - 1 in entry.sources and done:
            y = plan.y_forward + 26
            out += arrow([(x - GAP + 4, y), (x - 4, y)], FORWARD, 2.5)
        readings = [r for r in record.readings if r.entry == number and r.reached <= step]
        now = record.steps[step]
        if now.kind == 'start' and now.entry == number:
            out += seed(plan, x + plan.columns[number].w, number + 1 in xs)
        elif readings:
            out += incoming(record, plan, readings[-1], number, xs, step)
    return out


def incoming(record: Record, plan: Plan, reading: Reading, number: int, xs: dict[int, float], step: int) -> list[Shape]:
    """The cotangent's way into a backward card: from its neighbour, or through the detour lane into a bprop."""
    right = xs[number] + plan.columns[number].w
    now = record.steps[step].reading is not None and record.readings[record.steps[step].reading] is reading
    line = 4.0 if now else 2.5
    neighbour = reading.origin is not None and number + 1 in xs and reading.origin == number + 1
    if record.entries[number].kind == 'call':
        return detour(record, plan, reading, number, xs, neighbour, line)
    if neighbour:
        y = plan.y_backward + 26
        return arrow([(right + GAP - 4, y), (right + 4, y)], BACKWARD, line - 0.5)
    if reading.origin is None:
        return seed(plan, right, number + 1 in xs)
    return []


def seed(plan: Plan, right: float, crowded: bool) -> list[Shape]:
    """Where backward starts: an arrow, out of the word `start` if there is room for it."""
    x = right + GAP
    y = plan.y_backward + 26
    room = min(60, LANE_X + LANE_W - x)
    if room < 0:
        return []
    out = arrow([(x - 4, y), (right + 4, y)], BACKWARD, 2.5)
    return out if crowded or room < 40 else [*out, text(x, y + 4, room, 'start', 12, BACKWARD_TEXT, bold=True)]


def detour(
    record: Record, plan: Plan, reading: Reading, number: int, xs: dict[int, float], neighbour: bool, line: float
) -> list[Shape]:
    """The jump over the hidden ops' rules: along the reserved lane, and into the card's left edge."""
    entry, x, col = record.entries[number], xs[number], plan.columns[number]
    right, y = x + col.w, plan.y_detour
    words = f'jumps over {rules(entry)}'
    room = width(words, 13, True) + 12
    middle = x + col.w / 2
    out: list[Shape] = []
    if neighbour:
        foot = plan.y_backward + 26
        tail = ((right + GAP - 4, foot), (right + GAP / 2, foot), (right + GAP / 2, y))
    elif right + GAP + 70 <= LANE_X + LANE_W and (number + 1 not in xs or record.entries[number + 1].kind != 'call'):
        tail = ((right + GAP, y),)
        origin = record.entries[reading.origin] if reading.origin is not None else None
        begin = f'from {origin.label} {origin.name}' if origin else 'start'
        left = right + GAP + 6
        out.append(text(left, y + 4, LANE_X + LANE_W - left, begin, 12, BACKWARD_TEXT, bold=True))
    else:
        tail = ((right, y),)
    down = x - GAP / 2
    out.append(Path(((*tail, (middle + room / 2, y)),), BACKWARD, line))
    foot = plan.y_backward + 22
    out += arrow([(middle - room / 2, y), (down, y), (down, foot), (x - 2, foot)], BACKWARD, line, 11)
    out.append(text(middle, y + 4.5, room, words, 13, BACKWARD_TEXT, 'middle', bold=True))
    return out


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
        words = 'none: the error ended the run' if record.steps[step].kind == 'fail' else 'none yet'
        return [*out, text(LANE_X, y + 16, LANE_W, words, 12, MUTED)]
    wanted = [arrival_width(a) for a in run.arrivals]
    x = float(LANE_X)
    for i, (a, w) in enumerate(zip(run.arrivals, wanted, strict=True)):
        left = LANE_X + LANE_W - x
        if w > left - (70 if i + 1 < len(wanted) else 0):
            out.append(text(x, y + 16, left, f'and {len(wanted) - i} more', 12, MUTED))
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
    return slot(shown(a))[0] + 14 + min(longest + 30, 300)


def shown(a: Arrival) -> Value:
    """The gradient as a value, for its room."""
    return a.total or Value(f'd{a.of}', a.shape)


def source(p: Part) -> str:
    """Which entry brought a contribution."""
    number = f'{thumb.short(float(p.value.data))} ' if p.value.data is not None and p.value.data.size == 1 else ''
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


def strip(record: Record, plan: Plan, step: int, focus: int, page: tuple[int, int]) -> list[Shape]:
    """A long tape at a glance: 13 small cards around the focus, the rest as ticks."""
    count = len(record.entries)
    first = min(max(focus - SMALL_CARDS // 2, 0), max(count - SMALL_CARDS, 0))
    last = min(first + SMALL_CARDS, count)
    pitch, y = min(LANE_W / (last - first), 110), plan.top
    out: list[Shape] = []
    for i in range(first, last):
        out += small(record, i, LANE_X + (i - first) * pitch, y, pitch - 5, step, i == focus, page[0] <= i <= page[1])
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


def timeline(record: Record, plan: Plan, step: int) -> list[Shape]:
    """One mark a step: discs for forward, diamonds for backward, the current one large, with a few names."""
    count, y = len(record.steps), plan.y_steps
    pitch = (LANE_W - 24) / max(count - 1, 1)
    xs = [LANE_X + 12 + i * pitch for i in range(count)]
    out: list[Shape] = [Path((((xs[0], y), (xs[-1], y)),), RULE, 2)] if count > 1 else []
    size = max(min(5.0, pitch * 0.4), 1.5)
    if pitch < 5:
        out += ticks(record, xs, y, step)
    else:
        out += [point(record.steps[i].kind, x, y, size, i <= step, False) for i, x in enumerate(xs) if i != step]
    out.append(point(record.steps[step].kind, xs[step], y, 8.0, True, True))
    return out + names(record, xs, y + 26, step)


def ticks(record: Record, xs: list[float], y: float, step: int) -> list[Shape]:
    """Many steps as ticks, in four paths: forward up, backward down, what is done thick."""
    out: list[Shape] = []
    for back, colour in ((False, FORWARD), (True, BACKWARD)):
        for done in (False, True):
            at = [x for i, x in enumerate(xs) if (record.steps[i].kind in BACK) == back and (i <= step) == done]
            runs = tuple(((x, y), (x, y + (7 if back else -7))) for x in at)
            if runs:
                out.append(Path(runs, colour, 1.5 if done else 0.5))
    return out


def point(kind: str, x: float, y: float, r: float, done: bool, current: bool) -> Shape:
    """The mark of one step."""
    back = kind in BACK
    colour = (BACKWARD if back else FORWARD) if done else PAPER
    edge = INK if current else BACKWARD if back else FORWARD
    if back:
        return Path((((x - r, y), (x, y - r), (x + r, y), (x, y + r), (x - r, y)),), edge, 2 if current else 1, colour)
    return Box(x - r, y - r, 2 * r, 2 * r, colour, edge, 2 if current else 1, r)


def names(record: Record, xs: list[float], y: float, step: int) -> list[Shape]:
    """Names under as many steps as have room; the current one always has its name."""
    taken: list[tuple[float, float]] = []
    out: list[Shape] = []
    order = [step, 0, len(xs) - 1, *range(1, len(xs) - 1)]
    for i in dict.fromkeys(order):
        words = short(record, i)
        w = min(width(words, 11, i == step), 130) + 2
        left = min(max(xs[i] - w / 2, LANE_X), LANE_X + LANE_W - w)
        if any(left < b + 10 and a < left + w + 10 for a, b in taken):
            continue
        taken.append((left, left + w))
        out.append(text(left, y, w, words, 11, INK if i == step else MUTED, bold=i == step))
    return out


def short(record: Record, number: int) -> str:
    """A step in two words."""
    step = record.steps[number]
    entry = record.entries[step.entry] if step.entry is not None else None
    name = f'{entry.label} {entry.name}'.strip() if entry else ''
    bprop = f'{entry.name}.bprop' if entry else ''
    custom = entry is not None and entry.kind == 'call'
    return {
        'enter': f'enter {step.what}',
        'hidden': ', '.join(entry.hidden[:2]) if entry else '',
        'write': name,
        'start': 'backward',
        'reach': f'call {bprop}' if custom else f'reach {name}',
        'inside': f'line {step.mark.line}' if step.mark else '',
        'give': bprop if custom else f'{name} rule',
        'add': f'{step.what} +=',
        'arrive': 'gradients',
        'fail': 'error',
    }[step.kind]
