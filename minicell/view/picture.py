"""A frame composed: title, code, lanes, the gradients that arrive, and the line of steps."""

from . import cards, compare, lanes, layout, panel
from .layout import CAPTION, LANE_W, LANE_X, MARGIN, WIDTH, Plan
from .metrics import width, wrap
from .model import Frame, Record, Step
from .shapes import BACKWARD_TEXT, FORWARD, MUTED, Box, Shape, text


def compose(frame: Frame) -> tuple[list[Shape], tuple[float, float]]:
    """The shapes of a frame, and the size of the picture."""
    record = frame.record
    if not record.steps:
        return blank(frame)
    plan = layout.plan(record)
    step = record.steps[frame.step]
    focus = focused(record, frame.step)
    first, last = plan.pages[plan.home[focus]] if record.entries else (0, -1)
    bottom = max(plan.bottom, plan.top + 200)
    hidden = any(e.kind == 'call' and e.first <= frame.step for e in record.entries)
    code, y_line = panel.panel(record.code, step.mark, plan.top, bottom, hidden)
    out = heading(frame, len(record.steps)) + code
    if plan.strip:
        out += lanes.strip(record, plan, frame.step, focus, (first, last))
    out += labels(record, plan, frame.step)
    xs = positions(plan, first, last)
    for entry, x in xs.items():
        out += pair(frame, plan, entry, x)
    out += lanes.wires(record, plan, frame.step, xs)
    out += lead(record, plan, step, xs, y_line)
    if plan.band:
        out += lanes.band(record, plan, frame.step)
    out += lanes.timeline(record, plan, frame.step)
    return out, (WIDTH, plan.height)


def blank(frame: Frame) -> tuple[list[Shape], tuple[float, float]]:
    """The picture of an empty tape."""
    size = (WIDTH, 150.0)
    return [*heading(frame, 1), Box(MARGIN, 84, WIDTH - 2 * MARGIN, 46, 'none', MUTED, 1, 6, '5 4')], size


def heading(frame: Frame, total: int) -> list[Shape]:
    """Title, caption, and which step of how many."""
    room = WIDTH - 2 * MARGIN
    out: list[Shape] = [
        text(MARGIN, 34, room - 150, frame.title, 20, bold=True),
        text(WIDTH - MARGIN, 34, 130, f'step {frame.step + 1} of {total}', 13, MUTED, 'end'),
    ]
    rows = wrap(frame.caption, room, CAPTION, 2)
    out += [text(MARGIN, 57 + i * 19, room, row, CAPTION, MUTED) for i, row in enumerate(rows)]
    return out


def focused(record: Record, number: int) -> int:
    """The entry that a step is about; a step about none stays where the last one was."""
    seen = (record.steps[i].entry for i in range(number, -1, -1))
    return next((entry for entry in seen if entry is not None), 0)


def positions(plan: Plan, first: int, last: int) -> dict[int, float]:
    """The left edge of each entry's cards on a page."""
    xs, x = {}, float(LANE_X)
    for entry in range(first, last + 1):
        xs[entry] = x
        x += plan.columns[entry].w + layout.GAP
    return xs


def labels(record: Record, plan: Plan, number: int) -> list[Shape]:
    """The names of the two lanes."""
    y, y_back = plan.y_forward - 12, plan.y_forward + plan.forward + 22
    used = width('BACKWARD', 13, True) + 12
    room = LANE_W - used - 240
    return [
        text(LANE_X, y, used, 'FORWARD', 13, FORWARD, bold=True),
        text(LANE_X + used, y, room, 'written left to right', 12, MUTED),
        text(LANE_X, y_back, used, 'BACKWARD', 13, BACKWARD_TEXT, bold=True),
        text(LANE_X + used, y_back, room, 'read right to left', 12, MUTED),
    ]


def pair(frame: Frame, plan: Plan, number: int, x: float) -> list[Shape]:
    """An entry's forward card, and what stands under it."""
    record, at = frame.record, frame.step
    step, entry, col = record.steps[at], record.entries[number], plan.columns[number]
    y, y_back = plan.y_forward, plan.y_backward
    here = step.entry == number
    if entry.kind == 'torn':
        if at < entry.first:
            return []
        return compare.torn(x, y, col.w, plan.forward, entry.error, here)
    out = cards.forward(entry, col, x, y, plan.forward, at, here and step.kind in ('enter', 'hidden', 'write'))
    readings = [r for r in record.readings if r.entry == number]
    reading = next((r for r in reversed(readings) if r.reached <= at), None)
    if reading is not None and reading.failed is not None and reading.failed <= at:
        return out + compare.torn(x, y_back, col.w, plan.backward, reading.error, here)
    if reading is None:
        return out + waiting(record, plan, number, x, at, bool(readings))
    current = step.reading is not None and record.readings[step.reading] is reading and step.kind != 'add'
    if entry.kind == 'call':
        return out + compare.card(record, reading, col, x, y_back, plan.backward, at, current)
    return out + cards.rule(entry, reading, col, x, y_back, plan.backward, at, current)


def waiting(record: Record, plan: Plan, number: int, x: float, at: int, later: bool) -> list[Shape]:
    """Under an entry that backward has not reached: not yet, or never."""
    entry, col, y, h = record.entries[number], plan.columns[number], plan.y_backward, plan.backward
    if entry.kind == 'loose' and at >= entry.first:
        return cards.unread(entry, col, x, y, h, 'it left no entry to read back')
    over = all(run.ended is not None and run.ended <= at for run in record.passes)
    if record.passes and over and not later:
        return cards.unread(entry, col, x, y, h, 'backward did not come here')
    return cards.future(x, y, col.w, h, entry.label)


def lead(record: Record, plan: Plan, step: Step, xs: dict[int, float], y_line: float | None) -> list[Shape]:
    """The line from the executing code to the leftmost card, where that code fills it."""
    if step.entry is None or xs.get(step.entry) != LANE_X or step.kind in ('start', 'arrive', 'add'):
        return []
    if step.reading is not None and record.entries[step.entry].kind != 'call':
        return []
    y = plan.y_backward + 76 if step.reading is not None else plan.y_forward + 62
    right = layout.PANEL_X + layout.PANEL_W - 3
    return compare.leader(step.mark, y_line, y, right)
