"""The ops: functions (`ops.matmul(x, y)`), MindSpore's operator classes (`ops.MatMul()(x, y)`), Tensor's operators."""

import sys
from collections.abc import Callable

from ..core.errors import OperandError
from ..core.tensor import Tensor
from ..lazy import later
from ..names import GONE, OPS, give
from . import methods
from .hooks import HookBackward, InsertGradientOf
from .primitive import Primitive
from .write import Assign, AssignAdd, AssignSub, assign, assign_add, assign_sub

# fmt: off
# isort: off
from .arithmetic import (
    abs, add, bitwise_and, bitwise_or, bitwise_xor, ceil, cos, equal, erf, erfc, exp, exp2, expm1, floor, floor_div,
    greater, greater_equal, isfinite, isinf, isnan, less, less_equal, log, log1p, log2, log10, logical_and, logical_not,
    logical_or, logical_xor, maximum, minimum, mod, mul, neg, not_equal, pow, reciprocal, round, rsqrt, select, sign,
    sin, sqrt, square, sub, tanh, trunc,
)
from .arithmetic import div as _div
from .checks import must_be
from .create import (
    Dropout, Dropout2D, arange, dropout, dropout2d, eye, fill, full, full_like, linspace, one_hot, ones, ones_like,
    randn, stop_gradient, uniform, zeros, zeros_like,
)
from .matmul import MatMul, dense, matmul, mm, outer
from .pieces import (
    addn, chunk, cumsum, gather, identity, masked_fill, masked_select, nonzero, split, tile, tril, triu, unbind,
    unsorted_segment_sum, unstack,
)
from .reduce import all, amax, amin, any, argmax, argmin, logsumexp, max, mean, min, sum
from .shape import broadcast_to, cast, concat, expand_dims, flatten, reshape, squeeze, stack, swapaxes, transpose
from .statistics import clamp, clip_by_global_norm, clip_by_value, norm, prod, std, var
from .elementwise import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cosh, divide as div, elu, gelu, hardtanh, leaky_relu, log_softmax,
    logsigmoid, mish, rectified as _relu, relu, relu6, sigmoid, silu, sinh, softmax, softplus, softsign, subtract, tan,
    tanhshrink, threshold,
)
# isort: on
# fmt: on


def _fact(name: str, attribute: str) -> Callable:
    def op(input_x):
        must_be(input_x, Tensor, OperandError, f'{name} takes a Tensor')
        return getattr(input_x, attribute)

    op.__name__, op.__qualname__, op.__doc__ = name, name, f'`x.{attribute}` of a Tensor.'
    return op


shape, size, numel = _fact('shape', 'shape'), _fact('size', 'size'), _fact('numel', 'size')
rank, dtype = _fact('rank', 'ndim'), _fact('dtype', 'dtype')


def is_tensor(obj: object) -> bool:
    """Whether it is a Tensor."""
    return isinstance(obj, Tensor)


give(globals())
methods.give(globals())
operations = functional = sys.modules[__name__]  # where MindSpore has them too, from its beginnings

__getattr__, __dir__ = later(globals(), OPS, GONE['ops'])
