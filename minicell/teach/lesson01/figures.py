"""The figure of lesson 01: move the input across an `if`, and see entries come and go."""

import inspect
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core.watch import Op, Pull
from minicell.ink.boxes import Box, Card, Column, Grid, Link, Row, Space, Span, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import BACK, heading

INPUTS = [round(float(x), 1) for x in np.arange(0, 5.05, 0.1)]
ENTRY = (98, 56)  # pixels of a card


class Written(NamedTuple):
    """One entry: what it is called, what it computed, what backward brought to it, and the line that made it."""

    name: str
    out: float
    dout: float
    line: int


class Call(NamedTuple):
    """What one call left behind."""

    x: float
    out: float
    slope: float
    entries: tuple[Written, ...]


def called(net: Any, x: float) -> Call:
    """Call net at x for its gradient, and read the tape: forward entries with the dout that came back to each."""
    with ms.Tape() as tape:
        out, slope = ms.value_and_grad(net)(ms.Tensor(x))
    douts = {event.entry.at: float(event.cotangent) for event in tape.events if isinstance(event, Pull)}
    made = (event for event in tape.events if isinstance(event, Op) and event.state == 'recorded')
    entries = tuple(Written(e.rule.name, float(e.out), douts.get(e.at, 0.0), e.where.line) for e in made)
    return Call(x, float(out), float(slope), entries)


def draw(net: Any, x: float, longest: Call) -> Drawing:
    """The picture for one input: the code with how often each line wrote, and the tape, forward and backward.

    `longest` is a call that leaves more entries: those which are missing here have an empty place.
    """
    call = called(net, x)
    lines, first = inspect.getsourcelines(type(net).construct)
    gone = sorted({entry.line for entry in longest.entries} - {entry.line for entry in call.entries})
    missing = [lines[number - first].strip() for number in gone]
    count = len(call.entries)
    ran = f'“{missing[0]}” did not run: no entry' if missing else 'Each line with an operation has run'
    made = ', '.join(f'{k} {entry.name} giving {said(entry.out)}' for k, entry in enumerate(call.entries, 1))
    left = ''.join(f' The line {line} did not run and left none.' for line in missing)
    return Drawing(
        Row(code(call, lines, first, gone), tape(call, longest), gap=24, across='start'),
        f'x = {said(x)}: the call leaves {count} {"entry" if count == 1 else "entries"}',
        f'{ran}. y = {said(call.out)}, gradient of x = {said(call.slope)}.',
        f'x = {said(x)}: {count} entries: {made}.{left} Gradient of x: {said(call.slope)}.',
    )


def code(call: Call, lines: list[str], first: int, gone: list[int]) -> Box:
    """The learner's own lines, each with the number of entries that it wrote."""
    indent = len(lines[0]) - len(lines[0].lstrip())
    rows = []
    for number, line in enumerate(lines, first):
        wrote = sum(entry.line == number for entry in call.entries)
        count = Text(str(wrote) if wrote or number in gone else '', 'b')
        shown = Text(line.rstrip()[indent:], 'm dim' if number in gone else 'm')
        rows.append(Card(Row(shown, Space(16, grows=1), count), 'now' if wrote else '', (8, 1), at=(None, 0.5)))
    return Column(Row(Text('your lines', 'dim'), Space(grows=1), Text('entries', 'dim')), *rows, gap=1)


def tape(call: Call, longest: Call) -> Box:
    """Forward cards and backward cards, with an empty place for what another call would have written."""
    places, count = range(len(longest.entries)), len(call.entries)
    back = [call.slope, *(entry.dout for entry in call.entries)]
    names = [entry.name for entry in call.entries]
    missing = [entry.name for entry in longest.entries[count:]]
    forward = [card(f'f{k}', f'{k + 1} {name}', call.entries[k].out, 'card f') for k, name in enumerate(names)]
    backward = [card(f'b{k}', f'{k + 1} {name}', back[k], 'card bk') for k, name in enumerate(names)]
    rows = [
        [Span(heading('forward →', 'ff b', 'each entry holds what was computed'), len(places) + 1)],
        [*forward, *(empty(f'no {name}', 'no entry') for name in missing)],
        [Span(heading('← backward', 'af b', 'each rule returns a gradient, from right to left'), len(places) + 1)],
        [*backward, *(empty(f'no {name}', 'not read') for name in missing),
         Card(Text('1', 'num b af'), '', (4, 4), key='one')],
        [*[Space(h=12) for _ in names], *[Space(h=12, key='past') for _ in missing[:1]]],
        [Span(Text(f'gradient of x = {said(call.slope)}', 'b af'), len(places) + 1)],
    ]  # fmt: skip
    arrows = [Link(f'f{k}', f'f{k + 1}') for k in range(count - 1)]
    arrows += [Link(f'b{k + 1}', f'b{k}', BACK) for k in range(count - 1)]
    arrows.append(Link('one', f'b{count - 1}', BACK, through='past' if missing else ''))
    return Column(Grid(rows, gap=(20, 6), stretch=()), *arrows)


def card(key: str, head: str, value: float, look: str) -> Box:
    """One entry in one lane: its number and name, and a value."""
    return Card(Column(Text(head, 'b mid'), Text(said(value), 'num mid')), look, least=ENTRY, key=key)


def empty(head: str, why: str) -> Box:
    """The place of an entry that this call did not write."""
    return Card(Column(Text(head, 'dim mid'), Text(why, 'dim mid')), 'ghost', least=ENTRY)


def branch(net: Any) -> Figure:
    """A slider for the input of net, and under it the tape that the call leaves."""
    longest = max((called(net, x) for x in (INPUTS[0], INPUTS[-1])), key=lambda call: len(call.entries))
    return Figure('branch', 'Input x of the call', INPUTS, lambda x: draw(net, x, longest), 2.0, stills=(2.0, 3.0),
                  names={x: f'x = {said(x)}' for x in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)})  # fmt: skip


FIGURES = {'branch': branch}
