"""What graph mode refuses of a Cell with a bprop that is called by name, and of functions that are run later."""

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import GraphTupleError, GraphValueError
from tests.graph.test_replay import numbers
from tests.messages import refused

X = Tensor([1.0, 2.0])


@pytest.fixture(autouse=True)
def eager_mode_afterwards():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Scaled(nn.Cell):
    def construct(self, x, n=2):
        return x * n

    def bprop(self, x, n, out, dout):
        return dout * n * 10, None


class WithDefault(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout, k=2):
        return (dout * k,)


scale, doubles = Scaled(), WithDefault()
CALLS = {
    'a default': (lambda x: scale(x), '1 argument by', 'takes 2:'),
    'a name': (lambda x: scale(x, n=2), '1 argument by', 'takes 2:'),
    'all names': (lambda x: scale(x=x, n=2), '0 arguments by', 'takes 2:'),
    'a default of bprop': (lambda x: doubles(x), '1 argument by', 'takes 2:'),
}


@pytest.mark.parametrize('given', CALLS.values(), ids=CALLS)
def test_a_cell_with_a_bprop_is_given_every_argument_by_position(given):
    f, *facts = given
    graph = ms.jit(f)
    assert graph(X).asnumpy().tolist() == [2, 4], 'without a gradient'
    by_position = ms.grad(ms.jit(lambda x: scale(x, 2)))
    assert by_position(X).asnumpy().tolist() == [20, 20] and ms.grad(f)(X).asnumpy().tolist()[0] in (2, 20)
    for again in (graph, ms.jit(f)):
        with refused(
            GraphTupleError, *facts, 'by position', 'out and dout', 'bprop: test_positions.py', keep=again is graph
        ):
            ms.grad(again)(X)


def test_the_same_in_graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    for call in (lambda: ms.grad(scale)(X), lambda: ms.grad(scale)(X, n=4), lambda: ms.grad(doubles)(X)):
        with refused(GraphTupleError, 'by position', line='for call in (lambda', keep=False):
            call()
    assert ms.grad(scale)(X, 4).asnumpy().tolist() == [40, 40]


RUN_LATER = {
    'jvp': lambda f: lambda x: ms.jvp(f, x, x),
    'jacfwd': ms.jacfwd,
    'jacrev': ms.jacrev,
    'a jvp of a gradient': lambda f: lambda x: ms.jvp(ms.grad(f), x, x),
    'a gradient of a jvp': lambda f: ms.grad(lambda x: ms.jvp(f, x, x)[1]),
}


@pytest.mark.parametrize('of', RUN_LATER.values(), ids=RUN_LATER)
@pytest.mark.parametrize('f', [lambda x: ops.dropout(x, 0.5), lambda x: nn.BatchNorm1d(2).set_train()(x)])
def test_what_runs_its_function_for_a_later_gradient_is_refused_inside_and_works_outside(of, f):
    with refused(GraphValueError, 'jvp, jacfwd and', 'jvp(ms.jit(', 'line: test_positions.py'):
        ms.jit(of(f))(X)
    square = lambda x: x * x * x
    assert numbers(of(ms.jit(square))(X)) == numbers(of(square)(X))


def test_a_jvp_of_a_graph_runs_it_once():
    half = ms.jit(lambda x: ops.dropout(x, 0.5))
    for _ in range(5):
        out, slope = ms.jvp(half, ops.ones(100), ops.ones(100))
        assert out.asnumpy().tolist() == slope.asnumpy().tolist()
