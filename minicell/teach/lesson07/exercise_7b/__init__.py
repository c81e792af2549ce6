"""Exercise 7b: a random construct that keeps the mean, and hands out what it drew."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

from ..figures import dice

TASK = (
    'Write the two lines of `construct`. Each row of `x` is kept with probability `keep_prob`, and on average over '
    'many calls `y` is `x`. Hand out the mask that was used. The `bprop` below is given, and a `keep_prob` of 0 gives '
    'zeros.'
)
NAME = 'DropRows'
HINTS = (
    '`thrown` has a number from 0 to 1 for each row. How often is such a number less than 0.8?',
    'Of each 10 rows 8 are kept, so the sum is too small. By which factor must the 8 grow to make up for the 2?',
    '`mask` is `thrown < self.keep_prob`. `y` is `x * mask`, times `self.scale`: that is one over `keep_prob`, or 0.',
)
FINE = ('as many as asked for', 'the mask that was used')
KEEP, CALLS, ROWS, SEED, MOST = 0.8, 20, 100, 7, 0.05


def trial(answer: Any) -> Trial:
    """Try a Cell on many rows: which are kept, how the kept ones grow, whether the mask is the one that was used."""
    if not (isinstance(answer, type) and issubclass(answer, ms.nn.Cell)):
        said = f'check wants the class {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell'}, said)
    did: dict[str, Any] = {}
    with dice(SEED):
        for keep in (KEEP, 1.0, 0.0):
            found = one(answer, keep)
            if found is None:
                return Trial(False, False, {}, '')
            did |= found
    wrong = [said for part, said in did.items() if said not in FINE and not part.endswith('grow')]
    grow = did.get(f'keep_prob {KEEP} grow')
    if not wrong and abs(grow - 1 / KEEP) > 1e-6:
        wrong = [
            f'keep_prob {KEEP}: kept rows are multiplied by {grow:.4g}, so the mean of y is {grow * KEEP:.3g} of x.'
        ]
    said = wrong[0] if wrong else f'{KEEP:.0%} of the rows kept, each divided by {KEEP}; the mask is the one used.'
    return Trial(True, not wrong, did, said)


def one(answer: type, keep: float) -> dict[str, Any] | None:
    """What construct does with rows of ones, for one keep_prob; None if it is not finished."""
    name = f'keep_prob {keep}'
    masks, ys = [], []
    for _ in range(CALLS):
        try:
            out = answer(keep).construct(ms.ops.ones((ROWS, 2)))
        except (TypeError, ValueError, ZeroDivisionError, AttributeError, ms.errors.MinicellError) as error:
            if 'ellipsis' in str(error):
                return None
            return {name: f'{name}: construct stops with {type(error).__name__}: {error}'.splitlines()[0]}
        if not isinstance(out, tuple) or len(out) != 2:
            return {name: f'construct returned {type(out).__name__}; (mask, y) is due.'}
        if any(part is ... for part in out):
            return None
        shapes = [part.shape if isinstance(part, ms.Tensor) else None for part in out]
        if shapes != [(ROWS, 1), (ROWS, 2)]:
            due = f'a mask ({ROWS}, 1) and a y ({ROWS}, 2) are due.'
            return {name: f'construct returned {", ".join(map(described, out))}; {due}'}
        masks.append(out[0].asnumpy().astype(np.float64))
        ys.append(out[1].asnumpy().astype(np.float64))
    return seen(name, keep, np.stack(masks), np.stack(ys))


def seen(name: str, keep: float, mask: np.ndarray, y: np.ndarray) -> dict[str, Any]:
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
    used = np.array_equal(mask != 0, passed)
    return {
        f'{name} kept': kept,
        f'{name} mask': 'the mask that was used'
        if used
        else f'{name}: the mask that was handed out is not the one that made y.',
        f'{name} grow': float(y[passed[..., 0]].mean()) if passed.any() else 0.0,
    }


def described(part: Any) -> str:
    """An output, for a sentence."""
    return f'a Tensor {part.shape}' if isinstance(part, ms.Tensor) else type(part).__name__
