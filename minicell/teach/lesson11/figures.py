"""The figure of lesson 11: the same Cell run N times, by Python and from a graph, and the branch that is frozen."""

import inspect
from typing import NamedTuple

import minicell as ms
from minicell.graph.ir import Graph
from minicell.graph.jitted import bprop_graph
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Space, Span, Text
from minicell.ink.numbers import said
from minicell.teach.figure import WIDTH, Drawing, Figure
from minicell.teach.plot import listed

from .statements import mode as in_mode

MOST = 8
WHO = (172, 22)  # pixels of who ran a call
HALF = WIDTH / 2 - 16


class Runs(NamedTuple):
    """N gradients, how often Python ran bprop, and in which call it took which branch last."""

    gradients: list[float]
    python: list[bool]  # of each call: did Python run?
    graph: Graph | None


def runs(kind: type, calls: list, n: int, mode: int) -> Runs:
    """Take n gradients of a fresh Cell at 1, 2, 3, ... `calls` is what its bprop writes to."""
    kept = list(calls)
    calls.clear()
    gradients, python = [], []
    try:
        with in_mode(mode):
            cell = kind()
            for k in range(n):
                had = len(calls)
                gradients.append(ms.grad(cell)(ms.Tensor(float(k + 1))).item())
                python.append(len(calls) > had)
            graph = bprop_graph(cell) if mode == ms.GRAPH_MODE else None
    finally:
        calls[:] = kept
    return Runs(gradients, python, graph)


def draw(kind: type, calls: list, n: int) -> Drawing:
    """The picture for n calls: a row a call on both sides; below them the code, and the graph."""
    eager, traced = (runs(kind, calls, n, mode) for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE))
    name = kind.__name__
    title = f'{n} {"gradient" if n == 1 else "gradients"} of {name}, at x = {", ".join(map(str, range(1, n + 1)))}'
    ran = [f'{side}: Python ran bprop {times(found)}' for side, found in (('Eager', eager), ('Graph', traced))]
    rows: list[list[Box | Span | None]] = [
        [Span(Text(ran[0], 'mid2'), 3), None, None, None, Span(Text(ran[1], 'mid2'), 4)],
        [Text(head, 'dim') for head in ('call', 'who computed it', 'gradient')]
        + [Space(58)] + [Text(head, 'dim') for head in ('call', 'who computed it', 'gradient', 'as eager')],
        *([*call(k, eager, eager)[:3], None, *call(k, traced, eager)] for k in range(n)),
        *([Space(h=WHO[1])] for _ in range(MOST - n)),
    ]  # fmt: skip
    lit = 'dx = 0' if eager.gradients[-1] == 0 else 'dx = 2'
    lines = inspect.getsource(kind.bprop).rstrip().splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    frozen = [line.strip() for line in shortened(traced.graph) if 'frozen' in line]
    wrong = sum(a != b for a, b in zip(eager.gradients, traced.gradients, strict=True))
    return Drawing(
        Column(Grid(rows, gap=(14, 3), stretch=()), Space(h=6), Row(
            code(f'Python, call {n}: decides again each time', [line[indent:] for line in lines], lit),
            code('The graph: there is nothing to decide', shortened(traced.graph), 'frozen'), gap=16, across='start')),
        title,
        f'In the graph: {"; ".join(frozen) or "nothing frozen"}.',
        f'{name} ×{n}. Eager: Python ran bprop {times(eager)}; gradients {listed(eager.gradients)}. '
        f'Graph: Python ran bprop {times(traced)}; gradients {listed(traced.gradients)}, {wrong} of them not as in '
        'eager mode. '
        f'In the graph: {"; ".join(frozen) or "nothing frozen"}.',
    )  # fmt: skip


def times(found: Runs) -> str:
    """How often Python ran."""
    return 'once' if sum(found.python) == 1 else f'{sum(found.python)} times'


def call(k: int, found: Runs, eager: Runs) -> list[Box]:
    """One call: who ran it, its gradient, and whether this is that of eager mode."""
    python, right = found.python[k], found.gradients[k] == eager.gradients[k]
    who = 'Python' if found is eager else 'Python, traced' if python else 'the graph, replayed'
    ran = Card(Text(who, 'b' if python else 'dim'), 'mine' if python else 'ghost', (8, 1), WHO, (0, 0.5), rx=4)
    return [Text(str(k + 1)), ran, Text(said(found.gradients[k]), 'b' if right else 'xx'),
            Text('✓' if right else '✗', 'b' if right else 'xx')]  # fmt: skip


def code(head: str, lines: list[str], lit: str) -> Box:
    """Lines under a head; those with the words `lit` are the branch that was taken."""
    looks = [('m b', 'now') if lit in line else ('m', '') for line in lines]
    shown = [
        Card(Text(line, ink, HALF - 8), ground, (4, 0), at=(0, 0.5), rx=3)
        for line, (ink, ground) in zip(lines, looks, strict=True)
    ]
    return Column(Text(head, 'dim'), *shown, Space(HALF), gap=0)


def shortened(graph: Graph) -> list[str]:
    """The lines of a graph, without types and places: there is room for so much."""
    lines = str(graph).splitlines()
    lines[0] = f'graph {graph.name}({", ".join(f"x{k}" for k in range(len(graph.inputs)))})'
    return [line.rsplit(' (', 1)[0] if 'frozen' in line else line for line in lines]


def run_times(kind: type, calls: list) -> Figure:
    """A slider for the number of calls."""
    # it begins with one call: the answer to the question above is a few steps away
    label = 'Run × N: how many gradients, one after the other'
    return Figure('runs', label, range(1, MOST + 1), lambda n: draw(kind, calls, n), 1, stills=(1, 5),
                  names={n: f'× {n}' for n in range(1, MOST + 1)})  # fmt: skip


FIGURES = {'runs': run_times}
