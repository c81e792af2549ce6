"""The figure of lesson 14: a quantizer's staircase over the weights of a network, and what two masks pass on."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.teach.figure import Drawing, Figure, slider
from minicell.teach.ink.shapes import BACKWARD, FORWARD, INK, MUTED, PAPER, RULE, Box, Path, Shape, hatch, text

WIDTH, HEIGHT = 760, 436
LEFT, WIDE = 64, 440  # where the staircase and both strips are drawn
UPPER, UPPER_H = 92, 150
STRIPS, STRIP_H = (288, 364), 44
NOTES = 530  # where the words stand
REACH = 2.5  # weights are drawn from -REACH to REACH
FINE = 2001  # places at which the Cells are asked


class Seen(NamedTuple):
    """A pair of quantizers over a row of places, and over the weights of a network."""

    bits: int
    step: float
    most: float
    at: np.ndarray
    levels: np.ndarray
    passed: tuple[np.ndarray, np.ndarray]  # at the places, by each of the two
    weights: np.ndarray
    reached: tuple[np.ndarray, np.ndarray]  # which weights get a gradient, by each of the two
    ends: tuple[Any, Any]  # accuracy, and the share of weights that stand still, after training; None if not measured


def look(kinds: tuple[Any, Any], weights: np.ndarray, mean: dict[Any, Any], bits: int) -> Seen:
    """Run both quantizers, and ask what they pass on of a dout of ones."""
    at = np.linspace(-REACH, REACH, FINE)
    cells = [kind(bits) for kind in kinds]
    levels = cells[0](ms.Tensor(at)).asnumpy()
    passed, reached = (
        tuple(ms.grad(lambda w, cell=cell: cell(w).sum())(ms.Tensor(of)).asnumpy() != 0 for cell in cells)
        for of in (at, weights)
    )
    ends = tuple(mean.get((kind, bits)) for kind in kinds)
    return Seen(bits, cells[0].step, cells[0].most, at, levels, passed, weights, reached, ends)


def draw(kinds: tuple[Any, Any], weights: np.ndarray, mean: dict[Any, Any], bits: int) -> Drawing:
    """The picture for one number of bits."""
    seen = look(kinds, weights, mean, int(bits))
    many = 2**seen.bits
    out: list[Shape] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, stroke=RULE, radius=4),
        text(16, 28, 400, f'bits = {seen.bits}', 18, bold=True),
        text(16, 50, 560, f'{many} levels, of which 2 are outermost: {2 / many:.0%} of all', 14, MUTED),
        text(LEFT, UPPER - 14, 200, 'forward: the level of w', 14, bold=True),
    ]
    for level in (-2, -1, 0, 1, 2):
        y = up(level)
        out.append(Path((((LEFT, y), (LEFT + WIDE, y)),), MUTED if level == 0 else RULE, 1))
        out.append(text(LEFT - 8, y + 4, 40, signed(level), 12, MUTED, 'end'))
        out.append(text(across(level), HEIGHT - 12, 40, signed(level), 12, MUTED, 'middle'))
    out.append(text(LEFT + WIDE, HEIGHT - 12, 20, 'w', 13, anchor='end', bold=True))
    out.append(staircase(seen))
    for k, sign in enumerate(('>=', '>')):
        out += strip(seen, k, sign)
    return Drawing(out, (WIDTH, HEIGHT), f'A quantizer with {seen.bits} bits', says(seen))


def staircase(seen: Seen) -> Path:
    """The levels over w, with upright risers."""
    points = [(across(seen.at[0]), up(seen.levels[0]))]
    for k in np.flatnonzero(np.diff(seen.levels)):
        x = across(seen.at[k + 1])
        points += [(x, up(seen.levels[k])), (x, up(seen.levels[k + 1]))]
    points.append((across(seen.at[-1]), up(seen.levels[-1])))
    return Path((tuple(points),), FORWARD, 2.5)


def strip(seen: Seen, k: int, sign: str) -> list[Shape]:
    """Where one of the two passes dout on (open) and where not (hatched); and the weights."""
    top, passed, reached = STRIPS[k], seen.passed[k], seen.reached[k]
    out: list[Shape] = [text(LEFT, top - 8, 360, f'backward with {sign}: where dout passes', 14, bold=True)]
    edges = [0, *(np.flatnonzero(np.diff(passed.astype(int))) + 1), passed.size - 1]
    for begin, end in pairwise(edges):
        x, w = across(seen.at[begin]), across(seen.at[end]) - across(seen.at[begin])
        if passed[begin]:
            out.append(Box(x, top, w, STRIP_H, PAPER, BACKWARD, 2))
        else:
            out += [Box(x, top, w, STRIP_H, '#F3F5F7', MUTED, 1, dash='4 3'), hatch(x, top, w, STRIP_H)]
    for place, (value, got) in enumerate(sorted(zip(seen.weights, reached, strict=True))):
        out += mark(across(value), top + 8 + place % 3 * 14, bool(got))
    still, room = int(np.sum(~reached)), WIDTH - NOTES - 12
    said = f'□ {still} of {reached.size} weights get a 0'
    out.append(text(NOTES, top + 12, room, said, 13, BACKWARD, bold=True))
    if seen.ends[k] is not None:
        accuracy, stopped = seen.ends[k]
        out.append(text(NOTES, top + 30, room, f'trained: accuracy {accuracy:.2f},', 13))
        out.append(text(NOTES, top + 47, room, f'{stopped:.0%} of the weights stand still', 13))
    else:
        out.append(text(NOTES, top + 30, room, 'not trained above', 13, MUTED))
    return out


def mark(x: float, y: float, got: bool) -> list[Shape]:
    """A weight: a full circle gets a gradient, an empty square gets a 0."""
    if got:
        return [Box(x - 4.5, y - 4.5, 9, 9, BACKWARD, PAPER, 1, 4.5)]
    return [Box(x - 4.5, y - 4.5, 9, 9, PAPER, INK, 1.8)]


def across(w: float) -> float:
    """Where a weight lies."""
    return LEFT + (float(w) + REACH) / (2 * REACH) * WIDE


def up(level: float) -> float:
    """Where a level lies."""
    return UPPER + UPPER_H * (1 - (float(level) + 2) / 4)


def signed(number: float) -> str:
    """A number with a real minus."""
    return f'{number:g}'.replace('-', '−')


def says(seen: Seen) -> str:
    """The picture in words, with its numbers."""
    said = f'bits = {seen.bits}: {2**seen.bits} levels from {signed(-seen.most)} to {signed(seen.most)}.'
    for sign, reached, end in zip(('>=', '>'), seen.reached, seen.ends, strict=True):
        still = int(np.sum(~reached))
        said += f' With {sign}, {still} of {reached.size} weights get a gradient of 0 before training'
        said += '.' if end is None else f'; after it the accuracy is {end[0]:.2f}, and {end[1]:.0%} stand still.'
    return said


def bits(quantize: Any, strict: Any, net: Any, mean: dict[Any, Any]) -> Figure:
    """A slider for the number of bits. `mean[kind, bits]`: accuracy, and the share that stands still, at the end."""
    weights = np.concatenate([w.asnumpy().ravel() for w in net.trainable_params()])
    control = slider('bits: how many a weight has', 'How many bits a weight has', 2, (1, 8), 1)
    return Figure('bits', control, lambda n: draw((quantize, strict), weights, mean, int(n)), stills=(2, 1, 8))


FIGURES = {'bits': bits}
