"""Which dtype is meant by what a user writes for one."""

import numpy as np

from ..core.dtype import ALL, BY_NUMPY, DType

BY_NAME = {d.name: d for d in ALL} | {d.title.lower(): d for d in ALL}


def as_numpy(dtype: object, only: bool = False) -> np.dtype:
    """The NumPy dtype behind a minicell dtype, a NumPy or Python type, or a name such as `'int32'`.

    Raises TypeError for anything else; `only`: for anything but a minicell dtype.

    >>> from minicell import float16
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
