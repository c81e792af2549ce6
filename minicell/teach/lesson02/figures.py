"""The figure of lesson 02: dout goes in at the right, and everything that comes back is a multiple of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core.watch import Begin, Give, Op, Pull
from minicell.story.names import gradient, inputs, parameters
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink import thumb
from minicell.teach.ink.shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, Box, Shape, arrow, text, tint

WIDTH = 760
LEFT, CARD_W, CARD_H, GAP = 16, 270, 84, 40
Y_FORWARD, Y_BACKWARD, Y_GRADIENTS = 84, 198, 312
SLOT, SLOT_H, INDENT = 68, 26, 14
HEIGHT = 350  # with its slider it fills one screen of a projector
LOW, HIGH = -3.0, 3.0


class Entry(NamedTuple):
    """One entry: its expression, its values, and what backward brought and took away."""

    name: str
    expression: str
    inputs: tuple[tuple[str, float], ...]
    out: float
    dout: float
    gradients: tuple[float, ...]


class Arrival(NamedTuple):
    """What arrives at one input: (the entry's number, the place among its inputs, the gradient) each."""

    name: str
    parts: tuple[tuple[int, int, float], ...]

    @property
    def total(self) -> float:
        """The parts, added."""
        return sum(part for _, _, part in self.parts)


def happened(program: Callable, arguments: tuple, dout: float) -> tuple[list[Entry], list[Arrival]]:
    """Run a program of scalars, read its tape back from a dout, and tell what each entry took and gave."""
    with ms.Tape() as tape:
        _, pull = ms.vjp(program, *arguments)
        pull(ms.Tensor(dout))
    begin = next(event for event in tape.events if isinstance(event, Begin))
    came = {event.entry.at: event for event in tape.events if isinstance(event, Pull)}
    gave = {event.entry.at: event for event in tape.events if isinstance(event, Give)}
    ops = [event for event in tape.events if isinstance(event, Op) and event.at in gave]
    entries = []
    for op in ops:
        names = inputs(op.where.expression, len(op.inputs))
        values = tuple((name, float(t)) for name, t in zip(names, op.inputs, strict=True))
        handed = tuple(float(g) for _, g in gave[op.at].gradients)
        said = f'{op.where.target} = {op.where.expression}' if op.where.target else op.where.expression
        entries.append(Entry(op.rule.name, said, values, float(op.out), float(came[op.at].cotangent), handed))
    arrivals = []
    for name, source in zip(parameters(program, len(begin.inputs)), begin.inputs, strict=True):
        parts = [
            (k, place, float(g))
            for k, op in enumerate(ops)
            for place, (t, g) in enumerate(gave[op.at].gradients)
            if t is source
        ]
        arrivals.append(Arrival(name, tuple(parts)))
    return entries, arrivals


def draw(program: Callable, arguments: tuple, dout: float) -> Drawing:
    """The picture for one dout: forward above, where nothing moves; backward below, where everything scales."""
    entries, arrivals = happened(program, arguments, dout)
    _, largest = happened(program, arguments, HIGH)
    most = max(abs(a.total) for a in largest)  # one scale of tints for the whole slider
    shown = thumb.short(dout)
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(LEFT, 32, 200, f'dout = {shown}', 20, bold=True),
        text(LEFT + 190, 32, WIDTH - LEFT - 206, summary(arrivals), 16, BACKWARD, bold=True),
        text(LEFT, 52, WIDTH - 2 * LEFT, 'Forward ran before: none of its numbers depends on dout.', 13, MUTED),
    ]
    out += lane(Y_FORWARD, 'FORWARD', 'left to right', FORWARD)
    out += lane(Y_BACKWARD, 'BACKWARD', 'right to left: dout comes in, one gradient per input goes out', BACKWARD)
    for k, entry in enumerate(entries):
        out += column(k, entry, k + 1 < len(entries), most)
    right = LEFT + len(entries) * (CARD_W + GAP)
    out += slot(right + 4, Y_BACKWARD + 36, 'dout', dout, most)
    out += arrow([(right, Y_BACKWARD + 49), (right - GAP + 4, Y_BACKWARD + 49)], BACKWARD, 3)
    out += band(arrivals, most)
    return Drawing(out, (WIDTH, HEIGHT), f'dout = {shown}', says(shown, entries, arrivals))


def summary(arrivals: list[Arrival]) -> str:
    """The gradients that arrive."""
    return ' · '.join(f'{gradient(a.name)} = {thumb.short(a.total)}' for a in arrivals)


def lane(y: float, name: str, words: str, colour: str) -> list[Shape]:
    """The name of a lane, over its cards."""
    return [text(LEFT, y - 10, 90, name, 12, colour, bold=True), text(LEFT + 92, y - 10, 480, words, 12, MUTED)]


def number(value: float) -> str:
    """A number that fits into a slot."""
    return thumb.numerals(np.asarray(value), SLOT - 4, 14, True)[0]


def slot(x: float, y: float, name: str, value: float, most: float) -> list[Shape]:
    """A number under its name."""
    return [
        text(x, y - 5, SLOT, name, 12, bold=True),
        Box(x, y, SLOT, SLOT_H, tint(value, most), radius=2),
        text(x + SLOT / 2, y + 18, SLOT - 4, number(value), 14, anchor='middle', bold=True),
    ]


def column(k: int, entry: Entry, more: bool, most: float) -> list[Shape]:
    """One entry: its card forward, and its rule backward."""
    x = LEFT + k * (CARD_W + GAP)
    end = x + CARD_W - INDENT - SLOT
    out: list[Shape] = []
    for y, colour in ((Y_FORWARD, FORWARD), (Y_BACKWARD, BACKWARD)):
        head = f'{k + 1} {entry.name}'
        out.append(Box(x, y, CARD_W, CARD_H, PAPER, colour, 2, 7))
        out.append(text(x + INDENT, y + 20, 70, head, 13, colour, bold=True))
    out.append(text(x + 84, Y_FORWARD + 20, CARD_W - 98, entry.expression, 13, mono=True))
    out.append(text(x + 84, Y_BACKWARD + 20, CARD_W - 98, 'its rule', 12, MUTED))
    for place, ((name, value), handed) in enumerate(zip(entry.inputs, entry.gradients, strict=True)):
        left = x + INDENT + place * (SLOT + 8)
        out += slot(left, Y_FORWARD + 52, name, value, 0)
        out += slot(left, Y_BACKWARD + 52, gradient(name), handed, most)
    out += slot(end, Y_FORWARD + 52, 'out', entry.out, 0)
    out += slot(end, Y_BACKWARD + 52, 'dout', entry.dout, most)
    out += arrow([(end - 20, Y_FORWARD + 65), (end - 3, Y_FORWARD + 65)], FORWARD, 2, 8)
    out += arrow([(end - 3, Y_BACKWARD + 65), (end - 20, Y_BACKWARD + 65)], BACKWARD, 2, 8)
    if more:
        out += arrow([(x + CARD_W + 4, Y_FORWARD + 49), (x + CARD_W + GAP - 4, Y_FORWARD + 49)], FORWARD, 2.5)
        out += arrow([(x + CARD_W + GAP - 4, Y_BACKWARD + 49), (x + CARD_W + 4, Y_BACKWARD + 49)], BACKWARD, 3)
    return out


def band(arrivals: list[Arrival], most: float) -> list[Shape]:
    """What arrives at the inputs: an arrow for each part, and where there are two, the badge +=."""
    out: list[Shape] = []
    for a in arrivals:
        xs = [LEFT + k * (CARD_W + GAP) + INDENT + place * (SLOT + 8) + SLOT / 2 for k, place, _ in a.parts]
        middle = sum(xs) / len(xs)
        left, foot, bend = middle - SLOT / 2, Y_BACKWARD + 80, Y_BACKWARD + CARD_H + 14
        for k, x in enumerate(xs):
            into = middle + 22 * (k - (len(xs) - 1) / 2)
            way = [(x, foot), (x, bend), (into, bend)] if x != into else [(x, foot)]
            out += arrow([*way, (into, Y_GRADIENTS - 3)], BACKWARD, 2.5, 9)
        out.append(text(left - 8, Y_GRADIENTS + 18, 60, gradient(a.name), 14, BACKWARD, 'end', True))
        out.append(Box(left, Y_GRADIENTS, SLOT, SLOT_H, tint(a.total, most), INK, 2, 3))
        out.append(text(middle, Y_GRADIENTS + 18, SLOT - 4, number(a.total), 14, INK, 'middle', True))
        if len(a.parts) > 1:
            added = ' + '.join(bracketed(part) for _, _, part in a.parts)
            out.append(Box(left + SLOT + 10, Y_GRADIENTS + 4, 26, 18, BACKWARD, radius=3))
            out.append(text(left + SLOT + 23, Y_GRADIENTS + 17, 26, '+=', 12, PAPER, 'middle', bold=True))
            out.append(text(left + SLOT + 44, Y_GRADIENTS + 18, 150, added, 13, BACKWARD))
    return out


def bracketed(value: float) -> str:
    """A number as a term of a sum."""
    return f'({thumb.short(value)})' if value < 0 else thumb.short(value)


def says(shown: str, entries: list[Entry], arrivals: list[Arrival]) -> str:
    """The picture in words, with its numbers."""
    parts = []
    for k, entry in reversed(list(enumerate(entries, 1))):
        handed = ' and '.join(
            f'{thumb.short(g)} for {name}' for (name, _), g in zip(entry.inputs, entry.gradients, strict=True)
        )
        parts.append(f'the rule of {k} {entry.name} gets dout {thumb.short(entry.dout)} and returns {handed}')
    totals = []
    for a in arrivals:
        sum_of = ' + '.join(bracketed(part) for _, _, part in a.parts) + ' = ' if len(a.parts) > 1 else ''
        totals.append(f'{gradient(a.name)} = {sum_of}{thumb.short(a.total)}')
    return f'dout = {shown}: {"; ".join(parts)}. So {", ".join(totals)}.'


def dout(program: Any, *arguments: Any) -> Figure:
    """A slider for the dout that is put at the output of a program, and all that backward makes of it."""
    control = slider('dout at the output', 'The gradient that is put at the output', 1.0, (LOW, HIGH), 0.25)
    return Figure('dout', control, lambda value: draw(program, arguments, value), stills=(1.0, -2.0))


FIGURES = {'dout': dout}
