"""The figures of lesson 04; here the one of the error of a central difference against eps, in float32 and float64."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Card, Column, Grid, Row, Space, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot

from .secant import secant

LEAST, STEPS = -12, 5  # eps from 1 to 1e-12, five steps a decade
EPS = [10.0 ** (k / STEPS) for k in range(0, LEAST * STEPS - 1, -1)]
DECADES = {k: said(10.0**k) for k in range(LEAST, 1, 3)}
ERRORS = LEAST, 1.0  # decades of the error axis
DTYPES = (np.float32, np.float64)
DIGITS = {np.float32: 8, np.float64: 16}  # decimals that tell two neighbours near 1 apart
LOOKS = {np.float32: 'pen dash', np.float64: 'pen f'}
DOTS = {np.float32: ('dab', 14, False), np.float64: ('dab f', 10, True)}  # both are seen where they are the same


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


class Curves:
    """Both curves of one function at one place, worked out once."""

    def __init__(self, f: Callable, x: float) -> None:
        self.slopes = {dtype: [central(f, x, eps, dtype) for eps in EPS] for dtype in DTYPES}

    def draw(self, eps: float) -> Drawing:
        """The picture for one eps: a dot on each curve, and the digits that it comes from. A curve leads from 1 down to
        eps: nobody sees how it goes on before going there."""
        place = EPS.index(eps)
        here = {dtype: slopes[place] for dtype, slopes in self.slopes.items()}
        plane = Plot(350, 236, (0, LEAST), ERRORS, DECADES, DECADES, key='plane')
        for dtype, slopes in self.slopes.items():
            plane.line(dtype.__name__, *zip(*map(point, slopes[: place + 1]), strict=True), look=LOOKS[dtype])
        for dtype, slopes in self.slopes.items():
            look, side, round_ = DOTS[dtype]
            plane.dots(f'{dtype.__name__}.', *([number] for number in point(slopes[place])), look, side, round_)
        axis = Row(Text('◂ the curve bends', 'dim'), Space(grows=1), Text('eps', 'b'), Space(grows=1),
                   Text('the digits run out ▸', 'dim'), gap=0, grows=1)  # fmt: skip
        shown = said(eps)
        return Drawing(
            Row(
                Column(Text('error of the slope', 'b'), plane, Row(Space(plane.room), axis, gap=0)),
                Column(*(numbers(dtype, here[dtype]) for dtype in DTYPES), gap=14),
                gap=24, across='start',
            ),
            f'eps = {shown}',
            f'float32 is off by {said(here[np.float32].error)}, float64 by {said(here[np.float64].error)}.',
            says(shown, here),
        )  # fmt: skip


def point(slope: Slope) -> tuple[float, float]:
    """Where a difference lies: its eps and its error, in decades."""
    return math.log10(slope.eps), math.log10(max(slope.error, 10.0**LEAST))


def numbers(dtype: type, slope: Slope) -> Box:
    """What the difference was made of, digit under digit: those that cancel are pale, those that are left are bold."""
    look, side, round_ = DOTS[dtype]
    sign = Card(None, look, (side / 2, side / 2), rx=side / 2 if round_ else 0)
    lines, cut = subtraction(slope, DIGITS[dtype])
    rows: list[list[Box]] = [
        [Text(name, 'dim'), Row(Text(line[:cut], 'm dim'), Text(line[cut:], 'm b'), gap=0)]
        for name, line in zip(('f(x + eps)', 'f(x − eps)', 'difference'), lines, strict=True)
    ]
    told = ('slope', f'{slope.slope:.10f}'), ('true', f'{slope.true:.10f}'), ('error', said(slope.error))
    rows += [[Text(name, 'b' if name == 'error' else 'dim'), Text(number, 'm b')] for name, number in told]
    return Column(Row(sign, Text(dtype.__name__, 'mid2')), Grid(rows, gap=(18, 1), stretch=()), gap=2)


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
        parts.append(f'{dtype.__name__} says {slope.slope:.6f}, off by {said(slope.error)} ({made})')
    true = next(iter(here.values())).true
    return f'eps = {shown}, true slope {true:.6f}: {"; ".join(parts)}.'


def eps(f: Callable[[Any], Any], x: float) -> Figure:
    """A slider for eps, and the two curves of f's central difference at x under it."""
    names = {EPS[-k * STEPS]: f'eps = {said(EPS[-k * STEPS])}' for k in (0, -3, -6, -9, -12)}
    label = 'eps: how far x is moved, up and down'
    return Figure('eps', label, EPS, Curves(f, x).draw, EPS[STEPS], stills=[EPS[k * STEPS] for k in (1, 5, 10)],
                  names=names)  # fmt: skip


FIGURES = {'secant': secant, 'eps': eps}
