"""The card of a bprop of the user's own: yours, the true gradient, the difference, and a verdict in words."""

import numpy as np

from . import thumb
from .cards import added, barred, douts, frame, header, tab
from .layout import CHECK_W, HEAD, PAD, ROW_HEAD, VERDICT_H, Column, badge_width
from .metrics import width, wrap
from .model import Entry, Frame, Gradient, Reading, Record, Value
from .names import gradient
from .shapes import ALARM, BACKWARD, BACKWARD_TEXT, FORWARD, INK, MUTED, Box, Path, Shape, text, tick


def card(frame_of: Frame, reading: Reading, col: Column, x: float, y: float, h: float, current: bool) -> list[Shape]:
    """Backward at a Cell that has its own bprop."""
    record, step = frame_of.record, frame_of.step
    entry = record.entries[reading.entry]
    out = frame(x, y, col.w, h, BACKWARD, current, True)
    name, whose = f'{entry.name}.bprop', note(entry)
    if badge_width(entry.label) + width(name, 14, True) + width(whose, 12) + 46 > col.w - 120:
        whose = whose.split(', ')[-1]  # the tab says whose code it is
    out += header(x, y, col.w - 120, entry.label, name, whose, BACKWARD)
    out += tab(entry, x + col.w, y, BACKWARD)
    top = y + HEAD
    given = reading.given is not None and step >= reading.given
    xs = tuple(x + c for c in col.compare)
    if given:
        for g, v in zip(reading.gradients, col.rows, strict=False):
            out += row(entry, g if frame_of.look.compare else unjudged(g), v, xs, top)
            top += thumb.size(v)[1] + ROW_HEAD + 10
    else:
        done = computed(record, reading, step)
        for i, v in enumerate(col.rows):
            out += pending(entry, i, v, done, xs[0], top, xs[3] - xs[0] - 14)
            top += thumb.size(v)[1] + ROW_HEAD + 10
    if given and len(reading.gave) > len(col.rows):
        out.append(
            text(x + PAD, y + h - 14, col.w - 2 * PAD, rest(reading, len(col.rows), frame_of.look.compare), 11, MUTED)
        )
    most = thumb.limit(*(v.data for v in reading.douts), *(g.true for g in reading.gradients))
    out += douts(reading, xs[3], y + HEAD, most)
    side = y + HEAD + sum(thumb.size(v)[1] + thumb.LABEL_H + 6 for v in reading.douts)
    if reading.parts:
        out += added(reading, xs[3], side, x + col.w - PAD - xs[3])
        side += 20
    if given and frame_of.look.compare:
        out += verdict(entry, reading, xs[3], side + 8)
    return out


def rest(reading: Reading, shown: int, compare: bool) -> str:
    """The gradients that have no row."""
    left = reading.gradients[shown:]
    said = {True: ' agrees', False: ' is wrong', None: ''}
    return f'and {len(left)} more: ' + ', '.join(g.name + said[g.ok if compare else None] for g in left)


def note(entry: Entry) -> str:
    """Whose code it is, and where it stands."""
    code = 'your code' if entry.yours else 'its own code'
    if not entry.facts:
        return code
    first, last = entry.facts.start.line, entry.facts.end.last
    return f'{code}, lines {first}–{last}' if last > first else f'{code}, line {first}'


def computed(record: Record, reading: Reading, step: int) -> dict[str, Value]:
    """What the bprop has computed so far, by the name it gave it."""
    here = record.readings.index(reading)
    steps = record.steps[reading.reached : step + 1]
    return {s.value.name: s.value for s in steps if s.kind == 'inside' and s.reading == here and s.value}


def pending(entry: Entry, i: int, v: Value, done: dict[str, Value], x: float, y: float, room: float) -> list[Shape]:
    """A row before the bprop has returned."""
    names = entry.facts.names if entry.facts else ()
    name = (names[i] if i < len(names) else '') or gradient(v.name)
    out: list[Shape] = [text(x, y + 14, room, name, 13, bold=True)]
    found = done.get(name)
    if found is not None and found.shape == v.shape:
        out.append(text(x, y + 31, room, 'computed, not handed out yet', 11, MUTED))
        return out + thumb.picture(found, x, y + ROW_HEAD)
    out.append(text(x, y + 31, room, 'not yet', 11, MUTED))
    w, h = thumb.size(v)
    return [*out, Box(x, y + ROW_HEAD, w - 1, h - 1, 'none', MUTED, 1, 3, '4 3')]


def row(entry: Entry, g: Gradient, v: Value, xs: tuple[float, ...], y: float) -> list[Shape]:
    """One gradient: its verdict, then yours, true and difference on one scale."""
    room = xs[3] - xs[0] - 14
    name = text(xs[0], y + 14, room, g.name, 13, bold=True)
    used = min(width(name.text, 13, True) + 10, room)
    out: list[Shape] = [name._replace(box=(xs[0], y + 1, used, 17))]
    colour = INK if g.ok else BACKWARD_TEXT
    if g.ok is not None:
        out.append(tick(xs[0] + used, y + 4, g.ok, colour))
        out.append(text(xs[0] + used + 17, y + 14, room - used - 17, says(g), 12, colour, bold=True))
        used += 17 + width(out[-1].text, 12, True) + 10
        out[-1] = out[-1]._replace(box=(xs[0] + out[-1].x - xs[0], y + 2, used - 10 - (out[-1].x - xs[0]), 16))
        if g.relative is not None and not g.ok and room - used > 60:
            out.append(text(xs[0] + used, y + 14, room - used, f'relative {thumb.short(g.relative)}', 12, MUTED))
    elif g.why:
        out.append(text(xs[0] + used, y + 14, room - used, g.why, 12, MUTED))
    w = xs[1] - xs[0] - 8
    y_words, y_picture = y + 31, y + ROW_HEAD
    yours, true = g.value and g.value.data, g.true
    same = yours is not None and true is not None and yours.shape == true.shape
    with np.errstate(invalid='ignore', over='ignore'):
        difference = yours.astype(np.float64) - true if same and yours.dtype.kind in 'fiu' else None
        if difference is not None:  # the same infinity is no difference
            difference = np.where(yours == true, 0.0, difference)
    most = thumb.limit(yours, true, difference)
    whose = 'yours' if entry.yours else 'its own'
    ways = (f'{whose}: {g.formula}', f'{whose}: line {g.line}') if g.formula else (whose,)
    out.append(text(xs[0], y_words, w, next((s for s in ways if width(s, 11) <= w), ways[-1]), 11, MUTED))
    if g.value is None:
        out += barred(v._replace(name=''), xs[0], y_picture - thumb.LABEL_H, 'None')[-3:]
    else:
        out += thumb.picture(g.value, xs[0], y_picture, most)
    if true is not None:
        out.append(text(xs[1], y_words, w, 'true: autodiff', 11, MUTED))
        out += thumb.picture(Value('', true.shape, '', true), xs[1], y_picture, most)
    if difference is not None:
        out.append(text(xs[2], y_words, w, 'difference', 11, MUTED))
        # float noise around zero is not worth a second number
        clean = np.zeros_like(difference) if g.ok and g.error is not None and g.error < 1e-5 else difference
        ring = int(np.nanargmax(np.abs(clean))) if clean.size and not g.ok and not np.isnan(clean).all() else None
        out += thumb.picture(Value('', clean.shape, '', clean), xs[2], y_picture, most, ring)
    return out


def unjudged(g: Gradient) -> Gradient:
    """The gradient alone, for those who want to judge it themselves."""
    return g._replace(true=None, error=None, relative=None, ok=None, why='' if g.value else g.why)


def says(g: Gradient) -> str:
    """The verdict on one gradient."""
    if g.ok:
        return 'agrees with the true gradient'
    if g.error is None:
        return g.why or 'wrong'
    return f'off by up to {thumb.short(g.error)}'


def verdict(entry: Entry, reading: Reading, x: float, y: float) -> list[Shape]:
    """The gradient check in words."""
    judged = [g for g in reading.gradients if g.ok is not None]
    if not judged:
        return []
    ok = all(g.ok for g in judged)
    colour = FORWARD if ok else BACKWARD
    worst = max((g.error for g in judged if g.error is not None), default=None)
    unused = entry.facts is not None and not entry.facts.reads_dout
    if unused and not ok:
        last = f'{entry.facts.dout} is not used'
    else:
        last = '' if worst is None or ok else f'off by {thumb.short(worst)}'
    ink = INK if ok else BACKWARD_TEXT
    return [
        Box(x, y, CHECK_W, VERDICT_H - 4, '#FFFFFF' if ok else ALARM, colour, 1.5, 4),
        text(x + 10, y + 18, CHECK_W - 16, 'gradient check', 11, MUTED),
        tick(x + 10, y + 27, ok, ink, 12),
        text(x + 28, y + 39, CHECK_W - 34, 'agrees' if ok else 'FAILS', 14, ink, bold=True),
        text(x + 10, y + 57, CHECK_W - 16, last, 11, bold=True),
    ]


def torn(x: float, y: float, w: float, h: float, message: str, current: bool) -> list[Shape]:
    """A card with a torn edge and the message of the error that ended the run."""
    teeth = max(int(w // 14), 2)
    edge = [(x + w - i * w / teeth, y + h - (8 if i % 2 else 0)) for i in range(teeth + 1)]
    out: list[Shape] = [Path((((x, y), (x + w, y), *edge, (x, y)),), BACKWARD, 3 if current else 1.5, ALARM)]
    name, _, words = message.partition(': ')
    out.append(text(x + PAD, y + 26, w - 2 * PAD, name, 14, BACKWARD_TEXT, bold=True))
    room = max(int((h - 54) // 17), 1)
    lines = [row for part in words.splitlines() for row in wrap(part.strip(), w - 2 * PAD, 12, room)][:room]
    out += [text(x + PAD, y + 48 + i * 17, w - 2 * PAD, line, 12) for i, line in enumerate(lines)]
    return out
