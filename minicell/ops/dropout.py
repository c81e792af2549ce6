"""Dropout: a random mask, and the numbers that it lets pass. Random numbers come from np.random."""

import sys

import numpy as np

from ..core.errors import DTypeError, ShapeError, article, users_line
from ..core.primitives import apply_many, apply_plain, cast_to, operand, refuse_dtype
from ..core.rules import Many, Plain
from ..core.tensor import Tensor
from ..errors import SettingError
from .primitive import Primitive

getframe = sys._getframe


def _mask(x: np.ndarray, keep: float, rank: int, seed: int | None) -> np.ndarray:
    """One throw for each index of the first `rank` axes; what follows shares it."""
    throw = np.random.random if seed is None else np.random.default_rng(seed).random
    thrown = throw(x.shape[:rank]) < keep
    return np.array(np.broadcast_to(thrown.reshape(thrown.shape + (1,) * (x.ndim - rank)), x.shape))


MASK = Plain('DropoutMask', _mask)
# (x * mask / keep_prob): linear in x, so that its rule is itself
DROPOUT = Many('Dropout', lambda scale, x, m: x * m * scale, (lambda g, out, scale, x, m: g * m * scale, None))


def _drop(x: object, keep: float, rank: int | None, frame, seed: int | None = None) -> tuple[Tensor, Tensor]:
    x = operand(DROPOUT, x)
    if x.array.dtype.kind != 'f':
        refuse_dtype(DROPOUT, x, frame)
    mask = apply_plain(MASK, (x,), frame, keep, x.ndim if rank is None else rank, seed)
    return apply_many(DROPOUT, (x, mask), (1 / keep if keep else 0.0,), frame), mask


def dropout(input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """Each number is dropped with probability p, and the others are divided by 1 - p: the mean stays.

    Not training: the input itself. seed: for a mask that can be had again; else np.random throws.
    Raises TypeError for integers, ValueError for a p outside 0 .. 1.

    >>> from minicell import Tensor, ops
    >>> print(ops.dropout(Tensor([1.0, 2.0]), p=0.0))
    [1. 2.]
    """
    frame = getframe(1)
    _check('dropout', 'p', p, (int, float), frame)
    if not training or p == 0:
        return input
    return _drop(input, 1.0 - p, None, frame, seed)[0]


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of a Tensor (N, C, H, W) are dropped with probability p, the others divided by 1 - p."""
    frame = getframe(1)
    _check('dropout2d', 'p', p, (int, float), frame)
    _check_rank('dropout2d', input, frame)
    return _drop(input, 1.0 - p, 2, frame)[0] if training and p else input


def _check(name: str, what: str, value: object, types: object, frame) -> None:
    if isinstance(value, bool) or not isinstance(value, types):
        raise DTypeError(
            f"For '{name}', '{what}' is a float, but got {article(type(value).__name__)}.{users_line(frame)}"
        )
    if not 0 <= value <= 1:
        raise SettingError(f"For '{name}', '{what}' lies between 0.0 and 1.0, but got {value}.{users_line(frame)}")


def _check_rank(name: str, x: object, frame) -> None:
    rank = operand(DROPOUT, x).ndim
    if rank != 4:
        raise ShapeError(
            f"For '{name}', the rank of input must be equal to 4, (N, C, H, W), but got {rank}.{users_line(frame)}"
        )


class Dropout(Primitive):
    """Each number is kept with probability keep_prob: (x * mask / keep_prob, mask), the mask in x's dtype.

    Raises TypeError where keep_prob is no number, ValueError outside 0 .. 1.
    """

    def __init__(self, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> None:
        _check('Dropout', 'keep_prob', keep_prob, (int, float), getframe(1))
        self.keep_prob = keep_prob
        self.settings = {'keep_prob': keep_prob, 'Seed0': Seed0, 'Seed1': Seed1, 'side_effect_hidden': True}

        def drop(x):
            out, mask = _drop(x, keep_prob, None, getframe(1))
            return out, cast_to(mask, x.array.dtype, getframe(1))

        self.function = drop


class Dropout2D(Primitive):
    """Each channel of a Tensor (N, C, H, W) is kept with probability keep_prob: (x * mask / keep_prob, mask).

    The mask is Bool, of x's whole shape, the same over a channel. keep_prob 0 gives zeros. Raises TypeError where
    keep_prob is no float, ValueError outside 0 .. 1, and for an x of another rank.

    >>> from minicell import ops
    >>> y, mask = ops.Dropout2D(1.0)(ops.ones((1, 2, 1, 1)))
    >>> print(y.shape, mask.dtype)
    (1, 2, 1, 1) Bool
    """

    def __init__(self, keep_prob: float = 0.5) -> None:
        _check('Dropout2D', 'keep_prob', keep_prob, float, getframe(1))
        self.keep_prob = keep_prob

        def channels(x):
            frame = getframe(1)
            _check_rank('Dropout2D', x, frame)
            return _drop(x, keep_prob, 2, frame)

        self.function = channels
