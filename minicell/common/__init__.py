"""What MindSpore keeps in `mindspore.common`: initializers, the random seed, dtypes as NumPy and Python call them."""

import numpy as np

from ..core import dtype
from ..core.errors import DTypeError
from ..core.tensor import Tensor
from ..errors import PropertyError, SettingError
from ..lazy import later
from ..ops.checks import must, must_be
from ..ops.create import as_numpy

__all__ = ['Tensor', 'dtype', 'dtype_to_nptype', 'dtype_to_pytype', 'get_seed', 'pytype_to_dtype', 'set_seed']
__getattr__, __dir__ = later(globals(), {'initializer': '', 'parameter': 'Parameter ParameterTuple'})
_seed: int | None = None
launch_blocking = lambda: None  # of mindspore.runtime: here each op has run before the next line


def set_seed(seed: int) -> None:
    """Start the random numbers of minicell, which are np.random's, from a seed: an int of at least 0.

    >>> ms.set_seed(1)
    >>> ms.get_seed()
    1
    """
    global _seed
    must_be(seed, int, PropertyError, "The argument 'seed' must be type of int")
    must(seed >= 0, SettingError, f"The argument 'seed' must be greater or equal to 0, but got {seed}")
    np.random.seed(seed)
    _seed = seed


def get_seed() -> int | None:
    """What `set_seed` was last given, or None."""
    return _seed


def dtype_to_nptype(type_: dtype.DType) -> type:
    """NumPy's type of these numbers.

    >>> dtype_to_nptype(ms.int32), dtype_to_pytype(ms.float64), pytype_to_dtype(int)
    (<class 'numpy.int32'>, <class 'float'>, mindspore.int64)
    """
    return as_numpy(type_, only=True).type


def dtype_to_pytype(type_: dtype.DType) -> type:
    """Python's own: bool, int, float or complex."""
    return {'b': bool, 'f': float, 'c': complex}.get(as_numpy(type_, only=True).kind, int)


def pytype_to_dtype(obj: type) -> dtype.DType:
    """The dtype of a type of Python's or NumPy's. Raises TypeError for what is none."""
    return dtype.BY_NUMPY[as_numpy(obj)]
