"""What a traced function makes for itself starts each replay as it began in the first, and is returned as a copy."""

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.common.initializer import One, initializer
from minicell.core.tensor import tensors_in
from tests.graph.test_replay import numbers

X, Y = Tensor([1.0, 2.0, -3.0]), Tensor([0.5, -1.5, 2.5])


def ones():
    return Tensor([1.0, 1.0, 1.0])


MADE = {
    'a Tensor': ones,
    'ms.tensor': lambda: ms.tensor([1.0, 1.0, 1.0]),
    'an initializer': lambda: initializer('ones', [3], ms.float32),
    'a Tensor with init': lambda: Tensor(shape=(3,), dtype=ms.float32, init=One()),
    'a Parameter': lambda: Parameter(ones(), name='p'),
    'a row': lambda: Tensor([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])[0],
    'a column': lambda: Tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]).T[0],
    'a shape': lambda: Tensor([[1.0], [1.0], [1.0]]).reshape(3),
    'a copy': lambda: ones().copy(),
    'an op': lambda: ops.ones(3, ms.float32),
    'integers': lambda: Tensor([1, 1, 1]),
    'Float16': lambda: ones().astype(ms.float16),
}


def by_index(d, x):
    d[0] = d[0] + 4
    d[1] += 3
    return d * x


def as_a_whole(d, x):
    d[:] = d + ops.ones_like(d) * 2
    return d * x, d


def by_a_view(d, x):
    view = d[0:2]
    view[:] = view * 3
    return [x + d, {'d': view}]


def late(d, x):
    y = d + x
    d[0] = 9
    return y + d


@pytest.mark.parametrize('write', [by_index, as_a_whole, by_a_view, late])
@pytest.mark.parametrize('make', MADE.values(), ids=MADE)
def test_what_is_made_and_written(make, write):
    f = lambda x: write(make(), x)
    graph, first = ms.jit(f), lambda g: ms.grad(lambda x: tensors_in(g(x))[0].sum())
    for x in (X, Y, X, X):
        assert numbers(graph(x)) == numbers(f(x))
        assert numbers(first(graph)(x)) == numbers(first(f)(x))
    assert graph.traced == 1


def accumulates(x):
    total, rows = Tensor(0.0), [ones() for _ in range(3)]
    for row in rows:
        row[:] = row + x
        total[...] = total + row.sum()
    return total * x, rows


def by_a_function(x):
    total = ones()

    def add(y):
        total[:] = total + y

    add(x)
    add(x * 2)
    return total


def trains(x):
    w = Parameter(ones(), name='w')
    for _ in range(2):
        ops.assign_sub(w, ms.grad(lambda: (w * w * x).sum(), None, w)() * 0.1)
    return w * x


def inside_a_gradient(x):
    seen = ones()

    def loss(y):
        seen[:] = seen + ops.stop_gradient(y)
        return (y * y * seen).sum()

    return ms.grad(ms.grad(lambda y: loss(y) * y.sum()))(x), seen


@pytest.mark.parametrize('f', [accumulates, by_a_function, trains, inside_a_gradient])
def test_longer_ones(f):
    graph = ms.jit(f)
    for x in (X, Y, X, X):
        assert numbers(graph(x)) == numbers(f(x))


RETURNED = {
    'alone': lambda x: ones(),
    'twice, and beside': lambda x: (ones(), x * 2, {'k': [ones()]}),
    'and a view of it': lambda x: (lambda t: (t[0:2], t, t * x))(ones()),
    'a Parameter': lambda x: Parameter(ones(), name='p'),
}


@pytest.mark.parametrize('f', RETURNED.values(), ids=RETURNED)
def test_what_is_made_and_returned_is_the_callers(f):
    graph, due = ms.jit(f), numbers(f(X))
    for _ in range(3):
        out = graph(X)
        assert numbers(out) == due
        for t in tensors_in(out):
            t[...] = 100.0
    assert graph.traced == 1


def written(self, x, out, dout):
    d = Tensor([0.0, 0.0, 0.0])
    d[:] = d + dout * 2
    return (d,)


def scaled(self, x, out, dout):
    d = ones()
    d[0] *= 2
    return (d * dout,)


def returned(self, x, out, dout):
    return (Tensor([7.0, 7.0, 7.0]),)


def by_row(self, x, out, dout):
    d = Tensor([[1.0, 1.0, 1.0]])[0]
    d[0] += 2
    return (d * dout,)


@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize('bprop', [written, scaled, returned, by_row])
def test_in_a_cell_with_its_own_bprop(bprop, mode):
    class Net(nn.Cell):
        def construct(self, x):
            d = ones()
            d[0] = d[0] + 1
            return d * x

    Net.bprop = bprop
    net, slope = Net(), lambda f: ms.grad(lambda x: f(x).sum() + f(x * 2).sum())
    due = [numbers((net(x), slope(net)(x))) for x in (X, Y, X)]
    ms.set_context(mode=mode)
    try:
        graph = net if mode == ms.GRAPH_MODE else ms.jit(lambda x: net(x))
        for _ in range(2):
            assert [numbers((graph(x), slope(graph)(x))) for x in (X, Y, X)] == due
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    fresh, net = ms.jit(lambda x: net(x)), Net()
    assert numbers(slope(fresh)(X)) == numbers(slope(fresh)(X)) == due[0][1], 'traced inside a gradient'


WRITES = {
    'assign': lambda p, x: ops.assign(p, p + x),
    'assign_add': ops.assign_add,
    'assign_sub': ops.assign_sub,
    'a bprop': lambda p, x: ops.assign_add(p, Accumulates()(x)),
    'a loop': lambda p, x: [ops.assign_sub(p, ms.grad(lambda: (p * p * x).sum(), None, p)() * 0.1) for _ in range(2)],
}


class Accumulates(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        total = Parameter(ones(), name='total')
        ops.assign_add(total, dout * x)
        return (total * 1,)


@pytest.mark.filterwarnings('ignore::minicell.errors.SeveredWarning')  # which the numbers do not depend on
@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize('write', WRITES.values(), ids=WRITES)
def test_a_parameter_that_is_made_and_written_begins_afresh_wherever_it_was_traced(write, mode):
    class Net(nn.Cell):
        def construct(self, x):
            p = Parameter(ones(), name='p')
            write(p, x)
            return (ops.stop_gradient(p) * x).sum() + Accumulates()(x).sum()

    slope = lambda f: ms.grad(lambda x: f(x) * 2)
    second = lambda f: ms.grad(lambda x: ms.grad(f)(x).sum())
    asks = slope, lambda f: f, lambda f: lambda x: ms.vjp(f, x)[1](Tensor(1.0))[0], second
    due = [[numbers(ask(Net())(x)) for x in (X, Y, X)] for ask in asks]
    for asked in (asks, asks[::-1]):
        ms.set_context(mode=mode)
        try:
            graph = Net() if mode == ms.GRAPH_MODE else ms.jit(Net())
            got = [[numbers(ask(graph)(x)) for x in (X, Y, X)] for ask in asked]
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        assert got == (due if asked is asks else due[::-1])


def test_what_is_made_anew_stands_in_the_printed_graph():
    graph = ms.jit(lambda x: by_index(ones(), x))
    graph(X)
    assert 'made in each call' in str(graph.graphs[0])
