"""mindspore.numpy, as far as its functions are ops of minicell's: `minicell.numpy.power` is `minicell.ops.pow`.

>>> import minicell.numpy as mnp
>>> print(mnp.concatenate((mnp.ones(2), mnp.zeros(1))))
[1. 1. 0.]
"""

from . import ops
from .core.dtype import DType, float32, int32
from .core.errors import OperandError
from .core.tensor import Tensor
from .ops.checks import NUMBER, must_be

# the same word in both
SAME = """abs absolute add amax amin argmax argmin bitwise_and bitwise_or bitwise_xor broadcast_to clip cos cosh divide
    equal exp expand_dims expm1 eye floor full_like greater greater_equal isfinite isinf isnan less less_equal linspace
    log log10 log1p log2 logical_and logical_not logical_or logical_xor matmul maximum mean minimum multiply negative
    not_equal ones ones_like outer remainder reshape sin sinh sqrt square squeeze stack std subtract sum swapaxes tan
    tanh tile transpose true_divide var where zeros zeros_like"""
OTHER = {
    'arccos': 'acos', 'arccosh': 'acosh', 'arcsin': 'asin', 'arcsinh': 'asinh', 'arctan': 'atan', 'arctan2': 'atan2',
    'arctanh': 'atanh', 'concatenate': 'concat', 'power': 'pow',
}  # fmt: skip
globals().update({name: getattr(ops, OTHER.get(name, name)) for name in (*SAME.split(), *OTHER)})


def array(obj: object, dtype: DType | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A Tensor of numbers, lists of numbers or a Tensor: Int32 for ints, Float32 for floats, unless a dtype is given.

    Raises TypeError for anything else; it is always a copy.

    >>> array([[1, 2]]).dtype, array(0.5, ndmin=1).shape
    (mindspore.int32, (1,))
    """
    must_be(obj, (*NUMBER, bool, Tensor, list, tuple), OperandError, 'numpy.array takes a number, a list or a Tensor')
    made = Tensor(obj)
    usual = made.dtype if isinstance(obj, Tensor) else USUAL.get(made.array.dtype.kind, made.dtype)
    made = ops.cast(made, usual if dtype is None else dtype)
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape)


def asarray(a: object, dtype: DType | None = None) -> Tensor:
    """`array`; but a Tensor that has the dtype is handed on."""
    return a if isinstance(a, Tensor) and dtype in (None, a.dtype) else array(a, dtype)


def arange(start: float, stop: float | None = None, step: float | None = None, dtype: DType | None = None) -> Tensor:
    """Numbers from start to before stop: Int32, or Float32 where one of them is a float.

    >>> print(arange(2, 5), arange(1.0).dtype)
    [2 3 4] Float32
    """
    made = ops.arange(start, stop, 1 if step is None else step)
    return ops.cast(made, USUAL.get(made.array.dtype.kind) if dtype is None else dtype)


USUAL = {'i': int32, 'f': float32}
