"""The cards: an entry's forward card, and what stands under it when backward has come by."""

from . import ghosts, threads, thumb
from .caption import plural, which_gradient
from .layout import (
    ARROW_W,
    GHOST_W,
    HEAD,
    INNER_GAP,
    INNER_H,
    INNER_W,
    MOST_WIRES,
    PAD,
    WIRE_H,
    Column,
    badge_width,
    slot,
)
from .metrics import width, wrap
from .model import Entry, Reading, Record, Value
from .names import gradient
from .shapes import BACKWARD, BACKWARD_TEXT, FAINT, FORWARD, INK, MUTED, PAPER, Box, Path, Shape, arrow, text


def frame(x: float, y: float, w: float, h: float, colour: str, current: bool, double: bool) -> list[Shape]:
    """A card's outline: thick where something happens now, double for a Cell with its own bprop."""
    out: list[Shape] = [Box(x, y, w, h, PAPER, colour, 3 if current else 1.5, 8)]
    if double:
        out.append(Box(x + 5, y + 5, w - 10, h - 10, 'none', colour, 1, 5))
    return out


def future(x: float, y: float, w: float, h: float, label: str) -> list[Shape]:
    """A card that is not there yet."""
    return [
        Box(x, y, w, h, 'none', FAINT, 1, 8, '5 4'),
        text(x + PAD, y + 26, w - 2 * PAD, label, 12, MUTED, bold=True),
    ]


def header(x: float, y: float, w: float, label: str, name: str, note: str, colour: str) -> list[Shape]:
    """The number, the name and a note."""
    badge = badge_width(label)
    left = x + 14 + badge + 8
    room = x + w - 14 - left
    title = text(left, y + 27, room, name, 14, bold=True)
    used = min(width(title.text, 14, True) + 10, room)
    title = title._replace(box=(left, y + 13, used, 18))
    out: list[Shape] = [
        Box(x + 14, y + 13, badge, 19, BACKWARD_TEXT if colour == BACKWARD else colour, radius=3),
        text(x + 14 + badge / 2, y + 27, badge, label, 12, PAPER, 'middle', bold=True),
        title,
    ]
    if note and room - used > 30:
        out.append(text(left + used, y + 27, room - used, note, 12, MUTED))
    return out


def value(v: Value, x: float, y: float, most: float | None = None, ring: int | None = None) -> list[Shape]:
    """A value under its name, from its top left corner."""
    room = slot(v)[0]
    return thumb.label(v, x, y + 13, room) + thumb.picture(v, x, y + thumb.LABEL_H, most, ring)


def waiting(v: Value, x: float, y: float, words: str = '') -> list[Shape]:
    """The place of a value that is not there yet, or never will be."""
    w, h = thumb.size(v)
    out = thumb.label(v, x, y + 13, slot(v)[0], MUTED)
    out.append(Box(x, y + thumb.LABEL_H, w - 1, h - 1, 'none', FAINT, 1, 3, '4 3'))
    if words:
        out.append(text(x + w / 2, y + thumb.LABEL_H + h / 2 + 4, w - 6, words, 11, MUTED, 'middle'))
    return out


def barred(v: Value, x: float, y: float, why: str) -> list[Shape]:
    """An empty slot with a bar: no gradient, and the word why."""
    w, h = thumb.size(v)
    top = y + thumb.LABEL_H
    out = thumb.label(v, x, y + 13, slot(v)[0], MUTED)
    out.append(Box(x, top, w - 1, h - 1, 'none', FAINT, 1, 3))
    if h >= 40:
        out.append(Path((((x + 10, top + 14), (x + w - 11, top + 14)),), INK, 3))
        words = why if width(why, 11) <= w - 6 else 'none'
        out.append(text(x + w / 2, top + 32, w - 6, words, 11, MUTED, 'middle'))
    else:
        words = why if width(why, 11) <= w - 14 else 'none'
        out.append(Path((((x + 4, top + 4), (x + 4, top + h - 5)),), INK, 3))
        out.append(text(x + 11, top + h / 2 + 4, w - 14, words, 11, MUTED))
    return out


def stack(x: float, y: float, w: float) -> list[Shape]:
    """The edges of the other cards under this one, which stands for several turns."""
    edges = tuple(((x + d, y - d / 2), (x + w - d, y - d / 2)) for d in (7, 13))
    return [Path(edges, MUTED, 1.5)]


def forward(
    entry: Entry, col: Column, x: float, y: float, h: float, step: int, current: bool, turn: str = ''
) -> list[Shape]:
    """An entry as it was written, as far as it is at `step`; `turn` says which of several equal ones it is."""
    if step < entry.first:
        return future(x, y, col.w, h, f'{entry.label}  {turn}'.rstrip())
    written = entry.written is not None and step >= entry.written
    if entry.kind == 'loose':
        out: list[Shape] = [Box(x, y, col.w, h, PAPER, MUTED, 2 if current else 1, 8, '2 3')]
        note = 'no entry'
    else:
        out = frame(x, y, col.w, h, FORWARD, current, entry.kind == 'call')
        note = turn or entry.note or ('running' if not written else place(entry))
    out += header(x, y, col.w, entry.label or '·', entry.name, note, FORWARD if entry.kind != 'loose' else MUTED)
    top = y + HEAD
    most = thumb.limit(*(v.data for v in (*entry.inputs, *(entry.outputs if written else ()))))
    shown = entry.inputs[: len(col.inputs)]
    for v, left in zip(shown, col.inputs, strict=True):
        out += value(v, x + left, top, most if thumb.is_small(v.shape) else None)
    if col.more:
        out.append(text(x + PAD, y + h - 12, col.w - 2 * PAD, f'and {plural(col.more, "more input")}', 11, MUTED))
    high = top + thumb.LABEL_H + min([thumb.size(v)[1] for v in (*shown, *entry.outputs[:1])] or [26]) / 2
    out += middle(entry, col, x, high, top, step, bool(shown), written)
    for v in entry.outputs:
        same = most if thumb.is_small(v.shape) else None
        out += value(v, x + col.out, top, same) if written else waiting(v, x + col.out, top)
        top += slot(v)[1] + 6
    if entry.wires and (written or entry.kind != 'call'):
        rows = min(len(entry.wires), MOST_WIRES)
        out += threads.wires(entry, x, y + h - 8 - rows * WIRE_H - (16 if col.more else 0), col.w)
    if entry.kind == 'call':
        out += tab(entry, x + col.w, y, FORWARD)
    return out


def place(entry: Entry) -> str:
    """The line that wrote an entry."""
    line = f'line {entry.mark.line}' if entry.mark else ''
    return f'{line}, {len(entry.inside)} entries' if entry.kind == 'cell' else line


def tab(entry: Entry, right: float, y: float, colour: str) -> list[Shape]:
    """The tab of a Cell with its own bprop, over its card's top edge."""
    words = f'bprop: {"yours" if entry.yours else "its own"}'
    w = max(width(words, 12, True) + 18, 100)
    return [
        Box(right - w - 16, y - 11, w, 22, PAPER, colour, 1.5, 4),
        text(right - 16 - w / 2, y + 4, w - 6, words, 12, anchor='middle', bold=True),
    ]


def middle(entry: Entry, col: Column, x: float, y: float, top: float, step: int, inputs: bool, written: bool) -> list:
    """Between inputs and output: an arrow, or the ghost of what ran and was not recorded."""
    out = x + col.out
    if not inputs:
        return []
    if entry.kind != 'call':
        return arrow([(out - ARROW_W - 6, y), (out - 6, y)], FORWARD) if written else []
    wide = col.grid[0] * (INNER_W + INNER_GAP) - INNER_GAP if col.grid[0] else GHOST_W
    left = out - 5 - ARROW_W - wide
    ghost_y = top if col.grid[0] else max(y - 29, top)
    y = y if col.grid[0] else ghost_y + 29
    if entry.hidden_at is None or step < entry.hidden_at:
        high = col.grid[1] * (INNER_H + INNER_GAP) - INNER_GAP if col.grid[0] else 58
        return [Box(left, ghost_y, wide, high, 'none', FAINT, 1, 5, '5 4')] if entry.hidden else []
    shapes = ghosts.inner(entry, col, left, top, step) if col.grid[0] else ghosts.whole(entry, left, ghost_y)
    shapes += arrow([(left - ARROW_W + 2, y), (left - 3, y)], FORWARD)
    if written:
        shapes += arrow([(left + wide + 2, y), (out - 4, y)], FORWARD)
    return shapes


def added(reading: Reading, x: float, y: float, room: float) -> list[Shape]:
    """The badge += with the contributions."""
    numbers = [amount(p.value) for p in reading.parts]
    labels = [p.label for p in reading.parts]
    full = ' + '.join(f'{n} from {w}' if n else w for n, w in zip(numbers[:9], labels, strict=False))
    full += ' + …' * (len(labels) > 9)
    ways = (full, ' + '.join(numbers if all(numbers) else labels), f'{len(labels)} gradients')
    words = next((w for w in ways if width(w, 11) <= room - 29), ways[-1])
    return [
        Box(x, y, 24, 16, BACKWARD_TEXT, radius=3),
        text(x + 12, y + 12, 24, '+=', 11, PAPER, 'middle', bold=True),
        text(x + 29, y + 12, room - 29, words, 11, BACKWARD_TEXT),
    ]


def amount(v: Value) -> str:
    """A contribution's number, if it is one number."""
    return thumb.short(float(v.data.item())) if v.data is not None and v.data.size == 1 else ''


def rule(
    record: Record, reading: Reading, col: Column, x: float, y: float, h: float, step: int, current: bool
) -> list[Shape]:
    """Backward at an op: dout comes in at the right, gradients go out at the left, each under its value."""
    entry = record.entries[reading.entry]
    out = frame(x, y, col.w, h, BACKWARD, current, False)
    out += header(x, y, col.w, entry.label, entry.name, rule_note(entry) + whose(record, reading), BACKWARD)
    top = y + HEAD
    given = reading.given is not None and step >= reading.given
    most = thumb.limit(*(v.data for v in reading.douts), *(g.value.data for g in reading.gradients if g.value))
    floats = [(v, left) for v, left in zip(entry.inputs, col.inputs, strict=False) if v.data is not None]
    for i, (v, left) in enumerate(floats):
        if not given:
            out += waiting(v._replace(name=gradient(v.name)), x + left, top)
        elif i < len(reading.gradients):
            g = reading.gradients[i]
            none = v._replace(name=g.name)
            out += value(g.value, x + left, top, most) if g.value else barred(none, x + left, top, 'no gradient')
    if floats:
        y_arrow = top + thumb.LABEL_H + min(thumb.size(v)[1] for v in (floats[-1][0], *reading.douts[:1])) / 2
        if given:
            out += arrow([(x + col.out - 6, y_arrow), (x + col.out - ARROW_W - 6, y_arrow)], BACKWARD)
    out += douts(reading, x + col.out, top, most)
    foot = y + h - 26
    if given and (whys := blocked(reading)):
        out.append(text(x + PAD, foot + 12, col.w - 2 * PAD, whys, 11, MUTED))
        foot -= 20
    if reading.parts:
        out += added(reading, x + PAD, foot, col.w - 2 * PAD)
    return out


def blocked(reading: Reading) -> str:
    """Why some inputs get no gradient."""
    return '; '.join(
        dict.fromkeys(f'{g.of or "an input"}: {g.why}' for g in reading.gradients if g.value is None and g.why)
    )


def rule_note(entry: Entry) -> str:
    """Whose rules ran."""
    if entry.kind != 'cell':
        return 'built-in rule'
    return f'{len(entry.inside)} rules' + (f', {plural(entry.takeovers, "takeover")}' if entry.takeovers else '')


def whose(record: Record, reading: Reading) -> str:
    """Which gradient reads an entry, where more than one does."""
    orders = {r.order for r in record.readings_of[reading.entry]}
    run = next((r for r in record.passes if r.order == reading.order), None)
    return f', {which_gradient(record, run)}' if run and len(orders) > 1 else ''


def douts(reading: Reading, x: float, top: float, most: float) -> list[Shape]:
    """The cotangents that came in, one under the other."""
    out: list[Shape] = []
    for v in reading.douts:
        out += value(v, x, top, most if thumb.is_small(v.shape) else None)
        top += slot(v)[1] + 6
    return out


def unread(entry: Entry, col: Column, x: float, y: float, h: float, why: str) -> list[Shape]:
    """Where no gradient comes: an empty card with a bar and the reason."""
    out: list[Shape] = [Box(x, y, col.w, h, 'none', FAINT, 1, 8, '5 4')]
    out.append(Path((((x + PAD, y + 22), (x + PAD + 28, y + 22)),), INK, 3))
    out.append(text(x + PAD + 36, y + 26, col.w - 2 * PAD - 36, 'no gradient', 12, MUTED, bold=True))
    room = col.w - 2 * PAD
    out += [text(x + PAD, y + 46 + i * 15, room, row, 11, MUTED) for i, row in enumerate(wrap(why, room, 11, 2))]
    return out
