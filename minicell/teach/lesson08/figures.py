"""The figure of lesson 08: y and dy/dx over the data, for one threshold; the zero of the constant branch is drawn."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Column, Grid, Space, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot

VALUE = -1.0  # what stands in for the numbers that are not above the threshold
REACH = 2.5  # the threshold goes as far, and a little beyond the data
PLACES = np.arange(-REACH, REACH + 0.1, 0.25).tolist()
NUMBERS = {number: said(number) for number in (-2, -1, 0, 1, 2)}
ROUND, SQUARE = 10, 9  # pixels of a number that passes, and of a constant


class Run(NamedTuple):
    """A Threshold over the data: what came out, and what came back for a dout of ones."""

    threshold: float
    x: np.ndarray
    y: np.ndarray
    slope: np.ndarray

    @property
    def above(self) -> np.ndarray:
        """Which numbers are above the threshold."""
        return self.x > self.threshold

    @property
    def ties(self) -> int:
        """How many stand on the threshold."""
        return int(np.sum(self.x == self.threshold))


def run(kind: Any, x: Any, threshold: float) -> Run:
    """Run the Cell `kind(threshold, VALUE)` on x, and differentiate the sum of what it returns."""
    cell = kind(threshold, VALUE)
    y, slope = cell(x), ms.grad(lambda x: cell(x).sum())(x)
    return Run(threshold, x.asnumpy(), y.asnumpy(), slope.asnumpy())


def draw(kind: Any, x: Any, threshold: float) -> Drawing:
    """The picture for one threshold: y above, dy/dx below, both over x. A number that passes is a full circle; the
    constant, and its zero, an empty square."""
    seen = run(kind, x, threshold)
    kept, shown = int(seen.above.sum()), said(threshold)
    gone, passed = seen.x.size - kept, int(np.sum(seen.slope != 0))
    above = Plot(470, 130, (-REACH, REACH), (-2, 2), beside=NUMBERS, key='y')
    below = Plot(470, 66, (-REACH, REACH), (0, 1), NUMBERS, {n: NUMBERS[n] for n in (0, 1)}, 'dy', above.room)
    for plane, ys, passes, look in ((above, seen.y, seen.above, 'f'), (below, seen.slope, seen.slope != 0, 'bk')):
        plane.line('at', (threshold, threshold), plane.up, 'pen dash')
        for k, (at, y) in enumerate(zip(seen.x, ys, strict=True)):
            plane.dots(f'{k}.', [at], [y], f'dab {look}' if passes[k] else f'card ring {look}',
                       ROUND if passes[k] else SQUARE, bool(passes[k]))  # fmt: skip
    ties = 'where x is equal, > says no' if seen.ties else ''
    rows: list[list[Box]] = [
        [Text('y', 'b'), Space()],
        [above, Column(Text(f'● {kept} above: y is x', 'b'), Text(f'□ {gone} not above: y is {said(VALUE)}', 'b'),
                       Space(h=6), Text(f'on the threshold: {seen.ties or "none"}', 'dim'), Text(ties, 'dim'))],
        [Text('dy/dx', 'b'), Space()],
        [below, Column(Text(f'● {passed} with gradient 1', 'b af'),
                       Text(f'□ {seen.x.size - passed} with gradient 0', 'b af'),
                       Text('y does not depend on x', 'dim'))],
    ]  # fmt: skip
    equal = f', {seen.ties} of them equal to the threshold' if seen.ties else ''
    return Drawing(
        Grid(rows, gap=(20, 8), stretch=()),
        f'threshold = {shown}',
        f'y is x where x > {shown}, else {said(VALUE)}. Dots over x: full where x passes, empty where it does not.',
        f'threshold = {shown}: {kept} of {seen.x.size} numbers are above, so y is x and the gradient is 1; for {gone} '
        f'y is {said(VALUE)}{equal}, and the gradient is 0. The gradients add up to {said(float(seen.slope.sum()))}.',
    )


def threshold(kind: Any, x: Any) -> Figure:
    """A slider for the threshold; `kind` is the class of a Cell that is made with a threshold and a value."""
    label = 'threshold: what x must be above'
    return Figure('threshold', label, PLACES, lambda at: draw(kind, x, at), 0.5, stills=(0.5, -1.25),
                  names={at: f'threshold = {said(at)}' for at in (-2.5, 0.0, 2.5)})  # fmt: skip


FIGURES = {'threshold': threshold}
