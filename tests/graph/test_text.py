"""A graph in words: what print(graph) says."""

import gc
import weakref
from queue import SimpleQueue

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.graph.ir import Graph
from tests.core.cells import Cube
from tests.messages import tells

X = Tensor([1.0, 2.0])


def graph_of(function, *args) -> Graph:
    f = ms.jit(function)
    f(*args)
    return f.graphs[0]


def test_ops_constants_parameters_and_static_arguments_are_shown():
    w, table = Parameter(Tensor([3.0, 4.0]), name='w'), Tensor([1.0, 2.0])

    def f(x, y):
        z = ops.exp(x) * w + table
        return (z.sum(0, True) * 2.5, y[0])

    w_, c1, c2 = 'w = Parameter Float32', 'c1 = constant Float32', 'c2 = constant 2.5'
    steps = 'Exp(x0)', 'Mul(%1, w)', 'Add(%2, c1)', 'ReduceSum(%3, axis=(0,)', 'Mul(%4, c2)', 'StridedSlice(x1, i=0)'
    steps = [f'\n  %{k} = {step}' for k, step in enumerate(steps, 1)]
    tells(graph_of(f, X, X), 'graph f(x0', 'x1: Float32', w_, c1, c2, *steps, 'keepdims=True)', '\n  return (%5, %6)')


def test_a_cell_with_a_bprop_shows_the_graph_of_its_construct():
    cube = Cube()
    inner = '\n    graph Cube(x0', '\n      %1 = Mul(x0, x0)', '\n      %2 = Mul(%1, x0)', '\n      return %2'
    text = tells(graph_of(lambda x: cube(x * x), X), 'graph <lambda>(x0', '\n  %2 = Cube(%1)', 'bprop: its own', *inner)
    assert text.endswith('\n  return %2')


def test_a_gradient_shows_what_it_differentiates_and_the_value_beside_it():
    def step(x, y):
        value, slope = ms.value_and_grad(lambda a: (a * y).sum())(x)
        return value, slope

    outer = 'graph step(x0', '\n  %1, %2 = gradient', '<lambda>(x0, x1)', '\n  return (%2, %1)'
    inner = '\n    graph <lambda>(x0', 'outer0: Float32', '\n      %1 = Mul(x0, outer0)', '\n      return [%2]'
    tells(graph_of(step, X, X), *outer, *inner, '\n      %2 = ReduceSum(%1, axis=None')


def test_a_write_is_shown():
    def f(x):
        y = x * 2
        y[0] = x[1]
        return {'y': y, 'n': 5, 'one': (y,)}

    tells(graph_of(f, X), '  %1 <- %2', 'x[i] = v', "\n  return {'y': %1", "'n': 5, 'one': (%1,)}")


class Chooses(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flag, self.n = True, 3

    def construct(self, x):
        # fmt: off
        if self.flag: return self.more(x)  # noqa: E701 (one line on purpose)
        # fmt: on
        return x

    def more(self, x):
        y = x if self.n > 5 else x * 2
        for k in range(self.n):
            if k == 1 and self.flag:
                y = y + k
        while self.n < 2:
            y = y * 2
        if self.n == 3:
            y = y - 1
        elif self.n == 4:
            y = y + 1
        return y


def test_branches_that_python_took_are_shown_as_frozen():
    net = Chooses()
    f = ms.jit(net)
    f(X)
    was = '.flag` was True (', '* 2` was False (', 'True and False', '< 2` was False (', '== 3` was True ('
    assert tells(f.graphs[0], *was, '(test_text.py, line').count('frozen: `') == len(was)
    net.flag = False
    f(X)
    tells(f.graphs[1], '.flag` was False')


def test_a_frozen_branch_of_a_function_that_is_called_is_shown():
    def helper(x, k):
        return -x if k else x

    tells(graph_of(lambda x: helper(x, 0) + 1, X), 'frozen: `-x if', 'was False', '(test_text.py, line')


def test_a_graph_keeps_no_values_of_its_trace():
    """Only constants and Parameters stay: a traced step of a large network must not hold its activations."""
    made = SimpleQueue()  # which no trace looks into: in a list, the note would be refused

    def f(x):
        y = x * 2
        made.put(weakref.ref(y))
        return (y * 3).sum()

    g = ms.jit(f)
    g(X)
    gc.collect()
    assert made.get()() is None and made.empty()
