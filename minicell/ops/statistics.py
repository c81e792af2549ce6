"""What is made of sums and products: variance, norm, product, clipping. Composed of ops, hence right to any order."""

import sys
from math import inf

import numpy as np

from ..errors import DTypeError, SettingError, ShapeError, users_line
from ..tensor import Tensor
from .arithmetic import ONE, abs, maximum, minimum, sqrt, square
from .make import apply, operand
from .reduce import SUM, _axes, _count, _kept, _over, max, mean, min, sum
from .rules import UnaryWith
from .select import where
from .shape import concat, reshape, transpose


def _length(x: np.ndarray, axis: tuple[int, ...] | None, keepdims: bool) -> np.ndarray:
    return np.sqrt(np.add.reduce(x * x, axis, None, None, keepdims))


def _length_dx(g, out, x, axis, keepdims):
    """x / |x|, and 0 at 0, where a norm has a kink."""
    unit = x / _kept(where(out == 0, ONE[out.dtype], out), x.shape, axis, keepdims)
    return _over(g, x.shape, axis, keepdims) * unit


NORM = UnaryWith('LpNorm', _length, _length_dx)


def var(input: Tensor, axis: int | tuple[int, ...] | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The mean square distance from the mean; ddof=1 divides by one less than the count.

    Raises TypeError for integers.

    >>> from minicell import Tensor, ops
    >>> print(ops.var(Tensor([1.0, 3.0])))
    1.0
    """
    away = square(input - mean(input, axis, keep_dims=True))
    return sum(away, axis, keepdims) / (_count(input.shape, _axes(axis)) - int(ddof))


def std(input: Tensor, axis: int | tuple[int, ...] | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The square root of `var`."""
    return sqrt(var(input, axis, ddof, keepdims))


def norm(
    A: Tensor, ord: float | None = None, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """The length of a vector: ord 2 (or None) the Euclidean one, 1 the sum and inf the largest of absolute values.

    At 0, where the Euclidean length has a kink, the gradient is 0. Raises ValueError for another ord, TypeError for
    integers.

    >>> from minicell import Tensor, ops
    >>> print(ops.norm(Tensor([3.0, 4.0])))
    5.0
    """
    frame = sys._getframe(1)
    x = operand(NORM, A)
    if x.array.dtype.kind != 'f':
        raise DTypeError(
            f'norm works on floats, but got {x.dtype}: write x.astype(minicell.float32).{users_line(frame)}'
        )
    if ord in (None, 2):
        return apply(NORM, x, (_axes(dim), keepdim), frame)
    if ord not in (1, inf, -inf):
        raise SettingError(f'norm: ord is None, 1, 2, inf or -inf, but got {ord!r}.{users_line(frame)}')
    return {1: sum, inf: max, -inf: min}[ord](abs(x), dim, keepdim)


def prod(input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """The product over an axis, several, or all: halves are multiplied until one is left, so that a 0 harms nothing.

    (The product divided by x, the textbook's gradient, is 0 / 0 there.)

    >>> import minicell as ms
    >>> print(ms.grad(ms.ops.prod)(ms.Tensor([2.0, 0.0, 5.0])))
    [ 0. 10.  0.]
    """
    x = operand(SUM, input)
    rank = x.ndim
    asked = range(rank) if _axes(axis) is None else _axes(axis)
    axes = tuple(a % rank for a in asked if -rank <= a < rank)
    if len(set(axes)) < len(asked):
        raise ShapeError(f'prod: axis {axis!r} is not there, or twice, for shape {x.shape}.{users_line()}')
    rest = tuple(a for a in range(rank) if a not in axes)
    shape, count = x.shape, _count(x.shape, axes)
    x = reshape(transpose(x, (*axes, *rest)) if rank else x, (count, *[shape[a] for a in rest]))
    if not count:
        return Tensor(
            np.ones([1 if a in axes else n for a, n in enumerate(shape) if keep_dims or a in rest], x.array.dtype)
        )
    while count > 1:
        half = count // 2
        product = x[:half] * x[half : 2 * half]
        x = concat((product, x[2 * half :]), 0) if count % 2 else product
        count -= half
    return reshape(x, tuple([1 if a in axes else n for a, n in enumerate(shape) if keep_dims or a in rest]))


def clip_by_value(x: Tensor, clip_value_min: object = None, clip_value_max: object = None) -> Tensor:
    """x cut off below and above; None leaves a side open. Raises ValueError where both are None.

    >>> from minicell import Tensor, ops
    >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 2.0]), -1, 1))
    [-1.   0.5  1. ]
    """
    if clip_value_min is None and clip_value_max is None:
        raise SettingError(f'clip_by_value: at least one of the two bounds is due.{users_line()}')
    x = x if clip_value_min is None else maximum(x, clip_value_min, 2)  # the user's line is two frames away
    return x if clip_value_max is None else minimum(x, clip_value_max, 2)
