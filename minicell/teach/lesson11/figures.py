"""The figure of lesson 11: the same Cell run N times, by Python and from a graph, and the branch that is frozen."""

import inspect
from typing import NamedTuple

import minicell as ms
from minicell.graph.ir import Graph
from minicell.graph.jitted import bprop_graph
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import FORWARD, HIGHLIGHT, INK, MUTED, RULE, WRONG, Box, Path, Shape, text, tick

WIDTH, LEFT, MOST = 760, 16, 8
TOP, ROW = 104, 25
MIDDLE = 388  # where the right half begins
CODE, LINE = TOP + MOST * ROW + 44, 18
HEIGHT = CODE + 9 * LINE + 10


class Runs(NamedTuple):
    """N gradients, how often Python ran bprop, and in which call it took which branch last."""

    gradients: list[float]
    python: list[bool]  # of each call: did Python run?
    graph: Graph | None


def runs(kind: type, calls: list, n: int, mode: int) -> Runs:
    """Take n gradients of a fresh Cell at 1, 2, 3, ... `calls` is what its bprop writes to."""
    before = ms.get_context('mode')
    kept = list(calls)
    calls.clear()
    gradients, python = [], []
    try:
        ms.set_context(mode=mode)
        cell = kind()
        for k in range(n):
            had = len(calls)
            gradients.append(ms.grad(cell)(ms.Tensor(float(k + 1))).item())
            python.append(len(calls) > had)
        graph = bprop_graph(cell) if mode == ms.GRAPH_MODE else None
    finally:
        ms.set_context(mode=before)
        calls[:] = kept
    return Runs(gradients, python, graph)


def draw(kind: type, calls: list, n: int) -> Drawing:
    """The picture for n calls: a row a call on both sides; below them the code, and the graph."""
    eager, traced = (runs(kind, calls, n, mode) for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE))
    name = kind.__name__
    title = f'{n} {"gradient" if n == 1 else "gradients"} of {name}, at x = {", ".join(map(str, range(1, n + 1)))}'
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(LEFT, 28, WIDTH - 2 * LEFT, title, 18, bold=True),
    ]
    for x, side, found in ((LEFT, 'Eager', eager), (MIDDLE, 'Graph', traced)):
        ran = sum(found.python)
        said = f'{side}: Python ran bprop {"once" if ran == 1 else f"{ran} times"}'
        out.append(text(x, 60, 350, said, 15, bold=True))
        heads = (0, 46, 'call'), (50, 190, 'who computed it'), (252, 56, 'gradient')
        out += [text(x + at, 84, room, head, 12, MUTED) for at, room, head in heads]
        if found is traced:
            out.append(text(x + 310, 84, 58, 'as eager', 12, MUTED))
        for k in range(n):
            out += row(k, found, eager, x)
    out.append(Path((((LEFT, CODE - 32), (WIDTH - LEFT, CODE - 32)),), RULE, 1))
    out += code(kind, eager, n) + printed(traced)
    return Drawing(out, (WIDTH, HEIGHT), title, says(name, n, eager, traced))


def row(k: int, found: Runs, eager: Runs, x: float) -> list[Shape]:
    """One call."""
    y = TOP + k * ROW
    python, right = found.python[k], found.gradients[k] == eager.gradients[k]
    who = 'Python' if found is eager else 'Python, traced' if python else 'the graph, replayed'
    ink = INK if right else WRONG
    fill, stroke, dash = (HIGHLIGHT, INK, '') if python else ('none', MUTED, '4 3')
    out: list[Shape] = [
        text(x, y + 13, 40, str(k + 1), 13),
        Box(x + 46, y - 3, 172, 21, fill, stroke, 1.2, 3, dash),
        text(x + 54, y + 13, 160, who, 13, bold=python),
        text(x + 300, y + 13, 60, f'{found.gradients[k]:g}', 13, ink, 'end', bold=True),
    ]
    if found is not eager:
        out.append(tick(x + 312, y + 2, right, FORWARD if right else WRONG, 11))
    return out


def code(kind: type, eager: Runs, n: int) -> list[Shape]:
    """The lines of bprop; the branch that Python took in the last call is lit."""
    lines = inspect.getsource(kind.bprop).rstrip().splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    out: list[Shape] = [text(LEFT, CODE - 10, 350, f'Python, call {n}: decides anew each time', 12, MUTED)]
    lit = 'dx = 0' if eager.gradients[-1] == 0 else 'dx = 2'
    for k, line in enumerate(lines):
        y = CODE + 12 + k * LINE
        if line.strip().startswith(lit):
            out.append(Box(LEFT - 4, y - 13, 350, LINE, HIGHLIGHT, INK, 1.2, 2))
        out.append(text(LEFT, y, 344, line[indent:], 12.5, mono=True, bold=line.strip().startswith(lit)))
    return out


def printed(traced: Runs) -> list[Shape]:
    """The graph, as it prints; the branch that is frozen in it is lit."""
    out: list[Shape] = [text(MIDDLE, CODE - 10, 350, 'The graph: there is nothing to decide', 12, MUTED)]
    for k, line in enumerate(shortened(traced.graph)):
        y, frozen = CODE + 12 + k * LINE, 'frozen' in line
        if frozen:
            out.append(Box(MIDDLE - 4, y - 13, 364, LINE, HIGHLIGHT, INK, 1.2, 2))
        out.append(text(MIDDLE, y, 358, line, 12.5, mono=True, bold=frozen))
    return out


def shortened(graph: Graph) -> list[str]:
    """The lines of a graph, without types and places: there is room for so much."""
    lines = str(graph).splitlines()
    lines[0] = f'graph {graph.name}({", ".join(f"x{k}" for k in range(len(graph.inputs)))})'
    return [line.rsplit(' (', 1)[0] if 'frozen' in line else line for line in lines]


def says(name: str, n: int, eager: Runs, traced: Runs) -> str:
    """The picture in words, with its numbers."""

    def times(found: Runs) -> str:
        return 'once' if sum(found.python) == 1 else f'{sum(found.python)} times'

    def list_of(found: Runs) -> str:
        return ', '.join(f'{g:g}' for g in found.gradients)

    frozen = [line.strip() for line in shortened(traced.graph) if 'frozen' in line]
    wrong = sum(a != b for a, b in zip(eager.gradients, traced.gradients, strict=True))
    return (
        f'{name} ×{n}. Eager: Python ran bprop {times(eager)}; gradients {list_of(eager)}. '
        f'Graph: Python ran bprop {times(traced)}; gradients {list_of(traced)}, {wrong} of them not as in eager mode. '
        f'In the graph: {"; ".join(frozen) or "nothing frozen"}.'
    )


def run_times(kind: type, calls: list) -> Figure:
    """A slider for the number of calls."""
    # it begins with one call: the answer to the question above is a few steps away
    control = slider('Run × N: how many gradients, one after the other', 'The number of calls', 1, (1, MOST), 1)
    return Figure('runs', control, lambda n: draw(kind, calls, int(n)), stills=(1, 5))


FIGURES = {'runs': run_times}
