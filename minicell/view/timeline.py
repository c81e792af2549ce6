"""The line of the steps, at the foot of the picture."""

from .layout import LANE_W, LANE_X, Plan
from .metrics import width
from .model import Record
from .shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, Box, Path, Shape, text

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
