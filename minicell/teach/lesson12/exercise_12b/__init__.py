"""Exercise 12b: a surrogate of one's own that trains with a frozen readout."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial
from minicell.teach.lesson12.trials import ENOUGH, frozen

TASK = (
    'Invent a surrogate that is no relusigmoid. Write `slope(x)`, where `x` is `v - v_th`, so that a network with a '
    '**frozen** readout comes to an accuracy of 0.90 or more.'
)
NAME = 'Mine'
HINTS = (
    'Look at the histogram in the figure: where are the membranes? A slope that is 0 there tells them nothing.',
    'Its height matters less than you may think, and so does its form. It must not be negative anywhere: more membrane '
    'never means fewer spikes.',
    'Try a triangle: 1 at the threshold, and from there down to 0 on both sides. `ops.abs(x)` is the distance, and '
    '`ops.relu` cuts off what would become negative. How wide must it be?',
)
AT = np.array([-3.0, -1.5, -0.7, -0.3, -0.005, 0.005, 0.3, 0.7, 1.5, 3.0])


def trial(answer: Any) -> Trial:
    """Ask the slope at a few places, then train with it."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Surrogate):
        said = f'check wants the class {NAME}, an nn.Surrogate; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Surrogate'}, said)
    x = ms.Tensor(AT)
    slope = cell.slope(x)
    if slope is ...:
        return Trial(False, False, {}, '')
    if not isinstance(slope, ms.Tensor) or slope.shape != x.shape:
        got = f'shape {slope.shape}' if isinstance(slope, ms.Tensor) else type(slope).__name__
        return Trial(True, False, {'slope': got}, f'slope(x) wants one number for each x, in its shape; got {got}.')
    values = np.asarray(slope.asnumpy(), np.float64)
    did = {'kind': kind(values), 'slope': values}
    got = frozen(cell, learning_rate=0.02, steps=150)
    said = f'150 steps with a frozen readout: accuracy {got:.3f}; asked for: {ENOUGH:.2f}'
    return Trial(True, got >= ENOUGH, did, said)


def kind(slope: np.ndarray) -> str:
    """What is remarkable about a slope, in a word: answers of one kind share a misconception."""
    left, right, far = slope[AT < 0], slope[AT > 0], slope[np.abs(AT) > 0.1]
    if not slope.any():
        return 'zero'
    if (right < 0).any():
        return 'negative above the threshold' if (left >= 0).all() else 'negative'
    if (left < 0).any():
        return 'negative'
    if np.ptp(slope) == 0:
        return 'the same everywhere'
    if not left.any():
        return 'above the threshold alone'
    return 'a needle' if far.max() < 0.1 * slope.max() else 'a bump'
