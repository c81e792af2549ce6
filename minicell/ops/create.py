"""Ops that make Tensors from shapes and numbers; a gradient never passes through them."""

import sys
from collections.abc import Callable

import numpy as np

from ..core import arithmetic
from ..core.dtype import DType, float32
from ..core.errors import DTypeError, users_line
from ..core.primitives import apply_plain, named, the_tensor
from ..core.rules import Plain
from ..core.tensor import Tensor, as_array
from ..errors import SettingError
from .dtypes import as_numpy

FILL = Plain('Fill', np.full)
EYE = Plain('Eye', np.eye)
RANGE = Plain('Range', np.arange)
ZEROS_LIKE, ONES_LIKE = arithmetic.zeros_like.rule, arithmetic.ones_like.rule

getframe = sys._getframe


def lengths(shape: object) -> tuple[int, ...]:
    """A shape from an int, a tuple, a list or a Tensor of ints. Raises TypeError for anything else."""
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    found = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if not all(isinstance(n, (int, np.integer)) for n in found):
        raise DTypeError(f'a shape is an int, or a tuple or list of them, but got {shape!r}.{users_line()}')
    return found


def _dtype(dtype: DType | None) -> np.dtype:
    return float32.numpy if dtype is None else as_numpy(dtype, only=True)


def fill(type: DType, shape: tuple[int, ...], value: float) -> Tensor:
    """A Tensor of one value.

    >>> import minicell as ms
    >>> print(ms.ops.fill(ms.float32, (2,), 20))
    [20. 20.]
    """
    return apply_plain(FILL, (), getframe(1), lengths(shape), _number(value), as_numpy(type, only=True))


def _number(value: object) -> object:
    return value.item() if isinstance(value, Tensor) else value


def full(size: tuple[int, ...], fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """A Tensor of one value, of the value's own dtype unless one is given."""
    wanted = as_array(_number(fill_value), dtype).dtype
    return apply_plain(FILL, (), getframe(1), lengths(size), _number(fill_value), wanted)


def zeros(size: tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """A Tensor of zeros, Float32 unless a dtype is given."""
    return apply_plain(FILL, (), getframe(1), lengths(size), 0, _dtype(dtype))


def ones(shape: tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """A Tensor of ones, Float32 unless a dtype is given."""
    return apply_plain(FILL, (), getframe(1), lengths(shape), 1, _dtype(dtype))


def _like(rule: Plain) -> Callable:
    def op(input, *, dtype=None):
        x = the_tensor(rule, input, getframe(1))
        return apply_plain(rule, (x,), getframe(1), None if dtype is None else _dtype(dtype))

    return named(op, rule)


# Zeros and ones in the shape, and unless one is given the dtype, of a Tensor.
zeros_like, ones_like = _like(ZEROS_LIKE), _like(ONES_LIKE)


def arange(start: float = 0, end: float | None = None, step: float = 1, *, dtype: DType | None = None) -> Tensor:
    """Numbers from start to before end: Int64, or Float32 where one of them is a float.

    Raises ValueError for a step of 0, or one that leads away from end.
    """
    start, end = (0, start) if end is None else (start, end)
    if not _number(step) or (_number(end) - _number(start)) * _number(step) < 0:
        raise SettingError(f'arange: a step of {step} does not lead from {start} to {end}.{users_line(getframe(1))}')
    wanted = as_array([_number(start), _number(end), _number(step)], dtype).dtype
    return apply_plain(RANGE, (), getframe(1), _number(start), _number(end), _number(step), wanted)


def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    """Ones on the diagonal."""
    return apply_plain(EYE, (), getframe(1), n, m, 0, _dtype(dtype))


def full_like(input: Tensor, fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """One value in the shape, and unless one is given the dtype, of a Tensor."""
    x = the_tensor(FILL, input, getframe(1))
    wanted = x.array.dtype if dtype is None else _dtype(dtype)
    return apply_plain(FILL, (), getframe(1), x.shape, _number(fill_value), wanted)


def linspace(start: float, end: float, steps: int) -> Tensor:
    """`steps` numbers at even distances, from start to end.

    >>> from minicell import ops
    >>> print(ops.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    """
    (steps,) = lengths(steps)
    return apply_plain(SPACED, (), getframe(1), _number(start), _number(end), steps)


def stop_gradient(value: Tensor | tuple) -> Tensor | tuple:
    """The same numbers, as a constant: no gradient passes. What is no Tensor comes back; of a tuple, each Tensor in it.

    >>> import minicell as ms
    >>> print(ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0)))
    3.0
    """
    if isinstance(value, (tuple, list)):
        return type(value)(stop_gradient(v) for v in value)
    return apply_plain(STOP, (value,), getframe(1)) if isinstance(value, Tensor) else value


STOP = Plain('StopGradient', np.array)
SPACED = Plain('LinSpace', lambda start, end, steps: np.linspace(start, end, steps, dtype=np.float32))


def tensor(input_data: object = None, dtype: DType | None = None) -> Tensor:
    """A new Tensor: `Tensor(...)` as MindSpore's function.

    >>> tensor([1.0, 2.0])
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    return Tensor(input_data, dtype)
