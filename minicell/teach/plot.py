"""What the lessons draw with beside the boxes of ink: planes of numbers, charts of losses, and small parts of figures.

What lies in a plane is given in its own numbers, and nobody types a pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minicell.ink import tiles
from minicell.ink.boxes import Box, Canvas, Column, Row, Text
from minicell.ink.numbers import said
from minicell.ink.shapes import Frame, width
from minicell.story.record import Value

LETTERS = 22  # pixels under the plane for what is written there
APART = 10  # ... and between it and what stands beside it
DOT = 10  # pixels of a dot
BACK = 'pen bk', 'rl'  # the looks of a thin arrow of backward, and of its head
POINTS = 2  # pixels from one point of a curve to the next, at least

Span = tuple[float, float]


class Plot(Box):
    """A plane so wide and so high. `across` and `up` are its first and last numbers, `below` and `beside` what is
    written at some of them: a hair line leads from there. What lies outside stands on its edge. `room`: for what is
    beside, at least, so that planes under one another begin together."""

    def __init__(
        self, wide: float, high: float, across: Span, up: Span,
        below: Mapping[float, str] = {}, beside: Mapping[float, str] = {}, key: str = '', room: float = 0,
    ) -> None:  # fmt: skip
        self.wide, self.high, self.across, self.up, self.key = wide, high, across, up, key
        self.below, self.beside = below, beside
        self.room = max(room, *(width(words) + APART for words in beside.values()), 0)
        self.size = (wide + self.room, high + LETTERS * bool(below))
        self.parts: list[Callable[[Frame, str], None]] = []
        self.left = self.top = 0.0

    def x(self, number: float) -> float:
        """Where a number lies, once the plane has a place."""
        low, top = self.across
        return self.left + min(max((float(number) - low) / (top - low), 0), 1) * self.wide

    def y(self, number: float) -> float:
        """The same of a number that goes upwards."""
        low, top = self.up
        return self.top + (1 - min(max((float(number) - low) / (top - low), 0), 1)) * self.high

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """The hair lines and the words at their ends, then the parts in their order."""
        self.left, self.top = x + self.room, y
        frame, key = to.frame, to.path
        for number, words in self.beside.items():
            at = self.y(number)
            frame.path(f'{key}h{number:g}', f'M{self.left:g},{at:.1f}H{self.left + self.wide:g}', 'pen thin', 1)
            frame.text(f'{key}b{number:g}', self.left - APART, at + 4, words, 'dim end')
        for number, words in self.below.items():
            at = self.x(number)
            frame.path(f'{key}v{number:g}', f'M{at:.1f},{y:g}V{y + self.high:g}', 'pen thin', 1)
            frame.text(f'{key}u{number:g}', at, y + self.high + LETTERS - 4, words, 'dim mid')
        for part in self.parts:
            part(frame, key)

    def line(self, name: str, xs: Iterable[float], ys: Iterable[float], look: str = 'pen') -> None:
        """A line through points, of which those too near to the last one are left out."""
        points = list(zip(xs, ys, strict=True))

        def part(frame: Frame, key: str) -> None:
            every = max(1, round(len(points) * POINTS / self.wide))
            kept = [*points[:-1:every], *points[-1:]]
            way = 'L'.join(f'{self.x(x):.1f},{self.y(y):.1f}' for x, y in kept)
            if len(kept) > 1:
                frame.path(f'{key}{name}', f'M{way}', look, 3)

        self.parts.append(part)

    def dots(
        self, name: str, xs: Sequence[float], ys: Sequence[float], look: str, side: float = DOT, round: bool = True
    ) -> None:  # fmt: skip
        """Dots, or squares, at points."""

        def part(frame: Frame, key: str) -> None:
            for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
                left, top = self.x(x) - side / 2, self.y(y) - side / 2
                frame.rect(f'{key}{name}{k}', left, top, side, side, look, 5, rx=side / 2 if round else None)

        self.parts.append(part)

    def bars(self, name: str, edges: Sequence[float], heights: Sequence[float], look: str, floor: float = 0) -> None:
        """Bars from the floor up, or down; those that are nothing are not drawn."""

        def part(frame: Frame, key: str) -> None:
            for k, height in enumerate(np.asarray(heights, float).tolist()):
                left, right, ends = self.x(edges[k]), self.x(edges[k + 1]), sorted((self.y(floor), self.y(height)))
                if height:
                    frame.rect(f'{key}{name}{k}', left, ends[0], right - left, ends[1] - ends[0], look, 2)

        self.parts.append(part)

    def note(self, name: str, x: float, y: float, words: str, look: str = 'dim', up: float = 0) -> None:
        """Words at a point, moved up by some pixels."""
        self.parts.append(lambda frame, key: frame.text(f'{key}{name}', self.x(x), self.y(y) - up, words, look, 6))


class Line(NamedTuple):
    """A line of a chart: its losses, its name, and whether it is the one to look at (the others are dashed)."""

    losses: Sequence[float]
    name: str
    first: bool = True


def chart(lines: Sequence[Line], steps: int, top: float, size: tuple[float, float], key: str = 'loss') -> Box:
    """Losses against steps. What is above `top` runs along the upper edge, and says so."""
    last, levels = steps - 1, {level: said(level) for level in (0, top / 2, top)}
    plane = Plot(*size, (0, last), (0, top), {0: '0', last: str(steps)}, levels, key)
    for line in sorted(lines, key=lambda line: line.first):
        losses = np.nan_to_num(np.asarray(line.losses, np.float64), nan=top, posinf=top)
        plane.line(line.name, range(losses.size), losses, 'pen f' if line.first else 'pen dash')
        if line.first and line.losses and not line.losses[-1] <= top:
            plane.note('now', 0, top, f'↑ now at {said(line.losses[-1])}', 'b', up=-18)
    return Column(Text('loss, step by step', 'dim'), plane)


# ---- small parts ---------------------------------------------------------------------------------------------------


def tile(numbers: Any, room: tuple[float, float] = (200.0, 90.0), key: str = '', **looks: Any) -> tiles.Tile:
    """An array as a tile."""
    array = np.asarray(numbers)
    return tiles.Tile(Value('', array.shape, data=array), room, key, **looks)


def listed(numbers: Any) -> str:
    """Numbers in a sentence."""
    return ', '.join(said(float(number)) for number in np.ravel(numbers))


class Stroke(Box):
    """A short line of a look, beside what it means."""

    size = 36, 4

    def __init__(self, look: str) -> None:
        self.look = look

    def place(self, to: Canvas, x: float, y: float, w: float, h: float) -> None:
        """From left to right."""
        to.frame.path(to.path, f'M{x:g},{y + h / 2:g}H{x + w:g}', self.look)


def heading(name: str, look: str, words: str) -> Box:
    """The name of a lane, and what is in it."""
    return Row(Text(name, look), Text(words, 'dim'), gap=10)
