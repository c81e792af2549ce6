"""The ops: functions (`ops.matmul(x, y)`), MindSpore's operator classes (`ops.MatMul()(x, y)`), Tensor's operators."""

import sys
from collections.abc import Callable
from functools import partial

from ..core.arithmetic import (
    abs,
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    ceil,
    cos,
    div,
    equal,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    floor_div,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    not_equal,
    pow,
    reciprocal,
    round,
    rsqrt,
    select,
    sign,
    sin,
    sqrt,
    square,
    sub,
    tanh,
    trunc,
)
from ..core.errors import DTypeError, users_line
from ..core.tensor import Tensor
from . import methods
from .activation import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    tanhshrink,
    threshold,
)
from .assign import Assign, AssignAdd, AssignSub, assign, assign_add, assign_sub
from .conv import Conv2D, bias_add, conv2d
from .create import arange, eye, fill, full, full_like, linspace, ones, ones_like, stop_gradient, zeros, zeros_like
from .dropout import Dropout, Dropout2D, dropout, dropout2d
from .hooks import HookBackward, InsertGradientOf
from .loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    l1_loss,
    mse_loss,
    nll_loss,
    one_hot,
    smooth_l1_loss,
)
from .matmul import MatMul, dense, matmul, mm, outer
from .pieces import addn, chunk, cumsum, gather, identity, masked_fill, split, tile, tril, triu, unbind
from .pool import AvgPool, MaxPool, avg_pool2d, max_pool2d
from .primitive import Primitive, primitive
from .random import rand, randint, randn, standard_normal
from .reduce import all, amax, amin, any, argmax, argmin, logsumexp, max, mean, min, sum
from .shape import broadcast_to, cast, concat, expand_dims, flatten, reshape, squeeze, stack, swapaxes, transpose
from .statistics import clamp, clip_by_value, norm, prod, std, var
from .trigonometry import acos, acosh, asin, asinh, atan, atan2, atanh, cosh, sinh, tan

# MindSpore's shorter names.
gt, ge, lt, le, eq, ne = greater, greater_equal, less, less_equal, equal, not_equal
where, absolute, subtract, multiply, divide, negative = select, abs, sub, mul, div, neg
reduce_sum, reduce_mean, reduce_max, reduce_min = sum, mean, amax, amin
cat, unstack, swapdims, permute, bmm = concat, unbind, swapaxes, transpose, matmul
clip, floor_mod, remainder, true_divide, floor_divide = clamp, mod, mod, div, floor_div


def shape(input_x: Tensor) -> tuple[int, ...]:
    """The length of each axis."""
    return input_x.shape


def rank(input_x: Tensor) -> int:
    """How many axes."""
    return input_x.ndim


def size(input_x: Tensor) -> int:
    """How many numbers."""
    return input_x.size


def is_tensor(obj: object) -> bool:
    """Whether it is a Tensor."""
    return isinstance(obj, Tensor)


# fmt: off
Add = primitive('Add', add, 'x + y.')
Sub = primitive('Sub', sub, 'x - y.')
Mul = primitive('Mul', mul, 'x * y.')
Div = primitive('Div', div, 'x / y.')
RealDiv = primitive('RealDiv', div, 'x / y.')
Neg = primitive('Neg', neg, '-x.')
Pow = primitive('Pow', pow, 'x ** y.')
Square = primitive('Square', square, 'x * x.')
Sqrt = primitive('Sqrt', sqrt, 'The square root.')
Exp = primitive('Exp', exp, 'e ** x.')
Log = primitive('Log', log, 'The natural logarithm.')
Sin = primitive('Sin', sin, 'The sine.')
Cos = primitive('Cos', cos, 'The cosine.')
Tanh = primitive('Tanh', tanh, 'The hyperbolic tangent.')
Abs = primitive('Abs', abs, 'The absolute value.')
Sign = primitive('Sign', sign, '-1, 0 or 1.')
Floor = primitive('Floor', floor, 'Rounded down.')
Maximum = primitive('Maximum', maximum, 'The larger of two, elementwise.')
Minimum = primitive('Minimum', minimum, 'The smaller of two, elementwise.')
ReLU = primitive('ReLU', relu, 'max(x, 0).')
ReLU6 = primitive('ReLU6', relu6, 'x clipped to 0 .. 6; its backward has no rule, so that it has no second derivative.')
Sigmoid = primitive('Sigmoid', sigmoid, '1 / (1 + exp(-x)).')
Softplus = primitive('Softplus', softplus, 'log(1 + exp(x)).')
Rsqrt = primitive('Rsqrt', rsqrt, '1 / sqrt(x).')
Reciprocal = primitive('Reciprocal', reciprocal, '1 / x.')
Log1p = primitive('Log1p', log1p, 'log(1 + x).')
Expm1 = primitive('Expm1', expm1, 'exp(x) - 1.')
Erf = primitive('Erf', erf, 'The error function.')
BiasAdd = primitive('BiasAdd', bias_add, 'x + one number a channel.')
Greater = primitive('Greater', greater, 'x > y, as Bool.')
GreaterEqual = primitive('GreaterEqual', greater_equal, 'x >= y, as Bool.')
Less = primitive('Less', less, 'x < y, as Bool.')
LessEqual = primitive('LessEqual', less_equal, 'x <= y, as Bool.')
Equal = primitive('Equal', equal, 'x == y, as Bool.')
NotEqual = primitive('NotEqual', not_equal, 'x != y, as Bool.')
LogicalAnd = primitive('LogicalAnd', logical_and, 'x and y, elementwise.')
LogicalOr = primitive('LogicalOr', logical_or, 'x or y, elementwise.')
LogicalNot = primitive('LogicalNot', logical_not, 'not x, elementwise.')
BitwiseAnd = primitive('BitwiseAnd', bitwise_and, 'x & y: integers bit by bit, Bools as x and y.')
BitwiseOr = primitive('BitwiseOr', bitwise_or, 'x | y: integers bit by bit, Bools as x or y.')
BitwiseXor = primitive('BitwiseXor', bitwise_xor, 'x ^ y: integers bit by bit, Bools as one of the two.')
Select = primitive('Select', select, 'x where the condition is True, else y.')
Cast = primitive('Cast', cast, 'x in another dtype.')
Reshape = primitive('Reshape', reshape, 'The same numbers in another shape.')
Transpose = primitive('Transpose', transpose, 'The axes in another order.')
ExpandDims = primitive('ExpandDims', expand_dims, 'A new axis of length 1.')
Fill = primitive('Fill', fill, 'A Tensor of one value.')
ZerosLike = primitive('ZerosLike', zeros_like, 'Zeros in the shape of a Tensor.')
Flatten = primitive('Flatten', flatten, 'All axes but the first as one.')
FloorDiv = primitive('FloorDiv', floor_div, 'x / y, rounded down.')
FloorMod = primitive('FloorMod', mod, 'What x // y leaves, with the sign of y.')
Shape = primitive('Shape', shape, 'The length of each axis, as a tuple.')
Rank = primitive('Rank', rank, 'How many axes.')
Size = primitive('Size', size, 'How many numbers.')
StopGradient = primitive('StopGradient', stop_gradient, 'The same numbers, as a constant.')
Tan = primitive('Tan', tan, 'The tangent.')
Asin = primitive('Asin', asin, 'The inverse of the sine.')
ACos = primitive('ACos', acos, 'The inverse of the cosine.')
Atan = primitive('Atan', atan, 'The inverse of the tangent.')
Sinh = primitive('Sinh', sinh, 'The hyperbolic sine.')
Cosh = primitive('Cosh', cosh, 'The hyperbolic cosine.')
Ceil = primitive('Ceil', ceil, 'Rounded up.')
Round = primitive('Round', round, 'Rounded to the nearest; a half to the even one.')
Tile = primitive('Tile', tile, 'The Tensor again and again.')
AddN = primitive('AddN', addn, 'The sum of several Tensors.')
Gather = primitive('Gather', gather, 'What stands at places of an axis.')
Identity = primitive('Identity', identity, 'The same numbers.')
OnesLike = primitive('OnesLike', ones_like, 'Ones in the shape of a Tensor.')
# fmt: on


class ReduceSum(Primitive):
    """The sum over axes; keep_dims leaves them as length 1."""

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False) -> None:
        self.settings = {'keep_dims': keep_dims, 'skip_mode': skip_mode}
        self.function = partial(sum, keepdim=keep_dims)


class _Reduce(Primitive):
    """Over axes; keep_dims leaves them as length 1."""

    over: Callable

    def __init__(self, keep_dims: bool = False) -> None:
        self.settings = {'keep_dims': keep_dims}
        self.function = partial(type(self).over, keep_dims=keep_dims)


class ReduceMean(_Reduce):
    """The mean over axes; keep_dims leaves them as length 1."""

    over = staticmethod(mean)


class ReduceMax(_Reduce):
    """The largest over axes; keep_dims leaves them as length 1."""

    over = staticmethod(amax)


class ReduceMin(_Reduce):
    """The smallest over axes; keep_dims leaves them as length 1."""

    over = staticmethod(amin)


class ReduceProd(_Reduce):
    """The product over axes; keep_dims leaves them as length 1."""

    over = staticmethod(prod)


class ReduceAll(_Reduce):
    """Whether all over axes are True; keep_dims leaves them as length 1."""

    over = staticmethod(all)


class ReduceAny(_Reduce):
    """Whether any over axes is True; keep_dims leaves them as length 1."""

    over = staticmethod(any)


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


class OneHot(Primitive):
    """Rows with on_value where an index points, else off_value: see `one_hot`."""

    def __init__(self, axis: int = -1) -> None:
        self.settings = {'axis': axis}
        self.function = partial(one_hot, axis=axis)


class BroadcastTo(Primitive):
    """The Tensor repeated to a shape: see `broadcast_to`."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.settings = {'shape': shape}
        self.function = partial(broadcast_to, shape=shape)


class Squeeze(Primitive):
    """Without the axes of length 1, or those that are named."""

    def __init__(self, axis: int | tuple[int, ...] = ()) -> None:
        self.settings = {'axis': axis if isinstance(axis, tuple) else (axis,)}
        self.function = partial(squeeze, axis=None if axis == () else axis)


class Concat(Primitive):
    """Tensors one after the other along an axis."""

    def __init__(self, axis: int = 0) -> None:
        self.settings = {'axis': axis}
        self.function = partial(concat, axis=axis)


class Stack(Primitive):
    """Tensors of one shape side by side along a new axis."""

    def __init__(self, axis: int = 0) -> None:
        self.settings = {'axis': axis}
        self.function = partial(stack, axis=axis)


methods.give(globals())
operations = composite = functional = sys.modules[__name__]  # where MindSpore has them too, from its beginnings
