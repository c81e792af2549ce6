"""Family 8: more that a graph reads of Python, and that is another in a later call."""

import array
import collections
import dataclasses
import enum
import functools
import json
import math
import types
import weakref

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import Ran, X, right, right_or_said


class Choice(enum.Enum):
    ROW = [2.0]  # noqa: RUF012
    LOW = 2.0
    HIGH = 5.0


@dataclasses.dataclass(slots=True)
class Slots:
    k: float = 2.0


class Meta(type):
    k = 2.0


class OfMeta(metaclass=Meta):
    pass


class Base:
    k = 2.0


class Child(Base):
    pass


class Computes:
    """Reads its k from elsewhere, whoever asks."""

    row = [2.0]  # noqa: RUF012

    @property
    def k(self):
        return self.row[0]

    def __getitem__(self, name):
        return self.row[0]

    def __getattr__(self, name):
        return self.row[0]


def scaled(x):
    return x * 2.0


def scaled_more(x):
    return x * 5.0


def with_keyword(x, *, row=2.0):
    return x * row


def of_itself(x):
    return x * of_itself.k


class Trains(nn.Cell):
    def construct(self, x):
        return x * (5.0 if self.training else 2.0)


class Own(nn.Cell):
    def construct(self, x):
        return x * OWN[0]

    def bprop(self, x, out, dout):
        return (dout * OWN[0],)


OWN = [2.0]
NUMBERS = np.full((2, 3), 2.0, np.float32)
PATCHED = types.ModuleType('hostile_patched')


def reads() -> dict:
    """What a function reads, and how that changes: all made anew."""
    slots, computes, trains = Slots(), Computes(), Trains()
    computes.row = [2.0]
    under, chain, default = {'k': 2.0}, collections.ChainMap({'k': 2.0}), array.array('d', [2.0])
    proxy, numbers, view = types.MappingProxyType(under), NUMBERS.copy(), None
    view, box, users = numbers[0], Child(), collections.UserDict(k=2.0)
    text, part, table = ['{"k": 2.0}'], functools.partial(lambda row, x: x * row[0], [2.0]), {'f': scaled}
    held = weakref.ref(box)
    OWN[0], Base.k, Meta.k, Choice.ROW.value[0], of_itself.k, math.hostile = 2.0, 2.0, 2.0, 2.0, 2.0, 2.0
    with_keyword.__kwdefaults__['row'], PATCHED.scaled, ops.hostile = 2.0, scaled, scaled

    def counts(x):
        return x * sum(v for v in under.values())

    found = {
        'a list in an enum': (lambda x: x * Choice.ROW.value[0], lambda: Choice.ROW.value.__setitem__(0, 5.0)),
        'slots': (lambda x: x * slots.k, lambda: setattr(slots, 'k', 5.0)),
        'a metaclass': (lambda x: x * OfMeta.k, lambda: setattr(Meta, 'k', 5.0)),
        'a base class': (lambda x: x * Child().k, lambda: setattr(Base, 'k', 5.0)),
        'a property': (lambda x: x * computes.k, lambda: computes.row.__setitem__(0, 5.0)),
        'an item': (lambda x: x * computes['k'], lambda: computes.row.__setitem__(0, 5.0)),
        'any attribute': (lambda x: x * computes.anything, lambda: computes.row.__setitem__(0, 5.0)),
        'a read-only view of a dict': (lambda x: x * proxy['k'], lambda: under.update(k=5.0)),
        'a generator over a closure': (counts, lambda: under.update(k=5.0)),
        'a chain of dicts': (lambda x: x * chain['k'], lambda: chain.maps[0].update(k=5.0)),
        'a dict of the users': (lambda x: x * users['k'], lambda: users.update(k=5.0)),
        'an array of bytes': (lambda x: x * default[0], lambda: default.__setitem__(0, 5.0)),
        'what a view sees': (lambda x: x * Tensor(view), lambda: numbers.fill(5.0)),
        'a weak reference': (lambda x: x * held().k, lambda: setattr(box, 'k', 5.0)),
        'a text': (lambda x: x * json.loads(text[0])['k'], lambda: text.__setitem__(0, '{"k": 5.0}')),
        'what a partial holds': (lambda x: part(x), lambda: part.args[0].__setitem__(0, 5.0)),
        'a table of functions': (lambda x: table['f'](x), lambda: table.update(f=scaled_more)),
        'a keyword default': (with_keyword, lambda: with_keyword.__kwdefaults__.update(row=5.0)),
        'an attribute of itself': (of_itself, lambda: setattr(of_itself, 'k', 5.0)),
        'a function of a module': (lambda x: PATCHED.scaled(x), lambda: setattr(PATCHED, 'scaled', scaled_more)),
        'an op of ours': (lambda x: ops.hostile(x), lambda: setattr(ops, 'hostile', scaled_more)),
        'a number of a library': (lambda x: x * math.hostile, lambda: setattr(math, 'hostile', 5.0)),
        'training': (lambda x: trains(x), lambda: trains.set_train()),
        'a global of a bprop': (Own(), lambda: OWN.__setitem__(0, 5.0)),
    }
    return found


@pytest.fixture(autouse=True)
def clean():
    yield
    for space in (math, ops):
        vars(space).pop('hostile', None)


@pytest.mark.parametrize('what', reads())
def test_a_graph_whose_world_changed(what):
    f, change = reads()[what]
    graph = ms.jit(f)

    def program():
        first = graph(X), ms.grad(lambda x: graph(x).sum())(X)
        change()
        return (*first, graph(X), ms.grad(lambda x: graph(x).sum())(X))

    right_or_said(program, ([2, 4, 6], [2] * 3, [5, 10, 15], [5] * 3), 'graph|jit|trace')


def test_a_bprop_that_a_cell_is_given_after_the_trace():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

    for give in (lambda n, b: setattr(n, 'bprop', b), lambda n, b: setattr(type(n), 'bprop', staticmethod(b))):
        net = Net()
        graph = ms.jit(lambda x, net=net: net(x))
        slope = lambda graph=graph: ms.grad(lambda x: graph(x).sum())(X)
        assert right(slope(), [2, 2, 2])
        give(net, lambda x, out, dout: (dout * 50,))
        right_or_said(slope, [50, 50, 50], 'graph|jit|trace')


@pytest.mark.parametrize('first', [True, False])
def test_requires_grad_that_is_toggled_after_the_trace(first):
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p', requires_grad=first)
    graph = ms.jit(lambda x: x * p)
    slope = lambda: ms.grad(lambda x: graph(x).sum(), None, p)(X)
    due = {True: [1, 2, 3], False: [0, 0, 0]}
    assert right(slope(), due[first])
    p.requires_grad = not first
    assert right(slope(), due[not first])


ARGUMENTS = {
    'a number': (lambda x, k: x * k, lambda: (2.0, 5.0)),
    'a list that is written': (lambda x, k: x * k[0], lambda: ([2.0], [5.0])),
    'an array': (lambda x, k: x * float(k[0]), lambda: (np.array([2.0]), np.array([5.0]))),
    'an object': (lambda x, k: x * k.k, lambda: (Slots(2.0), Slots(5.0))),
    'an enum': (lambda x, k: x * k.value, lambda: (Choice.LOW, Choice.HIGH)),
}


@pytest.mark.parametrize('f, values', ARGUMENTS.values(), ids=ARGUMENTS)
def test_an_argument_that_is_another(f, values):
    graph = ms.jit(f)
    first, second = values()
    right_or_said(lambda: (graph(X, first), graph(X, second)), ([2, 4, 6], [5, 10, 15]), 'graph|jit|trace')
    assert right(graph(X, k=second), [5, 10, 15])


def test_an_argument_that_is_written_between_calls():
    graph, row, box = ms.jit(lambda x, k: x * k[0]), [2.0], Slots()
    of_box = ms.jit(lambda x, b: x * b.k)
    before = graph(X, row), of_box(X, box)
    row[0] = box.k = 5.0
    assert right((*before, graph(X, row), of_box(X, box)), ([2, 4, 6], [2, 4, 6], [5, 10, 15], [5, 10, 15]))


COUNTERS = {
    'nonlocal': lambda: counter()[0],
    'a class': lambda: lambda x: (setattr(Base, 'n', getattr(Base, 'n', 0) + 1), x * 2)[1],
    'a set': lambda seen=set(): lambda x: (seen.add(len(seen)), x * 2)[1],
    'a default dict': lambda seen=collections.defaultdict(list): lambda x: (seen[0], x * 2)[1],
}


def counter():
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * 2

    return f, lambda: n


@pytest.mark.parametrize('make', COUNTERS.values(), ids=COUNTERS)
def test_a_graph_that_counts_is_refused(make):
    graph = ms.jit(make())
    ran = Ran(lambda: [graph(X) for _ in range(3)])
    assert ran.says('graph', 'written|trace'), ran.texts


def test_what_is_read_and_stays_needs_no_new_trace():
    graph = ms.jit(lambda x: x * Choice.LOW.value * Child.k * OfMeta.k)
    Base.k = Meta.k = 1.0
    for _ in range(3):
        assert right(graph(X), [2, 4, 6])
    assert graph.traced == 1
