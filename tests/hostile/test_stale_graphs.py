"""S9: what a traced function read of Python is another in a later call: it is traced anew, or refused by name."""

import os
import random
import time
import types

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn
from tests.hostile.said import Ran, X, right, right_or_said

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
    os.environ['HOSTILE_K'] = '2.0'
    yield
    del os.environ['HOSTILE_K']


HELPER = helper


def to(name, value):
    return lambda: globals().__setitem__(name, value)


READS = {
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
types.HOSTILE = 2.0


def by_helper(x):
    return helper(x)


def by_number(x):
    return x * NUMBER


def by_settings(x):
    return x * SETTINGS['k']


reads = pytest.mark.parametrize('f, change', READS.values(), ids=READS)


@reads
def test_s9_a_graph_whose_world_changed(f, change):
    types.HOSTILE = 2.0
    graph = ms.jit(f)

    def program():
        first = graph(X)
        change()
        return first, graph(X)

    right_or_said(program, ([2, 4, 6], [5, 10, 15]), 'graph|jit|trace')


@reads
def test_s9_the_gradient_of_a_graph_whose_world_changed(f, change):
    types.HOSTILE = 2.0
    slope = ms.grad(ms.jit(lambda x: f(x).sum() * 1))

    def program():
        first = slope(X)
        change()
        return first, slope(X)

    right_or_said(program, ([2] * 3, [5] * 3), 'graph|jit|trace')


CLOSURES = {
    'a dict': ({'k': 2.0}, lambda box: box['k'], lambda box: box.__setitem__('k', 5.0)),
    'a list': ([2.0], lambda box: box[0], lambda box: box.__setitem__(0, 5.0)),
    'an array': (np.array([2.0]), lambda box: float(box[0]), lambda box: box.__setitem__(0, 5.0)),
    'an object': (types.SimpleNamespace(k=2.0), lambda box: box.k, lambda box: setattr(box, 'k', 5.0)),
    'a deque of dicts': ([{'k': 2.0}], lambda box: box[0]['k'], lambda box: box[0].update(k=5.0)),
}


@pytest.mark.parametrize('box, read, change', CLOSURES.values(), ids=CLOSURES)
@pytest.mark.parametrize('how', ['closure', 'default', 'Cell', 'method'])
def test_s9_what_a_graph_has_from_around_it_changed(box, read, change, how):
    import copy

    box = copy.deepcopy(box)

    class Net(nn.Cell):
        def construct(self, x):
            return x * read(box)

    class Owner:
        def method(self, x):
            return x * read(box)

    makes = {
        'closure': lambda: lambda x: x * read(box),
        'default': lambda: lambda x, box=box: x * read(box),
        'Cell': lambda: Net(),
        'method': lambda: Owner().method,
    }
    graph = ms.jit(makes[how]())

    def program():
        first = graph(X)
        change(box)
        return first, graph(X)

    right_or_said(program, ([2, 4, 6], [5, 10, 15]), 'graph|jit|trace')


COUNTS = {
    'a list': ([0], lambda n: n.__setitem__(0, n[0] + 1), lambda n: n[0]),
    'a dict': ({'n': 0}, lambda n: n.update(n=n['n'] + 1), lambda n: n['n']),
    'an object': (types.SimpleNamespace(n=0), lambda n: setattr(n, 'n', n.n + 1), lambda n: n.n),
    'a list that grows': ([], lambda n: n.append(1), len),
    'an array': (np.zeros(1), lambda n: n.__iadd__(1), lambda n: float(n[0])),
}


@pytest.mark.parametrize('box, count, read', COUNTS.values(), ids=COUNTS)
def test_s9_a_graph_that_counts(box, count, read):
    """Each call counts, or it is said that only the first one does."""

    def f(x):
        count(box)
        return x * 2

    graph = ms.jit(f)
    before = read(box)

    def program():
        for _ in range(3):
            graph(X)
        return read(box) - before

    right_or_said(program, 3, 'graph|jit|trace')


DRAWS = {
    'random.random': lambda: random.random(),
    'random.Random': lambda: OWN.random(),
    'np.random': lambda: float(np.random.rand()),
    'a Generator': lambda: float(GENERATOR.random()),
    'time': lambda: time.perf_counter_ns() % 1_000_003,
    'a counter': lambda: next(STEPS),
}
OWN, GENERATOR, STEPS = random.Random(3), np.random.default_rng(3), iter(range(1, 10**6))


@pytest.mark.parametrize('draw', DRAWS.values(), ids=DRAWS)
def test_s9_a_graph_that_draws_numbers_of_python(draw):
    """Three calls give three numbers, or it is said that the first one's is frozen."""
    graph = ms.jit(lambda x: x * draw())
    ran = Ran(lambda: len({float(graph(X)[0]) for _ in range(3)}))
    assert ran.says('graph|jit|trace') or ran.value == 3, 'the first number is frozen, and nothing is said'


@pytest.mark.parametrize('file', ['<string>', '<ipython-input-1>', '<stdin>'])
@pytest.mark.parametrize('what', ['a number', 'a helper', 'a Tensor', 'a dict'])
def test_s9_in_code_without_a_file_a_name_means_what_it_means_now(file, what):
    """As in a notebook whose cell is run again."""
    space = {'ms': ms, 'K': 2.0, 'D': {'k': 2.0}, 'T': Tensor([2.0] * 3)}
    bodies = {'a number': 'x * K', 'a helper': 'helper(x)', 'a Tensor': 'x * T', 'a dict': "x * D['k']"}
    exec(compile(f'def helper(x): return x * 2\n@ms.jit\ndef f(x): return {bodies[what]}\n', file, 'exec'), space)

    def program():
        first = space['f'](X)
        again = 'K = 5.0\nD["k"] = 5.0\nT = ms.Tensor([5.0] * 3)\ndef helper(x): return x * 5\n'
        exec(compile(again, file, 'exec'), space)
        return first, space['f'](X)

    right_or_said(program, ([2, 4, 6], [5, 10, 15]), 'graph|jit|trace')


def test_s9_what_did_not_change_is_not_traced_anew():
    """Reading alone costs nothing: three calls, one trace."""
    graph = ms.jit(lambda x: helper(x) * NUMBER * INNER.k)
    for _ in range(3):
        assert right(graph(X), [8, 16, 24])
    assert graph.traced == 1


def test_a_setting_of_a_layer_of_the_librarys_that_changes_is_seen():
    act = nn.LeakyReLU(0.5)
    f = ms.jit(lambda x: act(x).sum())
    x = Tensor([-2.0, 1.0])
    assert float(f(x)) == 0.0
    act.alpha = 0.0
    assert float(f(x)) == float(act(x).sum())
