"""Lesson 08: its figure of a threshold, and the trials of ties, a layer written with select, and a hunt."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.about import defined
from minicell.teach.trials import ERRORS, Hunt, Trial, begun, class_of, dict_of, stopped, variant

from .figures import FIGURES

# the six cases of exercise 8a: one number, on a threshold
(CASES,) = defined('08', 'CASES')


@cache
def due() -> dict[str, float]:
    """The gradient of each case, by running it."""
    return {letter: float(ms.grad(f)(x).asnumpy()[0]) for letter, (f, x) in CASES.items()}


def ties(answer: Any) -> Trial:
    """Compare a dict of gradients with what backward hands out."""
    given = dict_of(answer, 'slopes', CASES)
    given = {letter: number(each) for letter, each in given.items()}
    strange = [f'{letter}: {given[letter]!r}' for letter in CASES if not isinstance(given[letter], float | type(...))]
    wrong = [letter for letter in CASES if given[letter] is not ... and given[letter] != due()[letter]]
    open_ = [letter for letter in CASES if given[letter] is ...]
    right = len(CASES) - len(wrong) - len(open_)
    said = f'{right} of {len(CASES)} are right.'
    if strange:
        said = f'{strange[0]} is no number.'
    elif wrong:
        said += f' {wrong[0]} is not {given[wrong[0]]:g}.'
    elif open_:
        said += f' Still open: {", ".join(open_)}.'
    return Trial(True, right == len(CASES), given, said, words=True)


def number(answer: Any) -> Any:
    """A number as a float; whatever else it is, as it is."""
    return float(answer) if isinstance(answer, int | float) else answer


# ---- 8b ------------------------------------------------------------------------------------------------------------

TS = 0.5, 0.8  # thresholds
AT = np.array([-4.0, -1.1, -1.0, -0.9, 0.0, 0.9, 1.0, 1.1, 3.0])  # numbers, in thresholds


def shrink(answer: Any, ts: tuple[float, float] = TS, at: np.ndarray = AT) -> Trial:
    """Try a Cell with two thresholds, on numbers in all three branches and on both bounds: values and gradients."""
    kind = class_of(answer, 'Shrink')
    cell = kind(ts[0])
    did: dict[str, Any] = {'bprop': 'none' if cell.bprop is None else 'one of its own'}
    wrong = shrunk(cell, ts[0], at, did, '') or shrunk(kind(ts[1]), ts[1], at, did, f', t = {ts[1]}')
    if not wrong and cell.bprop is not None:
        wrong = 'All numbers are right. But autodiff was not asked: there is a bprop.'
    if wrong:
        return Trial(True, False, did, wrong)
    there = ms.grad(lambda x: cell(x).sum())(ms.Tensor(at * ts[0])).asnumpy()[np.abs(at) == 1]
    slopes = ' and '.join(f'{each:g}' for each in there)
    said = f'Values and gradients are right, for {at.size} numbers and two thresholds, and you wrote no bprop.'
    kinks = f'At the two bounds your slope is {slopes}: there any number from 0 to 1 is right.'
    return Trial(True, True, did, f'{said}\n{kinks}')


def shrunk(cell: Any, t: float, at: np.ndarray, did: dict[str, Any], when: str) -> str:
    """What is wrong for one threshold, in a sentence; '' if nothing is. What the Cell did is noted."""
    x = at * t
    kink = np.abs(at) == 1  # there the slope is 0 on one side and 1 on the other, and all between is right
    try:
        y = cell(ms.Tensor(x))
        if not isinstance(y, ms.Tensor | type(...)):
            did['stops'] = type(y).__name__
            return f'construct returned {type(y).__name__}; expected a Tensor.'
        slope = ms.grad(lambda x: cell(x).sum())(ms.Tensor(x))
    except ERRORS as error:
        did['stops'] = type(begun(error)).__name__
        return stopped(error, 'construct')
    slope = slope.asnumpy()
    if slope.shape == x.shape:
        slope = np.where(kink & (slope >= 0) & (slope <= 1), 0.0, slope)
    due = np.where(at > 1, x - t, np.where(at < -1, x + t, 0.0)), (np.abs(at) > 1).astype(float)
    for part, mine, right in zip(('y', 'dy/dx'), (y.asnumpy(), slope), due, strict=True):
        did[f'{part}{when}'] = mine  # of wrong values the gradient says nothing more
        if mine.shape != right.shape:
            return f'{part} has shape {mine.shape}; x has shape {x.shape}.'
        off = np.flatnonzero(~np.isclose(mine, right))
        if off.size:
            k = next((k for k in off if np.isnan(mine[k])), off[0])
            value = 'NaN' if np.isnan(mine[k]) else f'{mine[k]:g}'
            wanted = 'a number from 0 to 1' if part == 'dy/dx' and kink[k] else f'{right[k]:g}'
            return f't = {t}, x = {x[k]:g}: {part} is {value}; expected {wanted}.'
    return ''


# ---- 8c --------------------------------------------------------------------------------------------------------------

WORDS = ('right', 'gap', 'edge', 'nan')


def bounds(x: Any) -> Any:
    """The constant that a number outside is replaced by."""
    return ops.select(x > 0, 1.0, -1.0)


def within(x: Any, curve: Any) -> Any:
    """A curve between the bounds, which belong to it."""
    return ops.select(ops.abs(x) <= 1, curve, bounds(x))


def bent(x: Any, side: float) -> Any:
    """A factor of x that is 1 on one side of 0, and on the other smaller or larger; it was worked out off the tape."""
    square = np.maximum(side * x.asnumpy(), 0) ** 2
    return ms.Tensor(1 + side * square * (1 - square) / 2)


# each bound and each side of 0 is the only place where one of them shows what is wrong
HIDDEN: tuple[tuple[Callable, str], ...] = (
    (lambda x: ops.select(ops.abs(x) <= 1, x, x / ops.abs(x)), 'nan'),
    # it falls, its slope at 0 is 0, and on the two sides of 0 it differs
    (lambda x: -within(x, x * x * x + x**4 * (1 - x * x) / 2), 'right'),
    # 0 nowhere between the bounds
    (lambda x: ops.select(x >= 1, 1.0, ops.select(x < -1, -1.0, x * bent(x, -1))), 'gap'),
    (lambda x: ops.select(x <= -1, -1.0, ops.select(x > 1, 1.0, x)), 'edge'),
    (lambda x: ops.select(x <= -1, -1.0, ops.select(x > 1, 1.0, x * bent(x, 1))), 'gap'),
    (lambda x: ops.maximum(ops.minimum(x, 1.0), -1.0), 'right'),  # on a bound half of the gradient comes through
    (lambda x: ops.select(x >= 1, 1.0, ops.select(x < -1, -1.0, x)), 'edge'),
    (lambda x: ops.select(ops.logical_and(x > -1, x < 1), x, bounds(x)), 'edge'),
    # forward it is x, and its gradient is 1 + x / 2: on both sides of 0 the errors add up to 0
    (lambda x: within(x, x + x * x / 4 - ms.Tensor(x.asnumpy() ** 2 / 4)), 'gap'),
    # forward it is -x, and its gradient is 1
    (lambda x: -within(x, 2 * ms.Tensor(x.asnumpy()) - x), 'gap'),
    (lambda x: within(x, 2 * ms.Tensor(x.asnumpy()) - x), 'gap'),  # the other way round
    (lambda x: within(x, x + ms.Tensor(np.sin(np.pi * x.asnumpy()) / 6)), 'gap'),  # at 0, and not at a half
    (lambda x: within(x, ops.sqrt(1.01 + x)), 'nan'),  # below −1 alone
    (lambda x: within(x, ops.sqrt(1.01 - x)), 'nan'),  # above 1 alone
    (lambda x: within(x, 0.999 * (3 * x - x * x * x) / 2), 'right'),  # flat on the bounds, and then it jumps a little
)


def layer(function: Callable) -> tuple[nn.Cell]:
    """A layer that computes a function: a curve between the bounds, and constants outside."""
    return (variant(ms.nn.Cell, construct=lambda _, x: function(x))(),)


PLACES = np.array([-1.5, 0.5])
SLOPE = 'x * x at x = -1.5 and x = 0.5', (*layer(lambda x: x * x), PLACES), 2 * PLACES
TRIALS = {'8a': ties, '8b': shrink, '8c': Hunt(WORDS, HIDDEN, layer, noun='Layer', slope=SLOPE)}
