"""Family 5: what a bprop reads outside self, and what construct takes that is none of its inputs."""

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
from tests.hostile.said import Ran, X, right, right_or_said

ONES = Tensor([1.0, 1.0, 1.0])
ROW, STATE, SPACE, TURN = [], {}, types.SimpleNamespace(), contextvars.ContextVar('turn')
WEAK, LAYERS, MAP = weakref.WeakKeyDictionary(), collections.deque(maxlen=1), collections.ChainMap({})


@dataclasses.dataclass
class Box:
    x: object = None


BOX = Box()


class Kept(nn.Cell):
    """x², by way of what `keep` puts somewhere outside; called twice, bprop finds the last call's."""

    last = None

    def construct(self, x):
        self.keep(x)
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 2 * self.read(),)


def by_helper():
    return STATE['x']


class ByList(Kept):
    def keep(self, x):
        ROW[:] = [x]

    def read(self):
        return ROW[0]


class ByDict(Kept):
    def keep(self, x):
        STATE.update(x=x)

    def read(self):
        return by_helper()


class ByNumber(Kept):
    def keep(self, x):
        global NUMBER
        NUMBER = float(x[0])

    def read(self):
        return NUMBER


class ByArray(Kept):
    def keep(self, x):
        STATE['array'] = x.asnumpy().copy()

    def read(self):
        return Tensor(STATE['array'])


class ByClass(Kept):
    def keep(self, x):
        ByClass.last = x

    def read(self):
        return ByClass.last


class ByType(Kept):
    def keep(self, x):
        type(self).last = x

    def read(self):
        return type(self).last


class BySpace(Kept):
    def keep(self, x):
        SPACE.x = x

    def read(self):
        return SPACE.x


class ByBox(Kept):
    def keep(self, x):
        BOX.x = x

    def read(self):
        return BOX.x


class ByBoxOnSelf(Kept):
    box = Box()

    def keep(self, x):
        self.box.x = x

    def read(self):
        return self.box.x


class ByContext(Kept):
    def keep(self, x):
        TURN.set(x)

    def read(self):
        return TURN.get()


class ByWeakKeys(Kept):
    def keep(self, x):
        WEAK[self] = x

    def read(self):
        return WEAK[self]


class ByDeque(Kept):
    def keep(self, x):
        LAYERS.append(x)

    def read(self):
        return LAYERS[-1]


class ByMap(Kept):
    def keep(self, x):
        MAP['x'] = x

    def read(self):
        return MAP.get('x')


def in_a_closure():
    kept = []

    class InAClosure(nn.Cell):
        def construct(self, x):
            kept[:] = [x, x * 1]
            return x * x

        def bprop(self, x, out, dout):
            return ((lambda d: d * 2 * kept[0])(dout),)

    return InAClosure()


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


MAKES = [*Kept.__subclasses__(), in_a_closure, in_a_variable]


@pytest.mark.parametrize('make', MAKES, ids=lambda make: make.__name__)
def test_what_construct_keeps_outside_self_is_the_last_calls(make):
    """net(x) + net(2x) has the slope 10x at 1; 12 where bprop takes the last call's for both."""
    net = make()
    program = lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ONES)
    right_or_said(program, [10] * 3, type(net).__name__, 'bprop reads|on self', 'out')


@pytest.mark.parametrize('make', MAKES, ids=lambda make: make.__name__)
def test_of_one_call_nothing_is_said(make):
    net = make()
    for _ in range(2):
        ran = Ran(lambda: ms.grad(lambda x: net(x).sum())(ONES))
        assert right(ran.value, [2, 2, 2]) and not any('changed' in t for t in ran.texts), ran.texts


# ---- a setting that changes between call and backward ----------------------------------------------------------------

K, SETTINGS = 2.0, {'k': 2.0}


class ByGlobal(nn.Cell):
    def construct(self, x):
        return x * K

    def bprop(self, x, out, dout):
        return (dout * K,)


class ByPartial(nn.Cell):
    def construct(self, x):
        return x * SETTINGS['k']

    bprop = functools.partialmethod(lambda self, s, x, out, dout: (dout * s['k'],), SETTINGS)


class ByEnviron(nn.Cell):
    def construct(self, x):
        return x * float(os.environ['HOSTILE_OUTSIDE'])

    def bprop(self, x, out, dout):
        return (dout * float(os.environ['HOSTILE_OUTSIDE']),)


class ByDataclass(nn.Cell):
    def __init__(self):
        super().__init__()
        self.box = BOX

    def construct(self, x):
        return x * self.box.x

    def bprop(self, x, out, dout):
        return (dout * self.box.x,)


CHANGES = {
    ByGlobal: lambda: globals().__setitem__('K', 5.0),
    ByPartial: lambda: SETTINGS.__setitem__('k', 5.0),
    ByEnviron: lambda: os.environ.__setitem__('HOSTILE_OUTSIDE', '5'),
    ByDataclass: lambda: setattr(BOX, 'x', 5.0),
}


@pytest.mark.parametrize('kind', CHANGES, ids=lambda kind: kind.__name__)
def test_a_setting_outside_that_changes_between_call_and_backward(kind, monkeypatch):
    monkeypatch.setenv('HOSTILE_OUTSIDE', '2')
    globals()['K'], SETTINGS['k'], BOX.x = 2.0, 2.0, 2.0
    net = kind()

    def f(x):
        y = net(x)
        CHANGES[kind]()
        return y.sum()

    right_or_said(lambda: ms.grad(f)(X), [2, 2, 2], kind.__name__, 'changed since')
    ran = Ran(lambda: ms.grad(net)(X))  # between gradients a setting is as it is set
    assert right(ran.value, [5, 5, 5]) and not ran.texts


# ---- no false alarm --------------------------------------------------------------------------------------------------

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


class Stacks(nn.Cell):
    """A stack: what was put on last is what bprop takes first, and that is right."""

    def construct(self, x):
        STACK.append(x)
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 2 * STACK.pop(),)


@pytest.mark.parametrize('kind', [Logs, Stacks], ids=lambda kind: kind.__name__)
def test_a_log_a_counter_and_a_stack_are_no_changes(kind):
    net = kind()
    ran = Ran(lambda: ms.grad(lambda x: (net(x) + net(x * 2)).sum())(ONES))
    assert right(ran.value, [10] * 3) and not ran.texts, ran.texts


def test_what_a_bprop_writes_itself_is_no_change_when_a_vjp_is_read_again():
    net = Logs()
    _, back = ms.vjp(lambda x: net(x).sum(), X)
    ran = Ran(lambda: [back(Tensor(1.0))[0] for _ in range(3)])
    assert all(right(v, [2, 4, 6]) for v in ran.value) and not ran.texts, ran.texts


def test_a_bprop_that_is_no_plain_function_does_not_change_by_being_looked_at():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        @functools.singledispatchmethod
        def bprop(self, x, out, dout):
            return (dout * 50,)

    ran = Ran(lambda: ms.grad(Net())(X))
    assert right(ran.value, [50] * 3) and not ran.texts, ran.texts


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

    right_or_said(lambda: ms.grad(f)(X), [3, 12, 27], 'Takes', 'none of its inputs')


@pytest.mark.parametrize('argument', [True, False], ids=['of an input', 'of a constant'])
def test_a_captured_value_that_is_handed_on_is_said(argument):
    hand_on = lambda y, z: z
    program = lambda: ms.grad(lambda x: Takes(x * x, hand_on)(x if argument else ONES).sum())(X)
    right_or_said(program, [2, 4, 6], 'Takes', 'none of its inputs')


def test_an_input_that_is_handed_on_is_none():
    class HandsOn(nn.Cell):
        def construct(self, x, y):
            return x, y

        def bprop(self, x, y, out, dout):
            return dout

    ran = Ran(lambda: ms.grad(lambda x: (lambda a, b: (a * b).sum())(*HandsOn()(x, x * 2)))(X))
    assert right(ran.value, [4, 8, 12]) and not ran.texts, ran.texts


def test_a_parameter_that_is_handed_on_is_said():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name='p')
    program = lambda: ms.grad(lambda x: Takes(p, lambda y, z: z)(x).sum(), None, p)(X)
    right_or_said(program, [1, 1, 1], 'Takes', r'\bp\b', 'internal_params')
