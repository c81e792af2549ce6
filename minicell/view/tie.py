"""The names of the lanes, and the line that ties an entry of the second tape to the card that wrote it."""

from . import threads
from .layout import LANE_W, LANE_X, Plan
from .metrics import width
from .model import Reading, Record
from .shapes import BACKWARD_TEXT, FORWARD, INK, MUTED, Shape, arrow, text
from .stage import Stage

ORDINALS = ('FIRST', 'SECOND', 'THIRD', 'FOURTH')
READ = 'read right to left'
IN = 22  # from a card's left edge to where the tie leaves it or arrives


def labels(record: Record, plan: Plan, step: int, seen: list[Stage]) -> list[Shape]:
    """The names of all lanes."""
    out: list[Shape] = []
    for number, one in enumerate(seen):
        way = tied(record, plan, step, seen) if number else None
        out += lane(one.place.top + 12, *forward_name(record, one, number), FORWARD, way[0][0] if way else None)
        y_back = one.place.y_forward + one.place.forward + 22
        out += lane(y_back, backward_name(one.level), hint(record, plan, one), BACKWARD_TEXT, None)
        if way:
            current = record.steps[step].entry is not None and record.steps[step].entry in one.xs
            out += line(way, one.place.y_forward, 3 if current else 1.5)
    return out


def lane(y: float, name: str, words: str, colour: str, avoid: float | None) -> list[Shape]:
    """A lane's name and what it is; behind the line at `avoid` where that would cross it."""
    used = width(name, 13, True) + 12
    room = min(width(words, 12) + 4, LANE_W - used)
    x = float(LANE_X)
    if avoid is not None and avoid < x + used + room + 8:
        x = avoid + 14
        room = min(room, LANE_X + LANE_W - x - used)
    return [text(x, y, used, name, 13, colour, bold=True), text(x + used, y, room, words, 12, MUTED)]


def forward_name(record: Record, one: Stage, number: int) -> tuple[str, str]:
    """The name of a forward lane, and who writes there."""
    if not one.level:
        return 'FORWARD', 'written left to right'
    name = f'{ORDINALS[one.level] if one.level < len(ORDINALS) else f"{one.level + 1}TH"} TAPE'
    if number == 0:
        return name, 'written while the one before was read back'
    return name, 'what backward computes, kept for one more gradient'


def backward_name(level: int) -> str:
    """The name of a backward lane."""
    return 'BACKWARD' + ' OF THE BACKWARD' * level if level < 3 else f'BACKWARD {level + 1}'


def hint(record: Record, plan: Plan, one: Stage) -> str:
    """What the name of a backward lane says, unless the first card needs the room for what it saves."""
    first = next((number for number, x in one.xs.items() if x == LANE_X), None)
    if first is None:
        return READ
    end = LANE_X + width(backward_name(one.level), 13, True) + width(READ, 12) + 24
    return READ if end <= threads.reach(record.entries[first], LANE_X + plan.columns[first].w) else ''


def backward_end(record: Record, plan: Plan, one: Stage) -> float:
    """Where the name of a backward lane ends, with what it says."""
    said = hint(record, plan, one)
    return LANE_X + width(backward_name(one.level), 13, True) + (width(said, 12) + 24 if said else 12)


def writer(record: Record, seen: list[Stage]) -> Reading | None:
    """The reading that wrote the entry in focus on the second tape."""
    focus = seen[1].focus if len(seen) > 1 else None
    if focus is None:
        return None
    by = record.entries[focus].by
    return record.readings[by] if by is not None and by >= 0 else None


def tied(record: Record, plan: Plan, step: int, seen: list[Stage]) -> tuple | None:
    """The way from the card that wrote: its foot, and the edges of the entries that it wrote by now."""
    reading = writer(record, seen)
    if reading is None or reading.entry not in seen[0].xs:
        return None
    made = [
        x + IN
        for number, x in seen[1].xs.items()
        if record.entries[number].first <= step
        and (by := record.entries[number].by) is not None
        and record.readings[by] is reading
    ]
    start = (seen[0].xs[reading.entry] + IN, seen[0].place.bottom)
    return (start, made) if made else None


def line(way: tuple, y: float, thick: float) -> list[Shape]:
    """Down from the card, along, and down into each entry."""
    (x, top), made = way
    along = y - 20
    out: list[Shape] = []
    for right in made:
        out += arrow([(x, top + 2), (x, along), (right, along), (right, y - 2)], INK, thick, 8)
    return out
