"""The ops: functions (`ops.matmul(x, y)`), MindSpore's operator classes (`ops.MatMul()(x, y)`), Tensor's operators."""

import sys
from collections.abc import Callable
from functools import partial

from ..core.errors import DTypeError, users_line
from ..core.tensor import Tensor
from ..lazy import without
from ..names import GONE, give
from . import methods
from .assign import Assign, AssignAdd, AssignSub, assign, assign_add, assign_sub
from .hooks import HookBackward, InsertGradientOf
from .primitive import Primitive, primitive

# fmt: off
# isort: off
from ..core.arithmetic import (
    abs, add, bitwise_and, bitwise_or, bitwise_xor, ceil, cos, equal, erf, erfc, exp, exp2, expm1, floor, floor_div,
    greater, greater_equal, isfinite, isinf, isnan, less, less_equal, log, log1p, log2, log10, logical_and, logical_not,
    logical_or, logical_xor, maximum, minimum, mod, mul, neg, not_equal, pow, reciprocal, round, rsqrt, select, sign,
    sin, sqrt, square, sub, tanh, trunc,
)
from ..core.arithmetic import div as _div
from .activation import (
    elu, gelu, hardtanh, leaky_relu, log_softmax, logsigmoid, mish, relu6, sigmoid, silu, softmax, softplus,
    softsign, tanhshrink, threshold,
)
from .conv import Conv2D, bias_add, conv2d
from .create import arange, eye, fill, full, full_like, linspace, ones, ones_like, stop_gradient, zeros, zeros_like
from .dropout import Dropout, Dropout2D, dropout, dropout2d
from .loss import (
    binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, l1_loss, mse_loss, nll_loss, one_hot,
    smooth_l1_loss,
)
from .matmul import MatMul, dense, matmul, mm, outer
from .pieces import chunk, cumsum, gather, identity, split, tile, triu, unbind, unstack
from .pool import avg_pool2d, max_pool2d
from .random import randn
from .reduce import all, amax, amin, any, argmax, argmin, logsumexp, max, mean, min, sum
from .activation import rectified as _relu
from .settings import divide as div, relu, subtract
from .shape import broadcast_to, cast, concat, expand_dims, flatten, reshape, squeeze, stack, swapaxes, transpose
from .statistics import clamp, clip_by_value, norm, prod, std, var
from .trigonometry import acos, acosh, asin, asinh, atan, atan2, atanh, cosh, sinh, tan
# isort: on
# fmt: on


def shape(input_x: Tensor) -> tuple[int, ...]:
    """The length of each axis."""
    return input_x.shape


def size(input_x: Tensor) -> int:
    """How many numbers."""
    return input_x.size


# ---- operator classes: those that take no settings bear the name of their op's rule -----------------------------

# fmt: off
WITHOUT_SETTINGS = {op.rule.name: op for op in (
    abs, acos, add, asin, atan, bitwise_and, bitwise_or, bitwise_xor, ceil, cos, cosh, _div, equal, erf, exp, expm1,
    floor, floor_div, greater, greater_equal, identity, less, less_equal, log, log1p, logical_and, logical_not,
    logical_or, maximum, minimum, mod, mul, neg, not_equal, pow, reciprocal, _relu, relu6, round, rsqrt, sigmoid, sign,
    sin, sinh, sqrt, square, sub, tan, tanh,
)} | {'BiasAdd': bias_add, 'Flatten': flatten, 'RealDiv': _div, 'Reshape': reshape}
# fmt: on
globals().update({name: primitive(name, op) for name, op in WITHOUT_SETTINGS.items()})


class ReduceSum(Primitive):
    """The sum over axes; keep_dims leaves them as length 1."""

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False) -> None:
        self.settings = {'keep_dims': keep_dims, 'skip_mode': skip_mode}
        self.function = partial(sum, keepdim=keep_dims)


def _reduction(name: str, op: Callable, word: str = 'keep_dims') -> type[Primitive]:
    def __init__(self, keep_dims: bool = False) -> None:
        self.settings = {'keep_dims': keep_dims}
        self.function = partial(op, **{word: keep_dims})

    return primitive(name, op, init=__init__)


ReduceMean, ReduceProd = _reduction('ReduceMean', mean), _reduction('ReduceProd', prod)
ReduceMax, ReduceMin = _reduction('ReduceMax', amax, 'keepdims'), _reduction('ReduceMin', amin, 'keepdims')
ReduceAll, ReduceAny = _reduction('ReduceAll', all), _reduction('ReduceAny', any)


class Softmax(Primitive):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        if not isinstance(axis, int):
            raise DTypeError(f"For 'Softmax', 'axis' is an int, but got {axis!r}.{users_line()}")
        self.settings = {'axis': (axis,)}
        self.function = partial(softmax, axis=axis)


class LogSoftmax(Primitive):
    """The logarithm of Softmax."""

    def __init__(self, axis: int = -1) -> None:
        self.settings = {'axis': axis}
        self.function = partial(log_softmax, axis=axis)


give(globals())
methods.give(globals())
operations = composite = functional = sys.modules[__name__]  # where MindSpore has them too, from its beginnings

__getattr__ = without(__name__, GONE['ops'])
