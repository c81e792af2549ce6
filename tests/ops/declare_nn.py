"""Declarations of the ops that layers and losses are made of; their oracles are the definitions, written as loops."""

import itertools
import math
from functools import partial

import numpy as np

import minicell as ms
from minicell import Tensor, ops
from tests.ops.declare import one, piece, sigmoid, with_


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis=-1):
    below = x - x.max(axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis, keepdims=True))


def erf(x):
    return np.array([math.erf(v) for v in x.reshape(-1)]).reshape(x.shape).astype(x.dtype)


def gelu(x, approximate='none'):
    if approximate == 'tanh':
        return (0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))).astype(x.dtype)
    return (0.5 * x * (1 + erf(x / np.sqrt(2)))).astype(x.dtype)


def windows(x, kernel, stride, pad, fill=0.0):
    """(i, j, window) of padded images, one place after the other."""
    x = np.pad(x, ((0, 0), (0, 0), (pad[0], pad[1]), (pad[2], pad[3])), constant_values=fill)
    high, wide = kernel
    rows, columns = ((n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, stride, strict=True))
    for i, j in itertools.product(range(rows), range(columns)):
        a, b = i * stride[0], j * stride[1]
        yield i, j, x[:, :, a : a + high, b : b + wide]


def conv(x, w, b=None, stride=(1, 1), pad=(0, 0, 0, 0)):
    found = {}
    for i, j, seen in windows(x, w.shape[2:], stride, pad):
        found[i, j] = np.einsum('ncij,ocij->no', seen, w)
    return _laid(found) + (0 if b is None else b[:, None, None])


def pool(x, kernel, stride, pad, of, fill=0.0):
    return _laid({(i, j): of(seen, axis=(2, 3)) for i, j, seen in windows(x, kernel, stride, pad, fill)})


def _laid(found):
    rows, columns = (n + 1 for n in max(found))
    return np.stack([np.stack([found[i, j] for j in range(columns)], -1) for i in range(rows)], -2)


_declared = partial(piece, exact=False)
CONVS = [
    _declared('conv2d[valid]', ops.conv2d, conv, ((2, 2, 4, 5), (3, 2, 2, 3)), ((1, 1, 2, 2), (1, 1, 1, 1))),
    _declared('conv2d[bias]', ops.conv2d, conv, ((1, 2, 3, 3), (2, 2, 2, 2), (2,))),
    _declared(
        'conv2d[same]',
        lambda x, w: ops.conv2d(x, w, pad_mode='same'),
        lambda x, w: conv(x, w, pad=(1, 1, 0, 1)),
        ((1, 1, 3, 4), (2, 1, 3, 2)),
    ),
    _declared(
        'conv2d[same, stride 2]',
        lambda x, w: ops.conv2d(x, w, stride=2, pad_mode='same'),
        lambda x, w: conv(x, w, stride=(2, 2), pad=(0, 1, 1, 1)),
        ((1, 1, 4, 5), (1, 1, 3, 3)),
    ),
    _declared(
        'conv2d[pad, stride (2, 1)]',
        lambda x, w: ops.conv2d(x, w, None, (2, 1), 'pad', (1, 2, 0, 1)),
        lambda x, w: conv(x, w, None, (2, 1), (1, 2, 0, 1)),
        ((1, 2, 4, 3), (1, 2, 2, 2)),
    ),
]

POOLS = [
    _declared(
        f'{name}[{kernel}, {stride}, {pad}]',
        lambda x, op=op, k=kernel, s=stride, p=pad: op(x, k, s, p),
        lambda x, of=of, k=kernel, s=stride, p=pad, f=fill: pool(x, k, s, p, of, f),
        ((1, 2, 4, 5),),
    )
    for name, op, of, fill in [
        ('max_pool2d', ops.max_pool2d, np.max, -np.inf),
        ('avg_pool2d', ops.avg_pool2d, np.mean, 0.0),
    ]
    for kernel, stride, pad in [
        ((2, 2), (2, 2), (0, 0, 0, 0)),
        ((2, 3), (1, 2), (0, 0, 0, 0)),
        ((3, 2), (2, 2), (1, 1, 0, 1)),
    ]
]


LABELS = np.array([2, 0], np.int32)


def by_labels(z, labels=LABELS, weight=None, ignore=-100, smoothing=0.0, reduction='mean'):
    """Cross entropy as its definition reads, an example at a time."""
    rows, weights = [], []
    for row, label in zip(log_softmax(z), labels, strict=True):
        w = np.ones(len(row)) if weight is None else weight
        counts = label != ignore
        rows.append(
            -((1 - smoothing) * w[label] * row[label] + smoothing / len(row) * (w * row).sum()) if counts else 0.0
        )
        weights.append(w[label] if counts else 0.0)
    total = {'mean': np.sum(rows) / np.sum(weights), 'sum': np.sum(rows), 'none': np.array(rows)}[reduction]
    return np.asarray(total, z.dtype)


def _ce(label, **settings):
    theirs = {'weight': 'weight', 'ignore': 'ignore_index', 'smoothing': 'label_smoothing', 'reduction': 'reduction'}
    given = {theirs[k]: Tensor(v) if k == 'weight' else v for k, v in settings.items()}
    return _declared(
        f'cross_entropy[{label}]',
        lambda z: ops.cross_entropy(z, Tensor(LABELS), **given),
        lambda z: by_labels(z, **settings),
        ((2, 3),),
        floats=False,
    )


WEIGHT = np.array([0.5, 2.0, 3.0])


def _bce(p, t):
    return np.mean(-(t * np.log(p) + (1 - t) * np.log(1 - p)))


def _smooth(x, y):
    d = np.abs(x - y)
    return np.where(d < 1, d * d / 2, d - 0.5).astype(x.dtype)


LOSSES = [
    _ce('mean'),
    _ce('sum', reduction='sum'),
    _ce('none', reduction='none'),
    _ce('weight', weight=WEIGHT),
    _ce('ignore', ignore=0),
    _ce('smoothing', smoothing=0.25),
    _ce('smoothing, weight, ignore', smoothing=0.25, weight=WEIGHT, ignore=2, reduction='none'),
    _declared(
        'cross_entropy[probabilities]',
        ops.cross_entropy,
        lambda z, t: np.asarray(-(t * log_softmax(z)).sum(1).mean(), z.dtype),
        ((2, 3), (2, 3)),
    ),
    _declared(
        'cross_entropy[images]',
        lambda z: ops.cross_entropy(z, Tensor(np.array([[[2, 0]]], np.int32))),
        lambda z: by_labels(z[0, :, 0].T),
        ((1, 3, 1, 2),),
    ),
    _declared(
        'cross_entropy[one]', lambda z: ops.cross_entropy(z, Tensor(1, ms.int32)), lambda z: -log_softmax(z)[1], ((3,),)
    ),
    _declared('nll_loss', lambda x: ops.nll_loss(x, Tensor(LABELS)), lambda x: -(x[0, 2] + x[1, 0]) / 2, ((2, 3),)),
    _declared('mse_loss', ops.mse_loss, lambda x, y: np.mean((x - y) ** 2), ((2, 3), (2, 3)), ((), ())),
    _declared('l1_loss', ops.l1_loss, lambda x, y: np.mean(np.abs(x - y)), ((2, 3), (2, 3))),
    _declared(
        'smooth_l1_loss',
        ops.smooth_l1_loss,
        _smooth,
        ((2, 3), (2, 3)),
        fits=lambda x, y: bool(np.all(np.abs(np.abs(x - y) - 1) > 1e-2)),
    ),
    _declared('binary_cross_entropy', ops.binary_cross_entropy, _bce, ((2, 3), (2, 3)), domain=(0.2, 0.8)),
    _declared(
        'binary_cross_entropy_with_logits',
        ops.binary_cross_entropy_with_logits,
        lambda z, t: _bce(sigmoid(z), t).astype(z.dtype),
        ((3,), (3,)),
    ),
    _declared(
        'binary_cross_entropy_with_logits[pos_weight]',
        lambda z, t: ops.binary_cross_entropy_with_logits(z, t, pos_weight=Tensor(2.0, z.dtype)),
        lambda z, t: np.mean(-(2 * t * np.log(sigmoid(z)) + (1 - t) * np.log(1 - sigmoid(z)))).astype(z.dtype),
        ((3,), (3,)),
    ),
]


FUNCTIONS = [
    one('rsqrt', lambda x: 1 / np.sqrt(x), domain=(0.3, 2.0), floats=True, exact=False),
    one('reciprocal', lambda x: 1 / x, domain=(0.3, 2.0), dtype='divided', exact=False),
    one('log1p', np.log1p, domain=(-0.6, 2.0), floats=True),
    one('expm1', np.expm1, floats=True),
    one('erf', erf, floats=True, exact=False),
    one('softplus', lambda x: np.logaddexp(x, 0), floats=True, exact=False),
    one('silu', lambda x: x * sigmoid(x), exact=False)._replace(elementwise=False),
    *[
        with_(name, oracle, (((2, 3),), ((4,),)), exact=False, **settings)
        for name, oracle, settings in [
            ('softmax', softmax, {'axis': -1}),
            ('softmax', softmax, {'axis': 0}),
            ('log_softmax', log_softmax, {'axis': -1}),
            ('log_softmax', log_softmax, {'axis': 0}),
            ('gelu', gelu, {'approximate': 'tanh'}),
            ('gelu', gelu, {'approximate': 'none'}),
            ('leaky_relu', lambda x, alpha: np.where(x > 0, x, alpha * x), {'alpha': 0.1, 'kinks': (0.0,)}),
            ('elu', lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)), {'alpha': 0.5, 'kinks': (0.0,)}),
            ('hardtanh', lambda x, max_val: np.clip(x, -1, max_val), {'max_val': 0.5, 'kinks': (-1.0, 0.5)}),
            ('var', lambda x, axis: np.var(x, axis), {'axis': 0}),
            ('var', lambda x, ddof: np.var(x, ddof=ddof), {'ddof': 1}),
            ('std', lambda x, axis: np.std(x, axis), {'axis': -1}),
            ('norm', lambda x, dim: np.sqrt((x * x).sum(dim)), {'dim': -1}),
            *[('norm', np.linalg.norm, {'ord': ord, 'kinks': (0.0,)}) for ord in (1, -1, math.inf, -math.inf)],
            ('norm', lambda x, ord, dim: (abs(x) ** ord).sum(dim) ** (1 / ord), {'ord': 3, 'dim': 0, 'kinks': (0.0,)}),
            ('prod', lambda x, axis: np.prod(x, axis), {'axis': 0}),
            ('prod', lambda x, axis: np.prod(x, axis), {'axis': None}),
            ('prod', lambda x, axis, keep_dims: np.prod(x, axis, keepdims=True), {'axis': -1, 'keep_dims': True}),
        ]
    ],
    _declared('prod[empty]', ops.prod, np.prod, ((0,),)),
    _declared(
        'clip_by_value',
        lambda x: ops.clip_by_value(x, -0.5, 1.5),
        lambda x: np.clip(x, -0.5, 1.5),
        ((2, 3),),
        kinks=(-0.5, 1.5),
    ),
    _declared(
        'dense',
        ops.dense,
        lambda x, w, b: x @ w.T + b,
        ((2, 3), (4, 3), (4,)),
        ((2, 2, 3), (1, 3), (1,)),
        ((3,), (2, 3), (2,)),
        ((0, 3), (2, 3), (2,)),
    ),
    _declared('dense[no bias]', ops.dense, lambda x, w: x @ w.T, ((2, 3), (4, 3))),
    _declared(
        'bias_add',
        ops.bias_add,
        lambda x, b: np.moveaxis(np.moveaxis(x, 1, -1) + b, -1, 1),
        ((2, 3), (3,)),
        ((2, 3, 1, 2), (3,)),
    ),
]


LAYERS = FUNCTIONS + CONVS + POOLS + LOSSES
