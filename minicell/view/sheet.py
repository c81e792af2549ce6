"""Cards that flow: what an entry's cards tell, as items in lines that break where the width ends.

Used where the picture is narrow and the text large. What is told is the same as in `cards` and `compare`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import thumb
from .caption import rules, which_gradient
from .cards import added, blocked, rule_note
from .compare import computed, says, torn, unjudged
from .compare import note as code_of
from .layout import MOST_INPUTS, NAME_W, answers
from .metrics import width, wrap
from .model import Entry, Gradient, Look, Pass, Reading, Record, Value
from .names import gradient
from .shapes import (
    BACKWARD,
    BACKWARD_TEXT,
    FAINT,
    FORWARD,
    INK,
    MUTED,
    PAPER,
    Box,
    Path,
    Shape,
    arrow,
    hatch,
    text,
    tick,
)

WIDTH = 584
LEAST = 11  # no text is smaller; twice that on the screen
PAD = 10
HEAD = 25
LABEL_H = 16
PITCH = 17  # of rows of numbers
BETWEEN, UNDER = 10, 6  # items, and lines
ARROW = 24
VERDICT = 118


class Item(NamedTuple):
    """Something in a line: its size, and how to draw it from its top left corner; `new` begins a line."""

    w: float
    h: float
    draw: Callable[[float, float], list[Shape]]
    new: bool = False


class Sheet(NamedTuple):
    """A card: its head, its items, its colour; `torn` is the error that ended it."""

    label: str
    name: str
    note: str
    colour: str
    double: bool
    items: tuple[Item, ...]
    torn: str = ''


# ---- layout --------------------------------------------------------------------------------------------------------


def lines(items: tuple[Item, ...]) -> list[list[Item]]:
    """The items, broken into lines."""
    out: list[list[Item]] = []
    used = 0.0
    for item in items:
        if not out or item.new or used + item.w > WIDTH - 2 * PAD:
            out.append([])
            used = 0.0
        out[-1].append(item)
        used += item.w + BETWEEN
    return out


def height(sheet: Sheet) -> float:
    """The height of a card."""
    return HEAD + sum(max(item.h for item in line) + UNDER for line in lines(sheet.items)) + 4


def draw(sheet: Sheet, y: float, high: float | None = None, current: bool = True) -> list[Shape]:
    """A card over the whole width."""
    high = height(sheet) if high is None else high
    wide = WIDTH - 2.0
    if sheet.torn:
        return torn(1, y, wide, high, sheet.torn, current)
    line = 3 if current else 1.5
    dash = '' if sheet.colour != FAINT else '5 4'
    out: list[Shape] = [Box(1.5, y, wide - 1, high, PAPER, sheet.colour, line, 6, dash)]
    if sheet.double:
        out.append(Box(5, y + 4, wide - 8, high - 8, 'none', sheet.colour, 1, 4))
    badge = max(width(sheet.label, 12, True) + 12, 22) if sheet.label else 0
    left = PAD + badge + (8 if badge else 0)
    ink = BACKWARD_TEXT if sheet.colour == BACKWARD else MUTED if sheet.colour in (FAINT, MUTED) else sheet.colour
    if badge:
        out.append(Box(PAD, y + 6, badge, 17, ink, radius=3))
        out.append(text(PAD + badge / 2, y + 19, badge, sheet.label, 12, PAPER, 'middle', bold=True))
    title = text(left, y + 19, WIDTH - left - PAD, sheet.name, 13, bold=True)
    used = width(title.text, 13, True) + 8
    out.append(title._replace(box=(left, y + 6, used, 17)))
    out.append(text(left + used, y + 19, WIDTH - left - used - PAD, sheet.note, LEAST, ink))
    top = y + HEAD + 1
    for row in lines(sheet.items):
        x = float(PAD)
        for item in row:
            out += item.draw(x, top)
            x += item.w + BETWEEN
        top += max(item.h for item in row) + UNDER
    return out


# ---- items ---------------------------------------------------------------------------------------------------------


def words(said: str, colour: str = MUTED, bold: bool = False, new: bool = False, most: int = 2) -> Item:
    """Text, in two lines where one is too short."""
    room = WIDTH - 2 * PAD
    rows = wrap(said, room, LEAST, most, bold)
    w = min(max(width(row, LEAST, bold) for row in rows) + 1, room)
    return Item(
        w,
        15 * len(rows),
        lambda x, y: [text(x, y + 12 + 15 * i, w, row, LEAST, colour, bold=bold) for i, row in enumerate(rows)],
        new,
    )


def size(v: Value) -> tuple[float, float]:
    """The size of a value's picture: told by its shape alone."""
    rows, columns = thumb.fold(v.shape)
    if v.data is None or not rows * columns or not thumb.is_small(v.shape):
        return thumb.size(v)
    return (columns * thumb.CELL_W, rows * PITCH) if v.shape else (thumb.SLOT, PITCH + 3)


def picture(v: Value, x: float, y: float, most: float | None = None, ring: int | None = None) -> list[Shape]:
    """A value, its rows close together."""
    if v.data is None or not v.data.size or not thumb.is_small(v.shape):
        return thumb.picture(v, x, y, most, ring)
    most = thumb.limit(v.data) if most is None else most
    if v.shape:
        return thumb.numbers(v.data, x, y, most, ring, PITCH)
    shown = thumb.numerals(v.data, thumb.SLOT - 8, 13, True)[0]
    ground = thumb.scalar(v.data, x, y, most)[0]._replace(h=PITCH + 3)
    return [ground, text(x + thumb.SLOT / 2, y + 15, thumb.SLOT - 4, shown, 13, anchor='middle', bold=True)]


def value(v: Value, new: bool = False, most: float | None = None, there: bool = True) -> Item:
    """A value under its name; a dashed place until it is there."""
    w, h = size(v)
    room = room_of(v)

    def drawn(x: float, y: float) -> list[Shape]:
        out = thumb.label(v, x, y + 11, room, INK if there else MUTED)
        if there:
            return out + picture(v, x, y + LABEL_H, most)
        return [*out, Box(x, y + LABEL_H, w - 1, h - 1, 'none', FAINT, 1, 3, '4 3')]

    return Item(room, LABEL_H + h, drawn, new)


def room_of(v: Value) -> float:
    """The width of a value with its name."""
    return max(size(v)[0], min(thumb.label_width(v), NAME_W + 60))


def flows(colour: str, back: bool, high: float) -> Item:
    """An arrow between values."""
    ends = (ARROW - 2, 2) if back else (2, ARROW - 2)
    middle = LABEL_H + high / 2
    return Item(
        ARROW, LABEL_H + high, lambda x, y: arrow([(x + ends[0], y + middle), (x + ends[1], y + middle)], colour)
    )


def ghost(entry: Entry, there: bool) -> Item:
    """What a takeover hid: hatched and dashed."""
    said = entry.hidden[0] if len(entry.hidden) == 1 else f'{len(entry.hidden)} ops'
    name = f'{said}: hidden'
    w = min(width(name, LEAST) + 24, 180)

    def drawn(x: float, y: float) -> list[Shape]:
        y += LABEL_H
        edge = Box(x, y, w, 22, 'none', MUTED if there else FAINT, 1.5 if there else 1, 4, '5 3')
        if not there:
            return [edge]
        ground = Box(x + 7, y + 3, w - 14, 16, PAPER)
        return [hatch(x, y, w, 22), ground, edge, text(x + w / 2, y + 15, w - 16, name, LEAST, MUTED, 'middle')]

    return Item(w, LABEL_H + 22, drawn)


# ---- cards ---------------------------------------------------------------------------------------------------------


def forward(record: Record, number: int, look: Look, step: int) -> Sheet:
    """An entry as it was written, as far as it is at `step`."""
    entry = record.entries[number]
    if entry.kind == 'torn' and step >= entry.first:
        return Sheet('', '', '', BACKWARD, False, (words(' '),), entry.error)
    there = step >= entry.first
    written = entry.written is not None and step >= entry.written
    most = thumb.limit(*(v.data for v in (*entry.inputs, *entry.outputs)))
    inputs = entry.inputs[:MOST_INPUTS]
    items = [value(v, most=most if thumb.is_small(v.shape) else None, there=there) for v in inputs]
    if more := len(entry.inputs) - len(inputs):
        items.append(words(f'and {more} more'))
    high = min([size(v)[1] for v in (*inputs, *entry.outputs[:1])] or [PITCH])
    if entry.hidden:
        items.append(ghost(entry, entry.hidden_at is not None and step >= entry.hidden_at))
    if inputs and entry.outputs:
        items.append(flows(FORWARD if written else FAINT, False, high))
    items += [value(v, most=most if thumb.is_small(v.shape) else None, there=written) for v in entry.outputs]
    if entry.saves:
        kept = ', '.join(s.name + (' (on self, not on the tape)' if not s.whole else '') for s in entry.saves)
        items.append(words(f'kept for backward: {kept}' if written else ' ', new=True))
    for wire in entry.wires[:2]:
        items.append(words(f'Parameter {wire.name}: {wire.words}', MUTED if wire.whole else BACKWARD_TEXT, new=True))
    if entry.kind == 'loose':
        items.append(words(entry.why or 'it left no entry', new=True))
        return Sheet(entry.label, entry.name, 'no entry', MUTED, False, tuple(items))
    line = f', line {entry.mark.line}' if entry.mark else ''
    own = ', with a bprop of its own' if entry.kind == 'call' else ''
    said = f'forward{line}{own}' if there else 'forward: not yet'
    return Sheet(entry.label, entry.name, said, FORWARD if there else FAINT, entry.kind == 'call', tuple(items))


def reading_at(record: Record, number: int, step: int) -> int | None:
    """The reading of an entry that a step is about, or the last one so far."""
    here = record.steps[step].reading
    if here is not None and record.readings[here].entry == number:
        return here
    return next(
        (i for i, r in reversed(list(enumerate(record.readings))) if r.entry == number and r.reached <= step), None
    )


def either(record: Record, reading: int, look: Look) -> list[Sheet]:
    """A reading's card before it hands out its gradients, and after: for their size."""
    one = record.readings[reading]
    last = len(record.steps)
    return [backward(record, one.entry, reading, look, at) for at in (one.reached, last)]


def backward(record: Record, number: int, reading: int | None, look: Look, step: int) -> Sheet:
    """Backward at an entry, as far as it is at `step`."""
    entry = record.entries[number]
    if reading is None:
        over = bool(record.passes) and all(run.ended is not None and run.ended <= step for run in record.passes)
        said = 'backward: it does not come here' if over else 'backward: not yet'
        return Sheet(entry.label, entry.name, said, FAINT, False, ())
    one = record.readings[reading]
    if one.failed is not None and one.failed <= step:
        return Sheet('', '', '', BACKWARD, False, (words(' '),), one.error)
    given = one.given is not None and step >= one.given
    if entry.kind == 'call':
        items = own(record, one, look, step, given)
        name, said = (
            f'{entry.name}.bprop',
            f'backward: {code_of(entry)}' + (f', jumps over {rules(entry)}' if entry.hidden else ''),
        )
    else:
        items = by_rule(entry, one, given)
        name, said = entry.name, f'backward: {rule_note(entry)}'
    orders = {r.order for r in record.readings_of[one.entry]}
    run = next((r for r in record.passes if r.order == one.order), None)
    if run and len(orders) > 1:
        said += f', {which_gradient(record, run)} gradient'
    return Sheet(entry.label, name, said, BACKWARD, entry.kind == 'call', tuple(items))


def by_rule(entry: Entry, reading: Reading, given: bool) -> list[Item]:
    """Gradients at the left, from the `dout` at the right."""
    most = thumb.limit(*(v.data for v in reading.douts), *(g.value.data for g in reading.gave if g.value))
    floats = [v for v in entry.inputs if v.data is not None][:MOST_INPUTS]
    items = []
    for i, v in enumerate(floats):
        g = reading.gave[i] if given and i < len(reading.gave) else None
        if g is None:
            items.append(value(v._replace(name=gradient(v.name)), there=False))
        elif g.value is None:
            items.append(none(v._replace(name=g.name)))
        else:
            items.append(value(g.value, most=most if thumb.is_small(g.value.shape) else None))
    if floats and reading.douts:
        high = min(size(v)[1] for v in (floats[-1], *reading.douts[:1]))
        items.append(flows(BACKWARD if given else FAINT, True, high))
    items += [value(v, most=most if thumb.is_small(v.shape) else None) for v in reading.douts]
    if given and (whys := blocked(reading)):
        items.append(words(whys, new=True))
    return items + sums(reading)


def none(v: Value) -> Item:
    """No gradient: an empty place with a bar."""
    w, h = size(v)
    room = room_of(v)
    return Item(room, LABEL_H + h, lambda x, y: thumb.label(v, x, y + 11, room, MUTED) + bar(x, y + LABEL_H, w, h))


def bar(x: float, y: float, w: float, h: float) -> list[Shape]:
    """A place that stays empty."""
    edge = Box(x, y, w - 1, h - 1, 'none', FAINT, 1, 3)
    return [
        edge,
        Path((((x + 5, y + 4), (x + 5, y + h - 5)),), INK, 3),
        text(x + 12, y + h / 2 + 4, w - 14, 'none', LEAST, MUTED),
    ]


def sums(reading: Reading) -> list[Item]:
    """What was added up to the `dout`."""
    if not reading.parts:
        return []
    room = WIDTH - 2 * PAD
    return [Item(room, 17, lambda x, y: added(reading, x, y, room), True)]


def own(record: Record, reading: Reading, look: Look, step: int, given: bool) -> list[Item]:
    """A bprop of the user's: each gradient beside the true one, with the verdict; the first line ends with `dout`."""
    entry = record.entries[reading.entry]
    targets = answers(entry, [reading])
    done = {} if given else computed(record, reading, step)
    items: list[Item] = []
    for i, v in enumerate(targets):
        name = entry.facts.names[i] if entry.facts and i < len(entry.facts.names) else ''
        found = done.get(name or gradient(v.name))
        items.append(yours(reading, i, v, name or gradient(v.name), found, look, given))
        if look.compare:
            items += [true(reading, i, v, given), verdict(reading, i, size(v)[1], given)]
        if not i:
            items += [value(d) for d in reading.douts]
    return items + sums(reading)


def yours(reading: Reading, i: int, v: Value, name: str, found: Value | None, look: Look, given: bool) -> Item:
    """What the bprop hands out, or has computed so far."""
    w, h = size(v)
    room = max(w, 130)

    def drawn(x: float, y: float) -> list[Shape]:
        g = gradients(reading, look)[i] if given and i < len(reading.gave) else None
        said = (g.formula or 'yours') if g else 'computed' if found is not None else 'not yet'
        out = thumb_name(g.name if g else name, f'= {said}' if g and g.formula else said, x, y, room)
        if g and g.value is None:
            return out + bar(x, y + LABEL_H, w, h)
        shown = g.value if g else found if found is not None and found.shape == v.shape else None
        if shown is None:
            return [*out, Box(x, y + LABEL_H, w - 1, h - 1, 'none', FAINT, 1, 3, '4 3')]
        return out + picture(shown, x, y + LABEL_H, limit(g) if g else None, worst(g) if g else None)

    return Item(room, LABEL_H + h, drawn, True)


def thumb_name(name: str, said: str, x: float, y: float, room: float) -> list[Shape]:
    """A gradient's name and the source that computed it."""
    head = text(x, y + 11, room, name, 12, bold=True)
    used = width(head.text, 12, True) + 5
    return [head._replace(box=(x, y - 1, used, 15.6)), text(x + used, y + 11, room - used, said, LEAST, MUTED)]


def gradients(reading: Reading, look: Look) -> tuple[Gradient, ...]:
    """What was handed out, judged where a comparison is wanted."""
    return reading.gradients if look.compare else tuple(map(unjudged, reading.gave))


def worst(g: Gradient) -> int | None:
    """Which number is off the most, where one is."""
    if g.ok is not False or g.value is None or g.true is None or g.value.shape != g.true.shape:
        return None
    with np.errstate(invalid='ignore', over='ignore'):
        off = np.abs(g.value.data.astype(np.float64) - g.true)
    return None if not off.size or np.isnan(off).all() else int(np.nanargmax(off))


def limit(g: Gradient) -> float:
    """Where the tint is full: the same for yours and the true one."""
    return thumb.limit(g.value.data if g.value else None, g.true)


def true(reading: Reading, i: int, v: Value, given: bool) -> Item:
    """The true gradient."""
    w, h = size(v)
    room = max(w, width('true: autodiff', LEAST) + 1)

    def drawn(x: float, y: float) -> list[Shape]:
        g = reading.gradients[i] if given and i < len(reading.gave) else None
        if g is None or g.true is None:
            return []
        head = text(x, y + 11, room, 'true: autodiff', LEAST, MUTED)
        return [head, *picture(Value('', g.true.shape, '', g.true), x, y + LABEL_H, limit(g))]

    return Item(room, LABEL_H + h, drawn)


def verdict(reading: Reading, i: int, high: float, given: bool) -> Item:
    """A tick or a cross, and by how much it is off."""

    def drawn(x: float, y: float) -> list[Shape]:
        g = reading.gradients[i] if given and i < len(reading.gave) else None
        if g is None:
            return []
        if g.ok is None:
            rows = wrap(g.why, VERDICT, LEAST, 3)
            return [text(x, y + LABEL_H + 10 + 14 * k, VERDICT, row, LEAST, MUTED) for k, row in enumerate(rows)]
        colour = INK if g.ok else BACKWARD_TEXT
        rows = wrap('agrees' if g.ok else says(g), VERDICT - 18, 12, 2, True)
        out: list[Shape] = [tick(x, y + LABEL_H + 2, g.ok, colour, 11)]
        return out + [
            text(x + 18, y + LABEL_H + 12 + 15 * k, VERDICT - 18, row, 12, colour, bold=True)
            for k, row in enumerate(rows)
        ]

    return Item(VERDICT, LABEL_H + max(high, 32), drawn)


# ---- gradients that arrive -----------------------------------------------------------------------------------------


def arrivals(record: Record, run: Pass, step: int) -> Sheet:
    """The gradients at the inputs, each with where it came from."""
    items: list[Item] = []
    for a in run.arrivals:
        v = a.total or Value(f'd{a.of}', a.shape)
        items.append(value(v, new=True) if a.total else none(v))
        labels = ' + '.join(part.label for _, part in a.parts)
        items.append(words(f'from {labels}' if a.parts else a.why, BACKWARD_TEXT if a.parts else MUTED))
    which = which_gradient(record, run)
    note = f'of the {which} gradient' if which else 'at the inputs'
    return Sheet('', 'Gradients', note, BACKWARD, False, tuple(items))
