"""The first figure of lesson 04: a curve with its tangent at x, and the secants that differences measure."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Column, Row, Space, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot, Stroke

REACH = 1.25  # how far the curve is drawn on either side of x; eps goes to 1
EPS = np.arange(1.0, 0.025, -0.05).round(2).tolist()


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

    def line(self, through: float, slope: float) -> tuple[list[float], list[float]]:
        """A straight line through the curve at an x, as far as there is room for it."""
        y = float(self.at(through))
        ends = [self.x - REACH, self.x + REACH]
        if slope:
            ends += [through + (edge - y) / slope for edge in (self.low, self.high)]
            ends = sorted(ends)[1:3]
        return ends, [y + slope * (end - through) for end in ends]

    def draw(self, eps: float) -> Drawing:
        """The picture for one eps."""
        x, places = self.x, (self.x - eps, self.x, self.x + eps)
        below, here, above = (float(self.at(place)) for place in places)
        both, one = (above - below) / (2 * eps), (above - here) / eps
        told = (
            ('pen dash', 'tangent: the true slope', self.slope, x),
            ('pen f', 'from x − eps to x + eps', both, x - eps),
            ('pen dots', 'from x to x + eps only', one, x),
        )
        names = dict(zip(places, ('x − eps', 'x', 'x + eps'), strict=True)) if eps > 0.3 else {x: 'x ± eps'}
        plane = Plot(430, 270, (x - REACH, x + REACH), (self.low, self.high), names, key='plane')
        plane.line('curve', self.across, self.heights, 'pen dim')
        for look, _, slope, through in told:
            plane.line(look, *self.line(through, slope), look)
        plane.dots('ends', places[::2], (below, above), 'dab f')
        plane.dots('middle', [x], [here], 'dab')
        return Drawing(
            Row(plane, Column(*(slope_of(each, self.slope) for each in told), gap=18), gap=28, across='start'),
            f'eps = {said(eps)}',
            f'The central secant is off by {said(both - self.slope)}, the one-sided one by {said(one - self.slope)}.',
            f'eps = {said(eps)}: the tangent at x = {said(x)} has the slope {said(self.slope)}; the secant from '
            f'x − eps to x + eps has {said(both)}, and the one from x to x + eps has {said(one)}.',
        )


def slope_of(line: tuple[str, str, float, float], true: float) -> Box:
    """A line of the picture in words and numbers."""
    look, name, slope, _ = line
    off = '' if slope == true else f'off by {said(slope - true)}'
    return Column(
        Row(Stroke(look), Text(name, 'mid2 ff' if look == 'pen f' else 'mid2')),
        Row(Space(36), Text(said(slope), 'mid3 b'), Text(off, 'dim'), gap=8),
    )


def secant(f: Callable[[Any], Any], x: float) -> Figure:
    """A slider for eps, and under it the secants of f at x beside its tangent."""
    names = {eps: f'eps = {said(eps)}' for eps in (1.0, 0.5, 0.05)}
    return Figure('secant', 'eps: how far from x', EPS, Curve(f, x).draw, 0.8, stills=(0.8, 0.2), names=names)
