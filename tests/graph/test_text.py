"""A graph in words and as a drawing: what print(graph) and graph.dot() say."""

import shutil
import subprocess

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.graph.ir import Graph
from tests.core.cells import Cube

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

    assert str(graph_of(f, X, X)) == (
        'graph f(x0: Float32 (2,), x1: Float32 (2,))\n'
        '  w = Parameter Float32 (2,)\n'
        '  c1 = constant Float32 (2,)\n'
        '  c2 = constant 2.5\n'
        '  %1 = Exp(x0)\n'
        '  %2 = Mul(%1, w)\n'
        '  %3 = Add(%2, c1)\n'
        '  %4 = ReduceSum(%3, axis=(0,), keepdims=True)\n'
        '  %5 = Mul(%4, c2)\n'
        '  %6 = StridedSlice(x1, i=0)\n'
        '  return (%5, %6)'
    )


def test_a_cell_with_a_bprop_shows_the_graph_of_its_construct():
    cube = Cube()
    assert str(graph_of(lambda x: cube(x * x), X)) == (
        'graph <lambda>(x0: Float32 (2,))\n'
        '  %1 = Mul(x0, x0)\n'
        '  %2 = Cube(%1)  # bprop: its own\n'
        '    graph Cube(x0: Float32 (2,))\n'
        '      %1 = Mul(x0, x0)\n'
        '      %2 = Mul(%1, x0)\n'
        '      return %2\n'
        '  return %2'
    )


def test_a_gradient_shows_what_it_differentiates_and_the_value_beside_it():
    def step(x, y):
        value, slope = ms.value_and_grad(lambda a: (a * y).sum())(x)
        return value, slope

    assert str(graph_of(step, X, X)) == (
        'graph step(x0: Float32 (2,), x1: Float32 (2,))\n'
        '  %1, %2 = gradient of <lambda>(x0, x1)\n'
        '    graph <lambda>(x0: Float32 (2,), outer0: Float32 (2,))\n'
        '      %1 = Mul(x0, outer0)\n'
        '      %2 = ReduceSum(%1, axis=None, keepdims=False)\n'
        '      return [%2]\n'
        '  return (%2, %1)'
    )


def test_a_write_is_shown():
    def f(x):
        y = x * 2
        y[0] = x[1]
        return {'y': y, 'n': 5, 'one': (y,)}

    text = str(graph_of(f, X))
    assert '  %1 <- %2  # x[i] = v' in text
    assert text.endswith("return {'y': %1, 'n': 5, 'one': (%1,)}")


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
    frozen = [line.strip().rsplit(' (', 1)[0] for line in str(f.graphs[0]).split('\n') if 'frozen' in line]
    assert frozen == [
        'frozen: `if self.flag` was True',
        'frozen: `x if self.n > 5 else x * 2` was False',
        'frozen: `if k == 1 and self.flag` was True and False',
        'frozen: `while self.n < 2` was False',
        'frozen: `if self.n == 3` was True',
    ]
    assert '(test_text.py, line ' in str(f.graphs[0])
    net.flag = False
    f(X)
    assert '`if self.flag` was False' in str(f.graphs[1])


def test_a_frozen_branch_of_a_function_that_is_called_is_shown():
    def helper(x, k):
        return -x if k else x

    text = str(graph_of(lambda x: helper(x, 0) + 1, X))
    assert 'frozen: `-x if k else x` was False (test_text.py, line' in text


GRAPHS = {
    'ops': lambda x: ops.exp(x) * 2 + x,
    'a Cell': lambda x: Cube()(x) * x,
    'a gradient': lambda x: ms.grad(lambda y: (y * x).sum())(x),
    'quotes': lambda x: ms.grad(lambda y: y * x)(x)[0] + ops.ones((2,)),
}


def test_dot_has_a_node_for_each_value_and_step_and_the_edges_between():
    text = graph_of(lambda x: Cube()(x) * 2 + x, X).dot()
    lines = text.split('\n')
    assert lines[0] == 'digraph {' and lines[-1] == '}'
    assert '  v0 [label="x0", shape=ellipse];' in lines
    assert any('label="%1 = Cube", peripheries=2' in line for line in lines)
    assert '  v0 -> n0;' in lines and '  n0 -> n1;' in lines and '  n1 -> n2;' in lines and '  v0 -> n2;' in lines
    assert '  n2 -> end;' in lines


@pytest.mark.parametrize('what', GRAPHS)
def test_the_drawing_is_valid_dot(what):
    """Where Graphviz is here it draws it; else at least every edge goes between nodes that are there."""
    text = graph_of(GRAPHS[what], X).dot()
    nodes = {line.split()[0] for line in text.split('\n') if '[label=' in line}
    edges = [line.strip(' ;').split(' -> ') for line in text.split('\n') if ' -> ' in line]
    assert edges and {end for edge in edges for end in edge} <= nodes
    if shutil.which('dot'):
        subprocess.run(['dot', '-Tsvg'], input=text, text=True, check=True, capture_output=True)


def test_a_graph_keeps_no_values_of_its_trace():
    """Only constants and Parameters stay: a traced step of a large network must not hold its activations."""
    import gc
    import weakref
    from queue import SimpleQueue

    made = SimpleQueue()  # which no trace looks into: in a list, the note would be refused

    def f(x):
        y = x * 2
        made.put(weakref.ref(y))
        return (y * 3).sum()

    g = ms.jit(f)
    g(X)
    gc.collect()
    assert made.get()() is None and made.empty()
