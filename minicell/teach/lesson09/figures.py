"""The figure of lesson 09: three bprops of ReLU6, their first and second order, and the second tape of each."""

import inspect
import warnings
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.errors import MinicellWarning
from minicell.ink.boxes import Box, Card, Column, Row, Space, Text
from minicell.ink.numbers import said
from minicell.story import tell
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot, Stroke, heading

LOW, HIGH = -2.0, 8.0  # the axis
AT = np.linspace(LOW, HIGH, 200, endpoint=False) + 0.025  # never on a corner: there is no second derivative there
STEP = 1e-3
CLOSE = 1e-3
ORDERS = (
    ('first order', (-0.5, 8.0), (0, 1, 6), 'the slope of ReLU6'),
    ('second order', (-2.4, 2.4), (-1, 0, 1), 'the bend of ReLU6'),
)


class Orders(NamedTuple):
    """What a bprop gives at first and second order along the axis, and what its second tape holds."""

    name: str
    first: np.ndarray
    second: np.ndarray
    slope: np.ndarray  # of the first, by differences: what the second ought to be, whatever the first is
    tape: tuple[str, ...]


def orders(cell: Any) -> Orders:
    """Differentiate a Cell once and twice along the axis, in float64."""
    x = ms.Tensor(AT)
    first = ms.grad(cell)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)  # the picture says it
        slope = (first(x + STEP) - first(x - STEP)) / (2 * STEP)
        with ms.Tape() as tape:
            second = ms.grad(first)(x)
        written = tuple(entry.name for entry in tell(tape).entries if entry.level == 1 and entry.kind == 'op')
        return Orders(type(cell).__name__, *(t.asnumpy() for t in (first(x), second, slope)), written)


def true() -> tuple[np.ndarray, np.ndarray]:
    """The slope of ReLU6 along the axis, and how much it bends: by forward alone, in differences."""
    below, here, above = (ms.ops.relu6(ms.Tensor(AT + move)).asnumpy() for move in (-STEP, 0.0, STEP))
    return (above - below) / (2 * STEP), (below - 2 * here + above) / STEP**2


def off(a: np.ndarray, b: np.ndarray) -> float:
    """How far apart, at most; 0 up to rounding."""
    most = float(np.max(np.abs(a - b)))
    return most if most > CLOSE else 0.0


class Bprops:
    """Three Cells around ReLU6, worked out once."""

    def __init__(self, *cells: Any) -> None:
        self.lines = [lines_of(cell) for cell in cells]
        self.all = [orders(cell) for cell in cells]
        self.true = true()
        self.most = max(map(len, self.lines))

    def draw(self, k: int) -> Drawing:
        """The picture for one bprop."""
        here = self.all[k]
        charts = [chart(*each, *pair) for each, pair in zip(ORDERS, self.pairs(here), strict=True)]
        fits = verdict(off(here.second, here.slope), 'its second order is the slope of its first order')
        code = [Text(line, 'm') for line in self.lines[k]]
        code += [Text('', 'm') for _ in range(self.most - len(code))]  # so that nothing below moves
        return Drawing(
            Column(Card(Column(*code, gap=1), 'mine', (12, 6), at=(0, 0)), Space(h=4),
                   Row(*charts, gap=20, across='start'), fits, Space(h=4),
                   heading('second tape', 'ff b', 'what the lines of this bprop left, in order'), tape(here)),
            f'The bprop of {here.name}',
            'Orange: what these lines give. Dashed: the truth.',
            self.says(k),
        )  # fmt: skip

    def pairs(self, here: Orders) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each order, what a bprop gives, and what is due."""
        return list(zip((here.first, here.second), self.true, strict=True))

    def says(self, k: int) -> str:
        """The picture in words, with its numbers."""
        here = self.all[k]
        told = ', '.join(f'{n}′ {name}' for n, name in enumerate(here.tape, 1)) or 'empty'
        parts = [f'{name} {how(*pair)}' for (name, *_), pair in zip(ORDERS, self.pairs(here), strict=True)]
        fits = 'is' if not off(here.second, here.slope) else 'is not'
        return (
            f'{here.name} ({"; ".join(self.lines[k])}): {parts[0]}; {parts[1]}; its second order {fits} the slope of '
            f'its first. Second tape: {told}.'
        )


def lines_of(cell: Any) -> list[str]:
    """The lines of a bprop, without its head."""
    source = inspect.getsource(type(cell).bprop)
    return [line.strip() for line in source.splitlines()[1:] if line.strip()]


def how(yours: np.ndarray, due: np.ndarray) -> str:
    """Right, or how far off, and on how much of the axis."""
    most = off(yours, due)
    if not most:
        return 'is right'
    share = float(np.mean(np.abs(yours - due) > 0.05))
    return f'is off by up to {said(most)}, for {share:.0%} of x'


def verdict(most: float, words: str) -> Box:
    """Whether something holds, and what."""
    return Text(f'✗ {words}', 'xx') if most else Text(f'✓ {words}', 'b')


def chart(
    name: str, span: tuple[float, float], levels: tuple, what: str, yours: np.ndarray, due: np.ndarray
) -> Box:  # fmt: skip
    """One order: the Cell's as a thick line, the true one dashed, and the verdict below."""
    plane = Plot(320, 130, (LOW, HIGH), span, {x: f'x = {x}' for x in (0, 6)}, {y: said(y) for y in levels}, name)
    plane.line('yours', AT, yours, 'pen o')
    plane.line('due', AT, due, 'pen dash')
    legend = Row(Text(name, 'mid2'), Space(8), Stroke('pen o'), Text('yours'), Stroke('pen dash'), Text(what), gap=6)
    return Column(legend, plane, verdict(off(yours, due), f'{name} {how(yours, due)}'))


def tape(here: Orders) -> Box:
    """The entries that reading back wrote, as small cards."""
    if not here.tape:
        return Card(Text('empty: no op in these lines leads back to x', 'dim'), 'ghost', (12, 7), at=(0, 0.5))
    names = [Row(Text(f'{n}′', 'ff b'), Text(name, 'b'), gap=6) for n, name in enumerate(here.tape, 1)]
    return Row(*(Card(name, 'card f', (8, 7)) for name in names), gap=8)


def bprops(*cells: Any) -> Figure:
    """A choice among Cells around ReLU6, and what the bprop of each is at first and second order."""
    drawn, each = Bprops(*cells), range(len(cells))
    names = {k: type(cell).__name__ for k, cell in enumerate(cells)}
    return Figure('bprops', 'Whose bprop', each, drawn.draw, 0, each, names)


FIGURES = {'bprops': bprops}
