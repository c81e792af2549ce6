"""The figure of lesson 02: dout goes in at the right, and everything that comes back is a multiple of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core.watch import Begin, Give, Op, Pull
from minicell.ink.boxes import Arrow, Box, Canvas, Card, Column, Grid, Link, Put, Row, Space, Span, Text
from minicell.ink.numbers import said
from minicell.story.names import gradient, inputs, parameters
from minicell.story.places import source as written
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import BACK, heading

SLOT = 62  # pixels of a number under its name
DOUTS = np.arange(-3, 3.25, 0.25).tolist()


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
        said = ' = '.join(filter(None, reversed(written(op.where))))
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
    wide = len(entries) + 1
    rows = [
        [Span(heading('forward →', 'ff b', 'it ran before: none of its numbers depends on dout'), wide)],
        [card(k, entry, 'f') for k, entry in enumerate(entries)],
        [Span(heading('← backward', 'af b', 'dout comes in, one gradient per input goes out'), wide)],
        [*(card(k, entry, 'b') for k, entry in enumerate(entries)), slot('dout', said(dout), key='dout')],
        [Space(h=12)],
        arrived(entries, arrivals),
    ]
    arrows = [Link(f'f{k}', f'f{k + 1}') for k in range(len(entries) - 1)]
    arrows += [Link(f'b{k + 1}', f'b{k}', BACK) for k in range(len(entries) - 1)]
    arrows.append(Link('dout', f'b{len(entries) - 1}', BACK))
    for a in arrivals:
        for n, (k, place, _) in enumerate(a.parts, 1):
            arrows.append(drop(f'g{k}.{place}', a.name, n / (len(a.parts) + 1)))
    back = []
    for k, entry in reversed(list(enumerate(entries, 1))):
        pairs = zip(entry.inputs, entry.gradients, strict=True)
        handed = ' and '.join(f'{said(number)} for {name}' for (name, _), number in pairs)
        back.append(f'the rule of {k} {entry.name} gets dout {said(entry.dout)} and returns {handed}')
    totals = [f'{gradient(a.name)} = {summed(a)}' for a in arrivals]
    return Drawing(
        Column(Grid(rows, gap=(56, 6), stretch=()), *arrows),
        f'dout = {said(dout)}',
        f'So {", ".join(totals)}.',
        f'dout = {said(dout)}: {"; ".join(back)}. So {", ".join(totals)}.',
    )


def card(k: int, entry: Entry, way: str) -> Box:
    """One entry: what it computed, or what its rule got and returns."""
    forward = way == 'f'
    head = Row(Text(f'{k + 1} {entry.name}', 'b ff' if forward else 'b af'),
               Text(entry.expression, 'm') if forward else Text('its rule', 'dim'), gap=14)  # fmt: skip
    pairs = entry.inputs if forward else zip((gradient(name) for name, _ in entry.inputs), entry.gradients, strict=True)
    tag = 'v' if forward else 'g'
    into = [slot(name, said(value), key=f'{tag}{k}.{n}') for n, (name, value) in enumerate(pairs)]
    end = slot('out', said(entry.out), key=f'o{k}') if forward else slot('dout', said(entry.dout), key=f'd{k}')
    last = f'{tag}{k}.{len(into) - 1}'
    arrow = Link(last, f'o{k}') if forward else Link(f'd{k}', last, BACK)
    return Card(
        Column(head, Row(*into, Space(24, grows=1), end), arrow), 'card f' if forward else 'card bk', (12, 6),
        at=(None, 0.5), key=f'{way}{k}',
    )  # fmt: skip


def arrived(entries: list[Entry], arrivals: list[Arrival]) -> list[Box]:
    """What arrives at the inputs, under the entries that gave it; where there are two gradients, their sum."""
    cells: list[list[Box]] = [[] for _ in entries]
    for a in arrivals:
        total = Card(Text(said(a.total), 'num b mid'), 'tile on res', (4, 2), (SLOT, 0), key=a.name, rx=3)
        added = f'+= {summed(a).partition(" = ")[0]}' if len(a.parts) > 1 else ''
        cells[a.parts[-1][0] if a.parts else 0].append(Row(Text(gradient(a.name), 'b'), total, Text(added, 'af')))
    return [Put(Row(*cell, gap=16), (0, 0)) for cell in cells]


def summed(a: Arrival) -> str:
    """The gradient of an input, behind the parts that it is the sum of."""
    parts = [f'({said(part)})' if part < 0 else said(part) for _, _, part in a.parts]
    return f'{" + ".join(parts)} = {said(a.total)}' if len(parts) > 1 else said(a.total)


def dout(program: Any, *arguments: Any) -> Figure:
    """A slider for the dout that is put at the output of a program, and all that backward makes of it."""
    return Figure('dout', 'dout at the output', DOUTS, lambda value: draw(program, arguments, value), 1.0,
                  stills=(1.0, -2.0), names={value: f'dout = {said(value)}' for value in (-3.0, 0.0, 3.0)})  # fmt: skip


FIGURES = {'dout': dout}


def slot(name: str, number: str, look: str = 'tile on', ink: str = 'num mid', key: str = '') -> Box:
    """A number under its name."""
    return Column(Text(name, 'b'), Card(Text(number, ink), look, (4, 2), (SLOT, 0), key=key, rx=3), gap=2)


def drop(start: str, end: str, enters: float) -> Arrow:
    """An arrow of backward from the foot of one box down to the top of another, at a part of its width."""

    def shape(to: Canvas) -> None:
        a, b = to.places[start], to.places[end]
        x = b.x + b.w * enters
        way = f'M{a.cx:g},{a.bottom + 1:g}V{(a.bottom + b.y) / 2:g}H{x:g}V{b.y - 9:g}'
        to.frame.path(f'{start}>{end}', way, BACK[0])
        to.frame.head(f'{start}>{end}h', x, b.y - 1, 'd', BACK[1], 3, 5)

    return Arrow(shape, f'{start}>{end}')
