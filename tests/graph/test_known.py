"""What a graph has read is another later, whatever way led there; what runs on the way back holds no value of it."""

import abc
import functools
import gc
import types
import weakref

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.hostile.said import X, cell, quiet, right, said


class Scale(nn.Cell):
    def __init__(self, k=2.0):
        super().__init__()
        self.k = k

    def construct(self, x):
        return x * self.k


def first(*row):
    return row[0].k


class Net(nn.Cell):
    """Reads k of a Cell in a list, in one of several ways."""

    WAYS = {  # noqa: RUF012
        'an index': lambda net: net.layers[0].k,
        'a slice': lambda net: net.layers[:1][0].k,
        'a loop': lambda net: sum(cell.k for cell in net.layers),
        'an iterator': lambda net: next(iter(net.layers)).k,
        'cells()': lambda net: next(iter(next(iter(net.cells())))).k,
        'names': lambda net: dict(net.cells_and_names())['layers.0'].k,
        'a helper': lambda net: first(*net.layers),
        'a method': lambda net: net.one().k,
        'training': lambda net: 5.0 if net.layers[0].training else 2.0,
    }

    def __init__(self, way):
        super().__init__()
        self.layers, self.way = nn.CellList([Scale()]), self.WAYS[way]

    def one(self):
        return self.layers[0]

    def construct(self, x):
        return x * self.way(self)


@pytest.mark.parametrize('mode', ['jit', 'graph mode', 'an argument', 'a bprop'])
@pytest.mark.parametrize('way', Net.WAYS)
def test_an_attribute_of_a_cell_that_is_in_a_list(way, mode):
    net = Net(way)
    double = cell(lambda self, x: x * 1, lambda self, x, out, dout: (dout * net.way(net),))
    graph = {'a bprop': ms.jit(double), 'graph mode': net, 'an argument': ms.jit(lambda x, net: x * net.way(net))}
    graph, more = graph.get(mode, ms.jit(net)), (net,) * (mode == 'an argument')
    slope = lambda: ms.grad(lambda x: graph(x, *more).sum())(X)
    ms.set_context(mode=ms.GRAPH_MODE if mode == 'graph mode' else ms.PYNATIVE_MODE)
    try:
        assert right((slope(), slope()), ([2] * 3, [2] * 3))
        net.layers[0].k = 5.0
        net.layers[0].set_train()
        assert right((slope(), slope()), ([5] * 3, [5] * 3))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def ways() -> dict:
    """What a function reads of an object or a class that a call, an index or a container hands out, and its change."""
    box, other, module = types.SimpleNamespace(k=2.0), types.SimpleNamespace(k=5.0), types.ModuleType('known')
    table, module.k = {'a': box}, 2.0
    change = lambda: setattr(box, 'k', 5.0)

    class Made:
        k = 2.0
        held = property(lambda self: box)

        def __init__(self, of=None):
            self.of, self.mine = of, self.k

        def scale(self):
            return self.k

        def of_held(self):
            return self.of.k

        def __getitem__(self, name):
            return box

    class Layer(nn.Cell):
        k = 2.0

        def construct(self, x):
            return x * self.k

        def bprop(self, x, out, dout):
            return (dout * self.k,)

    class Other(Made):
        k = 5.0

    class Counted(abc.ABC):  # noqa: B024
        pass

    @functools.singledispatch
    def number(value):
        return 2.0

    made, of_class = Made(), lambda kind=Made: setattr(kind, 'k', 5.0)
    get, of_call = lambda name='a': table[name], lambda: module
    return {
        'a call': (lambda x: x * get().k, change),
        'another in a table': (lambda x: x * get().k, lambda: table.update(a=other)),
        'a property': (lambda x: x * made.held.k, change),
        'an item': (lambda x: x * made['k'].k, change),
        'a star': (lambda x: x * first(box), change),
        'a tuple that is made': (lambda x: x * first(*(box,)), change),
        'a dict that is made': (lambda x: x * first(*{'o': box}.values()), change),
        'a module of a call': (lambda x: x * of_call().k, lambda: setattr(module, 'k', 5.0)),
        'a method of what is made': (lambda x: x * Made().scale(), of_class),
        'an __init__': (lambda x: x * Made().mine, of_class),
        'what is made holds it': (lambda x: x * Made(box).of_held(), change),
        'a method that is replaced': (lambda x: x * Made().scale(), lambda: setattr(Made, 'scale', lambda self: 5.0)),
        'a Cell that is made': (lambda x: Layer()(x), lambda: of_class(Layer)),
        'another class': (lambda x: x * made.k, lambda: setattr(made, '__class__', Other)),
        'a singledispatch': (lambda x: x * number(1.0), lambda: number.register(float)(lambda value: 5.0)),
        'an ABC': (lambda x: x * (5.0 if isinstance(made, Counted) else 2.0), lambda: Counted.register(Made)),
        'annotations': (lambda x: x * first.__annotations__.get('k', 2.0), lambda: first.__annotations__.update(k=5.0)),
    }


@pytest.mark.parametrize('way', ways())
def test_an_attribute_of_what_a_call_hands_out(way):
    f, change = ways()[way]
    graph = ms.jit(f)
    ask = lambda: (graph(X), ms.grad(lambda x: graph(x).sum())(X))
    try:
        assert right((*ask(), graph.traced), ([2, 4, 6], [2] * 3, 1))
        change()
        assert right((*ask(), graph.traced), ([5, 10, 15], [5] * 3, 2))
    finally:
        first.__annotations__.clear()


def test_what_the_trace_makes_itself_may_change():
    def f(x):
        box, net = types.SimpleNamespace(k=1.0), types.SimpleNamespace(of=[])
        box.k += 1
        net.of.append(box)
        return x * first(*net.of)

    graph = ms.jit(f)
    quiet(lambda: (graph(X), graph(X), graph.traced), ([2, 4, 6], [2, 4, 6], 1))


def test_a_graph_keeps_no_object_alive_that_is_held_weakly():
    def made():
        net = Scale()
        return net, weakref.ref(net)

    net, held = made()
    graph = ms.jit(lambda x: x * held().k)
    assert right(graph(X), [2, 4, 6])
    del net
    gc.collect()
    assert held() is None


# ---- on the way back -------------------------------------------------------------------------------------------------


def by_a_primitive(x):
    m = ops.stop_gradient(x) * 1
    kernel, rule = lambda self, x: x * 1, lambda self, g, out, x: (g * m,)
    return type('Own', (ops.Primitive,), {'kernel': kernel, 'rule': rule})()(x)


def by_a_buffer(x):
    m = Tensor([0.0, 0.0, 0.0])
    m[:] = ops.stop_gradient(x)
    return cell(lambda self, t: t * 1, lambda self, t, out, dout: (dout * m,))(x)


def by_a_cell(x):
    m = (x > 1.5).astype(ms.float32)
    return cell(lambda self, t: t * 1, lambda self, t, out, dout: (dout * m,))(x)


def by_a_cell_inside(x):
    m = (x > 1.5).astype(ms.float32)
    inner = cell(lambda self, t: t * m, lambda self, t, out, dout: (dout * m,))
    return cell(lambda self, t: inner(t), lambda self, t, out, dout: (inner(dout),))(x)


def by_a_cell_in_a_gradient(x):
    m = (x > 1.5).astype(ms.float32)
    net = cell(lambda self, t: t * 1, lambda self, t, out, dout: (dout * m,))
    return ms.grad(lambda t: (net(t) * t).sum())(x) * x


BACK = {
    'an argument': lambda x: ops.InsertGradientOf(lambda g: g * ops.stop_gradient(x))(x),
    'a partial': lambda x: ops.InsertGradientOf(functools.partial(ops.mul, ops.stop_gradient(x)))(x),
    'in a gradient': lambda x: ms.grad(lambda t: ops.InsertGradientOf(lambda g: g * ops.stop_gradient(x))(t * t))(x),
    'a Primitive': by_a_primitive,
    'a buffer': by_a_buffer,
    'a Cell': by_a_cell,
    'a Cell of a Cell': by_a_cell_inside,
    'a Cell in a gradient': by_a_cell_in_a_gradient,
}


@pytest.mark.parametrize('outside', [False, True])
@pytest.mark.parametrize('f', BACK.values(), ids=BACK)
def test_what_runs_on_the_way_back_with_a_value_of_the_trace_is_refused(f, outside):
    graph = ms.jit(f)
    said(lambda: (graph(X) if outside else X, ms.grad(graph)(X)), 'the way back', 'later calls', 'an input')


def test_what_runs_on_the_way_back_may_hold_what_stays():
    kept, w = Tensor([2.0, 2.0, 2.0]), ms.Parameter(Tensor([2.0, 2.0, 2.0]), name='w')

    def f(x):
        made, y = Tensor([2.0, 2.0, 2.0]), ops.stop_gradient(x)
        times = lambda of: cell(lambda self, t: t * y, lambda self, t, out, dout: (dout * of,))
        return ops.InsertGradientOf(lambda g: g * w)(times(made)(times(kept)(x)))

    slope = ms.grad(ms.jit(f))
    quiet(lambda: (slope(X), slope(X * 2)), ([8] * 3, [8] * 3))


def test_a_cell_that_returns_a_captured_parameter_is_told_of_in_a_graph_too():
    w = ms.Parameter(Tensor([2.0, 2.0, 2.0]), name='w')
    alone = cell(lambda self, x: w, lambda self, x, out, dout: (dout,))
    second = cell(lambda self, x: (x * 2, w), lambda self, x, out, dout: (dout[0],))
    for f in (lambda x: alone(x).sum(), lambda x: second(x)[1].sum()):
        slope = ms.grad(ms.jit(f), None, [w])
        for _ in range(2):
            said(lambda: slope(X), 'Parameter w', 'internal_params', keep=False)  # noqa: B023


def test_a_class_may_get_its_bprop_later():
    """What minicell itself learns of that bprop is no write of the traced function."""
    factor = 3.0
    kind = type('Later', (nn.Cell,), {'construct': lambda self, x: x * x})
    kind.bprop = lambda self, x, out, dout: (dout * factor,)
    net = kind()
    quiet(lambda: ms.grad(ms.jit(lambda x: net(x).sum()))(X), [3, 3, 3])
