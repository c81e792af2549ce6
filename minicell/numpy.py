"""mindspore.numpy, as far as its functions are ops of minicell's: `minicell.numpy.power` is `minicell.ops.pow`.

>>> import minicell.numpy as mnp
>>> print(mnp.concatenate((mnp.ones(2), mnp.zeros(1))))
[1. 1. 0.]
"""

from . import ops

# the same word in both
SAME = """abs absolute add amax amin argmax argmin bitwise_and bitwise_or bitwise_xor broadcast_to clip cos cosh divide
    equal exp expand_dims expm1 eye floor full_like greater greater_equal isfinite isinf isnan less less_equal linspace
    log log10 log1p log2 logical_and logical_not logical_or logical_xor matmul maximum mean minimum multiply negative
    not_equal ones ones_like outer remainder reshape sin sinh sqrt square squeeze stack std subtract sum swapaxes tan
    tanh tile transpose true_divide var where zeros zeros_like"""
OTHER = {
    'arccos': 'acos', 'arccosh': 'acosh', 'arcsin': 'asin', 'arcsinh': 'asinh', 'arctan': 'atan', 'arctan2': 'atan2',
    'arctanh': 'atanh', 'concatenate': 'concat', 'power': 'pow',
}  # fmt: skip
globals().update({name: getattr(ops, OTHER.get(name, name)) for name in (*SAME.split(), *OTHER)})
