"""What a bprop reads outside self, and what construct takes that is none of its inputs."""

import collections
import contextvars
import dataclasses
import functools
import os
import types
import weakref

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import Ran, X, cell, first, quiet, right, right_or_said

ONES = Tensor([1.0, 1.0, 1.0])
ROW, STATE, SPACE, TURN = [], {}, types.SimpleNamespace(), contextvars.ContextVar('turn')
WEAK, LAYERS, MAP = weakref.WeakKeyDictionary(), collections.deque(maxlen=1), collections.ChainMap({})


@dataclasses.dataclass
class Box:
    x: object = None


BOX = Box()


class Kept(nn.Cell):
    """x², by way of what `keep` puts somewhere outside; called twice, bprop finds the last call's."""

    last, box = None, Box()

    def construct(self, x):
        self.keep(x)
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 2 * self.read(),)


def by_helper():
    return STATE['x']


def by_number(self, x):
    global NUMBER
    NUMBER = float(x[0])


OUTSIDE = {  # how construct keeps x, and where bprop finds it
    'ByList': (lambda self, x: ROW.__setitem__(slice(None), [x]), lambda self: ROW[0]),
    'ByDict': (lambda self, x: STATE.update(x=x), lambda self: by_helper()),
    'ByNumber': (by_number, lambda self: NUMBER),
    'ByArray': (lambda self, x: STATE.update(array=x.asnumpy().copy()), lambda self: Tensor(STATE['array'])),
    'ByClass': (lambda self, x: setattr(Kept, 'last', x), lambda self: Kept.last),
    'ByType': (lambda self, x: setattr(type(self), 'last', x), lambda self: type(self).last),
    'BySpace': (lambda self, x: setattr(SPACE, 'x', x), lambda self: SPACE.x),
    'ByBox': (lambda self, x: setattr(BOX, 'x', x), lambda self: BOX.x),
    'ByBoxOnSelf': (lambda self, x: setattr(self.box, 'x', x), lambda self: self.box.x),
    'ByContext': (lambda self, x: TURN.set(x), lambda self: TURN.get()),
    'ByWeakKeys': (lambda self, x: WEAK.__setitem__(self, x), lambda self: WEAK[self]),
    'ByDeque': (lambda self, x: LAYERS.append(x), lambda self: LAYERS[-1]),
    'ByMap': (lambda self, x: MAP.__setitem__('x', x), lambda self: MAP.get('x')),
}


def in_a_closure():
    kept = []
    keep = lambda self, x: (kept.__setitem__(slice(None), [x, x * 1]), x * x)[1]
    return cell(keep, lambda self, x, out, dout: ((lambda d: d * 2 * kept[0])(dout),), 'InAClosure')


def in_a_variable():
    kept = None

    class InAVariable(nn.Cell):
        def construct(self, x):
            nonlocal kept
            kept = x
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 2 * kept,)

    return InAVariable()


MAKES = {name: type(name, (Kept,), {'keep': keep, 'read': read}) for name, (keep, read) in OUTSIDE.items()}
MAKES |= {'in a closure': in_a_closure, 'in a variable': in_a_variable}
makes = pytest.mark.parametrize('make', MAKES.values(), ids=MAKES)


@makes
def test_what_construct_keeps_outside_self_is_the_last_calls(make):
    """net(x) + net(2x) has the slope 10x at 1; 12 where bprop takes the last call's for both."""
    net = make()
    program = lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ONES)
    right_or_said(program, [10] * 3, type(net).__name__, 'called', 'in out')


@makes
def test_of_one_call_nothing_is_said(make):
    net = make()
    for _ in range(2):
        ran = Ran(lambda: ms.grad(lambda x: net(x).sum())(ONES))
        assert right(ran.value, [2, 2, 2]) and not any('changed' in t for t in ran.texts), ran.texts


# ---- a setting that changes between call and backward ----------------------------------------------------------------

K, SETTINGS = 2.0, {'k': 2.0}


CHANGES = {  # a Cell whose bprop reads a setting, and who changes that
    'ByGlobal': (
        cell(lambda self, x: x * K, lambda self, x, out, dout: (dout * K,), 'ByGlobal'),
        lambda: globals().__setitem__('K', 5.0),
    ),
    'ByPartial': (
        cell(
            lambda self, x: x * SETTINGS['k'],
            functools.partialmethod(lambda self, s, x, out, dout: (dout * s['k'],), SETTINGS),
            'ByPartial',
        ),
        lambda: SETTINGS.__setitem__('k', 5.0),
    ),
    'ByEnviron': (
        cell(
            lambda self, x: x * float(os.environ['HOSTILE_OUTSIDE']),
            lambda self, x, out, dout: (dout * float(os.environ['HOSTILE_OUTSIDE']),),
            'ByEnviron',
        ),
        lambda: os.environ.__setitem__('HOSTILE_OUTSIDE', '5'),
    ),
    'ByDataclass': (
        cell(lambda self, x: x * self.box.x, lambda self, x, out, dout: (dout * self.box.x,), 'ByDataclass', box=BOX),
        lambda: setattr(BOX, 'x', 5.0),
    ),
}


@pytest.mark.parametrize('name', CHANGES)
def test_a_setting_outside_that_changes_between_call_and_backward(name, monkeypatch):
    monkeypatch.setenv('HOSTILE_OUTSIDE', '2')
    globals()['K'], SETTINGS['k'], BOX.x = 2.0, 2.0, 2.0
    net, change = CHANGES[name]
    program = lambda: ms.grad(lambda x: first(net(x), change()).sum())(X)
    right_or_said(program, [2, 2, 2], name, 'changed since')
    quiet(lambda: ms.grad(net)(X), [5, 5, 5])  # between gradients a setting is as it is set


LOG, COUNTS, STACK = [], {'construct': 0, 'bprop': 0}, []


class Logs(nn.Cell):
    """Counts and writes a log, in construct and in bprop, and reads constants of a library and of its own module."""

    def construct(self, x):
        COUNTS['construct'] += 1
        LOG.append('construct')
        return x * x * np.pi * FACTOR

    def bprop(self, x, out, dout):
        COUNTS['bprop'] += 1
        LOG.append(dout.shape)
        self.seen = len(ops.__name__)
        return (dout * 2 * x * np.pi * FACTOR,)


FACTOR = 1 / np.pi


def stacks():
    """A stack: what was put on last is what bprop takes first, and that is right."""
    push = lambda self, x: first(x * x, STACK.append(x))
    return cell(push, lambda self, x, out, dout: (dout * 2 * STACK.pop(),), 'Stacks')


@pytest.mark.parametrize('kind', [Logs, stacks], ids=lambda kind: kind.__name__)
def test_a_log_a_counter_and_a_stack_are_no_changes(kind):
    net = kind()
    quiet(lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ONES), [10] * 3)


def test_what_a_bprop_writes_itself_is_no_change_when_a_vjp_is_read_again():
    net = Logs()
    _, back = ms.vjp(lambda x: net(x).sum(), X)
    quiet(lambda: [back(Tensor(1.0))[0] for _ in range(3)], ([2, 4, 6],) * 3)


def test_a_bprop_that_is_no_plain_function_does_not_change_by_being_looked_at():
    bprop = functools.singledispatchmethod(lambda self, x, out, dout: (dout * 50,))
    quiet(lambda: ms.grad(cell(lambda self, x: x * 2, bprop))(X), [50] * 3)


# ---- a differentiated value that construct only hands on, or takes the numbers of ------------------------------------


class Takes(nn.Cell):
    """y times z, where z is kept in a list."""

    def __init__(self, z, take):
        super().__init__()
        self.z, self.take = [z], take

    def construct(self, y):
        return self.take(y, self.z[0])

    def bprop(self, y, out, dout):
        first = dout[0] if isinstance(dout, tuple) else dout
        return (first * y * y,)


TAKES = {
    'asnumpy': lambda y, z: y * Tensor(z.asnumpy()),
    'float': lambda y, z: y * Tensor([float(v) for v in z]),
    'tolist': lambda y, z: y * Tensor(z.tolist()),
    'NumPy': lambda y, z: y * Tensor(np.abs(z)),
    'a copy': lambda y, z: y * Tensor(z),
    'a gradient in it': lambda y, z: y * z * ms.grad(lambda t: t.sum())(z),
    'a gradient by it': lambda y, z: ms.grad(lambda t: (t * y).sum())(z) * z,
    'in a pair': lambda y, z: (y * 1, z),
}


@pytest.mark.parametrize('take', TAKES.values(), ids=TAKES)
def test_a_captured_value_is_said_whatever_is_done_with_it(take):
    def f(x):
        found = Takes(x * x, take)(x)
        return (found[0] * found[1] if isinstance(found, tuple) else found).sum()

    right_or_said(lambda: ms.grad(f)(X), [3, 12, 27], 'Takes', '(3,)', 'its inputs')


@pytest.mark.parametrize('argument', [True, False], ids=['of an input', 'of a constant'])
def test_a_captured_value_that_is_handed_on_is_said(argument):
    hand_on = lambda y, z: z
    program = lambda: ms.grad(lambda x: Takes(x * x, hand_on)(x if argument else ONES).sum())(X)
    right_or_said(program, [2, 4, 6], 'Takes', '(3,)', 'its inputs')


def test_an_input_that_is_handed_on_is_none():
    hand_on = cell(lambda self, x, y: (x, y), lambda self, x, y, out, dout: dout)
    quiet(lambda: ms.grad(lambda x: (lambda a, b: (a * b).sum())(*hand_on(x, x * 2)))(X), [4, 8, 12])


def test_a_parameter_that_is_handed_on_is_said():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name='p')
    program = lambda: ms.grad(lambda x: Takes(p, lambda y, z: z)(x).sum(), None, p)(X)
    right_or_said(program, [1, 1, 1], 'Takes', 'Parameter p', 'self.internal_params')
