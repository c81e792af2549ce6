"""What may stand in the place of a bprop, and what it may return: it is used, or the Cell is named."""

import collections
import functools

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn
from minicell.errors import MinicellError
from tests.hostile.said import Ran, X, cell, quiet, right
from tests.messages import refused, tells

# ---- what it may be --------------------------------------------------------------------------------------------------


def odd(bprop):
    return cell(lambda self, x: x * 2, bprop, 'Odd')


def rule(self, x, out, dout):
    return (dout * x,)


class Called:
    def __call__(self, x, out, dout):
        return (dout * x,)


class CalledBound:
    def __get__(self, cell, kind):
        return functools.partial(rule, cell)


KINDS = {
    'a partial': lambda: functools.partial(rule, None),
    'a static partial': lambda: staticmethod(functools.partial(rule, None)),  # (3.14 makes a method of the other)
    'a partialmethod': lambda: functools.partialmethod(rule),
    'a callable object': Called,
    'a descriptor': CalledBound,
    'a static method': lambda: staticmethod(lambda x, out, dout: (dout * x,)),
    'a class method': lambda: classmethod(rule),
    'a property': lambda: property(lambda self: functools.partial(rule, self)),
    'a wrapped function': lambda: functools.wraps(rule)(lambda *args: rule(*args)),
    'a method by kind': lambda: functools.singledispatchmethod(rule),
    'a bound method': lambda: Called().__call__,
    'a graph': lambda: ms.jit(lambda self, x, out, dout: (dout * x,)),
}
ASK = {
    'grad': lambda net: ms.grad(net)(X),
    'a second gradient': lambda net: ms.grad(lambda x: (ms.grad(net)(x)).sum() + (net(x) * 0).sum())(X),
    'after a write': lambda net: ms.grad(lambda x: written(net(x)))(X),
    'a Tape': lambda net: taped(net),
    'check_bprop': lambda net: ms.check_bprop(net, X) and None,
}


def written(y):
    p = Parameter(Tensor([1.0]), name='p')
    p.set_data(Tensor([2.0]))
    return y


def taped(net):
    with ms.Tape() as seen:
        found = ms.grad(net)(X)
    assert str(seen)
    return found


@pytest.mark.parametrize('kind', KINDS.values(), ids=KINDS)
@pytest.mark.parametrize('ask', ASK)
def test_a_bprop_may_be_anything_that_is_called(kind, ask):
    net = odd(kind())
    ran = Ran(lambda: ASK[ask](net))
    due = [1, 1, 1] if ask == 'a second gradient' else [1, 2, 3]
    assert not ran.told and (ask == 'check_bprop' or right(ran.value, due)), f'{ran.value}: {ran.texts}'


@pytest.mark.parametrize('what', [5, 'dout', (1, 2), True, ms.ops, {'x': 1}, X], ids=lambda w: type(w).__name__)
@pytest.mark.parametrize('ask', ['grad', 'after a write', 'a Tape', 'check_bprop'])
def test_a_bprop_that_is_no_function_is_named(what, ask):
    def program():
        net = odd(what)
        if ask != 'check_bprop':
            ASK[ask](net)
        elif not (found := ms.check_bprop(net, X)).ok:  # a malformed bprop is a verdict
            raise MinicellError(str(found))

    with refused(MinicellError, 'Odd', 'bprop'):
        program()


# ---- what it may return ----------------------------------------------------------------------------------------------

ONES = Tensor([1.0, 1.0, 1.0])
PAIR = collections.namedtuple('PAIR', 'dx')


def net(bprop):
    """x * x, with a bprop of x, out, dout."""
    return cell(lambda self, x: x * x, lambda self, *given: bprop(*given))


def twice(d):
    d *= 2
    return d


RETURNED = {
    'a list': lambda x, out, d: [d * 2],
    'a named tuple': lambda x, out, d: PAIR(d * 2),
    'a class of its own': lambda x, out, d: (type('T', (Tensor,), {})(d * 2),),
    'a Parameter': lambda x, out, d: (Parameter(ONES * 2, name='p'),),
    'Float64': lambda x, out, d: ((d * 2).astype(ms.float64),),
    'Float16': lambda x, out, d: ((d * 2).astype(ms.float16),),
    'Int32': lambda x, out, d: ((d * 2).astype(ms.int32),),
    'dout twice as large, in place': lambda x, out, d: (twice(d),),
}


@pytest.mark.parametrize('bprop', RETURNED.values(), ids=RETURNED)
def test_results_that_are_right(bprop):
    quiet(lambda: ms.grad(lambda x: (net(bprop)(x) + x).sum())(X), [3, 3, 3])


def late(x, out, d):
    yield d


OF_X = 'gradient of x'
WRONG = {  # and what is said of it
    'a dict': (lambda x, out, d: {'x': d}, 'a dict', 'tuple'),
    'a generator expression': (lambda x, out, d: (g for g in [d]), 'a generator', 'tuple'),
    'a generator function': (late, 'a generator', 'return (dx,)'),
    'a map': (lambda x, out, d: map(abs, [d]), 'a map', 'tuple'),
    'a set': (lambda x, out, d: {d}, 'a set', 'tuple'),
    'a string': (lambda x, out, d: 'd', 'a str', 'tuple'),
    'a str in a tuple': (lambda x, out, d: ('d',), 'a str', OF_X),
    'a deque': (lambda x, out, d: collections.deque([d]), 'a deque', 'tuple'),
    'a bool': (lambda x, out, d: True, 'a bool', 'tuple'),
    'NotImplemented': (lambda x, out, d: NotImplemented, 'a NotImplementedType', 'tuple'),
    'an error': (lambda x, out, d: ValueError('x'), 'a ValueError', 'tuple'),
    'an ellipsis': (lambda x, out, d: (...,), 'an ellipsis', OF_X),
    'a float': (lambda x, out, d: (2.0,), 'a float', OF_X),
    'a number of NumPy': (lambda x, out, d: (np.float32(2),), 'a float32', OF_X),
    'an array': (lambda x, out, d: (np.ones(3, np.float32),), 'ndarray', OF_X),
    'a class': (lambda x, out, d: (Tensor,), 'a type', OF_X),
    'a Cell': (lambda x, out, d: (nn.ReLU(),), 'a ReLU', OF_X),
    'a function': (lambda x, out, d: (lambda: d,), 'a function', OF_X),
    'a list in a tuple': (lambda x, out, d: ([d],), 'a list of 1', OF_X),
    'rank 0': (lambda x, out, d: (Tensor(2.0),), 'shape () for x', 'shape (3,)'),
    'a column': (lambda x, out, d: (d.reshape(3, 1),), 'shape (3, 1) for x', 'shape (3,)'),
    'no numbers': (lambda x, out, d: (d[:0],), 'shape (0,) for x', 'shape (3,)'),
    'Bool': (lambda x, out, d: (x > 0,), 'a Bool Tensor', OF_X),
    'complex': (lambda x, out, d: (Tensor(np.array([1j, 2, 3])),), 'a Complex128 Tensor', OF_X),
    'with an empty dict': (lambda x, out, d: (d, {}), '2 gradients', '1 input'),
}


@pytest.mark.parametrize('bprop, what, why', WRONG.values(), ids=WRONG)
@pytest.mark.parametrize('order', [1, 2])
def test_results_that_are_wrong(bprop, what, why, order):
    slope = ms.grad(lambda x: net(bprop)(x).sum())
    program = slope if order == 1 else ms.grad(lambda x: slope(x).sum())
    here = 'test_bprop_kinds.py'
    with refused(MinicellError, 'Net.bprop returned', what, why, 'bprop: ' + here, 'line: ' + here):
        program(X)


@pytest.mark.parametrize('outside', [0.0, float('nan'), float('inf'), -float('inf')])
def test_numbers_that_are_none_are_said(outside):
    program = lambda: ms.grad(lambda x: net(lambda x, out, d: (d * outside,))(x).sum())(X)
    if outside == 0:
        quiet(program, [0, 0, 0])
    else:
        ran = Ran(program)
        assert right(ran.value, [outside] * 3)
        tells(ran.told[0], 'NaN or infinity', 'bprop of Net')
