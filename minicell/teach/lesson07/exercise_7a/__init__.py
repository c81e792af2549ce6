"""Exercise 7a: the bprop of a Cell that drops rows, and hands out its mask."""

import warnings
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

from ..figures import dice

TASK = (
    'Write the `bprop` of `DropRows`: take the mask from `out`, the gradient of `y` from `dout`, and make `dx`. It is '
    'tried with several `keep_prob`, 0 among them, and the Cell is called twice before backward begins.'
)
NAME = 'DropRows'
HINTS = (
    'Look at the last line of `construct`: what does it hand out, and in which order? `out` has that order, and so has '
    '`dout`.',
    'A row that was dropped is 0, whatever `x` is: its gradient is 0. A row that was kept was divided by `keep_prob`: '
    'so is its gradient.',
    '`mask, _ = out` and `_, dy = dout`. Then `dx` is `dy * mask`, divided by `keep_prob`, but only where that is not '
    '0: use the `scale` that `construct` works out.',
)
FINE = ('one gradient', 'each call has its own mask')
ROWS, SEED = 6, 7
MASK = np.array([1, 0, 1, 1, 0, 1], bool)[:, None]


def trial(answer: Any) -> Trial:
    """Try a Cell on masks that it has drawn itself, on a mask that it is given, and with a keep_prob of 0."""
    if not (isinstance(answer, type) and issubclass(answer, ms.nn.Cell)):
        said = f'check wants the class {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell'}, said)
    cell = answer(0.8)
    if cell.bprop is None:
        return Trial(True, False, {'returned': 'no bprop'}, f'{answer.__name__} has no bprop of its own.')
    did = called(cell)
    if any(part is ... for part in did.values()):
        return Trial(False, False, {}, '')
    did |= {f'keep_prob {keep}': twice(answer, keep) for keep in (0.5, 1.0, 0.0)}
    wrong = [said for said in did.values() if isinstance(said, str) and said not in FINE]
    off = 'dx' in did and not (did['dx'].shape == due().shape and np.allclose(did['dx'], due()))
    if off and not any('two calls' in each for each in wrong):
        wrong.insert(0, compared(did['dx']))
    said = wrong[0] if wrong else 'dx fits the mask of its own call, with keep_prob 0.8, 0.5, 1.0 and 0.0.'
    return Trial(True, not wrong, did, said)


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """x and dy; a kept row of x holds a zero."""
    rng = np.random.default_rng(SEED)
    x, dy = rng.standard_normal((2, ROWS, 2)).round(2)
    x[2, 0] = 0.0
    return x, dy


def due() -> np.ndarray:
    """The right dx for the given mask."""
    return numbers()[1] * MASK / 0.8


def compared(dx: np.ndarray) -> str:
    """The first number that is off, in a sentence."""
    right = due()
    if dx.shape != right.shape:
        return f'dx has shape {dx.shape}; x has shape {right.shape}.'
    row, column = np.argwhere(~np.isclose(dx, right))[0]
    state = 'kept' if MASK[row, 0] else 'dropped'
    return (
        f'keep_prob 0.8, row {row}, which was {state}: dy is {numbers()[1][row, column]:.4g}, your dx is '
        f'{dx[row, column]:.4g}, and {right[row, column]:.4g} is due.'
    )


def called(cell: Any) -> dict[str, Any]:
    """What bprop returns for a mask that it is given, called by hand, twice."""
    x, dy = map(ms.Tensor, numbers())
    mask = ms.Tensor(MASK)
    y = ms.Tensor(x.asnumpy() * MASK / 0.8)
    seen = []
    with dice(SEED):
        cell.construct(x)  # a Cell that keeps something on self has something to keep
        for _ in range(2):
            try:
                returned = cell.bprop(x, (mask, y), (ms.ops.zeros_like(mask), dy))
            except (TypeError, ValueError, ZeroDivisionError, AttributeError, ms.errors.MinicellError) as error:
                if 'ellipsis' in str(error):
                    return {'dx': ...}
                return {'returned': f'bprop stops with {type(error).__name__}: {error}'.splitlines()[0]}
            if not isinstance(returned, tuple | list) or len(returned) != 1:
                got = f'{len(returned)} gradients' if isinstance(returned, tuple | list) else type(returned).__name__
                return {'returned': f'bprop returned {got}; there is one input: return (dx,).'}
            if returned[0] is ...:
                return {'dx': ...}
            if not isinstance(returned[0], ms.Tensor):
                return {'returned': f'dx is no Tensor, but {type(returned[0]).__name__}.'}
            seen.append(returned[0].asnumpy().astype(np.float64))
    if seen[0].shape != seen[1].shape or not np.array_equal(*seen):
        return {'returned': 'Called twice with the same out and dout, bprop gave two different answers.'}
    return {'returned': 'one gradient', 'dx': seen[0]}


def twice(answer: type, keep: float) -> str:
    """Two calls on one tape, then backward: does each dx fit the mask of its own call?"""
    cell, x = answer(keep), ms.Tensor(np.ones((40, 3)))
    masks = []

    def loss(x: ms.Tensor) -> ms.Tensor:
        total = 0
        for factor in (1.0, 10.0):
            mask, y = cell(x)
            masks.append(mask.asnumpy())
            total = total + (factor * y).sum()
        return total

    try:
        with dice(SEED), warnings.catch_warnings():
            warnings.simplefilter('ignore', ms.errors.MinicellWarning)  # of a mask on self: the verdict says it
            dx = ms.grad(loss)(x).asnumpy()
    except (TypeError, ValueError, ZeroDivisionError, AttributeError, ms.errors.MinicellError) as error:
        return f'keep_prob {keep}: bprop stops with {type(error).__name__}: {error}'.splitlines()[0]
    scale = 1 / keep if keep else 0.0
    first, second = masks
    if np.allclose(dx, (first + 10.0 * second) * scale * np.ones((1, 3))):
        return 'each call has its own mask'
    if np.allclose(dx, 11.0 * second * scale * np.ones((1, 3))):
        return f'keep_prob {keep}: two calls, and the first got the mask of the second.'
    return f'keep_prob {keep}: dx does not fit the masks that forward drew.'
