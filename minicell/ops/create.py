"""Ops that make Tensors from shapes and numbers; a gradient never passes through them."""

import sys

import numpy as np

from ..dtype import DType, as_numpy
from ..tensor import Tensor, as_array
from .make import apply_plain, operand
from .rules import Plain

FILL = Plain('Fill', np.full)
EYE = Plain('Eye', np.eye)
RANGE = Plain('Range', np.arange)
ZEROS_LIKE = Plain('ZerosLike', np.zeros_like)
ONES_LIKE = Plain('OnesLike', np.ones_like)

getframe = sys._getframe


def _shape(shape: object) -> tuple[int, ...]:
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)


def fill(type: DType, shape: tuple[int, ...], value: float) -> Tensor:
    """A Tensor of one value.

    >>> import minicell as ms
    >>> print(ms.ops.fill(ms.float32, (2,), 20))
    [20. 20.]
    """
    return apply_plain(FILL, (), getframe(1), _shape(shape), _number(value), as_numpy(type))


def _number(value: object) -> object:
    return value.item() if isinstance(value, Tensor) else value


def full(size: tuple[int, ...], fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """A Tensor of one value, of the value's own dtype unless one is given."""
    wanted = as_array(_number(fill_value), dtype).dtype
    return apply_plain(FILL, (), getframe(1), _shape(size), _number(fill_value), wanted)


def zeros(size: tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """A Tensor of zeros, Float32 unless a dtype is given."""
    return apply_plain(FILL, (), getframe(1), _shape(size), 0, np.float32 if dtype is None else as_numpy(dtype))


def ones(size: tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """A Tensor of ones, Float32 unless a dtype is given."""
    return apply_plain(FILL, (), getframe(1), _shape(size), 1, np.float32 if dtype is None else as_numpy(dtype))


def zeros_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Zeros in the shape, and unless one is given the dtype, of a Tensor."""
    x = operand(ZEROS_LIKE, input)
    return apply_plain(ZEROS_LIKE, (x,), getframe(1), None if dtype is None else as_numpy(dtype))


def ones_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Ones in the shape, and unless one is given the dtype, of a Tensor."""
    x = operand(ONES_LIKE, input)
    return apply_plain(ONES_LIKE, (x,), getframe(1), None if dtype is None else as_numpy(dtype))


def arange(start: float = 0, end: float | None = None, step: float = 1, *, dtype: DType | None = None) -> Tensor:
    """Numbers from start to before end: Int64, or Float32 where one of them is a float."""
    start, end = (0, start) if end is None else (start, end)
    wanted = as_array([_number(start), _number(end), _number(step)], dtype).dtype
    return apply_plain(RANGE, (), getframe(1), _number(start), _number(end), _number(step), wanted)


def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    """Ones on the diagonal."""
    return apply_plain(EYE, (), getframe(1), n, m, 0, np.float32 if dtype is None else as_numpy(dtype))


def stop_gradient(value: object) -> object:
    """The same numbers, as a constant: no gradient passes. Of a tuple or list, each; what is no Tensor stays.

    >>> import minicell as ms
    >>> print(ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0)))
    3.0
    """
    if isinstance(value, Tensor):
        return apply_plain(STOP, (value,), getframe(1))
    return type(value)(map(stop_gradient, value)) if type(value) in (tuple, list) else value


STOP = Plain('StopGradient', np.array)
