"""Arithmetic, elementwise functions, comparison and selection: most ops are one line, a kernel and its formulas.

In a formula, `g` is the cotangent of `out`; the formula computes the cotangent of one input.
"""

import math
import sys

import numpy as np

from ..core.dtype import ALL, BY_NUMPY, NUMPY_1
from ..core.errors import DTypeError, users_line
from ..core.primitives import apply_many, binary, on_both, operand, plain, promoted, unary
from ..core.rules import Many
from ..core.tensor import Tensor

# 0 and 1 as arrays of rank 0, because NumPy takes twice as long with a Python number. For the dtypes of Tensors, the
# number itself, because ops keep constants of the float dtypes.
ZERO = {d.numpy: np.array(0, d.numpy) for d in ALL} | dict.fromkeys(ALL, 0)
ONE = {d.numpy: np.array(1, d.numpy) for d in ALL} | dict.fromkeys(ALL, 1)

# whole numbers stay as they are, of which NumPy 1 makes floats
_whole = (lambda f: lambda x: x.copy() if x.dtype.kind in 'iub' else f(x)) if NUMPY_1 else lambda f: f

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
rsqrt = unary('Rsqrt', lambda x: np.reciprocal(np.sqrt(x)), lambda g, out, x: g * (out / x) * -0.5, floats=True)
reciprocal = unary('Reciprocal', np.reciprocal, lambda g, out, x: -g * out * out, divides=True)
log1p = unary('Log1p', np.log1p,    lambda g, out, x: g / (x + ONE[x.dtype]), floats=True)
expm1 = unary('Expm1', np.expm1,    lambda g, out, x: g * (out + ONE[out.dtype]), floats=True)
erf = unary('Erf', lambda x: _erf(x).astype(x.dtype), lambda g, out, x: g * (_exp(-x * x) * SLOPE), floats=True)
erfc = unary('Erfc', lambda x: _erfc(x).astype(x.dtype), lambda g, out, x: g * (_exp(-x * x) * -SLOPE), floats=True)
log2 = unary('Log2', np.log2,       lambda g, out, x: g / (x * LN2), floats=True)
log10 = unary('Log10', np.log10,    lambda g, out, x: g / (x * LN10), floats=True)
exp2 = unary('Exp2', np.exp2,       lambda g, out, x: g * (out * LN2), divides=True)
abs = unary('Abs', np.abs,          lambda g, out, x: g * _sign(x))

# The derivative is 0 wherever there is one, so that no gradient passes.
sign = plain('Sign', np.sign)
floor = plain('Floor', _whole(np.floor))
ceil = plain('Ceil', _whole(np.ceil))
round = plain('Round', np.round)
trunc = plain('Trunc', _whole(np.trunc))
floor_div = binary('FloorDiv', np.floor_divide, None, None)

mod = binary('FloorMod', np.mod, lambda g, out, x, y: g, lambda g, out, x, y: -g * _floor_div(x, y))

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

_sin, _cos, _exp, _log, _sign, _floor_div = map(on_both, (sin, cos, exp, log, sign, floor_div))
# slow, but NumPy has no error function
_erf, _erfc = np.vectorize(math.erf, [np.float64]), np.vectorize(math.erfc, [np.float64])
LN2, LN10 = math.log(2), math.log(10)
SLOPE = 2 / math.sqrt(math.pi)  # of the error function at 0

# ---- comparison, logic, and selection by a mask ------------------------------------------------------------------

equal = binary('Equal', np.equal, None, None)
not_equal = binary('NotEqual', np.not_equal, None, None)
greater = binary('Greater', np.greater, None, None)
greater_equal = binary('GreaterEqual', np.greater_equal, None, None)
less = binary('Less', np.less, None, None)
less_equal = binary('LessEqual', np.less_equal, None, None)
logical_and = binary('LogicalAnd', np.logical_and, None, None)
logical_or = binary('LogicalOr', np.logical_or, None, None)
logical_xor = binary('LogicalXor', np.logical_xor, None, None)
logical_not = plain('LogicalNot', np.logical_not)
# bitwise for integers, logical for Bools: the operators &, | and ^
bitwise_and = binary('BitwiseAnd', np.bitwise_and, None, None)
bitwise_or = binary('BitwiseOr', np.bitwise_or, None, None)
bitwise_xor = binary('BitwiseXor', np.bitwise_xor, None, None)
isnan = plain('IsNan', np.isnan)
isinf = plain('IsInf', np.isinf)
isfinite = plain('IsFinite', np.isfinite)

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


def unsigned(g: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """g * mask, in which -0 becomes 0."""
    g = g * mask
    g += ZERO[g.dtype]
    return g


# For formulas: g where the mask is True, and 0 elsewhere.
masked = on_both(binary('Masked', unsigned, lambda k, out, g, mask: masked(k, mask), None), two=True)
