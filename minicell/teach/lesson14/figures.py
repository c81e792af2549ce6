"""The figure of lesson 14: a quantizer's staircase over the weights of a network, and what two masks pass on."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell.ink.boxes import Box, Column, Grid, Space, Text
from minicell.ink.numbers import said
from minicell.teach.figure import Drawing, Figure
from minicell.teach.plot import Plot

WIDE, ROOM = 440, 30  # pixels of the planes, and beside them
REACH = 2.5  # weights are drawn from -REACH to REACH
FINE = 2001  # places at which the Cells are asked
LEVELS = {level: said(level) for level in (-2, -1, 0, 1, 2)}
HEIGHTS = (0.15, 0.5, 0.85)  # the weights stand in three rows, or they would hide each other


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
    seen, many = look(kinds, weights, mean, bits), 2**bits
    stairs = Plot(WIDE, 130, (-REACH, REACH), (-2, 2), {}, LEVELS, 'stairs', ROOM)
    jumps = np.flatnonzero(np.diff(seen.levels))
    corners = np.concatenate([[0], np.repeat(jumps + 1, 2), [FINE - 1]])
    levels = seen.levels[np.concatenate([[0], np.stack([jumps, jumps + 1], 1).ravel(), [FINE - 1]]).astype(int)]
    stairs.line('', seen.at[corners.astype(int)], levels, 'pen f')
    rows: list[list[Box]] = [[Text('forward: the level of w', 'mid2'), Space()], [stairs, Space()]]
    for k, sign in enumerate(('>=', '>')):
        rows += [[Text(f'backward with {sign}: where dout passes', 'mid2'), Space()], [strip(seen, k), notes(seen, k)]]
    said_of = ''
    for sign, reached, end in zip(('>=', '>'), seen.reached, seen.ends, strict=True):
        said_of += f' With {sign}, {np.sum(~reached)} of {reached.size} weights get a gradient of 0 before training'
        said_of += '.' if end is None else f'; after it the accuracy is {end[0]:.2f}, and {end[1]:.0%} stand still.'
    return Drawing(
        Grid(rows, gap=(24, 6), stretch=()),
        f'bits = {bits}',
        f'{many} levels, of which 2 are outermost: {2 / many:.0%} of all.',
        f'bits = {bits}: {many} levels from {said(-seen.most)} to {said(seen.most)}.{said_of}',
    )


def strip(seen: Seen, k: int) -> Box:
    """Where one of the two passes dout on (open) and where not (dashed); and the weights: a full circle gets a
    gradient, an empty square gets a 0."""
    passed, reached = seen.passed[k], seen.reached[k]
    plane = Plot(WIDE, 46, (-REACH, REACH), (0, 1), LEVELS if k else {}, {}, f'strip{k}', ROOM)
    edges = [0, *(np.flatnonzero(np.diff(passed.astype(int))) + 1), FINE - 1]
    for n, (begin, end) in enumerate(pairwise(edges)):
        plane.bars(f'{n}.', seen.at[[begin, end]], [1], 'card bk' if passed[begin] else 'ghost')
    for n, (value, got) in enumerate(sorted(zip(seen.weights, reached, strict=True))):
        at = [value], [HEIGHTS[n % len(HEIGHTS)]]
        plane.dots(f'w{n}.', *at, 'dab bk' if got else 'card ring', 9, bool(got))
    return plane


def notes(seen: Seen, k: int) -> Box:
    """What stands beside a strip."""
    still = Text(f'□ {np.sum(~seen.reached[k])} of {seen.reached[k].size} weights get a 0', 'b af')
    if seen.ends[k] is None:
        return Column(still, Text('not trained above', 'dim'))
    accuracy, stopped = seen.ends[k]
    return Column(
        still, Text(f'trained: accuracy {accuracy:.2f},'), Text(f'{stopped:.0%} of the weights stand still'), gap=0
    )


def bits(quantize: Any, strict: Any, net: Any, mean: dict[Any, Any]) -> Figure:
    """A slider for the number of bits. `mean[kind, bits]`: accuracy, and the share that stands still, at the end."""
    weights = np.concatenate([w.asnumpy().ravel() for w in net.trainable_params()])
    every = range(1, 9)
    return Figure('bits', 'bits: how many a weight has', every, lambda n: draw((quantize, strict), weights, mean, n), 2,
                  stills=(2, 1, 8), names={n: f'{n} bit{"s" * (n > 1)}' for n in every})  # fmt: skip


FIGURES = {'bits': bits}
