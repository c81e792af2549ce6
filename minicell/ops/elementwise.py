"""Elementwise ops of more than a line: activations, trigonometry, arithmetic with the settings of MindSpore."""

from collections.abc import Callable

import numpy as np

# fmt: off
# isort: off
from .arithmetic import (
    ZERO, abs, add, choose, div, erf, exp, floor_div, greater, masked, maximum, minimum, sqrt, sub, tanh, trunc,
    unsigned, where, zero_like,
)
from ..core.dtype import DType
from ..core.errors import DTypeError, ShapeError, users_line
from ..core.primitives import (
    apply, apply_many, binary, cast_to, check_tensor, getframe, named, on_both, plain, promoted, unary,
)
from ..core.rules import NoRule, Rule, Unary
from ..core.tensor import Tensor
from ..errors import SettingError
from .checks import NUMBER, must, must_be, only
from .primitive import floats, in_dtype, in_float32
# isort: on
# fmt: on

# 1, and as far as exp does not overflow
ENDS = {np.dtype(d): (np.asarray(1, d), top) for d, top in (('float16', 11.0), ('float32', 88.0), ('float64', 709.0))}


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), as exp(x) / (exp(x) + 1), which is right where it is small, too."""
    if x.dtype.kind == 'c':
        raise TypeError('it is for real numbers')
    one, top = ENDS[x.dtype]
    if x.size and not x.item(x.argmax()) <= top:  # (a NaN is the largest; to look takes a quarter of np.minimum's time)
        x = np.minimum(x, top)
    grown = np.exp(x)
    grown /= grown + one  # in place: a third array would take longer than the division
    return grown


# fmt: off
_step = on_both(plain('Heaviside', lambda x: (x > ZERO[x.dtype]).astype(x.dtype)))  # 1 where x > 0, else 0
# (the difference 1 - out would be rounded away where out is nearly 1: it is sigmoid(-x))
sigmoid = unary('Sigmoid', _sigmoid, lambda g, out, x: g * (out * both_sigmoid(-x)), floats=True)
# (NumPy takes half as long for the maximum of two arrays as for that of an array and a number)
rectified = unary('ReLU', lambda x: np.maximum(x, np.zeros(x.shape, x.dtype)), lambda g, out, x: _rectified_dx(g, out))
relu6 = unary('ReLU6', lambda x: np.clip(x, 0, 6), lambda g, out, x: relu6_grad(g, x), floats=True)
RELU6_GRAD = NoRule('ReLU6Grad', lambda g, x: unsigned(g, (x > 0) & (x <= 6)),
                    'the backward of ReLU6 has no rule, so ReLU6 has no second derivative.')
relu6_grad = on_both(lambda g, x: apply_many(RELU6_GRAD, tuple(promoted(RELU6_GRAD, g, x)), (), getframe(2)),
                     RELU6_GRAD.kernel)
# fmt: on


def _rectified_dx(g, out):
    """g where out is above 0, else 0, which is never -0: what `masked` does, without its call for arrays."""
    if isinstance(g, Tensor):
        return masked(g, _step(out))
    dx = (out > ZERO[out.dtype]).astype(g.dtype)  # (`unsigned`, written out)
    dx *= g
    dx += ZERO[g.dtype]
    return dx


@in_float32
def _softmax(x: np.ndarray, axis: int) -> np.ndarray:
    out = np.exp(x - np.maximum.reduce(x, axis, keepdims=True))  # so that the largest is exp(0)
    out /= np.add.reduce(out, axis, keepdims=True)
    return out


@in_float32
def _log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    below = x - np.maximum.reduce(x, axis, keepdims=True)
    below -= np.log(np.add.reduce(np.exp(below), axis, keepdims=True))
    return below


# At 0, the mean of both slopes.
# fmt: off
SOFTMAX = Unary('Softmax', _softmax,
                in_float32(lambda g, out, x, axis: out * (g - (g * out).sum(axis, keepdims=True))))
LOG_SOFTMAX = Unary('LogSoftmax', _log_softmax,
                    in_float32(lambda g, out, x, axis: g - _exp(out) * g.sum(axis, keepdims=True)))
LEAKY = Unary('LeakyReLU', lambda x, alpha: np.where(x > 0, x, x * alpha),
              lambda g, out, x, alpha: where(
                  x > 0, g, where(x < 0, g * alpha if alpha else zero_like(g), g * ((1 + alpha) / 2))))
ELU = Unary('Elu', lambda x, alpha: np.where(x > 0, x, np.expm1(np.minimum(x, ZERO[x.dtype])) * alpha),
            lambda g, out, x, alpha: where(x > 0, g, g * (out + alpha)))
SOFTPLUS = Unary('Softplus',
                 lambda x, beta, top: np.where(x * beta > top, x, np.logaddexp(x * beta, ZERO[x.dtype]) / beta),
                 lambda g, out, x, beta, top: where(x * beta > top, g, g * both_sigmoid(x * beta)))
# fmt: on
# The names of what is composed of other ops.
ROOT_2_PI, ROOT_HALF = 0.7978845608028654, 0.7071067811865476
GELU, HARDTANH, THRESHOLD = (Rule(name, None) for name in ('GeLU', 'HardTanh', 'Threshold'))
_exp, both_sigmoid, RELU = on_both(exp), on_both(sigmoid), rectified.rule


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0). Raises ValueError for inplace=True: a Tensor is not written, but made anew."""
    if inplace:
        only('relu', False, inplace=inplace)
    return apply(RELU, input, (), getframe(1))


def _along(rule: Rule, x: Tensor, axis: int, frame) -> Tensor:
    if not isinstance(axis, int) or not -x.ndim <= axis < x.ndim:
        there = f'is not there, for a Tensor of shape {x.shape}'
        raise ShapeError(f'{rule.name}: axis {axis!r} {there}.{users_line(frame)}')
    return apply(rule, floats(rule, x, frame), (axis,), frame)


def softmax(input: Tensor, axis: int = -1, *, dtype: DType | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis: positive, and their sum is 1. TypeError for integers, ValueError for no axis.

    >>> print(ops.softmax(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """
    return _along(SOFTMAX, in_dtype(dtype, check_tensor(SOFTMAX, input)), axis, getframe(1))


def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, without its underflow. Raises as `softmax` does."""
    return _along(LOG_SOFTMAX, check_tensor(LOG_SOFTMAX, logits), axis, getframe(1))


def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """x where x > 0, else alpha * x."""
    return apply(LEAKY, floats(LEAKY, input), (alpha,), getframe(1))


def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """x where x > 0, else alpha * (exp(x) - 1)."""
    return apply(ELU, floats(ELU, input_x), (alpha,), getframe(1))


def gelu(input: Tensor, approximate: str = 'none') -> Tensor:
    """x times the probability that a standard normal number is below x ('tanh': by its usual approximation).

    Raises TypeError for integers, ValueError for another word. Source: Hendrycks and Gimpel, arXiv:1606.08415.
    """
    x, known = floats(GELU, input), approximate in ('none', 'tanh')
    must(known, SettingError, f"gelu: approximate is 'none' or 'tanh', but got {approximate!r}")
    inner = tanh((x + x * x * x * 0.044715) * ROOT_2_PI) if approximate == 'tanh' else erf(x * ROOT_HALF)
    return x * (inner + 1) * 0.5


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """x cut off below min_val and above max_val, where its slope is 0; at both edges, half of 1.

    Integers stay integers, where the edges are. Raises TypeError for an edge that is no number.
    """
    for edge in (min_val, max_val):
        must_be(edge, NUMBER, DTypeError, 'hardtanh: an edge is a number')
    if check_tensor(HARDTANH, input).array.dtype.kind in 'iu':
        min_val, max_val = (int(edge) if edge == int(edge) else edge for edge in (min_val, max_val))
    return minimum(maximum(input, min_val), max_val, up=2)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta x)) / beta, a smooth relu; where beta x is above threshold, x itself."""
    return apply(SOFTPLUS, floats(SOFTPLUS, input), (beta, threshold), getframe(1))


def threshold(input: Tensor, thr: float, value: float) -> Tensor:
    """x where it is above thr, else value.

    >>> print(ops.threshold(Tensor([0.1, 0.2]), 0.1, 20.0))
    [20.   0.2]
    """
    return choose(greater(check_tensor(THRESHOLD, input), thr), input, value, getframe(1))


def _composed(name: str, op: Callable, doc: str) -> Callable:
    op.__name__, op.__qualname__, op.__doc__ = name, name, doc
    return op


# fmt: off
silu = _composed('silu', lambda input: input * sigmoid(input), 'x * sigmoid(x), also called swish.')
logsigmoid = _composed('logsigmoid', lambda x: -softplus(-check_tensor(SOFTPLUS, x)),
                       'log(sigmoid(x)), without its underflow.')
softsign = _composed('softsign', lambda x: x / (abs(x) + 1), 'x / (1 + |x|).')
tanhshrink = _composed('tanhshrink', lambda input: input - tanh(input), 'x - tanh(x).')
mish = _composed('mish', lambda x: x * tanh(softplus(x)),
                 'x * tanh(softplus(x)). Source: Misra, Mish, arXiv:1908.08681.')
# fmt: on

# ---- trigonometry, and arithmetic with settings ----------------------------------------------------------------------

_sqrt = on_both(sqrt)

# fmt: off
tan = unary('Tan', np.tan,         lambda g, out, x: g + g * (out * out), floats=True)
asin = unary('Asin', np.arcsin,    lambda g, out, x: g / _sqrt(1 - x * x), floats=True)
acos = unary('ACos', np.arccos,    lambda g, out, x: -g / _sqrt(1 - x * x), floats=True)
atan = unary('Atan', np.arctan,    lambda g, out, x: g / (x * x + 1), floats=True)
sinh = unary('Sinh', np.sinh,      lambda g, out, x: g * _cosh(x), floats=True)
cosh = unary('Cosh', np.cosh,      lambda g, out, x: g * _sinh(x), floats=True)
asinh = unary('Asinh', np.arcsinh, lambda g, out, x: g / _sqrt(x * x + 1), floats=True)
acosh = unary('Acosh', np.arccosh, lambda g, out, x: g / _sqrt(x * x - 1), floats=True)
atanh = unary('Atanh', np.arctanh, lambda g, out, x: g / (1 - x * x), floats=True)
# The angle of the point (y, x), from -pi to pi.
atan2 = binary('Atan2', np.arctan2, lambda g, out, y, x: g * x / (x * x + y * y),
                                    lambda g, out, y, x: -g * y / (x * x + y * y), floats=True)
# fmt: on

_sinh, _cosh = on_both(sinh), on_both(cosh)


def divide(input: Tensor | float, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; rounding_mode 'floor' rounds down, 'trunc' towards 0, and both end the gradient (else ValueError).

    >>> print(ops.div(Tensor([3, -3]), 2), ops.div(Tensor([3, -3]), 2, rounding_mode='trunc'))
    [ 1.5 -1.5] [ 1 -1]
    """
    if rounding_mode is None:
        return div(input, other, 2)
    said = f"div: rounding_mode is None, 'floor' or 'trunc', but got {rounding_mode!r}"
    must(rounding_mode in ('floor', 'trunc'), SettingError, said)
    down = floor_div(input, other, 2)
    return down if rounding_mode == 'floor' else cast_to(trunc(div(input, other, 2)), down.dtype.numpy, getframe(1))


def _scaled(op: Callable) -> Callable:
    return named(lambda input, other, *, alpha=1: op(input, other if alpha == 1 else other * alpha, 2), op.rule)


# The second operand counts alpha times.
add_scaled, subtract = _scaled(add), _scaled(sub)
relu.rule, softplus.rule, divide.rule = RELU, SOFTPLUS, div.rule
