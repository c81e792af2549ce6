"""One declaration an op; the tests of this folder come from it.

A declaration names the op, NumPy's own way to compute it, the shapes of its inputs, and where its inputs may lie so
that differences are smooth there. What it refuses and what it returns are declared too.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from minicell import Tensor, ops

Shapes = tuple[tuple[int, ...], ...]


class Declared(NamedTuple):
    name: str
    op: Callable  # on Tensors
    oracle: Callable  # on arrays
    shapes: tuple[Shapes, ...]  # tries: one shape an input
    domain: tuple[float, float] = (-2.0, 2.0)
    kinks: tuple[float, ...] = ()  # points from which inputs stay away when differences are taken
    elementwise: bool = False  # broadcasts, so that any shapes that fit may be tried
    differentiable: bool = True
    order: int = 2  # how often it can be differentiated
    floats: bool = False  # refuses integers
    dtype: str = 'same'  # what comes out: 'same', 'divided' (integers become Float32), 'Bool', 'Int64'
    exact: bool = True  # the kernel is NumPy's own, so that equality is due
    fits: Callable = lambda *arrays: True  # inputs that are far enough from a kink of the op's own

    def inputs(self, shapes: Shapes, seed: int) -> list[np.ndarray]:
        """Float64 inputs without ties, inside the domain, away from the kinks."""
        low, high = self.domain
        count = max(1, sum(int(np.prod(s)) for s in shapes))
        for attempt in range(100):
            rng = np.random.default_rng([seed, attempt])
            grid = low + (high - low) * (rng.permutation(count) + rng.uniform(0.25, 0.75)) / count
            ends = np.cumsum([0, *(int(np.prod(s)) for s in shapes)])
            arrays = [grid[a:b].reshape(s) for a, b, s in zip(ends, ends[1:], shapes, strict=False)]
            far = all(np.all(np.abs(a - k) > 1e-3) for a in arrays for k in self.kinks)
            if far and self.fits(*arrays):
                return arrays
        raise AssertionError(f'no inputs found for {self.name}: widen its domain')


HALF, IDS, IDS_BY_ROW = Tensor([True, False]), Tensor([1, -1, 1]), np.float32([[0, 0, 0], [1, 0, 1]])
ONE = (((3,),), ((2, 3),), ((),), ((0,),))
TWO = (((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((4,), ()), ((2, 2, 2), (2, 1)), ((0, 3), (3,)))


def one(name: str, oracle: Callable, **more) -> Declared:
    return Declared(name, getattr(ops, name), oracle, ONE, elementwise=True, **more)


def two(name: str, oracle: Callable, **more) -> Declared:
    return Declared(name, getattr(ops, name), oracle, TWO, elementwise=True, **more)


def piece(name: str, op: Callable, oracle: Callable, *tries: Shapes, **more) -> Declared:
    return Declared(name, op, oracle, tries, **more)


def with_(name: str, oracle: Callable, shapes: tuple[Shapes, ...], label: str = '', **attributes) -> Declared:
    """An op with attributes: both sides get the same ones."""
    more = {k: attributes.pop(k) for k in Declared._fields if k in attributes}
    said = label or ','.join(f'{k}={v}' for k, v in attributes.items())
    return Declared(
        f'{name}[{said}]',
        lambda *x: getattr(ops, name)(*x, **attributes),
        lambda *x: oracle(*x, **attributes),
        shapes,
        **more,
    )


def _reduced(name: str, oracle: Callable, keep: str) -> list[Declared]:
    return [
        with_(name, oracle, (((2, 3, 2),), ((3, 1, 2),)), **{'axis': axis, keep: k})
        for axis in (None, 0, -1, (0, 2), (1, -1))
        for k in (False, True)
    ] + [with_(name, oracle, (((),), ((3,),)), label='whole')]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


MATMULS = (
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 2)),
    ((2, 3), (5, 3, 2)),
    ((1, 2, 3), (5, 3, 2)),
    ((3,), (2, 3, 2)),
    ((2, 2, 3), (3,)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
)

SMOOTH = [
    two('add', np.add),
    two('sub', np.subtract),
    two('mul', np.multiply),
    two('div', np.divide, domain=(0.5, 2.0), dtype='divided'),
    two('pow', np.power, domain=(0.3, 2.0)),
    two('maximum', np.maximum),
    two('minimum', np.minimum),
    two('mod', np.mod, domain=(0.5, 3.0), fits=lambda x, y: bool(np.all(np.abs(x / y - np.round(x / y)) > 1e-3))),
    one('neg', np.negative),
    one('square', np.square),
    one('sqrt', np.sqrt, domain=(0.3, 2.0), dtype='divided'),
    one('exp', np.exp, floats=True),
    one('log', np.log, domain=(0.3, 2.0), floats=True),
    one('sin', np.sin, floats=True),
    one('cos', np.cos, floats=True),
    one('tanh', np.tanh, floats=True),
    one('abs', np.abs, kinks=(0.0,)),
    one('sigmoid', sigmoid, floats=True, exact=False),
    one('relu', lambda x: np.maximum(x, np.zeros((), x.dtype)), kinks=(0.0,)),
    one('relu6', lambda x: np.minimum(np.maximum(x, 0), 6), domain=(-2.0, 8.0), kinks=(0.0, 6.0), floats=True, order=1),
    Declared('matmul', ops.matmul, np.matmul, MATMULS),
]

ROWS = (((2, 3),),)
SHAPED = [
    *_reduced('sum', np.sum, 'keepdims'),
    *_reduced('mean', lambda x, axis=None, keep_dims=False: np.mean(x, axis, keepdims=keep_dims), 'keep_dims'),
    *_reduced('amax', np.max, 'keepdims'),
    *_reduced('amin', np.min, 'keepdims'),
    *[
        Declared(
            f'{n}[{a}]', lambda x, n=n, a=a: getattr(ops, n)(x, a)[0], lambda x, n=n, a=a: getattr(np, n)(x, a), ROWS
        )
        for n in ('max', 'min')
        for a in (None, 0, -1)
    ],
    with_('sum', np.sum, (((0, 3),),), label='empty'),
    with_('sum', lambda x, axis: np.sum(x, axis), (((0, 3),), ((2, 0),)), axis=0),
    *[
        Declared(f'reshape[{shape}]', lambda x, s=shape: ops.reshape(x, s), lambda x, s=shape: x.reshape(s), tries)
        for shape, tries in [((3, 2), (((2, 3),),)), ((-1,), (((2, 3),), ((),), ((0, 2),))), ((), (((1, 1),),))]
    ],
    Declared('transpose', lambda x: x.T, np.transpose, (((2, 3),), ((4,),), ((),), ((2, 0, 3),))),
    *[
        piece(f'transpose{a}', lambda x, a=a: ops.transpose(x, a), lambda x, a=a: x.transpose(a), ((2, 3, 4),))
        for a in [(1, 2, 0), (2, 0, 1), (0, 1, 2), (-1, 0, 1)]
    ],
    with_('swapaxes', np.swapaxes, (((2, 3, 4),), ((2, 3),)), axis0=0, axis1=-1)._replace(
        oracle=lambda x: np.swapaxes(x, 0, -1)
    ),
    with_('broadcast_to', np.broadcast_to, (((3,),), ((1, 3),), ((),), ((2, 1),)), shape=(2, 3)),
    with_('expand_dims', np.expand_dims, (((3,),), ((2, 3),), ((),)), axis=0),
    with_('expand_dims', np.expand_dims, (((3,),), ((2, 3),)), axis=-1),
    with_('squeeze', np.squeeze, (((1, 3, 1),), ((1,),), ((2, 3),))),
    with_('squeeze', np.squeeze, (((1, 3, 1),), ((1, 2),)), axis=0),
    Declared('flatten', ops.flatten, lambda x: x.reshape(x.shape[0], -1), (((2, 3, 4),), ((2, 3),))),
    *[
        Declared(f'concat[{a}]', lambda *x, a=a: ops.concat(x, a), lambda *x, a=a: np.concatenate(x, a), tries)
        for a, tries in [
            (0, (((2,), (3,)), ((2, 3), (1, 3)), ((2,), (0,), (1,)))),
            (-1, (((2, 3), (2, 1)), ((2,), (2,), (2,)))),
        ]
    ],
    *[
        piece(
            f'stack[{a}]', lambda *x, a=a: ops.stack(x, a), lambda *x, a=a: np.stack(x, a), ((2, 3), (2, 3)), ((2, 3),)
        )
        for a in (0, 1, -1)
    ],
    *[
        Declared(f'getitem[{label}]', lambda x, i=index: x[i], lambda x, i=index: x[i], tries)
        for label, index, tries in [
            ('1', 1, (((3,),), ((2, 3),))),
            ('-1', -1, (((3,),), ((2, 3),))),
            ('1:', slice(1, None), (((3,),), ((2, 3),), ((0, 2),))),
            ('::-2', slice(None, None, -2), (((5,),),)),
            (':,1', (slice(None), 1), (((2, 3),),)),
            ('...,None', (..., None), (((2, 3),), ((),))),
            ('twice', [0, 2, 0], (((3,),), ((3, 2),))),
            ('pairs', ([0, 1, 1], [2, 0, 0]), (((2, 3),),)),
            ('mask', np.array([True, False, True]), (((3,),), ((3, 2),))),
        ]
    ],
    Declared(
        'select',
        lambda x, y: ops.select(x > y, x * 2, y),
        lambda x, y: np.where(x > y, x * np.asarray(2, x.dtype), y),
        (((3,), (3,)), ((2, 3), (3,)), ((), (2,))),
    ),
    Declared('cast', lambda x: x.astype('float64'), lambda x: x.astype(np.float64), ONE, dtype='Float64'),
]

LOGIC = 'and', 'or', 'xor'
STEPS = [
    *[one(n, getattr(np, n), differentiable=False) for n in ('sign', 'floor', 'ceil', 'round', 'trunc')],
    two('floor_div', np.floor_divide, domain=(0.5, 3.0), differentiable=False),
    *[
        two(name, getattr(np, name), differentiable=False, dtype='Bool')
        for name in ('equal', 'not_equal', 'greater', 'greater_equal', 'less', 'less_equal')
    ],
    *[two(f'logical_{name}', getattr(np, f'logical_{name}'), differentiable=False, dtype='Bool') for name in LOGIC],
    *[
        one(n, getattr(np, n), differentiable=False, dtype='Bool')
        for n in ('logical_not', 'isnan', 'isinf', 'isfinite')
    ],
    with_('argmax', np.argmax, (((3,),), ((2, 3),)), axis=0, differentiable=False, dtype='Int64'),
    with_('argmin', np.argmin, (((3,),), ((2, 3),)), axis=-1, differentiable=False, dtype='Int32'),
    *[with_(f.__name__, f, (((3,),), ((2, 3),)), axis=0, differentiable=False, dtype='Bool') for f in (np.any, np.all)],
    *[Declared(n, getattr(ops, n), getattr(np, n), ONE, differentiable=False) for n in ('zeros_like', 'ones_like')],
    Declared('stop_gradient', ops.stop_gradient, np.array, ONE, differentiable=False),
]


NARROW = {'domain': (-0.9, 0.9), 'floats': True}
RARE = [
    *[one(n, getattr(np, n), floats=True) for n in ('sinh', 'cosh')],
    *[one(n, getattr(np, f'arc{n[1:]}'), floats=True) for n in ('atan', 'asinh')],
    *[one(n, getattr(np, f'arc{n[1:]}'), **NARROW) for n in ('asin', 'acos', 'atanh')],
    one('tan', np.tan, domain=(-1.0, 1.0), floats=True),
    one('acosh', np.arccosh, domain=(1.2, 2.0), floats=True),
    two('atan2', np.arctan2, domain=(0.5, 2.0), dtype='divided'),
    *[one(n, getattr(np, n), domain=(0.3, 2.0), floats=True) for n in ('log2', 'log10')],
    one('exp2', np.exp2, dtype='divided'),
    one('erfc', np.vectorize(math.erfc, [float]), floats=True, exact=False),
    one('identity', np.copy),
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
            ('logsumexp', lambda x, dim, keepdim: np.log(np.exp(x).sum(keepdims=True)), {'dim': (), 'keepdim': True}),
            ('cumsum', np.cumsum, {'axis': 0}),
            ('cumsum', np.cumsum, {'axis': -1}),
            ('tile', lambda x, dims: np.tile(x, dims), {'dims': (2, 1, 2)}),
            ('clamp', lambda x, min, max: np.clip(x, min, max), {'min': -0.5, 'max': 1.5, 'kinks': (-0.5, 1.5)}),
        ]
    ],
    piece('triu[1]', lambda x: ops.triu(x, 1), lambda x: np.triu(x, 1), ((2, 3),), ((3, 1),), ((2, 2, 3),)),
    piece('tril', ops.tril, np.tril, ((2, 3),), ((2, 2, 3),)),
    piece('masked_fill', lambda x: ops.masked_fill(x, HALF, 3.0), lambda x: x * [0, 1] + [3, 0], ((3, 2),)),
    piece('masked_select', lambda x: ops.masked_select(x, HALF), lambda x: x[..., 0].ravel(), ((2,),), ((3, 2),)),
    piece('addn', lambda x, y: ops.addn((x, y, x)), lambda x, y: x + y + x, ((3,), (3,))),
    piece('segments', lambda x: ops.unsorted_segment_sum(x, IDS, 2), lambda x: IDS_BY_ROW @ x, ((3,),), ((3, 2),)),
    piece('swapdims', lambda x: ops.swapdims(x, 0, 1), lambda x: x.swapaxes(0, 1), ((2, 3),)),
    piece('contiguous', lambda x: x.T.contiguous(), lambda x: x.T, ((2, 3),)),
    piece(
        'clip_by_norm',
        lambda x: ops.clip_by_global_norm((x,))[0],
        lambda x: x / np.sqrt((x * x).sum()),
        ((4,),),
        domain=(1.0, 2.0),
        exact=False,
    ),
    piece('split', lambda x: ops.split(x, 2)[1], lambda x: x[2:4], ((5,),), ((4, 2),)),
    piece('split[lengths]', lambda x: ops.split(x, (1, 2), -1)[1], lambda x: x[..., 1:3], ((3,),), ((2, 3),)),
    piece('chunk', lambda x: ops.chunk(x, 2)[1], lambda x: x[3:], ((5,),), ((5, 2),)),
    piece('unbind', lambda x: ops.unbind(x, 1)[1], lambda x: x[:, 1], ((2, 3),)),
    piece('gather', lambda x: ops.gather(x, Tensor([1, 0, 1]), 0), lambda x: x[[1, 0, 1]], ((2,),), ((2, 3),)),
    piece('mm', ops.mm, np.matmul, ((2, 3), (3, 2))),
    piece('outer', ops.outer, np.outer, ((2,), (3,))),
]

from tests.ops.declare_nn import LAYERS  # noqa: E402 (it is made with what stands above)

ALL = SMOOTH + SHAPED + STEPS + LAYERS + RARE
DIFFERENTIABLE = [d for d in ALL if d.differentiable]


def tries(declared: list[Declared]) -> list:
    """(declaration, shapes) for pytest's parametrize, with readable names."""
    return [(d, shapes) for d in declared for shapes in d.shapes]


def label(value: object) -> str | None:
    """How pytest calls a declaration and its shapes."""
    return (
        value.name if isinstance(value, Declared) else str(value).replace(' ', '') if isinstance(value, tuple) else None
    )
