"""The line of the steps, at the foot of the picture."""

from functools import lru_cache

from .caption import tallied
from .layout import LANE_W, LANE_X, Plan
from .metrics import width
from .model import Entry, Record
from .shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, Box, Path, Shape, Text, text

SPACE = 10  # between names
BACK = ('start', 'reach', 'inside', 'give', 'add', 'arrive', 'fail')  # the steps of backward


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
        here = [i for i in one_a_pixel(record) if (record.steps[i].kind in BACK) == back]
        for done in (False, True):
            runs = tuple(((xs[i], y), (xs[i], y + (7 if back else -7))) for i in here if (i <= step) == done)
            if runs:
                out.append(Path(runs, colour, 1.5 if done else 0.5))
    return out


@lru_cache(maxsize=8)
def one_a_pixel(record: Record) -> list[int]:
    """As many steps as there are places for ticks, one of each direction."""
    share = max(len(record.steps) / LANE_W, 1)
    seen = {(int(i / share), s.kind in BACK): i for i, s in enumerate(record.steps)}
    return list(seen.values())


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
    last = len(xs) - 1
    out = [name(record, i, xs[i], y, i == step) for i in dict.fromkeys((step, 0, last))]
    taken = [out[0].box]
    kept: list[Shape] = [out[0]]
    for shape in out[1:]:
        if all(apart(shape.box, box) for box in taken):
            taken.append(shape.box)
            kept.append(shape)
    free = float(LANE_X)  # where the next name may begin
    wait = free  # no step left of this has room for its name
    for i in range(1, last):
        if xs[i] < wait:
            continue
        shape = name(record, i, xs[i], y, False)
        left, right = shape.box[0], shape.box[0] + shape.box[2]
        blocking = next((box for box in taken if not apart(shape.box, box)), None)
        if blocking is not None and blocking[0] + blocking[2] > free:
            free = blocking[0] + blocking[2] + SPACE
        elif shape.text and left >= free:
            kept.append(shape)
            free = right + SPACE
        wait = free + 12 if left >= free or not shape.text else free + (right - left) / 2
    return kept


def apart(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    """Whether two names keep their distance."""
    return a[0] + a[2] + SPACE <= b[0] or b[0] + b[2] + SPACE <= a[0]


def name(record: Record, number: int, x: float, y: float, current: bool) -> Text:
    """The name of one step, as near to its mark as the picture's edge allows."""
    words = short(record, number)
    w = min(width(words, 11, current), 260 if current else 160) + 2
    left = min(max(x - w / 2, LANE_X), LANE_X + LANE_W - w)
    return text(left, y, w, words, 11, INK if current else MUTED, bold=current)


def short(record: Record, number: int) -> str:
    """A step in two words."""
    step = record.steps[number]
    entry = record.entries[step.entry] if step.entry is not None else None
    name = f'{entry.label} {entry.name}'.strip() if entry else ''
    bprop = f'{entry.name}.bprop' if entry else ''
    custom = entry is not None and entry.kind == 'call'
    return {
        'enter': f'enter {step.what}',
        'hidden': hidden(entry, step.what) if entry else '',
        'write': name,
        'start': 'backward',
        'reach': f'call {bprop}' if custom else f'reach {name}',
        'inside': f'line {step.mark.line}' if step.mark else '',
        'give': bprop if custom else f'{name} rule',
        'add': f'{step.what} +=' if step.what else '',
        'arrive': 'gradients',
        'fail': 'error',
    }[step.kind]


def hidden(entry: Entry, what: str) -> str:
    """The op that ran hidden, or the first two of those that one step stands for."""
    if len({g.first for g in entry.ghosts}) > 1:
        return what
    names = tallied(entry.hidden)
    return ', '.join(names[:2]) + ' …' * (len(names) > 2)
