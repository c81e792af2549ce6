"""The first figure of lesson 04: a curve with its tangent at x, and the secants that differences measure."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, PAPER, RULE, Box, Path, Shape, text

WIDTH, HEIGHT = 760, 330
LEFT, TOP, WIDE, HIGH = 20, 20, 430, 270  # where the curve is drawn
NOTES = 478  # where the slopes stand
REACH = 1.25  # how far the curve is drawn on either side of x; eps goes to 1


class Curve:
    """One function around one x."""

    def __init__(self, f: Callable[[Any], Any], x: float) -> None:
        self.f, self.x = f, x
        self.slope = ms.grad(f)(ms.Tensor(x, ms.float64)).item()
        self.across = np.linspace(x - REACH, x + REACH, 61)
        self.heights = self.at(self.across)
        room = 0.08 * np.ptp(self.heights)
        self.low, self.high = self.heights.min() - room, self.heights.max() + room

    def at(self, x: Any) -> Any:
        """f, of plain numbers."""
        return self.f(ms.Tensor(np.asarray(x, np.float64))).asnumpy()

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the plane lies in the picture."""
        right, up = (x - self.x + REACH) / (2 * REACH), (y - self.low) / (self.high - self.low)
        return LEFT + right * WIDE, TOP + HIGH - up * HIGH

    def line(self, through: float, slope: float) -> tuple[tuple[float, float], ...]:
        """A straight line through the curve at an x, as far as there is room for it."""
        y = float(self.at(through))
        ends = [self.x - REACH, self.x + REACH]
        if slope:
            ends += [through + (edge - y) / slope for edge in (self.low, self.high)]
            ends = sorted(ends)[1:3]
        return tuple(self.point(end, y + slope * (end - through)) for end in ends)

    def draw(self, eps: float) -> Drawing:
        """The picture for one eps."""
        here, above, below = (float(self.at(x)) for x in (self.x, self.x + eps, self.x - eps))
        both, one = (above - below) / (2 * eps), (above - here) / eps
        curve = tuple(self.point(x, y) for x, y in zip(self.across, self.heights, strict=True))
        out: list[Shape] = [
            Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
            Path((curve,), MUTED, 4),
            Path((self.line(self.x, one),), INK, 1.6, dash='2 4'),
            Path((self.line(self.x, self.slope),), INK, 1.6, dash='8 4'),
            Path((self.line(self.x - eps, both),), FORWARD, 2.4),
        ]
        for x, y, name in (
            (self.x - eps, below, 'x − eps'),
            (self.x, here, 'x'),
            (self.x + eps, above, 'x + eps'),
        ):
            at, height = self.point(x, y)
            out.append(Path((((at, height), (at, TOP + HIGH)),), RULE))
            out.append(Box(at - 5, height - 5, 10, 10, fill=INK if name == 'x' else FORWARD, stroke=PAPER, radius=5))
            if name != 'x' or eps > 0.3:
                side = {'x': 'middle', 'x − eps': 'end', 'x + eps': 'start'}[name] if eps <= 0.3 else 'middle'
                out.append(text(at, TOP + HIGH + 18, 60, name, 13, anchor=side))
        out.append(text(NOTES, 44, WIDTH - NOTES - 10, f'eps = {eps:.2f}', 18, bold=True))
        told = (
            ('tangent: the true slope', INK, '8 4', 1.6, self.slope, ''),
            ('from x − eps to x + eps', FORWARD, '', 2.4, both, f'off by {both - self.slope:.4f}'),
            ('from x to x + eps only', INK, '2 4', 1.6, one, f'off by {one - self.slope:.4f}'),
        )
        for k, (name, colour, dash, line, slope, off) in enumerate(told):
            y = 84 + 76 * k
            out.append(Path((((NOTES, y - 5), (NOTES + 36, y - 5)),), colour, line, dash=dash))
            out.append(text(NOTES + 44, y, WIDTH - NOTES - 54, name, 14, colour))
            out.append(text(NOTES + 44, y + 24, 100, f'{slope:.4f}', 17, bold=True, mono=True))
            out.append(text(NOTES + 130, y + 24, WIDTH - NOTES - 140, off, 14))
        said = (
            f'eps = {eps:.2f}: the tangent at x = {self.x:g} has the slope {self.slope:.4f}; the secant from x − eps '
        )
        said += f'to x + eps has {both:.4f}, and the one from x to x + eps has {one:.4f}.'
        return Drawing(out, (WIDTH, HEIGHT), f'Secants and the tangent, eps = {eps:.2f}', said)


def secant(f: Callable[[Any], Any], x: float) -> Figure:
    """A slider for eps, and under it the secants of f at x beside its tangent."""
    control = slider('eps: how far from x', 'The step of the difference', 0.8, (0.05, 1.0), 0.05)
    return Figure('secant', control, Curve(f, x).draw, stills=(0.8, 0.2))
