"""The figure of lesson 10: one weight, used as often as x is long, and what two bprops return for it."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.metrics import shape_text
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import BACKWARD, FORWARD, MUTED, PAPER, RULE, Box, Shape, arrow, text
from minicell.teach.ink.table import Column, Drawn, table, verdict
from minicell.teach.ink.thumb import short

WIDTH, HEIGHT = 760, 428
LEFT = 16
TOP, ROW = 104, 38  # the rows of x
TILE, TILE_H = 62, 24
W, X, OUT, DOUT, SHARE, DW = LEFT, 128, 240, 372, 484, 640  # where the columns begin
TOLD = TOP + 4 * ROW + 34  # the three lines below
MOST = 4


class Given(NamedTuple):
    """What a bprop returned for w, and whether that was taken."""

    name: str
    gradient: np.ndarray
    error: str

    @property
    def shape(self) -> str:
        """Its shape as it is printed."""
        return shape_text(self.gradient.shape) or '()'


class Used(NamedTuple):
    """One forward, and the gradients of w."""

    x: np.ndarray
    w: np.ndarray
    out: np.ndarray
    dout: np.ndarray
    given: tuple[Given, ...]
    true: np.ndarray


def use(kinds: tuple[type, ...], numbers: Any, n: int) -> Used:
    """Call a Cell of each kind on the first n numbers, with the loss (1·out₁ + 2·out₂ + …)."""
    x, dout = numbers[:n], ms.Tensor(np.arange(1.0, n + 1), numbers.dtype)
    given, cell = [], None
    for kind in kinds:
        cell = kind()
        out = cell.construct(x)
        _, by_weight = cell.bprop(x, out, dout)
        error = ''
        try:
            ms.grad(lambda x, cell=cell: (cell(x) * dout).sum(), None, [cell.w])(x)
        except ms.errors.BpropShapeError as found:
            error = type(found).__name__
        given.append(Given(kind.__name__, by_weight[cell.w].asnumpy(), error))
    weight = ms.Parameter(ms.Tensor(cell.w), name='w')  # a twin, which autodiff answers for
    (true,) = ms.grad(lambda x: (weight * x * dout).sum(), None, [weight])(x)
    arrays = (t.asnumpy() for t in (x, weight, out, dout))
    return Used(*arrays, tuple(given), true.asnumpy())


def draw(kinds: tuple[type, ...], numbers: Any, n: int) -> Drawing:
    """The picture for one length of x."""
    used = use(kinds, numbers, n)
    title = f'x has {n} number{"s" * (n > 1)}, and w has one'
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(LEFT, 28, 420, title, 18, bold=True),
        text(LEFT, 52, 330, 'FORWARD', 13, FORWARD, bold=True),
        text(LEFT + 92, 52, 250, f'w goes to {n} place{"s" * (n > 1)}', 13, MUTED),
        text(DOUT, 52, 100, 'BACKWARD', 13, BACKWARD, bold=True),
        text(DOUT + 98, 52, 270, f'{n} gradient{"s" * (n > 1)} come{"s" * (n == 1)} back to it', 13, MUTED),
    ]
    for left, head in (
        (W, 'w'),
        (X, 'x'),
        (OUT, 'out = w · x'),
        (DOUT, 'dout'),
        (SHARE, 'x · dout'),
        (DW, 'their sum'),
    ):
        out.append(text(left, TOP - 14, 110, head, 13, bold=True))
    middle = TOP + (n - 1) * ROW / 2
    for k in range(n):
        top = TOP + k * ROW
        y, end = top + TILE_H / 2, middle + TILE_H / 2
        out += [
            *arrow([(W + TILE + 2, end), (X - 5, y)], FORWARD, 1.6, 7),
            *tile(used.x[k], X, top, FORWARD),
            *arrow([(X + TILE + 2, y), (OUT - 3, y)], FORWARD, 1.6, 7),
            *tile(used.out[k], OUT, top, FORWARD),
            *tile(used.dout[k], DOUT, top, BACKWARD),
            *arrow([(DOUT + TILE + 2, y), (SHARE - 3, y)], BACKWARD, 1.6, 7),
            *tile(used.x[k] * used.dout[k], SHARE, top, BACKWARD),
            *arrow([(SHARE + TILE + 2, y), (DW - 5, end)], BACKWARD, 1.6, 7),
        ]
    out += tile(used.w[0], W, middle, FORWARD, True)
    out += tile(used.true[0], DW, middle, BACKWARD, True)
    columns = [
        Column(LEFT, 'for w, which has shape (1,)', 220),
        Column(250, 'returns', 220),
        Column(520, 'shape', 70, mono=True),
        Column(590, 'is it taken?', 154),
    ]
    rows = [
        [given.name, tiles(given.gradient), given.shape, verdict(not given.error, given.error or 'yes', 154)]
        for given in used.given
    ]
    rows.append(['autodiff', tiles(used.true), '(1,)', 'the truth'])
    out += table(columns, rows, TOLD, 38, (LEFT, WIDTH - LEFT))
    return Drawing(out, (WIDTH, HEIGHT), title, says(n, used))


def tile(value: float, left: float, top: float, colour: str, bold: bool = False) -> list[Shape]:
    """One number in its box; the one that belongs to w has a thick edge."""
    return [
        Box(left, top, TILE, TILE_H, PAPER, colour, 3 if bold else 1.5, 3),
        text(left + TILE / 2, top + 17, TILE - 6, short(float(value)), 13, anchor='middle', bold=bold),
    ]


def tiles(gradient: np.ndarray) -> Drawn:
    """Numbers side by side."""
    return lambda x, y: [
        shape for k, value in enumerate(gradient.ravel()) for shape in tile(value, x + k * (TILE + 4), y - 17, BACKWARD)
    ]


def says(n: int, used: Used) -> str:
    """The picture in words, with its numbers."""

    def numbers(array: np.ndarray) -> str:
        return ', '.join(short(float(v)) for v in np.ravel(array))

    parts = [
        f'{given.name} returns {numbers(given.gradient)} in shape {given.shape}'
        + (f', and minicell raises {given.error}' if given.error else ', and it is taken')
        for given in used.given
    ]
    often = 'once' if n == 1 else f'{n} times'
    return (
        f'x has {n} number{"s" * (n > 1)}, so w = {numbers(used.w)} is used {often}; '
        f'x = {numbers(used.x)}, dout = {numbers(used.dout)}. '
        f'For w, {"; ".join(parts)}. The true gradient is {numbers(used.true)}, in shape (1,).'
    )


def length(document: type, summed: type, numbers: Any) -> Figure:
    """A slider for the length of x; both kinds of Cells have a weight w of shape (1,) in their internal_params."""
    control = slider('How many numbers x has', 'The length of x', 1, (1, MOST), 1)
    return Figure('length', control, lambda n: draw((document, summed), numbers, int(n)), stills=(1, 2, 4))


FIGURES = {'length': length}
