"""Trigonometry beyond sine and cosine: tangent, the inverses, and the hyperbolic ones."""

import numpy as np

from ..core.arithmetic import sqrt
from ..core.primitives import binary, on_both, unary

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
