"""Arithmetic, elementwise functions and selection: most ops are one line, a kernel and its formulas.

In a formula, `g` is the cotangent of `out`; the formula computes the cotangent of one input.
"""

import sys

import numpy as np

from .dtype import ALL, BY_NUMPY
from .errors import DTypeError, users_line
from .primitives import apply_many, binary, on_both, operand, plain, promoted, unary
from .rules import Many, Shaped
from .tensor import Tensor

# 0 and 1 as arrays of rank 0, because NumPy takes twice as long with a Python number. For the dtypes of Tensors, the
# number itself, because ops keep constants of the float dtypes.
ZERO = {d.numpy: np.array(0, d.numpy) for d in ALL} | dict.fromkeys(ALL, 0)
ONE = {d.numpy: np.array(1, d.numpy) for d in ALL} | dict.fromkeys(ALL, 1)

# fmt: off
add = binary('Add', np.add,      lambda g, out, x, y: g,     lambda g, out, x, y: g)
sub = binary('Sub', np.subtract, lambda g, out, x, y: g,     lambda g, out, x, y: -g)
mul = binary('Mul', np.multiply, lambda g, out, x, y: g * y, lambda g, out, x, y: g * x)
div = binary('Div', np.divide,   lambda g, out, x, y: g / y, lambda g, out, x, y: -g * out / y, floats=True)
neg = unary('Neg', np.negative,  lambda g, out, x: -g)

square = unary('Square', np.square, lambda g, out, x: g * (x + x))
sqrt = unary('Sqrt', np.sqrt,       lambda g, out, x: g / (out + out), divides=True)
exp = unary('Exp', np.exp,          lambda g, out, x: g * out, floats=True)
log = unary('Log', np.log,          lambda g, out, x: g / x, floats=True)
sin = unary('Sin', np.sin,          lambda g, out, x: g * _cos(x), floats=True)
cos = unary('Cos', np.cos,          lambda g, out, x: -g * _sin(x), floats=True)
tanh = unary('Tanh', np.tanh,       lambda g, out, x: g - g * (out * out), floats=True)
abs = unary('Abs', np.abs,          lambda g, out, x: g * _sign(x))

# The derivative is 0 wherever there is one, so that no gradient passes.
sign = plain('Sign', np.sign)
zeros_like = plain('ZerosLike', np.zeros_like, Shaped)
ones_like = plain('OnesLike', np.ones_like, Shaped)

# Equal operands get half each, the mean of the one-sided derivatives. Where one is NaN, both get all.
maximum = binary('Maximum', np.maximum,
                 lambda g, out, x, y: g - ((half := g * 0.5) * (x < y) + half * (x <= y)),
                 lambda g, out, x, y: g - ((half := g * 0.5) * (y < x) + half * (y <= x)))
minimum = binary('Minimum', np.minimum,
                 lambda g, out, x, y: g - ((half := g * 0.5) * (x > y) + half * (x >= y)),
                 lambda g, out, x, y: g - ((half := g * 0.5) * (y > x) + half * (y >= x)))

# d/dx x**0 is 0 even at 0, where y * x**(y-1) would be 0 * inf. d/dy is 0 where x <= 0 has no logarithm.
pow = binary('Pow', np.power,
             lambda g, out, x, y: g * (y * x ** where(y == 0, ONE[y.dtype], y - 1)),
             lambda g, out, x, y: g * (out * _log(where(x > 0, x, ONE[x.dtype]))))
# fmt: on

_sin, _cos, _log, _sign = map(on_both, (sin, cos, log, sign))

SELECT = Many(
    'Select',
    np.where,
    (None, lambda g, out, c, x, y: where(c, g, zero_like(g)), lambda g, out, c, x, y: where(c, zero_like(g), g)),
)


def select(condition: Tensor, input: Tensor | float, other: Tensor | float) -> Tensor:
    """input where condition is True, else other; the three are broadcast.

    Raises TypeError where condition is not Bool, ValueError where the shapes do not fit.

    >>> print(ops.select(Tensor([True, False]), Tensor([1.0, 2.0]), 0.0))
    [1. 0.]
    """
    return choose(condition, input, other, sys._getframe(1))


def choose(condition: Tensor, input: Tensor | float, other: Tensor | float, frame) -> Tensor:
    """`select`, called at `frame`."""
    if not isinstance(condition, Tensor) or condition.array.dtype != np.bool_:
        got = BY_NUMPY[condition.array.dtype] if isinstance(condition, Tensor) else type(condition).__name__
        raise DTypeError(f'Select takes a Bool Tensor as its condition, but got {got}.{users_line(frame)}')
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = operand(SELECT, input)
    return apply_many(SELECT, (condition, *promoted(SELECT, input, other)), (), frame)


# For formulas: the mask is a Tensor or an array.
where = on_both(select, np.where)


def zero_like(g: object) -> object:
    """A zero of g's dtype, for `where` on arrays or Tensors."""
    return 0.0 if isinstance(g, Tensor) else np.zeros((), g.dtype)
