"""Reductions: sum, mean, max, min, prod, argmax."""

import builtins
import sys
from math import prod as product

import numpy as np

from ..errors import DTypeError, users_line
from ..tensor import Tensor
from .make import apply, apply_plain, cast_to, operand
from .rules import Plain, UnaryWith
from .select import where, zero_like
from .shape import spread

getframe = sys._getframe


def _kept(g, shape, axis, keepdims):
    """A reduced Tensor with its axes of length 1 back in place, ready to be broadcast to this shape."""
    if keepdims or axis is None or g.ndim == len(shape):
        return g
    axes = [a % len(shape) for a in axis]
    return g.reshape(tuple([1 if i in axes else n for i, n in enumerate(shape)]))


def _over(g, shape, axis, keepdims):
    """The cotangent of a sum, for each of its terms."""
    return spread(_kept(g, shape, axis, keepdims), shape)


def _count(shape, axis):
    return product(shape) if axis is None else product([shape[a] for a in axis])


def _share(shape, axis):
    """1 by how many numbers a mean is made of; not the number itself, which may be more than Float16 can hold."""
    return 1 / builtins.max(1, _count(shape, axis))


def _ties(g, out, x, axis, keepdims):
    """The cotangent of a maximum, shared evenly among the places that hold it."""
    best = x == _kept(out, x.shape, axis, keepdims)
    share = spread(_kept(g, x.shape, axis, keepdims), x.shape)
    hits = spread(_kept(_number_of(best, axis, keepdims, share.dtype), x.shape, axis, keepdims), x.shape)
    return where(best, share, zero_like(share)) / hits


def _number_of(mask, axis, keepdims, dtype):
    return mask.astype(dtype).sum(axis, keepdims=keepdims)


# fmt: off
SUM = UnaryWith('ReduceSum', lambda x, axis, keepdims: np.add.reduce(x, axis, None, None, keepdims),
            lambda g, out, x, axis, keepdims: _over(g, x.shape, axis, keepdims))
MEAN = UnaryWith('ReduceMean', lambda x, axis, keepdims: np.mean(x, axis, keepdims=keepdims),
             lambda g, out, x, axis, keepdims: _over(g, x.shape, axis, keepdims) * _share(x.shape, axis))
MAX = UnaryWith('ReduceMax', lambda x, axis, keepdims: np.max(x, axis, keepdims=keepdims), _ties)
MIN = UnaryWith('ReduceMin', lambda x, axis, keepdims: np.min(x, axis, keepdims=keepdims), _ties)
# fmt: on
ARGMAX = Plain('Argmax', lambda x, axis, keepdims: np.asarray(np.argmax(x, axis, keepdims=keepdims)))
ARGMIN = Plain('Argmin', lambda x, axis, keepdims: np.asarray(np.argmin(x, axis, keepdims=keepdims)))
ANY = Plain('ReduceAny', lambda x, axis, keepdims: np.any(x, axis, keepdims=keepdims))
EVERY = Plain('ReduceAll', lambda x, axis, keepdims: np.all(x, axis, keepdims=keepdims))


def _axes(axis: object) -> tuple[int, ...] | None:
    """None or () means all axes, as in MindSpore."""
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return None
    return (int(axis),) if not isinstance(axis, (list, tuple)) else tuple(int(a) for a in axis)


def sum(
    input: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, dtype: object = None
) -> Tensor:
    """The sum over an axis, several, or all. Bool and small integers are added as Int64.

    Raises ValueError for an axis that is not there.

    >>> from minicell import Tensor, ops
    >>> print(ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
    [4. 6.]
    """
    x = input if dtype is None else cast_to(input, dtype.numpy)
    return apply(SUM, x, (_axes(axis), keepdims), getframe(1))


def mean(input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """The mean over an axis, several, or all, of a float Tensor. Raises TypeError for integers.

    >>> from minicell import Tensor, ops
    >>> print(ops.mean(Tensor([1.0, 2.0])))
    1.5
    """
    if operand(MEAN, input).array.dtype.kind not in 'fc':
        raise DTypeError(
            f'ReduceMean of {input.dtype}: the mean of integers is no integer. Write '
            f'x.astype(minicell.float32).mean().{users_line(getframe(1))}'
        )
    return apply(MEAN, input, (_axes(axis), keep_dims), getframe(1))


def max(input: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """The largest value; equal ones share the gradient evenly."""
    return apply(MAX, input, (_axes(axis), keepdims), getframe(1))


def min(input: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """The smallest value; equal ones share the gradient evenly."""
    return apply(MIN, input, (_axes(axis), keepdims), getframe(1))


def argmax(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest value is, as Int64; no gradient passes.

    >>> from minicell import Tensor, ops
    >>> print(ops.argmax(Tensor([1.0, 3.0, 2.0])))
    1
    """
    return apply_plain(ARGMAX, (operand(ARGMAX, input),), getframe(1), axis, keepdims)


def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest value is, as Int64; no gradient passes."""
    return apply_plain(ARGMIN, (operand(ARGMIN, input),), getframe(1), axis, keepdims)


def any(input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """Whether any value is not 0, as Bool."""
    return apply_plain(ANY, (operand(ANY, input),), getframe(1), _axes(axis), keep_dims)


def all(input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """Whether every value is not 0, as Bool."""
    return apply_plain(EVERY, (operand(EVERY, input),), getframe(1), _axes(axis), keep_dims)
