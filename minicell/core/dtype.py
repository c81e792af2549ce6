"""dtypes under MindSpore's names, and which dtype two operands agree on."""

import numpy as np


class DType:
    """A type of numbers: `str` gives `Float32`, `repr` gives `mindspore.float32`, as MindSpore prints them.

    >>> float32
    mindspore.float32
    >>> print(float32)
    Float32
    """

    __slots__ = ('name', 'numpy', 'title')

    def __init__(self, name: str, title: str, numpy: type) -> None:
        self.name = name
        self.title = title
        self.numpy = np.dtype(numpy)

    def __str__(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return f'mindspore.{self.name.rstrip("_")}'

    def __reduce__(self) -> str:
        return self.name  # there is one object a dtype, so that `is` compares them


bool_ = DType('bool_', 'Bool', np.bool_)
int8 = DType('int8', 'Int8', np.int8)
int16 = DType('int16', 'Int16', np.int16)
int32 = DType('int32', 'Int32', np.int32)
int64 = DType('int64', 'Int64', np.int64)
uint8 = DType('uint8', 'UInt8', np.uint8)
uint16 = DType('uint16', 'UInt16', np.uint16)
uint32 = DType('uint32', 'UInt32', np.uint32)
uint64 = DType('uint64', 'UInt64', np.uint64)
float16 = DType('float16', 'Float16', np.float16)
float32 = DType('float32', 'Float32', np.float32)
float64 = DType('float64', 'Float64', np.float64)
complex64 = DType('complex64', 'Complex64', np.complex64)
complex128 = DType('complex128', 'Complex128', np.complex128)

ALL = (
    *(int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(float16, float32, float64, complex64, complex128, bool_),
)
BY_NUMPY = {d.numpy: d for d in ALL}
BY_NAME = {d.name: d for d in ALL} | {d.title.lower(): d for d in ALL}


def as_numpy(dtype: object, only: bool = False) -> np.dtype:
    """The NumPy dtype behind a minicell dtype, a NumPy or Python type, or a name such as `'int32'`.

    Raises TypeError for anything else; `only`: for anything but a minicell dtype.

    >>> as_numpy(float16), as_numpy('int32'), as_numpy(float)
    (dtype('float16'), dtype('int32'), dtype('float64'))
    """
    if isinstance(dtype, DType):
        return dtype.numpy
    if only:
        raise TypeError(f'{dtype!r} is not a dtype: use one of minicell.float32, minicell.int64, minicell.bool_ ...')
    if isinstance(dtype, str) and dtype.lower() in BY_NAME:
        return BY_NAME[dtype.lower()].numpy
    try:
        found = None if dtype is None else np.dtype(dtype)  # NumPy would take None for float64
    except TypeError:
        found = None
    if found not in BY_NUMPY:
        raise TypeError(f'{dtype!r} is not a dtype: use one of minicell.float32, minicell.int64, minicell.bool_ ...')
    return found


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """The dtype of `a + b` for two Tensors: a float beats every integer, else NumPy's rule.

    >>> promote(np.dtype('int64'), np.dtype('float16')), promote(np.dtype('uint8'), np.dtype('int8'))
    (dtype('float16'), dtype('int16'))
    """
    if a.kind in 'fc' and b.kind in 'iub':
        return a
    if b.kind in 'fc' and a.kind in 'iub':
        return b
    both = np.promote_types(a, b)
    return int64.numpy if both.kind == 'f' and a.kind != 'f' else both  # uint64 with int64: NumPy would go to float64
