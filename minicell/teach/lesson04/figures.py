"""The figures of lesson 04; here the one of the error of a central difference against eps, in float32 and float64."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink import thumb
from minicell.teach.ink.shapes import FORWARD, INK, MUTED, PAPER, RULE, Box, Path, Shape, Text, text

from .secant import secant

WIDTH, HEIGHT = 760, 336
LEFT, TOP, WIDE, HIGH = 60, 40, 350, 240  # where the curves are drawn
NOTES = 432  # where the numbers begin
LEAST, STEPS = -12, 10  # eps from 1e-12 to 1, ten steps a decade
LOW, HIGH_ERROR = -12, 1  # decades of the error axis
DTYPES = (np.float32, np.float64)
DIGITS = {np.float32: 8, np.float64: 16}  # decimals that tell two neighbours near 1 apart
NAMED = 20  # the point below which a curve's name stands: where the two are far apart, and both have turned
LOOKS = {np.float32: (INK, '5 3'), np.float64: (FORWARD, '')}


class Slope(NamedTuple):
    """One central difference, with what it was made of."""

    eps: float
    above: float
    below: float
    slope: float
    true: float

    @property
    def error(self) -> float:
        """How far it is from the truth."""
        return abs(self.slope - self.true)


def central(f: Callable, x: float, eps: float, dtype: type) -> Slope:
    """(f(x + eps) - f(x - eps)) / (2 eps), all of it in `dtype`; the truth is autodiff's, in float64, at the same x."""
    at, step = dtype(x), dtype(eps)
    above, below = (f(ms.Tensor(np.asarray(moved))).asnumpy() for moved in (at + step, at - step))
    true = ms.grad(f)(ms.Tensor(np.asarray(at, np.float64))).item()
    return Slope(eps, above.item(), below.item(), ((above - below) / (2 * step)).item(), true)


def snapped(eps: float) -> float:
    """The nearest eps that the curves have a point for."""
    return 10 ** (round(math.log10(eps) * STEPS) / STEPS)


class Curves:
    """Both curves of one function at one place, worked out once."""

    def __init__(self, f: Callable, x: float) -> None:
        self.f = f
        self.x = x
        steps = [10 ** (k / STEPS) for k in range(LEAST * STEPS, 1)]
        self.slopes = {dtype: [central(f, x, eps, dtype) for eps in steps] for dtype in DTYPES}

    def draw(self, eps: float) -> Drawing:
        """The picture for one eps: a dot on each curve, and the digits that it comes from."""
        eps = snapped(eps)
        here = {dtype: central(self.f, self.x, eps, dtype) for dtype in DTYPES}
        shown = power(eps)
        out: list[Shape] = [Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4), *axes()]
        for dtype in DTYPES:
            out += self.curve(dtype, eps)
        if eps < 10 ** (LEAST + NAMED / STEPS) * 1.01:
            out += [self.name(dtype) for dtype in DTYPES]
            out.append(text(LEFT, TOP + HIGH + 38, 150, '◀ the digits run out', 12, MUTED))
        for dtype in DTYPES:
            out += dot(dtype, here[dtype])
        out.append(text(NOTES, 30, WIDTH - NOTES - 10, f'eps = {shown}', 18, bold=True))
        for dtype, top in zip(DTYPES, (62, 200), strict=True):
            out += numbers(dtype, here[dtype], top)
        return Drawing(out, (WIDTH, HEIGHT), f'Central differences with eps = {shown}', says(shown, here))

    def curve(self, dtype: type, eps: float) -> list[Shape]:
        """One curve from 1 down to eps: nobody sees where it leads before going there."""
        colour, dash = LOOKS[dtype]
        run = tuple(point(slope) for slope in self.slopes[dtype] if slope.eps > eps * 0.99)
        return [Path((run,), colour, 1.6, dash=dash)] if len(run) > 1 else []

    def name(self, dtype: type) -> Text:
        """The name of a curve, under it."""
        x, y = point(self.slopes[dtype][NAMED])
        return text(x, y + 34, 70, np.dtype(dtype).name, 13, LOOKS[dtype][0], 'middle', True)


def point(slope: Slope) -> tuple[float, float]:
    """Where a difference lies in the picture; what leaves the axes stands on their edge."""
    error = math.log10(max(slope.error, 10**LOW))
    share = min(max((error - LOW) / (HIGH_ERROR - LOW), 0), 1)
    return LEFT + (math.log10(slope.eps) - LEAST) / -LEAST * WIDE, TOP + (1 - share) * HIGH


def axes() -> list[Shape]:
    """The frame, its decades, and why there is an error on the right."""
    out: list[Shape] = [Box(LEFT, TOP, WIDE, HIGH, stroke=MUTED)]
    for k in range(LEAST, 1, 3):
        x = LEFT + (k - LEAST) / -LEAST * WIDE
        out.append(Path((((x, TOP), (x, TOP + HIGH)),), RULE))
        out.append(text(x, TOP + HIGH + 19, 50, f'1e{k}' if k else '1', 11.5, MUTED, 'middle'))
    for k in range(LOW, HIGH_ERROR + 1, 3):
        y = TOP + (HIGH_ERROR - k) / (HIGH_ERROR - LOW) * HIGH
        out.append(Path((((LEFT, y), (LEFT + WIDE, y)),), RULE))
        out.append(text(LEFT - 6, y + 4, 44, f'1e{k}' if k else '1', 11.5, MUTED, 'end'))
    return [
        *out,
        text(LEFT, TOP - 10, WIDE, 'error of the slope', 13, bold=True),
        text(LEFT + WIDE, TOP + HIGH + 38, 60, 'eps', 13, anchor='end', bold=True),
        text(LEFT + WIDE - 40, TOP + HIGH + 38, 150, 'the curve bends ▶', 12, MUTED, 'end'),
    ]


def dot(dtype: type, slope: Slope) -> list[Shape]:
    """The place of one difference: a square for float32, a circle for float64."""
    x, y = point(slope)
    colour, _ = LOOKS[dtype]
    if dtype is np.float32:  # the larger one: it is still seen where both are the same
        return [Box(x - 9, y - 9, 18, 18, fill=colour, stroke=PAPER, line=2)]
    return [Box(x - 6, y - 6, 12, 12, fill=colour, stroke=PAPER, line=2, radius=6)]


def numbers(dtype: type, slope: Slope, top: float) -> list[Shape]:
    """What the difference was made of, digit under digit: those that cancel are pale, those that are left are bold."""
    colour, _ = LOOKS[dtype]
    room = WIDTH - NOTES - 10
    sign = Box(NOTES, top - 10, 10, 10, fill=colour, radius=0 if dtype is np.float32 else 5)
    out: list[Shape] = [sign, text(NOTES + 16, top, room - 16, np.dtype(dtype).name, 14, colour, bold=True)]
    lines, cut = subtraction(slope, DIGITS[dtype])
    for k, (name, shown) in enumerate(zip(('f(x + eps)', 'f(x − eps)', 'difference'), lines, strict=True)):
        y = top + 22 + 18 * k
        out.append(text(NOTES, y, 90, name, 12.5, MUTED))
        out.append(text(NOTES + 92, y, room - 92, shown[:cut], 12.5, MUTED, mono=True))
        left = ' ' * cut + shown[cut:]  # so that it begins where the pale digits end, however wide they are drawn
        out.append(text(NOTES + 92, y, room - 92, left, 12.5, bold=True, mono=True))
    told = (('slope', f'{slope.slope:.10f}'), ('true', f'{slope.true:.10f}'), ('error', thumb.short(slope.error)))
    for k, (name, shown) in enumerate(told):
        y = top + 80 + 18 * k
        bold = name == 'error'
        out.append(text(NOTES, y, 90, name, 12.5, INK if bold else MUTED, bold=bold))
        out.append(text(NOTES + 92, y, room - 92, shown, 12.5, bold=bold, mono=True))
    return out


def subtraction(slope: Slope, digits: int) -> tuple[list[str], int]:
    """The two values and their difference, as on paper, and the column where the difference has its first digit."""
    lines = [f'{value:.{digits}f}' for value in (slope.above, slope.below, slope.above - slope.below)]
    wide = max(map(len, lines))
    lines = [line.rjust(wide) for line in lines]
    return lines, next((k for k, digit in enumerate(lines[-1]) if digit in '123456789'), wide)


def says(shown: str, here: dict[type, Slope]) -> str:
    """The picture in words, with its numbers."""
    parts = []
    for dtype, slope in here.items():
        above, below = (f'{value:.{DIGITS[dtype]}f}' for value in (slope.above, slope.below))
        made = f'from {above} − {below}' if above != below else f'both values are {above}: no digit is left'
        parts.append(f'{np.dtype(dtype).name} says {slope.slope:.6f}, off by {thumb.short(slope.error)} ({made})')
    true = next(iter(here.values())).true
    return f'eps = {shown}, true slope {true:.6f}: {"; ".join(parts)}.'


def power(eps: float) -> str:
    """An eps as it is spoken of: `1e-5`, `2.5e-5`."""
    mantissa, exponent = f'{eps:.1e}'.split('e')
    return f'{mantissa.removesuffix(".0")}e{int(exponent)}' if int(exponent) else mantissa.removesuffix('.0')


def eps(f: Callable[[Any], Any], x: float) -> Figure:
    """A slider for eps, and the two curves of f's central difference at x under it."""
    curves = Curves(f, x)
    control = slider(
        'eps: how far x is moved, up and down',
        'The step of the difference',
        1e-1,
        (LEAST, 0),
        1 / STEPS,
        '.1e',
        powers=True,
    )
    return Figure('eps', control, curves.draw, stills=(1e-1, 1e-5, 1e-10))


FIGURES = {'secant': secant, 'eps': eps}
