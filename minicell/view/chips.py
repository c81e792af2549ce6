"""The whole tape in a row of names, where its cards have no room: what is written, what is read, where we are."""

from . import fold
from .metrics import width
from .model import Entry, Frame, Record
from .shapes import BACKWARD, BACKWARD_TEXT, FAINT, FORWARD, INK, MUTED, PAPER, Box, Shape, text
from .sheet import LEAST, WIDTH
from .stage import followed

PITCH = 25  # from tape to tape
HIGH = 20
BETWEEN = 6
NAME = 46  # the word before a row
MOST = 150  # of one name


def focus(record: Record, step: int) -> int:
    """The entry that a step is about, or was about last."""
    return next((entry for _, entry in followed(record, step)), 0)


def rows(frame: Frame, y: float) -> list[Shape]:
    """A row for each tape."""
    record, step, look = frame.record, frame.step, frame.look
    at = dict(followed(record, step))
    here = focus(record, step)
    out: list[Shape] = []
    for level in range(record.depth + 1):
        name = f'tape {level + 1}' if record.depth else 'tape'
        out.append(text(2, y + 14, NAME - 4, name, LEAST, MUTED))
        slots = fold.slots(record, level, look.fold)
        shown = [(fold.shown(record, look, slot, step), len(slot.entries)) for slot in slots]
        out += row(record, step, shown, y, at.get(level), here)
        y += PITCH
    return out


def row(record: Record, step: int, shown: list[tuple[int, int]], y: float, near: int | None, here: int) -> list[Shape]:
    """As many names as there is room for, around the one that the tape is at."""
    wide = [room(words(record.entries[i], n)) for i, n in shown]
    middle = next((k for k, (i, _) in enumerate(shown) if i == near), 0)
    first, last = window(wide, middle, WIDTH - NAME - 2 * 16)
    out: list[Shape] = []
    x = float(NAME)
    if first:
        out.append(text(x, y + 14, 14, '…', LEAST, MUTED))
        x += 16
    for k in range(first, last):
        number, turns = shown[k]
        out += chip(record, step, number, words(record.entries[number], turns), x, y, wide[k], number == here)
        x += wide[k] + BETWEEN
    if last < len(shown):
        out.append(text(x, y + 14, 14, '…', LEAST, MUTED))
    return out


def window(wide: list[float], middle: int, most: float) -> tuple[int, int]:
    """From which to before which: grown around the middle, to both sides in turn."""
    first, last = middle, min(middle + 1, len(wide))
    used = sum(wide[first:last])
    grown = True
    while grown:
        grown = False
        for one in (first - 1, last):
            if 0 <= one < len(wide) and used + wide[one] + BETWEEN <= most:
                used += wide[one] + BETWEEN
                first, last = min(first, one), max(last, one + 1)
                grown = True
    return first, last


def words(entry: Entry, turns: int) -> str:
    """What stands on a chip."""
    return f'{entry.label} {entry.name}' + (f' × {turns}' if turns > 1 else '')


def room(said: str) -> float:
    """The width of a chip: with room for the sign that it was read."""
    return min(width(said + ' ◂', LEAST, True), MOST) + 16


def chip(record: Record, step: int, number: int, said: str, x: float, y: float, w: float, here: bool) -> list[Shape]:
    """One entry: dashed until it is there, then blue, then orange with a sign once backward was here."""
    entry = record.entries[number]
    if step < entry.first:
        return [Box(x, y, w, HIGH, 'none', FAINT, 1, 4, '4 3'), text(x + 8, y + 14, w - 14, entry.label, LEAST, MUTED)]
    read = any(r.reached <= step for r in record.readings_of.get(number, ()))
    line = BACKWARD if read else MUTED if entry.kind == 'loose' else FORWARD
    out: list[Shape] = [Box(x, y, w, HIGH, PAPER, line, 3 if here else 1.5, 4)]
    if entry.kind == 'call':
        out.append(Box(x + 3, y + 3, w - 6, HIGH - 6, 'none', line, 1, 2))
    ink = BACKWARD_TEXT if read else INK
    return [*out, text(x + 8, y + 14, w - 14, said + ' ◂' * read, LEAST, ink, bold=here)]
