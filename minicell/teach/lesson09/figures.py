"""The figure of lesson 09: three bprops of ReLU6, their first and second order, and the second tape of each."""

import inspect
import warnings
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.core.errors import MinicellWarning
from minicell.ink.metrics import width
from minicell.story import tell
from minicell.teach.figure import Drawing, Figure, choice
from minicell.teach.ink import thumb
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, OWN, RULE, WRONG, Box, Path, Shape, text, tick

WIDTH, HEIGHT = 760, 412
LEFT = 16
LOW, HIGH = -2.0, 8.0  # the axis
AT = np.linspace(LOW, HIGH, 200, endpoint=False) + 0.025  # never on a corner: there is no second derivative there
PANEL = (310, 150)  # one chart
TOP = 96
STEP = 1e-3
CLOSE = 1e-3
TAPE = 348  # where the second tape begins


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

    def draw(self, k: int) -> Drawing:
        """The picture for one bprop."""
        here, (first, second) = self.all[k], self.true
        out: list[Shape] = [Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4)]
        out.append(text(LEFT, 28, 200, here.name, 18, bold=True))
        for row, line in enumerate(self.lines[k]):
            out.append(text(150, 22 + 17 * row, WIDTH - 150 - LEFT, line, 12.5, mono=True))
        charts = (
            ('first order', here.first, first, (-0.5, 8.0), 'the slope of ReLU6'),
            ('second order', here.second, second, (-2.4, 2.4), 'the bend of ReLU6'),
        )
        for column, (name, yours, due, span, what) in enumerate(charts):
            out += chart(LEFT + column * (PANEL[0] + 64), name, yours, due, span, what)
        judged = off(here.second, here.slope)
        out += said(LEFT, 316, not judged, 'its second order is the slope of its first order')
        out += second_tape(here)
        return Drawing(out, (WIDTH, HEIGHT), f'{here.name}: first and second order', self.says(k))

    def says(self, k: int) -> str:
        """The picture in words, with its numbers."""
        here, (first, second) = self.all[k], self.true
        told = ', '.join(f'{n}′ {name}' for n, name in enumerate(here.tape, 1)) or 'empty'
        parts = [
            f'{order} order {verdict(off(a, b), a, b)}'
            for order, a, b in (('first', here.first, first), ('second', here.second, second))
        ]
        fits = 'is' if not off(here.second, here.slope) else 'is not'
        return (
            f'{here.name} ({"; ".join(self.lines[k])}): {parts[0]}; {parts[1]}; its second order {fits} the slope of '
            f'its first. Second tape: {told}.'
        )


def lines_of(cell: Any) -> list[str]:
    """The lines of a bprop, without its head."""
    source = inspect.getsource(type(cell).bprop)
    return [line.strip() for line in source.splitlines()[1:] if line.strip()]


def verdict(most: float, yours: np.ndarray, due: np.ndarray) -> str:
    """Right, or how far off, and on how much of the axis."""
    if not most:
        return 'is right'
    share = float(np.mean(np.abs(yours - due) > 0.05))
    return f'is off by up to {thumb.short(most)}, for {share:.0%} of x'


def said(x: float, y: float, ok: bool, words: str) -> list[Shape]:
    """A tick or a cross, and what it is about."""
    colour = INK if ok else WRONG
    return [tick(x, y - 11, ok, colour, 12), text(x + 20, y, WIDTH / 2 - 34, words, 12.5, colour, bold=True)]


def chart(x: float, name: str, yours: np.ndarray, due: np.ndarray, span: tuple[float, float], what: str) -> list[Shape]:
    """One order: the Cell's as a thick line, the true one dashed, and the verdict below."""
    left, (wide, high), (low, top) = x + 24, PANEL, span

    def run(values: np.ndarray) -> tuple:
        up = np.clip((values - low) / (top - low), 0, 1)
        along = (AT - LOW) / (HIGH - LOW)
        return tuple(zip((left + along * wide).tolist(), (TOP + (1 - up) * high).tolist(), strict=True))

    zero = TOP + high * (1 + low / (top - low))
    out: list[Shape] = [text(x, TOP - 12, 110, name, 14, bold=True)]
    out += [
        Path((((x + 120, TOP - 16), (x + 144, TOP - 16)),), OWN, 3),
        text(x + 150, TOP - 12, 46, 'yours', 12),
        Path((((x + 196, TOP - 16), (x + 220, TOP - 16)),), INK, 1.6, dash='5 4'),
        text(x + 226, TOP - 12, 144, what, 12),
        Path((((left, TOP), (left, TOP + high)), ((left, zero), (left + wide, zero))), RULE, 1),
    ]
    for mark in (0, 6):
        at = left + (mark - LOW) / (HIGH - LOW) * wide
        out.append(Path((((at, TOP), (at, TOP + high)),), RULE, 1, dash='2 3'))
        out.append(text(at, TOP + high + 16, 60, f'x = {mark}', 12, MUTED, 'middle'))
    for mark in (0, 1, *((6,) if top > 6 else (-1,))):
        at = TOP + high * (1 - (mark - low) / (top - low))
        out.append(text(left - 5, at + 4, 18, str(mark).replace('-', '−'), 11.5, MUTED, 'end'))
    out += [Path((run(yours),), OWN, 3), Path((run(due),), INK, 1.6, dash='5 4')]
    most = off(yours, due)
    return out + said(x, TOP + high + 44, not most, f'{name} {verdict(most, yours, due)}')


def second_tape(here: Orders) -> list[Shape]:
    """The entries that reading back wrote, as small cards."""
    out: list[Shape] = [
        text(LEFT, TAPE + 4, 130, 'SECOND TAPE', 13, FORWARD, bold=True),
        text(LEFT + 110, TAPE + 4, 400, 'what the lines of this bprop left, in their order', 12, MUTED),
    ]
    if not here.tape:
        slot = Box(LEFT, TAPE + 18, 420, 34, stroke=MUTED, dash='5 4', radius=5)
        words = 'empty: no op in these lines leads back to x'
        return [*out, slot, text(LEFT + 14, TAPE + 40, 392, words, 13, MUTED)]
    x, y = float(LEFT), TAPE + 18
    for n, name in enumerate(here.tape, 1):
        wide = width(name, 13, True) + 50
        if x + wide > WIDTH - LEFT:
            x, y = float(LEFT), y + 40
        out += [
            Box(x, y, wide, 34, '#FFFFFF', FORWARD, 2, 5),
            Box(x + 6, y + 8, 26, 18, FORWARD, radius=3),
            text(x + 19, y + 21.5, 24, f'{n}′', 12, '#FFFFFF', 'middle', True),
            text(x + 38, y + 22, wide - 42, name, 13, bold=True),
        ]
        x += wide + 10
    return out


def bprops(*cells: Any) -> Figure:
    """A choice among Cells around ReLU6, and what the bprop of each is at first and second order."""
    figure = Bprops(*cells)
    control = choice('bprop of', [type(cell).__name__ for cell in cells])
    return Figure('bprops', control, lambda k: figure.draw(int(k)), stills=range(len(cells)))


FIGURES = {'bprops': bprops}
