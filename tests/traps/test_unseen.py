"""What a bprop gets at by a detour, what stands between a write and its reader, and what is lost beside a gradient."""

import copy  # noqa: F401 (what is evaluated below uses it)
import functools
import pickle  # noqa: F401 (the same)
from collections import deque
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import (
    BypassWarning,
    KeptOnSelfWarning,
    NoPathWarning,
    WriteAfterUseError,
)
from tests.core.cells import made, values
from tests.messages import refused, warned

X, HUNDRED = Tensor([1.0, 2.0, 3.0]), Tensor([100.0] * 3)
ONES = Tensor([1.0, 1.0, 1.0])


class Holds(nn.Cell):
    """2x, with a Parameter of twos, and things that lead to it."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0] * 3), 'w')
        self.q = Parameter(Tensor([0.0] * 3), 'q')
        self.objects, self.view = [SimpleNamespace(w=self.w, get=lambda: self.w)], self.w[0:3]
        self.nets = (SimpleNamespace(net=made(lambda net, x: x * self.w)),)
        self.partial, self.jitted = functools.partial(ops.mul, self.w), ms.jit(lambda g: g * self.w)

    twice = property(lambda self: self.w * 1)

    def construct(self, x):
        return x * ops.stop_gradient(self.w)


def filled(w):
    t = Tensor([0.0] * 3)
    t[:] = w
    return t


def reads(what, names='s, x, out, dout'):
    """A bprop that reads something itself: one that hands self on may read everything."""
    return eval(f'lambda {names}: ({what},)', globals())


DETOURS = {
    'getattr': "dout * getattr(s, 'w')",
    'vars': "dout * vars(s)['_params']['w']",
    'a property': 'dout * s.twice',
    'a list of objects': 'dout * s.objects[0].w',
    "an object's method": 'dout * s.objects[0].get()',
    'a tuple of Cells': 's.nets[0].net(dout)',
    'a partial': 's.partial(dout)',
    'a view': 'dout * s.view',
    'a graph': 's.jitted(dout)',
    'a gradient': 'ms.grad(lambda t: (t * s.w * dout).sum())(x)',
    'NumPy': 'Tensor(dout.asnumpy() * s.w.asnumpy())',
    'a number': 'dout * s.w.max().item()',
    'an if': 'dout * (100 if s.w[0] > 50 else 2)',
    'assign': 'ops.assign(s.q, s.w) * dout',
    'set_data': 's.q.set_data(s.w) * dout',
    'an index write': 'filled(s.w) * dout',
    'a copy': 'dout * s.w.copy()',
    'a deep copy': 'dout * copy.deepcopy(s.w)',
    'a pickle': 'dout * pickle.loads(pickle.dumps(s.w))',
    'what it returns': 's.w.reshape(3)',
}


@pytest.mark.parametrize('detour', DETOURS.values(), ids=DETOURS)
def test_a_bprop_gets_at_what_was_written_since_by_any_way(detour):
    """Nobody looks at its code: it is seen what its ops are given, and who asks for numbers."""
    cell = type('Detour', (Holds,), {'bprop': reads(detour)})()
    _, back = ms.vjp(cell, X)
    assert values(back(ONES)) == ([2, 2, 2],), 'nothing was written yet'

    def f(x):
        y = cell(x)
        cell.w.set_data(HUNDRED)
        return y.sum()

    for ask in lambda: ms.grad(f)(X), lambda: back(ONES):
        with refused(WriteAfterUseError, 'of Detour', 'by w.set_data', keep=False):
            ask()
    cell.w[:] = 2.0
    assert values(ms.grad(cell)(X)) == [2, 2, 2]


def test_an_array_of_the_memory_that_is_written_is_seen_too():
    """One that the Cell was given is refused; one that it keeps has changed."""
    holds = type('Keeps', (Holds,), {'bprop': reads('dout * Tensor(s.arrays[0].of)')})()
    holds.arrays = [SimpleNamespace(of=holds.w.asnumpy())]
    given = made(lambda self, x, a: x * Tensor(a[0]), lambda self, x, a, out, dout: (dout * Tensor(a[0]), None))
    w = holds.w

    def f(x, net):
        y = net(x)
        w[1:] = 100.0
        return y.sum()

    with warned(KeptOnSelfWarning, 'Keeps.bprop', 'self.arrays'):
        ms.grad(lambda x: f(x, holds))(X)
    out, back = ms.vjp(lambda x: given(x, [w.asnumpy()]), X)
    w[0] = 7.0
    try:
        assert values(back(ONES)) == ([2, 100, 100],)
    except WriteAfterUseError as error:
        assert 'Mine' in str(error)
    assert out.shape == (3,)


WRITES = {  # w is 2; each writes 100 after y = x * w
    'a hook on the output': lambda w, y: [y.register_hook(lambda g: None), w.set_data(Tensor([100.0]))],
    'two hooks': lambda w, y: [*(y.register_hook(lambda g: g) for _ in range(2)), w.set_data(Tensor([100.0]))],
    'a hook that writes': lambda w, y: y.register_hook(lambda g: [w.set_data(Tensor([100.0])), None][1]),
    'another shape': lambda w, y: w.set_data(HUNDRED, slice_shape=True),
    'the setter': lambda w, y: setattr(w, 'data', Tensor([100.0])),
    'a view': lambda w, y: w.reshape(1, 1).__setitem__(0, 100.0),
}


@pytest.mark.parametrize('cell', [False, True], ids=['an op', 'a Cell'])
@pytest.mark.parametrize('write', WRITES.values(), ids=WRITES)
def test_whatever_stands_between_a_write_is_seen(write, cell):
    net = type('Net', (Holds,), {'bprop': reads('dout * s.w')})()

    def f(x):
        y = net(x) if cell else x * net.w
        write(net.w, y)
        return y * 1

    asked = {
        'grad': lambda: ms.grad(f)(X),
        'second order': lambda: ms.grad(ms.grad(lambda x: (f(x) * x).sum()))(X),
        'vjp': lambda: ms.vjp(f, X)[1](ONES),
        'jvp': lambda: ms.jvp(f, X, ONES),
    }
    for ask in asked.values():
        net.w = Parameter(Tensor([2.0]), 'w')
        with refused(WriteAfterUseError, 'written since', keep=False):
            ask()


def test_a_shape_that_no_longer_fits_is_said_as_the_write_that_it_is():
    w = Parameter(Tensor([2.0] * 3), 'w')
    with refused(WriteAfterUseError, 'of Mul', 'w.set_data', keep=False):
        ms.grad(lambda x: [x * w, w.set_data(ops.ones(4), slice_shape=True)][0].sum())(X)


@pytest.mark.parametrize('how', ['bprop', 'hook'])
def test_a_write_while_a_vjp_is_read_is_seen(how):
    w = Parameter(Tensor([2.0] * 3), 'w')
    writes = made(lambda self, x: x * 1, lambda self, x, out, dout: (w.set_data(HUNDRED) is w and dout * 1,))

    def f(x):
        y = x * w
        z = writes(y) if how == 'bprop' else y * 1
        if how == 'hook':
            z.register_hook(lambda g: [w.set_data(HUNDRED), None][1])
        return z

    with refused(WriteAfterUseError, 'of Mul', 'w.set_data', keep=False):
        ms.vjp(f, X)[1](ONES)
    w.set_data(Tensor([2.0] * 3))
    with refused(WriteAfterUseError, 'of Mul', keep=False):
        ms.jvp(f, X, ONES)


# ---- a gradient of 0, leaf by leaf ---------------------------------------------------------------------------------

loss = made(
    lambda self, x, t: ((x - t) * (x - t)).sum(), lambda self, x, t, out, dout: (dout * 2 * (x - t), None), name='Loss'
)
cubes = ms.grad(lambda t: (t * t * t).sum())
W = Parameter(Tensor([2.0] * 3), 'w')
LOST = {
    'a None for a constant': lambda: ms.grad(lambda x, z: loss(x, Tensor([0.0] * 3)), (0, 1))(X, X),
    'a None, and a weight': lambda: ms.grad(lambda x: loss(x, Tensor([0.0] * 3)), 0, [W])(X),
    'a gradient penalty': lambda: ms.grad(lambda x, z: (cubes(x) ** 2).sum(), (0, 1))(X, X),
    'a weight of no second order': lambda: ms.grad(ms.grad(lambda x: (x * x * x).sum()), 0, [W])(X),
    'a vjp inside': lambda: ms.grad(lambda x, z: ms.vjp(ops.exp, x)[1](ONES)[0].sum(), (0, 1))(X, X),
    'what a gradient inside is given, and does not use': lambda: ms.grad(
        lambda x, z: ms.grad(lambda a, b: (a * a).sum())(x, z).sum(), (0, 1)
    )(X, X),
    'what one has for an index alone': lambda: ms.grad(
        lambda x, z: ms.grad(lambda a, b: (a * a * b.astype(ms.int32)).sum())(x, z).sum(), (0, 1)
    )(X, X),
    'a vjp that nobody reads': lambda: ms.grad(lambda x, z: [ms.vjp(ops.exp, z), (x * x).sum()][1], (0, 1))(X, X),
}
MEANT = {
    'a None for the target': lambda: ms.grad(loss, (0, 1))(X, X),
    'a None behind ops': lambda: ms.grad(lambda x, t: loss(x, ops.stack([t, t])[0] * 2 + 1), (0, 1))(X, X),
    'a straight line': lambda: ms.grad(ms.grad(lambda x: (x * 3).sum()))(X),
    'a straight line inside': lambda: ms.grad(lambda x: ms.grad(lambda t: (t * 3 + x).sum())(x).sum())(X),
    'a mixed one': lambda: ms.grad(lambda x, y: ms.grad(lambda x, y: (x * 2 + y).sum())(x, y).sum(), (0, 1))(X, X),
    'one in an input beside': lambda: ms.grad(lambda x, z: ms.grad(lambda a, b: (a + b).sum())(x, z).sum(), (0, 1))(
        X, X
    ),
    'one by name': lambda: ms.grad(lambda x, z: ms.grad(lambda a, b: (a * a + b).sum())(x, b=z).sum(), (0, 1))(X, X),
    'a vjp of one': lambda: ms.grad(lambda x: ms.vjp(lambda t: t * 3, x)[1](ONES)[0].sum())(X),
    'a jvp of one': lambda: ms.grad(lambda x: ms.jvp(lambda t: t * 3, x, ONES)[1].sum())(X),
    'a Hessian of one': lambda: ms.jacrev(ms.grad(lambda x: (x * 3).sum()))(X),
}


@pytest.mark.parametrize('lost', LOST.values(), ids=LOST)
def test_one_zero_that_is_meant_does_not_silence_another(lost):
    with warned(NoPathWarning, 'Parameter w' if 'W' in lost.__code__.co_names else 'argument 1', 'nothing connects'):
        lost()


@pytest.mark.parametrize('meant', MEANT.values(), ids=MEANT)
def test_a_zero_that_is_meant_is_not_said(meant):
    with warned() as said:
        meant()
    assert not said.caught, said.caught[0].message


@dataclass
class Box:
    a: object


class Slots:
    __slots__ = ('a',)

    def __init__(self, a):
        self.a = a


HIDDEN = {
    'a dataclass': Box, 'one in another': lambda t: Box(Box([t])), '__slots__': Slots, 'a deque': lambda t: deque([t]),
    'a proxy': lambda t: MappingProxyType({1: t}), 'a set': lambda t: {t},
    'a namespace': lambda t: SimpleNamespace(a=t),
    'a generator': lambda t: (v for v in [t]), 'an iterator': lambda t: iter([t]), 'a map': lambda t: map(str, [t]),
    'a function': lambda t: lambda: t, 'a partial': lambda t: functools.partial(ops.mul, t),
}  # fmt: skip


@pytest.mark.parametrize('hide', HIDDEN.values(), ids=HIDDEN)
def test_a_tensor_lost_beside_another_output_is_said(hide):
    for lost in True, False:
        with warned() as said:
            assert values(ms.grad(lambda x, lost=lost: ((x * x).sum(), hide(x * 3 if lost else X)))(X)) == [2, 4, 6]
        assert [w.category for w in said.caught] == [NoPathWarning] * lost, hide


# ---- past a bprop, by a construct that hands its work on ------------------------------------------------------------


def doubled(x):
    return ops.relu(x) * 2


def hands_on(construct, **more):
    own = {'construct': construct, 'bprop': lambda self, x, out, dout: (dout * 50,)}
    return type('HandsOn', (nn.Cell,), own | more)


class Inner(nn.Cell):
    layer = nn.ReLU()


RELU = nn.SequentialCell(nn.ReLU(), nn.ReLU())
DELEGATES = {
    'a layer': hands_on(lambda self, x: RELU(x)),
    'a helper': hands_on(lambda self, x: doubled(x)),
    'a method': hands_on(lambda self, x: self.go(x), go=lambda self, x: doubled(x)),
    'nobody': hands_on(lambda self, x: x),
    'a static helper': hands_on(staticmethod(doubled)),
    'reduce': hands_on(lambda self, x: functools.reduce(ops.mul, (x, x))),
    'super': type('HandsOn', (hands_on(lambda self, x: doubled(x)),), {'forward': lambda self, x: x}),
}
PAST = {
    'by name': lambda net: ms.grad(lambda x: net.construct(x).sum())(X),
    'an alias': lambda net: (lambda run: ms.grad(lambda x: run(x).sum())(X))(net.construct),
    'given to grad': lambda net: ms.grad(net.construct)(X),
    'vjp': lambda net: ms.vjp(lambda x: net.construct(x), X)[1](ONES),
    'second order': lambda net: ms.grad(lambda x: (ms.grad(lambda t: net.construct(t).sum())(x) * x).sum())(X),
    'a graph': lambda net: (lambda g: (g(X), ms.grad(g)(X)))(ms.jit(lambda x: net.construct(x).sum())),
}


@pytest.mark.parametrize('past', PAST.values(), ids=PAST)
@pytest.mark.parametrize('kind', DELEGATES.values(), ids=DELEGATES)
def test_past_a_construct_that_only_delegates(kind, past):
    with warned() as said:
        past(kind())
    assert {w.category for w in said.caught} == {BypassWarning} and 'HandsOn.construct is' in str(
        said.caught[0].message
    )
    with warned() as said:
        assert values(ms.grad(lambda x: kind()(x).sum())(X)) == [50, 50, 50]
        kind().construct(X)
    assert not said.caught


def test_who_may_call_a_construct_that_delegates():
    """Its own bprop, a subclass without one, and one whose own bprop answers."""
    of_itself = hands_on(lambda self, x: doubled(x))
    of_itself.bprop = lambda self, x, out, dout: (ms.grad(lambda t: (self.construct(t) * dout).sum())(x),)
    no_more = type('NoMore', (hands_on(lambda self, x: doubled(x)),), {'bprop': None})
    no_more.construct = lambda self, x: super(no_more, self).construct(x) * 1
    with warned() as said:
        for kind in of_itself, no_more:
            assert values(ms.grad(lambda x, kind=kind: kind()(x).sum())(X)) == [2, 2, 2]
    assert not said.caught
