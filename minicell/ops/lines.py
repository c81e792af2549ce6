"""Elementwise ops of one line, as in core/arithmetic.py: further functions, and comparison, logic and rounding."""

import math

import numpy as np

from ..core.arithmetic import ONE, ZERO, exp
from ..core.dtype import NUMPY_1
from ..core.primitives import binary, on_both, plain, unary

# fmt: off
rsqrt = unary('Rsqrt', lambda x: np.reciprocal(np.sqrt(x)), lambda g, out, x: g * (out / x) * -0.5, floats=True)
reciprocal = unary('Reciprocal', np.reciprocal, lambda g, out, x: -g * out * out, divides=True)
log1p = unary('Log1p', np.log1p,    lambda g, out, x: g / (x + ONE[x.dtype]), floats=True)
expm1 = unary('Expm1', np.expm1,    lambda g, out, x: g * (out + ONE[out.dtype]), floats=True)
erf = unary('Erf', lambda x: _erf(x).astype(x.dtype), lambda g, out, x: g * (_exp(-x * x) * SLOPE), floats=True)
erfc = unary('Erfc', lambda x: _erfc(x).astype(x.dtype), lambda g, out, x: g * (_exp(-x * x) * -SLOPE), floats=True)
log2 = unary('Log2', np.log2,       lambda g, out, x: g / (x * LN2), floats=True)
log10 = unary('Log10', np.log10,    lambda g, out, x: g / (x * LN10), floats=True)
exp2 = unary('Exp2', np.exp2,       lambda g, out, x: g * (out * LN2), divides=True)
mod = binary('FloorMod', np.mod, lambda g, out, x, y: g, lambda g, out, x, y: -g * _floor_div(x, y))
# fmt: on

# slow, but NumPy has no error function
_erf, _erfc = np.vectorize(math.erf, [np.float64]), np.vectorize(math.erfc, [np.float64])
LN2, LN10 = math.log(2), math.log(10)
SLOPE = 2 / math.sqrt(math.pi)  # of the error function at 0

# whole numbers stay as they are, of which NumPy 1 makes floats
_whole = (lambda f: lambda x: x.copy() if x.dtype.kind in 'iub' else f(x)) if NUMPY_1 else lambda f: f

floor = plain('Floor', _whole(np.floor))
ceil = plain('Ceil', _whole(np.ceil))
round = plain('Round', np.round)
trunc = plain('Trunc', _whole(np.trunc))
floor_div = binary('FloorDiv', np.floor_divide, None, None)
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

_exp, _floor_div = on_both(exp), on_both(floor_div)


def unsigned(g: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """g * mask, in which -0 becomes 0."""
    g = g * mask
    g += ZERO[g.dtype]
    return g


# For formulas: g where the mask is True, and 0 elsewhere.
masked = on_both(binary('Masked', unsigned, lambda k, out, g, mask: masked(k, mask), None))
