"""Lesson 07: its figure of masks, and the trials of a Cell that drops rows and of a hunt."""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.bprop_check import BpropCheck, Settings
from minicell.teach.trials import ERRORS, Hunt, Trial, begun, class_of, dice, points

from .figures import FIGURES
from .suspects import HIDDEN, WORDS

FINE = ('as many as asked for', 'the mean of y is x', 'the mask that was used', 'bprop fits')
SEED = 7


def dropped(keep: float, x: Any) -> Any:
    """The mask, and what it leaves of x, as construct of the exercise."""
    mask = ms.Tensor(np.random.random((x.shape[0], 1)) < keep)
    return mask, x * mask * (1 / keep if keep else 0.0)


def backward(*keeps: float, seed: int) -> Settings:
    """The trial of a Cell that drops rows, with each keep_prob; kept rows of x hold a zero, or nothing but zeros."""
    x = points((12, 2), seed=seed)
    x[0][4:8] = 0.0
    checks = {
        f'keep_prob {keep}': (
            (keep,),
            BpropCheck('DropRows', ['dx'], partial(dropped, keep), 'mask and y', {'x (12, 2)': x}),
        )
        for keep in keeps
    }
    return Settings(
        'DropRows', checks, f'dx fits the mask of its own call, with a keep_prob of {", ".join(map(str, keeps))}.'
    )


# ---- 7b ------------------------------------------------------------------------------------------------------------

CALLS, ROWS, MOST = 60, 100, 0.03  # five deviations of a share
TOGETHER = 0.2  # how much a row may have to do with the one before it
A_ROW = 0.35  # how far the share of one row may be off: it is more than five deviations


def forward(answer: Any, keeps: Sequence[float] = (0.8, 0.2, 1.0, 0.0)) -> Trial:
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
    if not wrong:  # a mask must not depend on x
        with dice(SEED):
            parts = [part for keep in keeps for part in one(kind, keep, -1.0).items()]
        did |= {part: f'For x = -1, {said}' for part, said in parts if said not in FINE}
        wrong = [said for said in did.values() if said not in FINE]
    tried = ', '.join(map(str, keeps))
    fine = f'keep_prob {tried}: the right share of the rows is kept, the mean of y is x, and bprop fits.'
    said = wrong[0] if wrong else fine
    return Trial(True, not wrong, did, said)


def judged(cell: Any, keep: float) -> str:
    """Whether bprop is the gradient of this construct: what was returned has to be what bprop makes use of."""
    found = ms.check_bprop(cell, ms.Tensor(points((12, 2), seed=SEED)[0].asnumpy()))
    if found.ok:
        return 'bprop fits'
    said = 'with the mask that you return, bprop is not the gradient of y: ' * (found.error is None)
    return f'keep_prob {keep}: {said}{found}'


def one(kind: type, keep: float, x: float = 1.0) -> dict[str, Any]:
    """What construct does with rows of ones, or of another number, for one keep_prob."""
    name = f'keep_prob {keep}'
    masks, ys, cell = [], [], kind(keep)
    for _ in range(CALLS):
        try:
            out = cell.construct(x * ms.ops.ones((ROWS, 2)))
        except ERRORS as error:
            return {name: f'{name}: construct stops with {type(begun(error)).__name__}: {error}'.splitlines()[0]}
        if not isinstance(out, tuple) or len(out) != 2:
            return {name: f'construct returned {type(out).__name__}; expected (mask, y).'}
        shapes = [part.shape if isinstance(begun(part), ms.Tensor) else None for part in out]
        if shapes not in ([(ROWS, 1), (ROWS, 2)], [(ROWS, 2), (ROWS, 2)]):
            due = f'expected a mask ({ROWS}, 1) and a y ({ROWS}, 2).'
            return {name: f'construct returned {", ".join(map(described, out))}; {due}'}
        masks.append(out[0].asnumpy().astype(np.float64))
        ys.append(out[1].asnumpy().astype(np.float64) / x)
    return many_calls(name, keep, np.stack(masks), np.stack(ys))


def many_calls(name: str, keep: float, mask: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """What many calls did, part by part; axes: call, row, number."""
    if not np.all(np.isfinite(y)):
        return {f'{name} numbers': f'{name}: y holds NaN or infinity.'}
    if ((y != 0).any(-1) != (y != 0).all(-1)).any():
        return {f'{name} rows': f'{name}: some rows are kept in part. Keep or drop each row as a whole.'}
    passed = y[..., :1] != 0
    share, each = float(passed.mean()), passed.mean(axis=(1, 2))
    kept = 'as many as asked for'
    if 0 < share < 1 and np.corrcoef(passed[:, 1:].ravel(), passed[:, :-1].ravel())[0, 1] > TOGETHER:
        kept = f'{name}: some rows are always kept or dropped together. Let each row have its own chance.'
    elif abs(share - keep) > MOST:
        kept = f'{name}: {share:.0%} of the rows kept.'
    elif 0 < share < 1 and np.ptp(each) == 0:
        kept = f'{name}: each call keeps exactly {each[0] * ROWS:.0f} of {ROWS} rows. Let each row have its own chance.'
    elif np.max(abs(passed.mean(axis=(0, 2)) - keep)) > A_ROW:
        kept = f'{name}: in {CALLS} calls, some rows are kept far more often than others. Does each call draw again?'
    used = np.array_equal(np.broadcast_to(mask != 0, y.shape), y != 0)
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


MANY = 18  # with this seed the right Cells keep so many rows that an average of dx says nothing
HUNT = Hunt(WORDS, HIDDEN, lambda kind, keep: (kind(keep),), within=partial(dice, MANY), times=3)
TRIALS = {'7a': backward(0.8, 0.2, 1.0, 0.0, seed=SEED), '7b': forward, '7c': HUNT}
