"""When a function is traced anew, and when the trace is replayed: shapes, dtypes, Python values, attributes."""

import copy
import pickle
from queue import SimpleQueue

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import GraphWriteError
from tests.core.cells import Cube, made
from tests.messages import refused

X = Tensor([1.0, 2.0])


ran = SimpleQueue()  # what ran, noted where no trace looks: in a list, the note would be refused


def noted() -> list:
    """The notes so far, which are taken out."""
    return [ran.get() for _ in range(ran.qsize())]


@pytest.fixture(autouse=True)
def forget():
    noted()
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_python_runs_once_in_five_calls_bprop_included():
    class Net(nn.Cell):
        def construct(self, x):
            ran.put('construct')
            return x * x

        def bprop(self, x, out, dout):
            ran.put('bprop')
            return (dout * 2 * x,)

    for make in (lambda net: ms.jit(net), lambda net: net):
        noted()
        net = Net()
        f = make(net)
        if f is net:
            ms.set_context(mode=ms.GRAPH_MODE)
        for k in range(5):
            assert ms.grad(f)(X * k).asnumpy().tolist() == [2 * k, 4 * k]
        assert noted() == ['construct', 'bprop']
    ms.set_context(mode=ms.PYNATIVE_MODE)
    g = ms.jit(lambda x: ms.grad(Net())(x))
    noted()
    for k in range(5):
        g(X * k)
    assert noted() == ['construct', 'bprop']


def test_a_cell_in_a_loop_traces_its_bprop_once():
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            ran.put('bprop')
            return (dout * 2,)

    net = Net()

    @ms.jit
    def f(x):
        for _ in range(10):
            x = net(x)
        return x

    for _ in range(3):
        assert ms.grad(f)(X).asnumpy().tolist() == [1024, 1024]
    assert noted() == ['bprop']


def test_several_signatures():
    @ms.jit
    def f(x, k=1, *, flag=False):
        ran.put(1)
        return x * k if flag else x + k

    calls = [
        lambda: f(X),
        lambda: f(X * 5),
        lambda: f(Tensor([1.0, 2.0, 3.0])),
        lambda: f(Tensor([1, 2])),
        lambda: f(X, 1),
        lambda: f(X, 2),
        lambda: f(X, 2.0),
        lambda: f(X, True),
        lambda: f(X, 2, flag=True),
        lambda: f(X, k=2, flag=True),
    ]
    traced = []
    for call in calls:
        call()
        traced.append(ran.qsize())
    assert traced == [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    for call in calls:
        call()
    assert ran.qsize() == 9 == f.traced == len(f.graphs)
    assert f(X, 2.0).asnumpy().tolist() == [3, 4] and f(X, 2, flag=True).asnumpy().tolist() == [2, 4]


def test_zero_minus_zero_and_nan_are_values():
    f = ms.jit(lambda x, k: x / k)
    with np.errstate(divide='ignore'):
        assert f(X, 0.0).asnumpy()[0] == np.inf and f(X, -0.0).asnumpy()[0] == -np.inf
    f(X, float('nan'))
    f(X, float('nan'))
    assert f.traced == 3


def test_arrays_slices_and_objects_as_arguments():
    f = ms.jit(lambda x, a: x * Tensor(a, ms.float32))
    a = np.array([1, 2])
    assert f(X, a).asnumpy().tolist() == [1, 4]
    a[0] = 10
    assert f(X, a).asnumpy().tolist() == [10, 4], 'its numbers count, not which array it is'
    assert f(X, np.array([1, 2])).asnumpy().tolist() == [1, 4] and f.traced == 2
    g = ms.jit(lambda x, s: x[s] * 2)
    assert [g(X, slice(0, 1)).shape, g(X, slice(0, 1)).shape, g(X, slice(0, 2)).shape] == [(1,), (1,), (2,)]
    assert g.traced == 2
    h = ms.jit(lambda x, act: act(x))
    for act in (ops.exp, ops.exp, ops.neg):
        np.testing.assert_array_equal(h(X, act).asnumpy(), act(X).asnumpy())
    for k in range(3):  # functions that live for one call only: another one may get their address
        assert h(X, lambda t, k=k: t * k).asnumpy().tolist() == [k, 2 * k]


def test_nested_arguments():
    f = ms.jit(lambda pair, named: pair[0] * pair[1][0] + named['b'] * named['k'])
    y = Tensor([10.0, 20.0])
    assert f((X, [y]), {'b': y, 'k': 2}).asnumpy().tolist() == [30, 80]
    assert f((y, [X]), {'b': X, 'k': 2}).asnumpy().tolist() == [12, 44] and f.traced == 1
    assert f((y, [X]), {'b': X, 'k': 3}).asnumpy().tolist() == [13, 46] and f.traced == 2


def test_one_object_in_two_places_is_two_inputs():
    f = ms.jit(lambda a, b: a - b)
    assert f(X, X).asnumpy().tolist() == [0, 0]
    assert f(X * 3, X).asnumpy().tolist() == [2, 4] and f.traced == 1


def test_an_argument_that_is_also_captured():
    captured = Tensor([5.0, 6.0])
    f = ms.jit(lambda a: a * captured)
    assert f(captured).asnumpy().tolist() == [25, 36]
    assert f(X).asnumpy().tolist() == [5, 12], 'the captured one is a constant, the argument is not'


def test_a_parameter_as_an_argument_is_that_parameter():
    p, q = Parameter(Tensor([2.0, 2.0]), 'p'), Parameter(Tensor([3.0, 3.0]), 'q')
    f = ms.jit(lambda x, w: x * w)
    assert f(X, p).asnumpy().tolist() == [2, 4] and f(X, q).asnumpy().tolist() == [3, 6]
    p.set_data(Tensor([10.0, 10.0]))
    assert f(X, p).asnumpy().tolist() == [10, 20] and f.traced == 2
    dx, dp = ms.grad(f, 0, p)(X, p)
    assert dx.asnumpy().tolist() == [10, 10] and dp.asnumpy().tolist() == [1, 2]


class Net(nn.Cell):
    level = 1

    def __init__(self):
        super().__init__()
        self.flag, self.scale, self.sizes, self.table = True, 2.0, [1, 2], Tensor([1.0, 1.0])
        self.act = nn.ReLU()
        self.stack = nn.SequentialCell(nn.ReLU())
        self.w = Parameter(Tensor([3.0, 3.0]), 'w')

    def construct(self, x):
        ran.put(1)
        x = self.stack(self.act(x)) * self.scale * self.level * sum(self.sizes) + self.table * self.w
        return x * 2 if self.flag else x


def another_layer(net):
    net.stack._cells['1'] = nn.Tanh()


CHANGES = {
    'a number': lambda net: setattr(net, 'scale', 5.0),
    'a flag': lambda net: setattr(net, 'flag', False),
    'a list in place': lambda net: net.sizes.append(10),
    'a Tensor': lambda net: setattr(net, 'table', Tensor([7.0, 7.0])),
    'a Cell': lambda net: setattr(net, 'act', nn.Sigmoid()),
    'a Cell in a SequentialCell': another_layer,
    'an attribute of the class': lambda net: setattr(net, 'level', 9),
    'a Parameter for another': lambda net: setattr(net, 'w', Parameter(Tensor([4.0, 4.0]), 'w')),
}


@pytest.mark.parametrize('mode', ['jit', 'graph mode', 'jit inside a function'])
@pytest.mark.parametrize('what', CHANGES)
def test_what_was_read_of_a_cell_belongs_to_the_signature(what, mode):
    net = Net()
    call = ms.jit(net) if mode == 'jit' else ms.jit(lambda x: net(x) + 0) if 'inside' in mode else net

    def checked():
        ms.set_context(mode=ms.GRAPH_MODE if mode == 'graph mode' else ms.PYNATIVE_MODE)
        got = [call(X).asnumpy().tolist(), call(X * 2).asnumpy().tolist()]
        ms.set_context(mode=ms.PYNATIVE_MODE)
        times = ran.qsize()
        assert got == [net(X).asnumpy().tolist(), net(X * 2).asnumpy().tolist()]
        noted()
        return times

    assert checked() == 1
    CHANGES[what](net)
    assert checked() == 1, f'{what} changed, and the trace should have been made anew, once'
    assert checked() == 0


def test_values_written_in_place_are_read_as_they_are_without_a_new_trace():
    net = Net()
    f = ms.jit(net)
    f(X)
    net.w.set_data(Tensor([10.0, 10.0]))
    net.table[0] = 5.0
    assert f(X).asnumpy().tolist() == net(X).asnumpy().tolist()
    assert f.traced == 1


def test_training_is_part_of_the_signature():
    net = made(lambda self, x: x * 0 if self.training else x)
    f = ms.jit(net)
    assert f(X).asnumpy().tolist() == [1, 2]
    net.set_train()
    assert f(X).asnumpy().tolist() == [0, 0]
    net.set_train(False)
    assert f(X).asnumpy().tolist() == [1, 2] and f.traced == 2


def test_an_attribute_that_bprop_reads():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.alpha = 3.0

        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            ran.put(1)
            return (dout * self.alpha,)

    net = Net()
    f = ms.jit(net)
    assert [ms.grad(f)(X).asnumpy().tolist() for _ in range(3)] == [[3, 3]] * 3
    net.alpha = 8.0
    assert [ms.grad(f)(X).asnumpy().tolist() for _ in range(3)] == [[8, 8]] * 3
    assert ran.qsize() == 2


def test_jit_as_a_decorator_of_a_method_and_with_options():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.k = 2.0

        @ms.jit
        def construct(self, x):
            ran.put(1)
            return x * self.k

        @ms.jit(mode='PIJit')
        def other(self, x):
            return x + self.k

    one, two = Net(), Net()
    two.k = 5.0
    for _ in range(2):
        assert one(X).asnumpy().tolist() == [2, 4] and two(X).asnumpy().tolist() == [5, 10]
        assert ms.grad(one)(X).asnumpy().tolist() == [2, 2] and one.other(X).asnumpy().tolist() == [3, 4]
    assert ran.qsize() == 2, 'a trace for each of the Cells'


def test_a_bprop_may_be_a_jit_function():
    class Net(nn.Cell):
        @ms.jit
        def construct(self, x):
            return x * x

        @ms.jit
        def bprop(self, x, out, dout):
            return (dout * 20 * x,)

    net = Net()
    for k in (1, 2, 3):
        assert ms.grad(net)(X * k).asnumpy().tolist() == [20 * k, 40 * k]
    assert ms.grad(lambda x: ms.grad(net)(x).sum())(X).asnumpy().tolist() == [20, 20]


def test_jit_traced_under_a_gradient_and_replayed_without_and_the_other_way():
    for first, second in ((ms.grad, lambda f: f), (lambda f: f, ms.grad)):
        f, net = ms.jit(lambda x: Cube()(x) * x), Cube()
        for ask in (first, second, first, second):
            due = ask(lambda x, net=net: net(x) * x)(X)
            np.testing.assert_array_equal(ask(f)(X).asnumpy(), due.asnumpy())
        assert f.traced == 1


def test_a_graph_replayed_while_another_gradient_is_open():
    f = ms.jit(lambda x: x * x * x)
    f(X)
    got = ms.grad(lambda x: (f(x) * ms.grad(f)(x) + f(X)).sum())(X)
    x = X.asnumpy()
    np.testing.assert_allclose(got.asnumpy(), 15 * x**4)


def test_recursion_and_a_result_of_a_former_call():
    f = ms.jit(lambda x: x * 2)
    out = X
    for _ in range(4):
        out = f(out)
    assert out.asnumpy().tolist() == [16, 32] and f.traced == 1


def test_a_copy_of_a_cell_starts_without_graphs():
    net = nn.Dense(2, 1, weight_init=3, bias_init=1)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert net(Tensor([[1.0, 2.0]])).asnumpy().tolist() == [[10]]
    other = copy.deepcopy(net)
    other.weight.set_data(other.weight * 0)
    assert other(Tensor([[1.0, 2.0]])).asnumpy().tolist() == [[1]]
    assert net(Tensor([[1.0, 2.0]])).asnumpy().tolist() == [[10]]
    assert pickle.loads(pickle.dumps(net._graphs)) == {}


def test_gradients_in_a_train_step_that_is_one_graph():
    """A value beside the gradient, a gradient of weights, a sens made inside, and a write: as in eager mode."""
    found = []
    for make in (lambda f: f, ms.jit):
        w = Parameter(Tensor([1.0, 1.0]), 'w')

        def step(x, w=w):
            loss, (g,) = ms.value_and_grad(lambda a: ((a * w) ** 2).sum(), None, [w])(x)
            w[...] = w - 0.1 * g
            again = ops.GradOperation(sens_param=True)(lambda a: a * a * w)(x, g)
            return loss, again

        step = make(step)
        found.append([[t.asnumpy().tolist() for t in step(X * k)] + [w.asnumpy().tolist()] for k in (1, 1, 2)])
    assert found[0] == found[1]


SCALE, counted = 2.0, 0


def test_a_number_of_the_module_or_of_the_function_around_belongs_to_the_signature():
    global SCALE
    offset = 1.0

    def f(x):
        return x * SCALE + offset

    g = ms.jit(f)
    try:
        assert g(X).asnumpy().tolist() == g(X).asnumpy().tolist() == [3, 5] and g.traced == 1
        SCALE = 10.0
        assert g(X).asnumpy().tolist() == [11, 21]
        offset = 5.0
        assert g(X).asnumpy().tolist() == [15, 25] and g.traced == 3
    finally:
        SCALE = 2.0


def test_a_counter_that_the_function_itself_writes_is_refused():
    inside = 0

    def with_global(x):
        global counted
        counted += 1
        return x * 2

    def with_nonlocal(x):
        nonlocal inside
        inside += 1
        return x * 2

    for f, name in ((with_global, 'counted'), (with_nonlocal, 'inside')):
        with refused(GraphWriteError, f'{name} is written', f'graph of {f.__name__}', 'outside'):
            ms.jit(f)(X)
