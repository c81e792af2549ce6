"""Declarations of what is called more rarely: trigonometry, pieces, further activations."""

import math

import numpy as np

from minicell import Tensor, ops
from tests.ops.declare import Declared, one, two, with_

vectorized = {name: np.vectorize(getattr(math, name), [float]) for name in ('erfc',)}


def piece(name: str, op, oracle, *tries, **more) -> Declared:
    return Declared(name, op, oracle, tries, **more)


MATRICES = (((2, 3),), ((3, 1),), ((2, 2, 3),))

MORE = [
    one('tan', np.tan, domain=(-1.0, 1.0), floats=True),
    one('asin', np.arcsin, domain=(-0.9, 0.9), floats=True),
    one('acos', np.arccos, domain=(-0.9, 0.9), floats=True),
    one('atan', np.arctan, floats=True),
    one('sinh', np.sinh, floats=True),
    one('cosh', np.cosh, floats=True),
    one('asinh', np.arcsinh, floats=True),
    one('acosh', np.arccosh, domain=(1.2, 2.0), floats=True),
    one('atanh', np.arctanh, domain=(-0.9, 0.9), floats=True),
    two('atan2', np.arctan2, domain=(0.5, 2.0), dtype='divided'),
    one('log2', np.log2, domain=(0.3, 2.0), floats=True),
    one('log10', np.log10, domain=(0.3, 2.0), floats=True),
    one('exp2', np.exp2, dtype='divided'),
    one('erfc', vectorized['erfc'], floats=True, exact=False),
    one('identity', np.copy),
    one('ceil', np.ceil, differentiable=False),
    one('round', np.round, differentiable=False),
    one('trunc', np.trunc, differentiable=False),
    *[
        with_(name, oracle, (((2, 3),), ((4,),)), exact=False, **settings)
        for name, oracle, settings in [
            ('logsigmoid', lambda x: -np.logaddexp(-x, np.zeros((), x.dtype)), {}),
            ('softsign', lambda x: x / (1 + np.abs(x)), {'kinks': (0.0,)}),
            ('tanhshrink', lambda x: x - np.tanh(x), {}),
            ('mish', lambda x: x * np.tanh(np.logaddexp(x, np.zeros((), x.dtype))), {}),
            (
                'threshold',
                lambda x, thr, value: np.where(x > thr, x, value),
                {'thr': 0.5, 'value': 3.0, 'kinks': (0.5,)},
            ),
            ('logsumexp', lambda x, dim: np.log(np.exp(x).sum(dim)), {'dim': -1}),
            (
                'logsumexp',
                lambda x, dim, keepdim: np.log(np.exp(x).sum(keepdims=True)),
                {'dim': (), 'keepdim': True},
            ),
            ('cumsum', np.cumsum, {'axis': 0}),
            ('cumsum', np.cumsum, {'axis': -1}),
            ('tile', lambda x, dims: np.tile(x, dims), {'dims': (2, 1, 2)}),
            ('clamp', lambda x, min, max: np.clip(x, min, max), {'min': -0.5, 'max': 1.5, 'kinks': (-0.5, 1.5)}),
        ]
    ],
    piece('triu[1]', lambda x: ops.triu(x, 1), lambda x: np.triu(x, 1), *MATRICES),
    piece('split', lambda x: ops.split(x, 2)[1], lambda x: x[2:4], ((5,),), ((4, 2),)),
    piece('split[lengths]', lambda x: ops.split(x, (1, 2), -1)[1], lambda x: x[..., 1:3], ((3,),), ((2, 3),)),
    piece('chunk', lambda x: ops.chunk(x, 2)[1], lambda x: x[3:], ((5,),), ((5, 2),)),
    piece('unbind', lambda x: ops.unbind(x, 1)[1], lambda x: x[:, 1], ((2, 3),)),
    piece('gather', lambda x: ops.gather(x, Tensor([1, 0, 1]), 0), lambda x: x[[1, 0, 1]], ((2,),), ((2, 3),)),
    piece('mm', ops.mm, np.matmul, ((2, 3), (3, 2))),
    piece('outer', ops.outer, np.outer, ((2,), (3,))),
]
