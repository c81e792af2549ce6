"""Exercise 8b: a layer that Python works out number by number, rewritten with select."""

import warnings
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

TASK = (
    'Write `construct` of `Shrink` in ops, without a `bprop`: `x - t` where `x > t`, `x + t` where `x < -t`, and 0 '
    'where neither is so. Autodiff must find its gradient, on the two thresholds, too.'
)
NAME = 'Shrink'
HINTS = (
    '`ops.select(condition, a, b)` takes `a` where the condition is True, and `b` where it is not. There are three '
    'branches here, and `b` may be a `select` itself.',
    'The outer one asks `x > self.t`. Its third argument is a `select` that asks `x < -self.t`, and the third argument '
    'of that is 0.0.',
    '`ops.select(x > self.t, x - self.t, ops.select(x < -self.t, ..., 0.0))`. What stands in the place of the dots?',
)
T = 0.5
X = np.array([-2.0, -0.5, -0.25, 0.0, 0.3, 0.5, 1.5])
DUE = np.where(X > T, X - T, np.where(X < -T, X + T, 0.0)), (np.abs(X) > T).astype(float)
PARTS = ('y', 'dy/dx')


def trial(answer: Any) -> Trial:
    """Try a Cell on numbers in all three branches and on both thresholds: values, and what autodiff says."""
    if not (isinstance(answer, type) and issubclass(answer, ms.nn.Cell)):
        said = f'check wants the class {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell'}, said)
    cell = answer(T)
    did: dict[str, Any] = {'bprop': 'none' if cell.bprop is None else 'one of its own'}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', ms.errors.MinicellWarning)
            y = cell(ms.Tensor(X))
            if not isinstance(y, ms.Tensor | type(...)):
                did['stops'] = type(y).__name__
                return Trial(True, False, did, f'construct returned {type(y).__name__}; a Tensor is due.')
            slope = ms.grad(lambda x: cell(x).sum())(ms.Tensor(X))
    except (TypeError, ValueError, AttributeError, ms.errors.MinicellError) as error:
        if 'ellipsis' in str(error):
            return Trial(False, False, {}, '')
        did['stops'] = type(error).__name__
        return Trial(True, False, did, f'construct stops with {type(error).__name__}: {error}'.splitlines()[0])
    did |= {'y': y.asnumpy(), 'dy/dx': slope.asnumpy()}
    for part, right in zip(PARTS, DUE, strict=True):
        if did[part].shape != right.shape:
            return Trial(True, False, did, f'{part} has shape {did[part].shape}; x has shape {X.shape}.')
        off = np.flatnonzero(~np.isclose(did[part], right))
        if off.size:
            k = off[0]
            said = f't = {T}, x = {X[k]:g}: {part} is {did[part][k]:g}, and {right[k]:g} is due.'
            return Trial(True, False, did, said)
    if cell.bprop is not None:
        return Trial(True, False, did, 'All numbers are right. But autodiff was not asked: there is a bprop.')
    where = f'{X.size} numbers, both thresholds among them'
    return Trial(True, True, did, f'Values and gradients are right, for {where}, and you wrote no bprop.')
