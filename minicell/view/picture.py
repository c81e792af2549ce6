"""A frame composed: title, code, lanes, the gradients that arrive, and the line of steps."""

from . import cards, compare, fold, lanes, layout, minimap, panel, stage, threads, tie, timeline
from .layout import CAPTION, LANE_X, MARGIN, WIDTH, Place, Plan
from .metrics import wrap
from .model import Frame, Record, Step
from .shapes import MUTED, Box, Shape, text
from .stage import Stage


def compose(frame: Frame) -> tuple[list[Shape], tuple[float, float]]:
    """The shapes of a frame, and the size of the picture."""
    record = frame.record
    if not record.steps:
        return blank(frame)
    plan = layout.plan(record, frame.look)
    step = record.steps[frame.step]
    bottom = max(plan.bottom, plan.top + 200)
    hidden = any(e.kind == 'call' and e.first <= frame.step for e in record.entries)
    code, y_line = panel.panel(record.code, step.mark, plan.top, bottom, hidden)
    out = heading(frame, len(record.steps)) + code
    seen = stage.stages(record, plan, frame.step, frame.look)
    if plan.strip:
        out += minimap.strip(frame, plan, seen)
    out += tie.labels(record, plan, frame.step, seen)
    for one in seen:
        for entry in one.xs:
            out += pair(frame, plan, entry, one)
        out += lanes.wires(record, plan, frame.step, one)
        out += lead(record, step, one, y_line)
    if plan.band:
        out += lanes.band(record, plan, frame.step)
    out += timeline.timeline(record, plan, frame.step)
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


def pair(frame: Frame, plan: Plan, number: int, one: Stage) -> list[Shape]:
    """An entry's forward card, and what stands under it."""
    record, at = frame.record, frame.step
    step, entry, col = record.steps[at], record.entries[number], plan.columns[number]
    x, y, y_back = one.xs[number], one.place.y_forward, one.place.y_backward
    high, high_back = one.place.forward, one.place.backward
    here = step.entry == number
    if entry.kind == 'torn':
        if at < entry.first:
            return []
        return compare.torn(x, y, col.w, high, entry.error, here)
    turn, turns = fold.turn(record, frame.look, number)
    now = here and step.kind in ('enter', 'hidden', 'write')
    out = cards.stack(x, y, col.w) if turns > 1 else []
    out += cards.forward(entry, col, x, y, high, at, now, f'turn {turn + 1} of {turns}' if turns > 1 else '')
    clear = tie.backward_end(record, plan, one)
    out += threads.saves(entry, col, x, one.place, clear, at, here and step.reading is not None)
    readings = record.readings_of.get(number, [])
    reading = next((r for r in reversed(readings) if r.reached <= at), None)
    if reading is not None and reading.failed is not None and reading.failed <= at:
        return out + compare.torn(x, y_back, col.w, high_back, reading.error, here)
    if reading is None:
        return out + waiting(record, plan, number, x, one.place, at, bool(readings))
    current = step.reading is not None and record.readings[step.reading] is reading and step.kind != 'add'
    if entry.kind == 'call':
        return out + compare.card(frame, reading, col, x, y_back, high_back, current)
    return out + cards.rule(record, reading, col, x, y_back, high_back, at, current)


def waiting(record: Record, plan: Plan, number: int, x: float, place: Place, at: int, later: bool) -> list[Shape]:
    """Under an entry that backward has not reached: not yet, or never."""
    entry, col, y, h = record.entries[number], plan.columns[number], place.y_backward, place.backward
    if entry.kind == 'loose' and at >= entry.first:
        return cards.unread(entry, col, x, y, h, entry.why or 'it left no entry to read back')
    over = all(run.ended is not None and run.ended <= at for run in record.passes)
    if record.passes and over and not later:
        return cards.unread(entry, col, x, y, h, 'backward did not come here')
    return cards.future(x, y, col.w, h, entry.label)


def lead(record: Record, step: Step, one: Stage, y_line: float | None) -> list[Shape]:
    """The line from the executing code to the leftmost card, where that code fills it."""
    if step.entry is None or one.xs.get(step.entry) != LANE_X or step.kind in ('start', 'arrive', 'add'):
        return []
    if step.reading is not None and record.entries[step.entry].kind != 'call':
        return []
    y = one.place.y_backward + 76 if step.reading is not None else one.place.y_forward + 62
    right = layout.PANEL_X + layout.PANEL_W - 3
    return lanes.leader(step.mark, y_line, y, right)
