"""Arithmetic and elementwise mathematics: a kernel and its rule a line.

In a rule, `g` is the cotangent of `out`, and the rule gives the cotangent of an input.
"""

import math

import numpy as np

from .dtype import ALL
from .primitives import binary, on_both, plain, unary
from .select import where

# The numbers 0 and 1 as arrays of rank 0, because NumPy takes twice as long over a Python number. For Tensors, whose
# dtype is minicell's own, the number itself: ops keep a constant of the right dtype.
ZERO = {d.numpy: np.zeros((), d.numpy) for d in ALL} | dict.fromkeys(ALL, 0)
ONE = {d.numpy: np.ones((), d.numpy) for d in ALL} | dict.fromkeys(ALL, 1)

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

# Constant wherever they have a derivative: no gradient passes.
sign = plain('Sign', np.sign)
floor = plain('Floor', np.floor)
ceil = plain('Ceil', np.ceil)
round = plain('Round', np.round)
trunc = plain('Trunc', np.trunc)
floor_div = binary('FloorDiv', np.floor_divide, None, None)

mod = binary('FloorMod', np.mod, lambda g, out, x, y: g, lambda g, out, x, y: -g * _floor_div(x, y))

# At a tie each operand gets half: the mean of both one-sided derivatives.
maximum = binary('Maximum', np.maximum,
                 lambda g, out, x, y: g * (x > y) * 0.5 + g * (x >= y) * 0.5,
                 lambda g, out, x, y: g * (y > x) * 0.5 + g * (y >= x) * 0.5)
minimum = binary('Minimum', np.minimum,
                 lambda g, out, x, y: g * (x < y) * 0.5 + g * (x <= y) * 0.5,
                 lambda g, out, x, y: g * (y < x) * 0.5 + g * (y <= x) * 0.5)

# d/dx x**0 is 0 everywhere, at 0 too, where y * x**(y-1) would be 0 * inf. d/dy is 0 where x <= 0: no logarithm there.
pow = binary('Pow', np.power,
             lambda g, out, x, y: g * (y * x ** where(y == 0, ONE[y.dtype], y - 1)),
             lambda g, out, x, y: g * (out * _log(where(x > 0, x, ONE[x.dtype]))))
# fmt: on

_sin, _cos, _exp, _log, _sign, _floor_div = map(on_both, (sin, cos, exp, log, sign, floor_div))
# slow, but NumPy has none
_erf, _erfc = np.vectorize(math.erf, [np.float64]), np.vectorize(math.erfc, [np.float64])
LN2, LN10 = math.log(2), math.log(10)
SLOPE = 2 / math.sqrt(math.pi)  # of the error function at 0
