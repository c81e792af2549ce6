"""A replay gives what an eager call gives: on other inputs, under gradients of any order, with writes and captures."""

from typing import NamedTuple

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops, tape
from minicell.errors import MinicellWarning, SwallowedParameterWarning, WriteAfterUseError
from minicell.ops.make import apply_plain
from minicell.ops.rules import Plain
from minicell.tensor import overwrite
from tests.core.cells import Cube, Product, Scale
from tests.traps.said import warned

X, Y = Tensor([1.0, 2.0, -3.0]), Tensor([0.5, -1.5, 2.5])


def numbers(value):
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(numbers, value)) if not hasattr(value, '_fields') else tuple(map(numbers, value))
    return (value.asnumpy().tolist(), str(value.dtype)) if isinstance(value, Tensor) else value


class Pair(NamedTuple):
    first: Tensor
    second: Tensor


class Split(nn.Cell):
    """Two outputs."""

    def construct(self, x):
        return x * 2, x * x

    def bprop(self, x, out, dout):
        return (dout[0] * 2 + dout[1] * 2 * x + out[0] * 0,)


class Same(nn.Cell):
    """construct returns its input."""

    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        return (dout * 5,)


class Const(nn.Cell):
    """construct returns a constant."""

    def construct(self, x):
        return ops.ones((3,))

    def bprop(self, x, out, dout):
        return (dout * 7 * x,)


class Nested(nn.Cell):
    """A custom Cell in a custom Cell, and a gradient in its construct."""

    def __init__(self):
        super().__init__()
        self.cube = Cube()

    def construct(self, x):
        return self.cube(x) + ms.grad(lambda y: self.cube(y).sum())(x)

    def bprop(self, x, out, dout):
        return (dout * self.cube(x) * ms.grad(lambda y: self.cube(y).sum())(x) + out,)


cube, scale, weight, shared = Cube(), Scale(3.0), Parameter(Tensor([2.0, 1.0, 0.5]), 'weight'), Tensor([2.0, 3.0, 4.0])


def loop(x, y):
    for _ in range(3):
        x = cube(x) * 0.1 + y
    return x


def value_beside(x, y):
    loss, (dx, dy) = ms.value_and_grad(lambda a, b: (a * a * b).sum(), (0, 1))(x, y)
    return {'loss': loss, 'slopes': [dx, dy], 'plus': dx + y}


def penalty(x, y):
    g = ms.grad(lambda a: (ops.sin(a) * y).sum())(x)
    return (g * g).sum() + (x * y).sum()


def writes(x, y):
    z = x * 2
    z[1] = y[0]
    z[0:1][0] = 7.0
    return z * y


def jitted_inside(x, y):
    return ms.jit(lambda a: a * a)(x) + y


def with_aux(x, y):
    g, aux = ms.grad(lambda a: ((a * y).sum(), a * 2), has_aux=True)(x)
    return g + aux[0]


def of_weights(x, y):
    return ms.grad(lambda a: (a * weight * weight).sum(), None, weight)(x) * y


def mixed(x, y):
    return (x.astype(ms.float16) * y).astype(ms.float64) * ops.ones((3,), ms.int32) + 1


PROGRAMS = {
    'ops': lambda x, y: ops.exp(x) * y / (x * x + 1) - 2,
    'one object twice': lambda x, y: Product()(x, x) - Product()(x, y),
    'a Cell that returns its input': lambda x, y: Same()(x) * y,
    'a plain function that returns its input': lambda x, y: x,
    'a Cell that returns a constant': lambda x, y: Const()(x) * y,
    'a constant output': lambda x, y: (x * y, shared, 5, 'text', None, True),
    'a Cell in a loop': loop,
    'a Cell twice': lambda x, y: cube(cube(x)) + cube(y) * cube(x + y),
    'nested Cells': lambda x, y: Nested()(x * 0.5) * y,
    'several outputs of a Cell': lambda x, y: (lambda a, b: a * y + b)(*Split()(x)),
    'one of several outputs': lambda x, y: Split()(x)[1] * y,
    'a tuple': lambda x, y: (x * y, (x, [y, x + y])),
    'a named tuple': lambda x, y: Pair(x * y, y),
    'a dict': lambda x, y: {'a': x * y, 'b': [x]},
    'closures over constants': lambda x, y: x * shared + y * 3,
    'indices and shapes': lambda x, y: ops.stack([x[1:], y[:2]]).reshape((4,)).T[::2] * x.shape[0],
    'reductions and masks': lambda x, y: ops.select(x > y, x, y * 2).mean() + x.max() * y,
    'dtypes': mixed,
    'internal_params': lambda x, y: scale(x) * y,
    'a value beside a gradient': value_beside,
    'a gradient penalty': penalty,
    'has_aux inside': with_aux,
    'a gradient of weights inside': of_weights,
    'jvp inside': lambda x, y: ms.jvp(lambda a: a * a * a, x, y)[1],
    'sens inside': lambda x, y: ops.GradOperation(sens_param=True)(cube)(x, y),
    'a Hessian inside': lambda x, y: ms.grad(lambda a: ms.grad(lambda b: (cube(b) * b).sum())(a).sum())(x) * y,
    'writes': writes,
    'a jitted function': jitted_inside,
}
SMOOTH = [name for name in PROGRAMS if name not in ('writes', 'internal_params')]


def graph_free(value):
    """A program that a gradient can be taken of: the sum of all that it returns."""
    found = ms.differentiate.tensors_in(value)
    return sum((t.astype(ms.float32).sum() for t in found if t.dtype != ms.int64), Tensor(0.0))


@pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
@pytest.mark.parametrize('name', PROGRAMS)
def test_a_replay_gives_what_an_eager_call_gives(name):
    eager, graph = PROGRAMS[name], ms.jit(PROGRAMS[name])
    for x, y in ((X, Y), (Y, X), (X * 2, Y), (X, X), (Y, Y)):
        assert numbers(graph(x, y)) == numbers(eager(x, y))
    assert graph.traced == 1


@pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
@pytest.mark.parametrize('order', [1, 2])
@pytest.mark.parametrize('name', SMOOTH)
def test_gradients_of_a_replay_are_those_of_an_eager_call(name, order):
    program, graph = PROGRAMS[name], ms.jit(PROGRAMS[name])

    def slope(f):
        if order == 1:
            return ms.grad(lambda x, y: graph_free(f(x, y)), (0, 1))
        first = ms.grad(lambda x, y: graph_free(f(x, y)), (0, 1))
        return ms.grad(lambda x, y: (lambda a, b: (a * b).sum())(*first(x, y)), (0, 1))

    for x, y in ((X, Y), (Y, X), (X, X)):
        assert numbers(slope(graph)(x, y)) == numbers(slope(program)(x, y))
    assert graph.traced == 1


@pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
@pytest.mark.parametrize('name', SMOOTH)
def test_a_gradient_inside_a_graph_is_that_of_an_eager_call(name):
    program = PROGRAMS[name]
    slope = ms.grad(lambda x, y: graph_free(program(x, y)), (0, 1))
    graph = ms.jit(slope)
    for x, y in ((X, Y), (Y, X), (X, X)):
        assert numbers(graph(x, y)) == numbers(slope(x, y))
    assert graph.traced == 1


@pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
@pytest.mark.parametrize('name', PROGRAMS)
def test_a_tape_does_not_change_a_replay(name):
    eager, graph = PROGRAMS[name], ms.jit(PROGRAMS[name])
    with ms.Tape():
        first = numbers(graph(X, Y))
    with ms.Tape() as tape:
        second = numbers(graph(Y, X))
    assert (first, second) == (numbers(eager(X, Y)), numbers(eager(Y, X)))
    assert name in ('a constant output', 'a plain function that returns its input') or tape.events


# ---- weights, writes -----------------------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0, 3.0]), name='w')
        self.b = Parameter(Tensor([0.5]), name='b')
        self.mean = Parameter(Tensor([0.0, 0.0, 0.0]), name='mean', requires_grad=False)

    def construct(self, x):
        return (cube(x * self.w) + self.b).sum()


@pytest.mark.parametrize('mode', [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_training_a_jitted_network(mode):
    """Weights are marked by value_and_grad, and read by every replay as they are then."""

    def train(call, net):
        step = ms.value_and_grad(call, None, net.trainable_params())
        losses = []
        for _ in range(4):
            loss, gradients = step(X)
            losses.append(float(loss))
            for p, g in zip(net.trainable_params(), gradients, strict=True):
                p.set_data(p - 0.001 * g)
        return losses, [p.asnumpy().tolist() for p in net.trainable_params()]

    eager, net = Net(), Net()
    due = train(eager, eager)
    ms.set_context(mode=mode)
    try:
        assert train(net if mode == ms.GRAPH_MODE else ms.jit(net), net) == due
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def assign(p, value):
    """ops.assign, or what it does."""
    import sys

    if hasattr(ops, 'assign'):
        return ops.assign(p, value)
    overwrite(p, value, f'ops.assign({p.name}, ...)', sys._getframe(1))
    return p


def test_assign_works_in_every_call_and_several_times():
    net = Net()

    @ms.jit
    def f(x):
        before = net.mean * 1
        assign(net.mean, x * 2)
        between = net.mean + 0
        assign(net.mean, between + x)
        return before, between, net.mean + 0

    before = [0.0, 0.0, 0.0]
    for x in (X, Y, X):
        got = [t.asnumpy().tolist() for t in f(x)]
        assert got == [before, (x * 2).asnumpy().tolist(), (x * 3).asnumpy().tolist()]
        before = net.mean.asnumpy().tolist()
        assert before == (x * 3).asnumpy().tolist()
    assert f.traced == 1


@pytest.mark.skipif(not hasattr(ops, 'assign_add'), reason='assign_add is not built here yet')
def test_assign_add_and_assign_sub_in_every_call():
    p = Parameter(Tensor([10.0, 10.0, 10.0]), name='p')
    f = ms.jit(lambda x: (ops.assign_add(p, x), ops.assign_sub(p, 1.0), p * 1)[2])
    assert f(X).asnumpy().tolist() == [10, 11, 6]
    assert f(Y).asnumpy().tolist() == [9.5, 8.5, 7.5] and f.traced == 1


def test_a_moving_average_in_a_gradient():
    net = Net()

    @ms.jit
    def f(x):
        assign(net.mean, net.mean * 0.5 + ops.stop_gradient(x) * 0.5)
        return (x * net.w).sum()

    for k in range(1, 4):
        dx = ms.grad(f)(X)
        assert dx.asnumpy().tolist() == [1, 2, 3]
        np.testing.assert_allclose(net.mean.asnumpy(), X.asnumpy() * (1 - 0.5**k))


def test_a_value_that_is_written_after_use_is_an_error_in_a_replay_too():
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')

    def f(x):
        y = x * p
        assign(p, p * 3)
        return y

    g = ms.jit(f)
    g(X)
    for h in (f, g, g):
        with pytest.raises(WriteAfterUseError, match=r'(?s)Mul.*used: +test_replay\.py.*y = x \* p'):
            ms.grad(h)(X)


def test_a_write_into_the_argument_is_seen_by_the_caller():
    def f(x):
        x[0] = 9.0
        return x * 1

    g = ms.jit(f)
    for call in (f, g, g):
        t = Tensor([1.0, 2.0])
        assert call(t).asnumpy().tolist() == [9, 2] and t.asnumpy().tolist() == [9, 2]
    scalar = Tensor([1.0, 2.0]).sum()

    @ms.jit
    def h(x):
        x[...] = 4.0
        return x * 2

    assert float(h(scalar)) == 8.0 and float(scalar) == 4.0


def test_what_a_replay_returns_is_its_own():
    """Writing into one result changes no later one."""
    f = ms.jit(lambda x: (x * 2, [x + 1]))
    first, (second,) = f(X)
    first[0] = second[0] = 99.0
    assert numbers(f(X)) == (([2, 4, -6], 'Float32'), [([2, 3, -2], 'Float32')])


def test_a_swallowed_parameter_is_said_in_a_replay_too():
    class Swallows(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name='w')

        def construct(self, x):
            return self.w * x

        def bprop(self, x, out, dout):
            return (dout * 2,)

    net = Swallows()
    f = ms.jit(lambda x: net(x) + net.w)
    f(X)
    for _ in range(2):
        with warned() as said:
            ms.grad(f, 0, net.w)(X)
        assert 'The Parameter w is used inside Swallows' in said.one(SwallowedParameterWarning)
        assert 'net(x) + net.w' in said.line


def test_a_graph_inside_warns_when_it_is_traced_and_not_again():
    f = ms.jit(lambda x: ms.grad(lambda y: (y, y * 2))(x) + ms.grad(lambda y: shared)(x))
    with warned() as first:
        f(X)
    with warned() as second:
        assert f(Y).asnumpy().tolist() == [3, 3, 3]
    assert len(first.caught) == 2 and all(issubclass(w.category, MinicellWarning) for w in first.caught)
    assert not second.caught


# ---- random --------------------------------------------------------------------------------------------------------


def test_random_ops_are_drawn_again_in_a_replay():
    rng = np.random.default_rng(1)
    throw = Plain('Throw', lambda x: rng.random(x.shape).astype(x.dtype))

    def noise(x):
        import sys

        return apply_plain(throw, (x,), sys._getframe(1))

    f = ms.jit(lambda x: x * noise(x))
    drawn = [tuple(f(ops.ones((4,))).asnumpy().tolist()) for _ in range(4)]
    assert len(set(drawn)) == 4 and f.traced == 1
    mask = ms.grad(f)(ops.ones((4,))).asnumpy()
    assert tuple(mask.tolist()) not in drawn


# ---- provenance ----------------------------------------------------------------------------------------------------


def test_the_entries_of_a_replay_bear_the_lines_that_made_them():
    def f(x):
        y = ops.exp(x)
        return cube(y) * 2

    g = ms.jit(f)
    g(X)
    with ms.Tape() as tape:
        ms.grad(g)(Y)
    lines = [e.where.text for e in tape.events if type(e).__name__ in ('Op', 'Call') and e.where and not e.where.ours]
    assert 'y = ops.exp(x)' in lines and 'return cube(y) * 2' in lines
    assert 'return x * x * x' in lines, 'what the Cell hides is shown in a replay too'
    call = next(e for e in tape.events if type(e).__name__ == 'Call')
    assert type(call.cell).__name__ == 'Cube' and call.where.text == 'return cube(y) * 2'


def test_a_replay_leaves_the_tape_as_it_was():
    f = ms.jit(lambda x: ms.grad(cube)(x) + cube(x))
    for _ in range(2):
        f(X)
        ms.grad(f)(X)
    assert tape.start == tape.OFF and tape.depth == 0 and not tape.looking and not tape.written


def test_bprop_debug_reports_in_a_replay(capsys):
    net = Cube()
    f = ms.jit(net)
    ms.grad(f)(X)
    net.bprop_debug = True
    with warned() as said:
        for x in (X, Y):
            ms.grad(f)(x)
    out = capsys.readouterr()
    assert out.out == '' and out.err.count('Cube.bprop(x=Tensor(') == 2 and not said.caught
