"""A malformed bprop is refused: the message has the Cell, what came, what was due, how to write it, and both lines."""

import inspect
from itertools import product

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, errors, ops
from minicell.core.errors import (
    BpropCountError,
    BpropShapeError,
    BpropSignatureError,
    BpropTupleError,
    BpropTypeError,
    DTypeError,
    MinicellError,
)
from tests.core.cells import LOOK, Scale, made, returning
from tests.messages import refused

X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])
M = Tensor(np.ones((2, 3), np.float32))


def bad(value, *inputs):
    """A gradient of a Cell whose bprop returns this; of one input, or of these."""
    cell, inputs = returning(value, len(inputs) or 1), inputs or (X,)
    return lambda: ms.grad(cell)(*inputs)


def signature(bprop, construct=lambda self, x: x, inputs=(X,)):
    cell = made(construct, bprop, name='Bad')
    return lambda: ms.grad(cell)(*inputs)


# name -> what is asked, the class of the error, its facts
MALFORMED = {
    'nothing': (bad(lambda *a: None), BpropTypeError, 'returned nothing', '`return (dx,)`'),
    'nothing for two': (bad(lambda *a: None, X, Y), BpropTypeError, 'returned nothing', '`return dx, dy`'),
    'too few': (bad(lambda *a: a[-1:], X, Y), BpropCountError, '1 gradient for 2', '(x, y)', '`return dx, dy`', 'None'),
    'too many': (bad(lambda *a: a[-1:] * 2), BpropCountError, '2 gradients for 1', '(x)', '`return (dx,)`'),
    'three for two': (bad(lambda *a: a[-1:] * 3, X, Y), BpropCountError, '3 gradients for 2', '(x, y)'),
    'an empty tuple': (bad(lambda *a: ()), BpropCountError, '0 gradients for 1', '(x)'),
    'a list of two': (bad(lambda *a: [a[-1]] * 2), BpropCountError, '2 gradients for 1', '(x)'),
    'a bare Tensor': (bad(lambda *a: a[-1]), BpropTupleError, 'a bare Tensor', 'tuple is due', '`return (dx,)`'),
    'a bare Tensor for two': (bad(lambda *a: a[-1], X, Y), BpropTupleError, 'a bare Tensor', '`return dx, dy`'),
    'a dict': (bad(lambda *a: {'x': a[-1]}), BpropTupleError, 'a dict', 'tuple is due'),
    'a number': (bad(lambda *a: 1.0), BpropTupleError, 'a float', 'tuple is due'),
    'a generator': (bad(lambda *a: (d for d in a)), BpropTupleError, 'a generator', '`return (dx,)`'),
    'a map': (bad(lambda *a: map(abs, a[-1:])), BpropTupleError, 'a map', 'tuple is due'),
    'a set': (bad(lambda *a: {a[-1]}), BpropTupleError, 'a set', 'tuple is due'),
    'an error': (bad(lambda *a: ValueError('x')), BpropTupleError, 'a ValueError', 'tuple is due'),
    'an ellipsis in it': (bad(lambda *a: (...,)), BpropTypeError, 'an ellipsis', 'gradient of x'),
    'a class in it': (bad(lambda *a: (Tensor,)), BpropTypeError, 'a type', 'gradient of x'),
    'a list in it': (bad(lambda *a: ([a[-1]],)), BpropTypeError, 'a list of 1', 'gradient of x'),
    'a tuple in it': (bad(lambda *a: (a[-1:],)), BpropTypeError, 'tuple of 1', 'gradient of x', 'or None'),
    'a float in it': (bad(lambda *a: (1.0,)), BpropTypeError, 'a float', 'gradient of x', 'Tensor is due'),
    'a string in it': (bad(lambda *a: ('dx',)), BpropTypeError, 'a str', 'gradient of x'),
    'an array in it': (bad(lambda *a: (a[-1].asnumpy(),)), BpropTypeError, 'a ndarray', 'gradient of x'),
    'a smaller shape': (
        bad(lambda *a: (Tensor([1.0]),)),
        *(BpropShapeError, '(1,) for x', 'has shape (3,)', 'never summed', 'ops.broadcast_to(..., (3,))'),
    ),
    'a scalar': (bad(lambda *a: (a[-1].sum(),)), BpropShapeError, '() for x', 'has shape (3,)'),
    'for a scalar': (bad(lambda *a: (ops.ones(4),), Tensor(1.0)), BpropShapeError, '(4,) for x', 'has shape ()'),
    'a bigger shape': (bad(lambda *a: (M,)), BpropShapeError, '(2, 3) for x', 'has shape (3,)', 'Write .sum(0)'),
    'two more axes': (bad(lambda *a: (M.reshape(1, 2, 3),)), BpropShapeError, '(1, 2, 3) for x', '.sum((0, 1))'),
    'transposed': (bad(lambda *a: (a[-1].T,), M), BpropShapeError, '(3, 2) for x', 'looks transposed', 'try .T'),
    'another shape': (bad(lambda *a: (Tensor([1.0, 2.0]),)), BpropShapeError, '(2,) for x', 'has shape (3,)'),
    'of the second': (bad(lambda *a: (a[-1], a[-1].sum()), X, Y), BpropShapeError, '() for y', 'has shape (3,)'),
    'a column': (bad(lambda *a: (a[-1].reshape(3, 1),)), BpropShapeError, '(3, 1) for x', 'has shape (3,)'),
    'complex': (bad(lambda *a: (Tensor(np.array([1j, 2, 3])),)), DTypeError, 'a Complex128 Tensor', 'gradient of x'),
    'bool': (bad(lambda x, *a: (x > 0,)), DTypeError, 'Bool Tensor', 'gradient of x', '.astype(x.dtype)'),
    'too few parameters': (
        signature(lambda self, x, dout: (dout,)),
        *(BpropSignatureError, 'cannot be called', 'positional arguments', 'def bprop(self', 'x, out, dout)'),
    ),
    'too few parameters for two': (
        signature(lambda self, x, dout: (dout,), lambda self, x, y: x * y, (X, Y)),
        *(BpropSignatureError, 'cannot be called', 'def bprop(self', 'y, out, dout)'),
    ),
    'too many parameters': (
        signature(lambda self, x, y, out, dout: (dout,)),
        *(BpropSignatureError, 'cannot be called', 'def bprop(self', 'x, out, dout)'),
    ),
}


@pytest.mark.parametrize('name', MALFORMED)
@LOOK
@pytest.mark.parametrize('order', [1, 2])
def test_a_malformed_bprop_is_refused(name, look, order):
    """In the same words at every order, with and without a Tape; the next gradient is clean."""
    ask, kind, *facts = MALFORMED[name]
    with refused(kind, *facts, 'its bprop: ', line='ms.grad(cell)(*inputs)') as caught, look() as tape:
        ask() if order == 1 else ms.grad(lambda z: z * ask().sum())(Tensor(1.0))
    assert isinstance(caught.value, MinicellError) and str(caught.value).startswith('Bad.bprop ')
    if look is ms.Tape:
        assert tape.error is caught.value and 'Bad.bprop ' in ''.join(str(tape).splitlines()[-3:])
    assert float(ms.grad(lambda x: x * x)(Tensor(3.0))) == 6.0


@pytest.mark.parametrize(
    ('bprop', 'kind', 'facts'),
    [
        (lambda self, x, out, dout: (ops.stack([x, x]),), BpropShapeError, ['(2, 3) for x', 'has shape (3,)']),
        (lambda self, x, out, dout: (x, x), BpropCountError, ['2 gradients for 1', '(x)']),
        (lambda self, x, out, dout: x, TypeError, ['dx,']),
    ],
    ids=['shape', 'too many', 'bare'],
)
@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=['eager', 'graph'])
def test_both_modes_refuse_the_same(bprop, kind, facts, mode):
    cell = made(lambda self, x: x * 2, bprop, name='Bad')
    ms.set_context(mode=mode)
    try:
        with refused(kind, 'Bad.bprop', *facts):
            ms.grad(cell)(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_the_classes_are_also_those_that_mindspore_raises():
    for ours, mindspores in (
        (BpropTypeError, [TypeError]),
        (BpropCountError, [RuntimeError]),
        (BpropTupleError, [RuntimeError, TypeError]),
        (BpropShapeError, [RuntimeError]),
        (BpropSignatureError, [TypeError]),
    ):
        assert all(issubclass(ours, each) for each in mindspores)


@pytest.mark.parametrize('kind', [lambda f: f, staticmethod], ids=['method', 'static'])
def test_the_place_of_the_bprop_is_its_own_file_and_line(kind):
    def bprop(*args):
        return args[-1]

    line = inspect.getsourcelines(bprop)[1]
    with refused(BpropTupleError, 'Mine.bprop', 'a bare Tensor', f'test_malformed.py, line {line}'):
        ms.grad(made(lambda self, x: x, kind(bprop)))(X)


@pytest.mark.parametrize(
    ('value', 'error', 'facts'),
    [
        (lambda s, d: (d * s.w,), BpropTupleError, ['internal_params (w)', '{self.w: dw}`', 'tuple of 1']),
        (lambda s, d: None, BpropTupleError, ['internal_params (w)', 'it returned nothing']),
        (lambda s, d: (d, d), BpropTupleError, ['internal_params (w)', 'tuple of 2']),
        (lambda s, d: ({s.w: d.sum()}, (d,)), BpropTupleError, ['internal_params (w)', 'tuple of 2']),
        (lambda s, d: ((d,), (d.sum(),)), BpropTupleError, ['internal_params (w)', 'tuple of 2']),
        (lambda s, d: ([d], [d.sum()]), BpropTupleError, ['internal_params (w)', 'tuple of 2']),
        (lambda s, d: ((d,), {}), BpropCountError, ['no gradient for', 'Parameter w', 'to the dict']),
        (lambda s, d: ((d,), {'w': d.sum()}), BpropCountError, ['no gradient for', 'Parameter w', 'value is None']),
        (
            lambda s, d: ((d,), {s.w: d.sum(), Parameter(1.0, 'u'): d}),
            BpropCountError,
            ['Parameter u', 'not in internal_params'],
        ),
        (lambda s, d: (d, {s.w: d.sum()}), BpropTupleError, ['a bare Tensor', 'tuple is due']),
        (lambda s, d: ((), {s.w: d.sum()}), BpropCountError, ['0 gradients for', '1 input (x)']),
        (lambda s, d: ((d,), {s.w: d}), BpropShapeError, ['(3,) for w', 'has shape ()', 'Write .sum(0)']),
        (lambda s, d: ((d,), {s.w: 1.0}), BpropTypeError, ['a float', 'gradient of w']),
        (lambda s, d: ((d,), {s.w: d.sum() > 0}), DTypeError, ['Bool Tensor', 'gradient of w']),
    ],
)
def test_gradients_of_weights_come_in_a_dict_of_parameters(value, error, facts):
    class Bad(Scale):
        def bprop(self, x, out, dout):
            return value(self, dout)

    with refused(error, 'Bad.bprop', *facts, line='ms.grad(Bad())(X)'):
        ms.grad(Bad())(X)


@pytest.mark.parametrize(
    'internal', [lambda w: w, lambda w: ['w'], lambda w: [Tensor(1.0)]], ids=['a bare Parameter', 'a name', 'a Tensor']
)
def test_internal_params_that_are_no_list_of_parameters(internal):
    """MindSpore ignores them in silence: the weight would never train."""
    cell = Scale()
    with refused(TypeError, 'Scale', 'internal_params', line='cell.internal_params ='):
        cell.internal_params = internal(cell.w)


# Hundreds of malformed bprops: none passes in silence, however it is asked for, and every error names the Cell.

SHAPES = [(), (1,), (2,), (3,), (4,), (1, 1), (1, 3), (3, 1), (2, 3), (3, 2), (3, 3), (1, 2, 3), (2, 3, 1), (0,), (6,)]
INPUTS = [[(3,)], [(2, 3), (3,)], [(2,), (2,), (2,)], [()]]
ONES = Tensor([1.0, 1.0, 1.0])
THINGS = {
    'a string': 'dx',
    'a number': 1.0,
    'an int': 0,
    'a bool': True,
    'an ndarray': np.ones(3, np.float32),
    'a NumPy scalar': np.float32(1),
    'a dtype': ms.float32,
    'a function': ops.relu,
    'an empty tuple': (),
    'a nested tuple': (ONES,),
    'a list': [ONES],
    'a dict': {'x': ONES},
}
WHOLE = {
    'nothing': None,
    'a string': 'dx, dy',
    'a number': 1.0,
    'an ndarray': np.ones(3, np.float32),
    'a dict': {},
    'a set': frozenset(),
    'a generator': iter(()),
    'a bare Tensor': ONES,
}


def right(inputs) -> tuple:
    return tuple(map(ops.ones_like, inputs))


def wrong_returns(inputs):
    """What a bprop of these inputs may return, and must not; with a name for it."""
    n, due = len(inputs), right(inputs)
    yield from WHOLE.items()
    yield 'nested whole', (due,) if n > 1 else (due[:1],)
    for count in {*range(n + 4)} - {n}:
        yield f'{count} for {n}', (due * 4)[:count]
        yield f'a list of {count} for {n}', [due[0]] * count
    for k, x in enumerate(inputs):
        for (what, thing), kind in product(THINGS.items(), (tuple, list)):
            yield f'{what} at {k} in a {kind.__name__}', kind([*due[:k], thing, *due[k + 1 :]])
        for shape, dtype in product(SHAPES, (ms.float32, ms.float64, ms.int32)):
            if shape != x.shape:
                yield f'shape {shape} {dtype} at {k}', (*due[:k], ops.ones(shape, dtype), *due[k + 1 :])
        for dtype in (ms.bool_, ms.complex64):
            yield f'{dtype} at {k}', (*due[:k], Tensor(np.ones(x.shape, dtype.numpy)), *due[k + 1 :])


@pytest.mark.parametrize('shapes', INPUTS, ids=str)
def test_no_malformed_bprop_passes(shapes):
    inputs = [Tensor(np.ones(s, np.float32)) for s in shapes]
    cases = list(wrong_returns(inputs))
    assert len(cases) > 80
    for what, value in cases:
        cell = made(lambda self, *inputs: sum(t.sum() for t in inputs), lambda self, *a, v=value: v)
        for ask in (
            lambda cell: ms.grad(cell)(*inputs),
            lambda cell: ops.GradOperation(get_all=True)(cell)(*inputs),
            lambda cell: ms.grad(lambda x: ms.grad(cell)(x, *inputs[1:]).sum())(inputs[0]),
        ):
            with refused(errors.MinicellError, 'Mine.bprop', 'return', keep=False):
                print(what, ask(cell))


class Weighted(Scale):
    """Two Parameters of internal_params; its bprop returns what a function of the Cell and its input gives."""

    def __init__(self, returned):
        super().__init__(Tensor([2.0, 3.0]))
        self.b = Parameter(Tensor(1.0), name='b')
        self.internal_params = [self.w, self.b]
        self.returned = returned

    def construct(self, x):
        return x.sum() * self.w.sum() + self.b

    def bprop(self, x, out, dout):
        return self.returned(self, ops.ones_like(x))


def wrong_weights():
    """What its bprop may return, and must not, as a function of the Cell and of a right dx; with a name for it."""
    good = lambda cell, *without: {p: ops.ones_like(p) for p in cell.internal_params if p.name not in without}
    yield 'no dict', lambda cell, dx: (dx,)
    yield 'the dict alone', lambda cell, dx: good(cell)
    yield 'the dict first', lambda cell, dx: (good(cell), (dx,))
    yield 'flat', lambda cell, dx: (dx, *good(cell).values())
    yield 'a tuple for the dict', lambda cell, dx: ((dx,), (*good(cell).values(),))
    yield 'no inner tuple', lambda cell, dx: (dx, good(cell))
    yield 'three parts', lambda cell, dx: ((dx,), good(cell), None)
    yield 'an empty dict', lambda cell, dx: ((dx,), {})
    for left in 'wb':
        yield f'without {left}', lambda cell, dx, n=left: ((dx,), good(cell, n))
    for key in ('w', 0, None, Parameter(1.0, name='w'), Tensor([2.0, 3.0])):
        name = f'{type(key).__name__} as a key'
        yield name, lambda cell, dx, k=key: ((dx,), {k: ops.ones_like(cell.w)} | good(cell, 'w'))
        yield f'{name} too', lambda cell, dx, k=key: ((dx,), good(cell) | {k: ops.ones_like(cell.w)})
    for name, thing in THINGS.items():
        yield f'{name} for w', lambda cell, dx, t=thing: ((dx,), good(cell) | {cell.w: t})
    for shape in SHAPES:
        if shape != (2,):
            yield f'{shape} for w', lambda cell, dx, s=shape: ((dx,), good(cell) | {cell.w: ops.ones(s)})
    for count in (0, 2, 3):
        yield f'{count} inputs', lambda cell, dx, c=count: ((dx,) * c, good(cell))


@pytest.mark.parametrize('returned', [pytest.param(wrong, id=what) for what, wrong in wrong_weights()])
def test_no_malformed_dict_passes(returned):
    cell = Weighted(returned)
    for weights in (None, cell.trainable_params()):
        with refused(errors.MinicellError, 'Weighted.bprop', keep=False):
            ms.grad(cell, 0, weights)(Tensor([1.0, 2.0]))
