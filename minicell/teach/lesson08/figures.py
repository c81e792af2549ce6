"""The figure of lesson 08: y and dy/dx over the data, for one threshold; the zero of the constant branch is drawn."""

from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, Box, Path, Shape, text

WIDTH, HEIGHT = 760, 412
LEFT, WIDE = 64, 470  # where both charts are drawn
UPPER, UPPER_H = 98, 130
LOWER, LOWER_H = 290, 66
NOTES = 556  # where the words stand
VALUE = -1.0  # what stands in for the numbers that are not above the threshold
REACH = 2.5  # the threshold goes as far, and a little beyond the data


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
    """The picture for one threshold: y above, dy/dx below, both over x."""
    seen = run(kind, x, round(threshold, 2))
    shown = signed(seen.threshold)
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(16, 28, 400, f'threshold = {shown}', 18, bold=True),
        text(16, 50, 520, f'y is x where x > {shown}, else {signed(VALUE)}', 14, MUTED),
        *chart(UPPER, UPPER_H, 'y', (-2, -1, 0, 1, 2)),
        *chart(LOWER, LOWER_H, 'dy/dx', (0, 1)),
    ]
    at = across(seen.threshold)
    for top, high in ((UPPER, UPPER_H), (LOWER, LOWER_H)):
        out.append(Path((((at, top - 6), (at, top + high + 6)),), INK, 1.5, dash='5 4'))
    for value, y, slope, above in zip(seen.x, seen.y, seen.slope, seen.above, strict=True):
        out += point(across(value), up(y, UPPER, UPPER_H, -2, 2), above, FORWARD)
        out += point(across(value), up(slope, LOWER, LOWER_H, 0, 1), bool(slope), BACKWARD)
    for number in (-2, -1, 0, 1, 2):
        out.append(text(across(number), LOWER + LOWER_H + 24, 40, signed(number), 12, MUTED, 'middle'))
    out.append(text(LEFT + WIDE, LOWER + LOWER_H + 42, 60, 'x', 13, anchor='end', bold=True))
    return Drawing(out + words(seen), (WIDTH, HEIGHT), f'Threshold at {shown}', says(seen))


def chart(top: float, high: float, name: str, levels: tuple[int, ...]) -> list[Shape]:
    """An empty chart: its name, and a line at each level."""
    out: list[Shape] = [text(LEFT, top - 14, 200, name, 14, bold=True)]
    for level in levels:
        y = up(level, top, high, levels[0], levels[-1])
        out.append(Path((((LEFT, y), (LEFT + WIDE, y)),), MUTED if level == 0 else RULE, 1))
        out.append(text(LEFT - 8, y + 4, 44, signed(level), 12, MUTED, 'end'))
    return out


def point(x: float, y: float, passes: bool, colour: str) -> list[Shape]:
    """A number that passes is a full circle; the constant, and its zero, an empty square."""
    if passes:
        return [Box(x - 5, y - 5, 10, 10, colour, PAPER, 1, 5)]
    return [Box(x - 5, y - 5, 10, 10, PAPER, colour, 2)]


def words(seen: Run) -> list[Shape]:
    """What stands beside the charts."""
    kept, room = int(seen.above.sum()), WIDTH - NOTES - 12
    gone = seen.x.size - kept
    lines = [
        (UPPER + 12, f'● {kept} above: y is x', INK, True),
        (UPPER + 34, f'□ {gone} not above: y is {signed(VALUE)}', INK, True),
        (UPPER + 62, f'on the threshold: {seen.ties or "none"}', MUTED, False),
        (UPPER + 80, 'where x is equal, > says no' if seen.ties else '', MUTED, False),
        (LOWER + 6, f'● {int(np.sum(seen.slope != 0))} with gradient 1', BACKWARD, True),
        (LOWER + 28, f'□ {int(np.sum(seen.slope == 0))} with gradient 0', BACKWARD, True),
        (LOWER + 50, 'y does not depend on x', MUTED, False),
    ]
    return [text(NOTES, base, room, said, 13, colour, bold=bold) for base, said, colour, bold in lines if said]


def across(x: float) -> float:
    """Where an x lies."""
    return LEFT + (float(x) + REACH) / (2 * REACH) * WIDE


def up(y: float, top: float, high: float, low: float, most: float) -> float:
    """Where a y lies."""
    return top + high * (1 - (float(y) - low) / (most - low))


def signed(number: float) -> str:
    """A number with a real minus, and no more decimals than it has."""
    return f'{number:g}'.replace('-', '−')


def says(seen: Run) -> str:
    """The picture in words, with its numbers."""
    ties = f', {seen.ties} of them equal to the threshold' if seen.ties else ''
    return (
        f'threshold = {signed(seen.threshold)}: {int(seen.above.sum())} of {seen.x.size} numbers are above, so y is x '
        f'and the gradient is 1; for {int(np.sum(~seen.above))} y is {signed(VALUE)}{ties}, and the gradient is 0. '
        f'The gradients add up to {signed(float(seen.slope.sum()))}.'
    )


def threshold(kind: Any, x: Any) -> Figure:
    """A slider for the threshold; `kind` is the class of a Cell that is made with a threshold and a value."""
    control = slider('threshold: what x must be above', 'What x must be above', 0.5, (-REACH, REACH), 0.25)
    return Figure('threshold', control, lambda at: draw(kind, x, at), stills=(0.5, -1.25))


FIGURES = {'threshold': threshold}
