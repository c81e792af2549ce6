"""The figure of lesson 03: scale the loss, and see which gradients follow."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.check import truth
from minicell.core.watch import Call, Pull
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink import thumb
from minicell.teach.ink.shapes import BACKWARD_TEXT, INK, MUTED, RULE, Box, Shape, text, tick
from minicell.view.model import Value

WIDTH = 760
LEFT, TOP, PAD = 16, 96, 26
COLUMNS = (('yours', 'what bprop returns'), ('true', 'autodiff of construct'), ('difference', 'yours − true'))
CLOSE = 1e-5


class Compared(NamedTuple):
    """One input's gradient, as bprop returns it and as it is."""

    name: str
    yours: np.ndarray
    true: np.ndarray

    @property
    def off(self) -> float:
        """How far off, at most."""
        return float(np.max(np.abs(self.yours - self.true)))

    @property
    def ok(self) -> bool:
        """Whether it is right, up to rounding."""
        return self.off <= CLOSE * (1 + float(np.max(np.abs(self.true))))


def compare(net: Any, x: Any, y: Any, scale: float) -> tuple[float, list[Compared]]:
    """dout, and the gradients of scale · sum(net(x, y)) beside the true ones."""

    def loss(x: Any, y: Any) -> Any:
        return (scale * net(x, y)).sum()

    with ms.Tape() as tape:
        yours = ms.grad(loss, (0, 1))(x, y)
    pull = next((e for e in tape.events if isinstance(e, Pull) and isinstance(e.entry, Call)), None)
    if pull is None:  # no bprop of its own: autodiff is all there is
        true: Any = [g.asnumpy() for g in yours]
    else:
        true = truth(tape, pull)
    return scale, [Compared(n, g.asnumpy(), t) for n, g, t in zip(('dx', 'dy'), yours, true, strict=True)]


def draw(net: Any, x: Any, y: Any, scale: float) -> Drawing:
    """The picture for one scale: dx and dy in rows; yours, true and the difference in columns."""
    dout, rows = compare(net, x, y, scale)
    shown = f'{scale:.2f}'
    title = f'The loss times {shown}'
    sides = [thumb.size(Value('', row.true.shape, '', row.true)) for row in rows]
    wide = max(side[0] for side in sides)
    gap = max((WIDTH - 2 * LEFT - 130 - 3 * wide) / 2, 16)
    lefts = [LEFT + 130 + i * (wide + gap) for i in range(3)]
    out: list[Shape] = [
        text(LEFT, 28, WIDTH - 2 * LEFT, f'loss = {shown} × z.sum(), with z = net(x, y)', 18, bold=True),
        text(LEFT, 50, WIDTH - 2 * LEFT, f'so every number of dout is {dout:.2f}', 14, MUTED),
    ]
    for left, (head, what) in zip(lefts, COLUMNS, strict=True):
        out.append(text(left, 76, wide + gap - 8, head, 14, bold=True))
        out.append(text(left, 91, wide + gap - 8, what, 11.5, MUTED))
    y_top = float(TOP + 6)
    for row, side in zip(rows, sides, strict=True):
        out += one(row, lefts, y_top)
        y_top += max(side[1], 60) + PAD
    out.append(Box(0.5, 0.5, WIDTH - 1, y_top - 1, stroke=RULE, radius=4))
    return Drawing(out, (WIDTH, y_top), title, says(shown, rows))


def one(row: Compared, lefts: list[float], top: float) -> list[Shape]:
    """One input's row. The tint is full at the largest of its own numbers, the same in all three columns."""
    colour = INK if row.ok else BACKWARD_TEXT
    difference = np.zeros_like(row.true) if row.ok else row.yours - row.true
    most = thumb.limit(row.yours, row.true, difference)
    ring = None if row.ok else int(np.argmax(np.abs(difference)))
    out: list[Shape] = [
        text(LEFT, top + 16, 120, row.name, 16, bold=True),
        tick(LEFT, top + 28, row.ok, colour, 12),
        text(LEFT + 18, top + 39, 106, 'right' if row.ok else 'wrong', 14, colour, bold=True),
        text(LEFT, top + 57, 120, 'follows dout' if row.ok else f'off by up to {thumb.short(row.off)}', 12, colour),
    ]
    for left, data, around in zip(lefts, (row.yours, row.true, difference), (None, None, ring), strict=True):
        out += thumb.picture(Value('', data.shape, '', data), left, top, most, around)
    return out


def says(shown: str, rows: list[Compared]) -> str:
    """The picture in words, with its numbers."""
    parts = []
    for row in rows:
        verdict = 'right' if row.ok else f'wrong, off by up to {thumb.short(row.off)}'
        parts.append(f'{row.name} is {verdict} (yours up to {most(row.yours)}, true up to {most(row.true)})')
    return f'Loss × {shown}: ' + '; '.join(parts) + '.'


def most(data: np.ndarray) -> str:
    """The largest number of an array, for a sentence."""
    return thumb.short(float(np.max(data)))


def loss_scale(net: Any, x: Any, y: Any) -> Figure:
    """A slider for the factor before the loss, and the gradients of net(x, y) under it."""
    control = slider(
        'Loss scale: multiplies the loss, and with it dout',
        'The factor before the loss',
        1.0,
        (-1, 1),
        0.05,
        powers=True,
    )
    return Figure('loss-scale', control, lambda scale: draw(net, x, y, scale), stills=(0.1, 1.0, 10.0))


FIGURES = {'loss scale': loss_scale}
