"""The ops: functions (`ops.matmul(x, y)`), MindSpore's operator classes (`ops.MatMul()(x, y)`), Tensor's operators."""

from functools import partial

from ..tensor import Tensor
from .activation import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
)
from .arithmetic import (
    abs,
    add,
    cos,
    div,
    erf,
    exp,
    expm1,
    floor,
    floor_div,
    log,
    log1p,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    pow,
    reciprocal,
    rsqrt,
    sign,
    sin,
    sqrt,
    square,
    sub,
    tanh,
)
from .assign import Assign, AssignAdd, AssignSub, assign, assign_add, assign_sub
from .conv import Conv2D, bias_add, conv2d
from .create import arange, eye, fill, full, ones, ones_like, stop_gradient, zeros, zeros_like
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
from .make import reflected
from .matmul import MatMul, dense, matmul
from .pool import AvgPool, MaxPool, avg_pool2d, max_pool2d
from .primitive import Primitive, primitive
from .reduce import all, any, argmax, argmin, max, mean, min, sum
from .select import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    select,
)
from .shape import (
    broadcast_to,
    cast,
    concat,
    expand_dims,
    flatten,
    flatten_method,
    getitem,
    reshape,
    squeeze,
    stack,
    swapaxes,
    transpose,
)
from .statistics import clip_by_value, norm, prod, std, var

# MindSpore's shorter names.
gt, ge, lt, le, eq, ne = greater, greater_equal, less, less_equal, equal, not_equal
where, absolute, subtract, multiply, divide, negative = select, abs, sub, mul, div, neg
reduce_sum, reduce_mean, clamp = sum, mean, clip_by_value

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
OnesLike = primitive('OnesLike', ones_like, 'Ones in the shape of a Tensor.')
# fmt: on


class ReduceSum(Primitive):
    """The sum over axes; keep_dims leaves them as length 1."""

    def __init__(self, keep_dims: bool = False) -> None:
        self.function = partial(sum, keepdims=keep_dims)


class ReduceMean(Primitive):
    """The mean over axes; keep_dims leaves them as length 1."""

    def __init__(self, keep_dims: bool = False) -> None:
        self.function = partial(mean, keep_dims=keep_dims)


class Softmax(Primitive):
    """exp(x) / sum(exp(x)) along an axis."""

    def __init__(self, axis: int = -1) -> None:
        self.function = partial(softmax, axis=axis)


class LogSoftmax(Primitive):
    """The logarithm of Softmax."""

    def __init__(self, axis: int = -1) -> None:
        self.function = partial(log_softmax, axis=axis)


class Concat(Primitive):
    """Tensors one after the other along an axis."""

    def __init__(self, axis: int = 0) -> None:
        self.function = partial(concat, axis=axis)


class Stack(Primitive):
    """Tensors of one shape side by side along a new axis."""

    def __init__(self, axis: int = 0) -> None:
        self.function = partial(stack, axis=axis)


def _with_operators() -> None:
    methods = {
        '__add__': add,
        '__sub__': sub,
        '__mul__': mul,
        '__truediv__': div,
        '__floordiv__': floor_div,
        '__mod__': mod,
        '__pow__': pow,
        '__matmul__': matmul,
        '__neg__': neg,
        '__abs__': abs,
        '__gt__': gt,
        '__ge__': ge,
        '__lt__': lt,
        '__le__': le,
        '__eq__': eq,
        '__ne__': ne,
        '__and__': bitwise_and,
        '__or__': bitwise_or,
        '__xor__': bitwise_xor,
        '__invert__': logical_not,
        '__getitem__': getitem,
        'astype': cast,
        'T': property(transpose),
        'flatten': flatten_method,
    }
    for name in ('add', 'mul', 'sub', 'truediv', 'pow', 'floordiv', 'mod', 'matmul'):
        op = methods[f'__{name}__']
        methods[f'__r{name}__'] = op if name in ('add', 'mul') else reflected(op)
    same = """abs add sub mul div neg pow square sqrt exp log sin cos tanh sign floor sigmoid maximum minimum
        matmul reshape transpose swapaxes broadcast_to expand_dims squeeze
        log1p expm1 erf rsqrt reciprocal softmax log_softmax prod var std norm
        sum mean max min argmax argmin any all isnan isinf isfinite"""
    methods |= {name: globals()[name] for name in same.split()}
    methods['clip'] = clip_by_value
    for name, method in methods.items():
        setattr(Tensor, name, method)


_with_operators()
