"""The figure of lesson 10: one weight, used as often as x is long, and what two bprops return for it."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Arrow, Box, Card, Column, Grid, Link, Put, Row, Space, Span, Text
from minicell.ink.metrics import shape_text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import BACK, heading, listed

MOST = 4
NUMBER = (62, 26)  # pixels of a number
HEADS = ('w', 'x', 'out = w · x', '', 'dout', 'x · dout', 'their sum')


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
    more = 's' * (n > 1)
    rows: list[list[Box | Span | None]] = [
        [Span(heading('forward →', 'ff b', f'w goes to {n} place{more}'), 4), *[None] * 3,
         Span(heading('← backward', 'af b', f'{n} gradient{more} come{"" if n > 1 else "s"} back to it'), 3)],
        [Text(head, 'b') for head in HEADS],
    ]  # fmt: skip
    arrows: list[Arrow] = []
    for k in range(n):
        columns = ('x', used.x[k], 'f'), ('out', used.out[k], 'f'), ('dout', used.dout[k], 'bk')
        cells = {name: number(value, look, f'{name}{k}') for name, value, look in columns}
        share = number(used.x[k] * used.dout[k], 'bk', f'share{k}')
        rows.append([None, cells['x'], cells['out'], Space(20), cells['dout'], share, None])
        arrows += [Link('w', f'x{k}'), Link(f'x{k}', f'out{k}'), Link(f'dout{k}', f'share{k}', BACK),
                   Link(f'share{k}', 'dw', BACK)]  # fmt: skip
    rows += [[Space(h=NUMBER[1])] for _ in range(MOST - n)]
    rows[2][0] = Span(Put(number(used.w[0], 'f cur', 'w')), 1, n)
    rows[2][-1:] = [Span(Put(number(used.true[0], 'bk cur', 'dw')), 1, n)]
    heads = 'for w, which has shape (1,)', 'returns', 'shape', 'is it taken?'
    table: list[list[Box]] = [[Text(head, 'dim') for head in heads]]
    for given in used.given:
        taken = Text(f'✗ {given.error}', 'xx') if given.error else Text('✓ yes', 'b')
        table.append([Text(given.name), several(given.gradient), Text(given.shape, 'm'), taken])
    table.append([Text('autodiff'), several(used.true), Text('(1,)', 'm'), Text('the truth')])
    parts = [
        f'{given.name} returns {listed(given.gradient)} in shape {given.shape}'
        + (f', and minicell raises {given.error}' if given.error else ', and it is taken')
        for given in used.given
    ]
    often = 'once' if n == 1 else f'{n} times'
    return Drawing(
        Column(Grid(rows, gap=(30, 8)), Space(h=8), Grid(table, gap=(40, 8), stretch=()), *arrows),
        f'x has {n} number{more}, and w has one',
        f'w is used {often}. The gradients that come back to it are added: {said(used.true[0])}.',
        f'x has {n} number{more}, so w = {listed(used.w)} is used {often}; x = {listed(used.x)}, dout = '
        f'{listed(used.dout)}. For w, {"; ".join(parts)}. The true gradient is {listed(used.true)}, in shape (1,).',
    )


def number(value: float, look: str, key: str = '') -> Box:
    """One number in its box."""
    return Card(Text(said(value), 'num mid'), f'card {look}', (4, 2), NUMBER, key=key, rx=3)


def several(gradient: np.ndarray) -> Box:
    """Numbers side by side."""
    return Row(*(number(value, 'bk') for value in gradient.ravel()), gap=4)


def length(document: type, summed: type, numbers: Any) -> Figure:
    """A slider for the length of x; both kinds of Cells have a weight w of shape (1,) in their internal_params."""
    lengths = range(1, MOST + 1)
    return Figure('length', 'How many numbers x has', lengths, lambda n: draw((document, summed), numbers, n), 1,
                  stills=(1, 2, 4), names={n: f'{n} number{"s" * (n > 1)}' for n in lengths})  # fmt: skip


FIGURES = {'length': length}
