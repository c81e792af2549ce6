"""dtypes under MindSpore's names, and the dtype of the result of two operands."""

from collections.abc import Callable
from functools import wraps

import numpy as np

NUMPY_1 = np.__version__.startswith('1.')


class DType:
    """A type of numbers: `str` gives `Float32`, `repr` gives `mindspore.float32`, as MindSpore prints them.

    >>> float32
    mindspore.float32
    >>> print(float32)
    Float32
    """

    __slots__ = ('name', 'numpy', 'title')

    def __init__(self, name: str) -> None:
        self.name, plain = name, name.rstrip('_')
        self.title = plain.capitalize().replace('Uint', 'UInt')
        self.numpy = np.dtype(plain)

    def __str__(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return f'mindspore.{self.name.rstrip("_")}'

    def __reduce__(self) -> str:
        return self.name  # each dtype is a single object, so that `is` compares them


INTEGERS = 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'
ALL = tuple(map(DType, (*INTEGERS, 'float16', 'float32', 'float64', 'complex64', 'complex128', 'bool_')))
int8, int16, int32, int64, uint8, uint16, uint32, uint64, *_others = ALL
float16, float32, float64, complex64, complex128, bool_ = _others
BY_NUMPY = {d.numpy: d for d in ALL}
FLOAT16 = float16.numpy  # its sums are made in Float32, or what is small would be rounded away


def in_its_dtype(formula: Callable) -> Callable:
    """A formula or a kernel whose result has its operands' dtype: NumPy 1 makes a Float64 of `x * 0.5` of rank 0."""
    if not NUMPY_1:
        return formula

    @wraps(formula)
    def computed(*values):
        out, dtypes = formula(*values), [getattr(v, 'dtype', v) for v in values]
        floats = {d for d in dtypes if isinstance(d, np.dtype) and d.kind == 'f'}
        known = floats and isinstance(out, (np.ndarray, np.generic)) and out.dtype == np.float64
        return out.astype(max(floats, key=lambda d: d.itemsize)) if known else out

    return computed


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """The dtype of `a + b` for two Tensors: that of the float beside an integer, else what NumPy promotes to.

    >>> promote(np.dtype('int64'), np.dtype('float16')), promote(np.dtype('uint8'), np.dtype('int8'))
    (dtype('float16'), dtype('int16'))
    """
    if a.kind in 'fc' and b.kind in 'iub':
        return a
    if b.kind in 'fc' and a.kind in 'iub':
        return b
    both = np.promote_types(a, b)
    return int64.numpy if both.kind == 'f' and a.kind != 'f' else both  # uint64 with int64: NumPy would go to float64
