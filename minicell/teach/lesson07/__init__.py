"""Lesson 07: its figure of masks, and the trials of a Cell that drops rows and of a hunt."""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.trials import ERRORS, Hunt, Trial, begun, cell_of, class_of, compared, dice, one_gradient

from .figures import FIGURES
from .suspects import HIDDEN, WORDS

FINE = (
    'one gradient',
    'has no say',
    'each call has its own mask',
    'as many as asked for',
    'the mean of y is x',
    'the mask that was used',
    'bprop fits',
)
SEED = 7
MASK = np.array([1, 0, 1, 1, 0, 1], bool)[:, None]


def backward(answer: Any, given: float = 0.8, drawn: Sequence[float] = (0.5, 1.0, 0.0), seed: int = SEED) -> Trial:
    """Try a Cell on masks that it has drawn itself, on a mask that it is given, and with a keep_prob of 0."""
    kind = class_of(answer, 'DropRows')
    cell = cell_of(kind(given), 'DropRows')
    x, dy = numbers(seed)
    did = called(cell, x, dy, given)
    did |= {f'keep_prob {keep}': twice(kind, keep) for keep in drawn}
    wrong = [said for said in did.values() if isinstance(said, str) and said not in FINE]

    def named(place: tuple[int, ...]) -> str:
        state = 'kept' if MASK[place[0], 0] else 'dropped'
        return f'keep_prob {given}, row {place[0]}, which was {state}, with x = {x[place]:g} and dy = {dy[place]:g}'

    off = compared(did['dx'], dy * MASK / given, named) if 'dx' in did else ''
    if off and not any('two calls' in each for each in wrong):
        wrong.insert(0, off)
    fine = f'dx fits the mask of its own call, with a keep_prob of {", ".join(map(str, (given, *drawn)))}.'
    return Trial(True, not wrong, did, wrong[0] if wrong else fine)


def numbers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x and dy; a kept row of x holds a zero."""
    x, dy = np.random.default_rng(seed).standard_normal((2, 6, 2)).round(2)
    x[2, 0] = 0.0
    return x, dy


def called(cell: Any, x: np.ndarray, dy: np.ndarray, keep: float) -> dict[str, Any]:
    """What bprop returns for a mask that it is given, called by hand: twice, then with a gradient of the mask."""
    mask = ms.Tensor(MASK)
    y = ms.Tensor(x * MASK / keep)
    x, dy = ms.Tensor(x), ms.Tensor(dy)
    seen = []
    with dice(SEED):
        cell.construct(x)  # a Cell that keeps something on self has something to keep
        for dmask in (ms.ops.zeros_like(mask), ms.ops.zeros_like(mask), ms.Tensor(MASK[::-1])):
            try:
                returned = cell.bprop(x, (mask, y), (dmask, dy))
            except ERRORS as error:
                return {'returned': f'bprop stops with {type(begun(error)).__name__}: {error}'.splitlines()[0]}
            if said := one_gradient(returned):
                return {'returned': said}
            seen.append(returned[0].asnumpy().astype(np.float64))
    first, again, third = seen
    if first.shape != again.shape or not np.array_equal(first, again, equal_nan=True):
        return {'returned': 'Called twice with the same out and dout, bprop gave two different answers.'}
    say = 'has no say'
    if not np.array_equal(first, third, equal_nan=True):
        say = 'When the gradient of the mask in dout changes, dx changes as well. But the mask does not depend on x.'
    return {
        'returned': 'one gradient',
        'dx': first,
        'gradient of the mask': say,
        'dx with a gradient of the mask': third,
    }


def twice(kind: type, keep: float) -> str:
    """Two calls on one tape, then backward: does each dx fit the mask of its own call?"""
    cell, x = kind(keep), ms.Tensor(np.ones((40, 3)))
    masks = []

    def loss(x: ms.Tensor) -> ms.Tensor:
        total = 0
        for factor in (1.0, 10.0):
            mask, y = cell(x)
            masks.append(mask.asnumpy())
            total = total + (factor * y).sum()
        return total

    try:
        with dice(SEED):
            dx = ms.grad(loss)(x).asnumpy()
    except ERRORS as error:
        return f'keep_prob {keep}: bprop stops with {type(error).__name__}: {error}'.splitlines()[0]
    if np.isnan(dx).any():
        return f'keep_prob {keep}: dx is NaN.'
    scale = 1 / keep if keep else 0.0
    first, second = masks
    if np.allclose(dx, (first + 10.0 * second) * scale * np.ones((1, 3))):
        return 'each call has its own mask'
    if np.allclose(dx, 11.0 * second * scale * np.ones((1, 3))):
        return f'keep_prob {keep}: two calls, and the first got the mask of the second.'
    return f'keep_prob {keep}: dx does not fit the masks that forward drew.'


# ---- 7b ------------------------------------------------------------------------------------------------------------

CALLS, ROWS, MOST = 60, 100, 0.05
A_ROW = 0.35  # how far the share of one row may be off: it is more than five deviations


def forward(answer: Any, keeps: Sequence[float] = (0.8, 0.3, 1.0, 0.0)) -> Trial:
    """Try a Cell on many rows: which are kept, how the kept ones grow, whether the mask is the one that was used."""
    kind = class_of(answer, 'DropRows')
    did: dict[str, Any] = {}
    with dice(SEED):
        for keep in keeps:
            did |= one(kind, keep)
    wrong = [said for said in did.values() if isinstance(said, str) and said not in FINE]
    if not wrong:
        with dice(SEED):
            wrong = [said for said in (judged(kind(keep), keep) for keep in keeps) if said not in FINE][:1]
        did['bprop'] = wrong[0] if wrong else 'bprop fits'
    tried = ', '.join(map(str, keeps))
    fine = f'keep_prob {tried}: the right share of the rows is kept, the mean of y is x, and bprop fits.'
    said = wrong[0] if wrong else fine
    return Trial(True, not wrong, did, said)


def judged(cell: Any, keep: float) -> str:
    """Whether bprop is the gradient of this construct: what was returned has to be what bprop makes use of."""
    found = ms.check_bprop(cell, ms.Tensor(numbers(SEED)[0]))
    if found.ok:
        return 'bprop fits'
    said = 'with the mask that you return, bprop is not the gradient of y: ' * (found.error is None)
    return f'keep_prob {keep}: {said}{found}'


def one(kind: type, keep: float) -> dict[str, Any]:
    """What construct does with rows of ones, for one keep_prob."""
    name = f'keep_prob {keep}'
    masks, ys, cell = [], [], kind(keep)
    for _ in range(CALLS):
        try:
            out = cell.construct(ms.ops.ones((ROWS, 2)))
        except ERRORS as error:
            return {name: f'{name}: construct stops with {type(begun(error)).__name__}: {error}'.splitlines()[0]}
        if not isinstance(out, tuple) or len(out) != 2:
            return {name: f'construct returned {type(out).__name__}; expected (mask, y).'}
        shapes = [part.shape if isinstance(begun(part), ms.Tensor) else None for part in out]
        if shapes != [(ROWS, 1), (ROWS, 2)]:
            due = f'expected a mask ({ROWS}, 1) and a y ({ROWS}, 2).'
            return {name: f'construct returned {", ".join(map(described, out))}; {due}'}
        masks.append(out[0].asnumpy().astype(np.float64))
        ys.append(out[1].asnumpy().astype(np.float64))
    return many_calls(name, keep, np.stack(masks), np.stack(ys))


def many_calls(name: str, keep: float, mask: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """What many calls did, part by part; axes: call, row, number."""
    if not np.all(np.isfinite(y)):
        return {f'{name} numbers': f'{name}: y holds NaN or infinity.'}
    passed = y[..., :1] != 0
    share, each = float(passed.mean()), passed.mean(axis=(1, 2))
    kept = 'as many as asked for'
    if 0 < share < 1 and np.all((each == 0) | (each == 1)):
        kept = f'{name}: each call keeps all rows or none.'
    elif abs(share - keep) > MOST:
        kept = f'{name}: {share:.0%} of the rows kept.'
    elif 0 < share < 1 and np.ptp(each) == 0:
        kept = f'{name}: each call keeps exactly {each[0] * ROWS:.0f} of {ROWS} rows. Let each row have its own chance.'
    elif np.max(abs(passed.mean(axis=(0, 2)) - keep)) > A_ROW:
        kept = f'{name}: in {CALLS} calls, some rows are kept far more often than others. Does each call draw again?'
    used = np.array_equal(mask != 0, passed)
    factor = float(y[passed[..., 0]].mean()) if passed.any() else 0.0
    mean = 'the mean of y is x'
    if abs(factor * keep - (keep > 0)) > 1e-6:
        mean = f'{name}: kept rows are multiplied by {factor:.4g}, so the mean of y is {factor * keep:.3g} of x.'
    return {
        f'{name} kept': kept,
        f'{name} mask': 'the mask that was used'
        if used
        else f'{name}: the mask that was returned is not the one that made y.',
        f'{name} mean': mean,
    }


def described(part: Any) -> str:
    """An output, for a sentence."""
    return f'a Tensor {part.shape}' if isinstance(part, ms.Tensor) else type(part).__name__


MANY = 3  # with this seed the right Cells keep so many rows that an average of dx says nothing
HUNT = Hunt(
    WORDS, HIDDEN, lambda kind, keep: (kind(keep),), lambda kind, keep: f'keep_prob {keep}', within=partial(dice, MANY)
)
TRIALS = {'7a': backward, '7b': forward, '7c': HUNT}
