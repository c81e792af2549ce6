"""What a traced function read of Python is another in a later call: it is traced anew, or refused by name."""

import array
import collections
import dataclasses
import enum
import functools
import json
import math
import os
import random
import time
import types
import weakref

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import X, cell, right, right_or_said, said

SETTINGS, ROW, ARRAY, BOX = {'k': 2.0}, [2.0], np.array([2.0]), types.SimpleNamespace(k=2.0)
NUMBER, TENSOR, NESTED, SET, TUPLE = 2.0, Tensor([2.0, 2.0, 2.0]), {'a': [{'k': 2.0}]}, {2.0}, (2.0,)


class Static:
    k = 2.0


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 2.0

    def construct(self, x):
        return x * self.k


INNER = Inner()


def helper(x):
    return x * 2.0


def other_helper(x):
    return x * 5.0


@pytest.fixture(autouse=True)
def as_it_was():
    """Each test begins with twos everywhere."""
    SETTINGS['k'], ROW[:], ARRAY[0], BOX.k, Static.k, INNER.k = 2.0, [2.0], 2.0, 2.0, 2.0, 2.0
    NESTED['a'][0]['k'] = 2.0
    SET.clear()
    SET.add(2.0)
    globals().update(NUMBER=2.0, TENSOR=Tensor([2.0, 2.0, 2.0]), TUPLE=(2.0,), helper=HELPER)
    os.environ['HOSTILE_K'], types.HOSTILE, math.hostile, ops.hostile = '2.0', 2.0, 2.0, scaled
    yield
    del os.environ['HOSTILE_K'], types.HOSTILE
    del math.hostile, ops.hostile


HELPER = helper


def to(name, value):
    return lambda: globals().__setitem__(name, value)


GLOBALS = {  # what a function reads of its module, and how that changes
    'a dict': (lambda x: x * SETTINGS['k'], lambda: SETTINGS.__setitem__('k', 5.0)),
    'a dict by get': (lambda x: x * SETTINGS.get('k', 0.0), lambda: SETTINGS.update(k=5.0)),
    'a list': (lambda x: x * ROW[0], lambda: ROW.__setitem__(0, 5.0)),
    'a list that grows': (lambda x: x * sum(ROW), lambda: ROW.append(3.0)),
    'a nested dict': (lambda x: x * NESTED['a'][0]['k'], lambda: NESTED['a'][0].__setitem__('k', 5.0)),
    'a set': (lambda x: x * max(SET), lambda: SET.add(5.0)),
    'a tuple that is bound again': (lambda x: x * TUPLE[0], to('TUPLE', (5.0,))),
    'an array': (lambda x: x * float(ARRAY[0]), lambda: ARRAY.__setitem__(0, 5.0)),
    'an object': (lambda x: x * BOX.k, lambda: setattr(BOX, 'k', 5.0)),
    'a class': (lambda x: x * Static.k, lambda: setattr(Static, 'k', 5.0)),
    'os.environ': (lambda x: x * float(os.environ['HOSTILE_K']), lambda: os.environ.__setitem__('HOSTILE_K', '5')),
    'os.getenv': (lambda x: x * float(os.getenv('HOSTILE_K')), lambda: os.environ.__setitem__('HOSTILE_K', '5')),
    'a number': (lambda x: x * NUMBER, to('NUMBER', 5.0)),
    'a helper': (lambda x: helper(x), to('helper', other_helper)),
    'a helper of a helper': (lambda x: by_helper(x), to('helper', other_helper)),
    'a number in a helper': (lambda x: by_number(x), to('NUMBER', 5.0)),
    'a dict in a helper': (lambda x: by_settings(x), lambda: SETTINGS.__setitem__('k', 5.0)),
    'a Tensor': (lambda x: x * TENSOR, to('TENSOR', Tensor([5.0, 5.0, 5.0]))),
    'a Tensor that is written': (lambda x: x * TENSOR, lambda: TENSOR.__setitem__(slice(None), 5.0)),
    'a Cell': (lambda x: INNER(x), lambda: setattr(INNER, 'k', 5.0)),
    'globals()': (lambda x: x * globals()['NUMBER'], to('NUMBER', 5.0)),
    'an attribute by name': (lambda x: x * getattr(BOX, 'k'), lambda: setattr(BOX, 'k', 5.0)),  # noqa: B009
    'vars': (lambda x: x * vars(BOX)['k'], lambda: setattr(BOX, 'k', 5.0)),
    'a module': (lambda x: x * types.HOSTILE, lambda: setattr(types, 'HOSTILE', 5.0)),
}


def by_helper(x):
    return helper(x)


def by_number(x):
    return x * NUMBER


def by_settings(x):
    return x * SETTINGS['k']


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


OWN = [2.0]
READS_OWN = cell(lambda self, x: x * OWN[0], lambda self, x, out, dout: (dout * OWN[0],))
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
    OWN[0], Base.k, Meta.k, Choice.ROW.value[0], of_itself.k = 2.0, 2.0, 2.0, 2.0, 2.0
    with_keyword.__kwdefaults__['row'], PATCHED.scaled, PATCHED.part = 2.0, scaled, functools.partial(scaled)

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
        'a partial': (lambda x: PATCHED.part(x), lambda: setattr(PATCHED, 'part', functools.partial(scaled_more))),
        'a table of functions': (lambda x: table['f'](x), lambda: table.update(f=scaled_more)),
        'a keyword default': (with_keyword, lambda: with_keyword.__kwdefaults__.update(row=5.0)),
        'an attribute of itself': (of_itself, lambda: setattr(of_itself, 'k', 5.0)),
        'a function of a module': (lambda x: PATCHED.scaled(x), lambda: setattr(PATCHED, 'scaled', scaled_more)),
        'an op of ours': (lambda x: ops.hostile(x), lambda: setattr(ops, 'hostile', scaled_more)),
        'a number of a library': (lambda x: x * math.hostile, lambda: setattr(math, 'hostile', 5.0)),
        'training': (lambda x: trains(x), lambda: trains.set_train()),
        'a global of a bprop': (READS_OWN, lambda: OWN.__setitem__(0, 5.0)),
    }
    return found


@pytest.mark.parametrize('what', [*GLOBALS, *reads()])
def test_a_graph_whose_world_changed(what):
    f, change = (GLOBALS | reads())[what]
    graph, slope = ms.jit(f), ms.grad(ms.jit(lambda x: f(x).sum() * 1))
    ask = lambda: (graph(X), ms.grad(lambda x: graph(x).sum())(X), slope(X))

    def program():
        first = ask()
        change()
        return first + ask()

    right_or_said(program, ([2, 4, 6], [2] * 3, [2] * 3, [5, 10, 15], [5] * 3, [5] * 3), 'graph')


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
        right_or_said(slope, [50, 50, 50], 'graph')


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
    right_or_said(lambda: (graph(X, first), graph(X, second)), ([2, 4, 6], [5, 10, 15]), 'graph')
    assert right(graph(X, k=second), [5, 10, 15])


def test_an_argument_that_is_written_between_calls():
    graph, row, box = ms.jit(lambda x, k: x * k[0]), [2.0], Slots()
    of_box = ms.jit(lambda x, b: x * b.k)
    before = graph(X, row), of_box(X, box)
    row[0] = box.k = 5.0
    assert right((*before, graph(X, row), of_box(X, box)), ([2, 4, 6], [2, 4, 6], [5, 10, 15], [5, 10, 15]))


def counting(box, count):
    def f(x):
        count(box)
        return x * 2

    return f


def counter():
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * 2

    return f


COUNTERS = {
    'a list': lambda: counting([0], lambda n: n.__setitem__(0, n[0] + 1)),
    'a dict': lambda: counting({'n': 0}, lambda n: n.update(n=n['n'] + 1)),
    'an object': lambda: counting(types.SimpleNamespace(n=0), lambda n: setattr(n, 'n', n.n + 1)),
    'a list that grows': lambda: counting([], lambda n: n.append(1)),
    'an array': lambda: counting(np.zeros(1), lambda n: n.__iadd__(1)),
    'nonlocal': counter,
    'a class': lambda: lambda x: (setattr(Base, 'n', getattr(Base, 'n', 0) + 1), x * 2)[1],
    'a set': lambda seen=set(): lambda x: (seen.add(len(seen)), x * 2)[1],
    'a default dict': lambda seen=collections.defaultdict(list): lambda x: (seen[0], x * 2)[1],
}


@pytest.mark.parametrize('make', COUNTERS.values(), ids=COUNTERS)
def test_a_graph_that_counts_is_refused(make):
    """Only the first call would."""
    graph = ms.jit(make())
    said(lambda: [graph(X) for _ in range(3)], 'written inside', 'the graph of', 'ops.assign')


DRAWS = {
    'random.random': lambda: random.random(),
    'random.Random': lambda: RANDOM.random(),
    'np.random': lambda: float(np.random.rand()),
    'a Generator': lambda: float(GENERATOR.random()),
    'time': lambda: time.perf_counter_ns() % 1_000_003,
    'a counter': lambda: next(STEPS),
}
RANDOM, GENERATOR, STEPS = random.Random(3), np.random.default_rng(3), iter(range(1, 10**6))


@pytest.mark.parametrize('draw', DRAWS.values(), ids=DRAWS)
def test_a_graph_that_draws_numbers_of_python_is_refused(draw):
    """The first call's would be frozen."""
    graph = ms.jit(lambda x: x * draw())
    said(lambda: [graph(X) for _ in range(3)], 'inside the graph', 'value once', 'ops.randn')


@pytest.mark.parametrize('file', ['<string>', '<ipython-input-1>', '<stdin>'])
@pytest.mark.parametrize('what', ['a number', 'a helper', 'a Tensor', 'a dict'])
def test_in_code_without_a_file_a_name_means_what_it_means_now(file, what):
    """As in a notebook whose cell is run again."""
    space = {'ms': ms, 'K': 2.0, 'D': {'k': 2.0}, 'T': Tensor([2.0] * 3)}
    bodies = {'a number': 'x * K', 'a helper': 'helper(x)', 'a Tensor': 'x * T', 'a dict': "x * D['k']"}
    exec(compile(f'def helper(x): return x * 2\n@ms.jit\ndef f(x): return {bodies[what]}\n', file, 'exec'), space)

    def program():
        first = space['f'](X)
        again = 'K = 5.0\nD["k"] = 5.0\nT = ms.Tensor([5.0] * 3)\ndef helper(x): return x * 5\n'
        exec(compile(again, file, 'exec'), space)
        return first, space['f'](X)

    right_or_said(program, ([2, 4, 6], [5, 10, 15]), 'graph')


def test_what_did_not_change_is_not_traced_anew():
    """Reading alone costs nothing: three calls, one trace."""
    Base.k = Meta.k = 1.0
    graph = ms.jit(lambda x: helper(x) * NUMBER * INNER.k * Choice.LOW.value * Child.k * OfMeta.k)
    for _ in range(3):
        assert right(graph(X), [16, 32, 48])
    assert graph.traced == 1


def test_a_setting_of_a_layer_of_the_librarys_that_changes_is_seen():
    act = nn.LeakyReLU(0.5)
    f = ms.jit(lambda x: act(x).sum())
    x = Tensor([-2.0, 1.0])
    assert float(f(x)) == 0.0
    act.alpha = 0.0
    assert float(f(x)) == float(act(x).sum())
