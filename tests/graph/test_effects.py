"""What a replay does beside its result: it reads weights as they are, writes, warns, draws, tells the tape where."""

import sys

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core import tape
from minicell.core.primitives import apply_plain
from minicell.core.rules import Plain
from minicell.core.trap import writes
from minicell.errors import MinicellWarning, SwallowedParameterWarning, WriteAfterUseError
from tests.core.cells import Cube, made
from tests.graph.test_replay import numbers
from tests.messages import refused, warned

X, Y = Tensor([1.0, 2.0, -3.0]), Tensor([0.5, -1.5, 2.5])
cube, shared = Cube(), Tensor([2.0, 3.0, 4.0])


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


def test_assign_works_in_every_call_and_several_times():
    net = Net()

    @ms.jit
    def f(x):
        before = net.mean * 1
        ops.assign(net.mean, x * 2)
        between = net.mean + 0
        ops.assign(net.mean, between + x)
        return before, between, net.mean + 0

    before = [0.0, 0.0, 0.0]
    for x in (X, Y, X):
        got = [t.asnumpy().tolist() for t in f(x)]
        assert got == [before, (x * 2).asnumpy().tolist(), (x * 3).asnumpy().tolist()]
        before = net.mean.asnumpy().tolist()
        assert before == (x * 3).asnumpy().tolist()
    assert f.traced == 1


def test_assign_add_and_assign_sub_in_every_call():
    p = Parameter(Tensor([10.0, 10.0, 10.0]), name='p')
    f = ms.jit(lambda x: (ops.assign_add(p, x), ops.assign_sub(p, 1.0), p * 1)[2])
    assert f(X).asnumpy().tolist() == [10, 11, 6]
    assert f(Y).asnumpy().tolist() == [9.5, 8.5, 7.5] and f.traced == 1


def test_a_moving_average_in_a_gradient():
    net = Net()

    @ms.jit
    def f(x):
        ops.assign(net.mean, net.mean * 0.5 + ops.stop_gradient(x) * 0.5)
        return (x * net.w).sum()

    for k in range(1, 4):
        dx = ms.grad(f)(X)
        assert dx.asnumpy().tolist() == [1, 2, 3]
        np.testing.assert_allclose(net.mean.asnumpy(), X.asnumpy() * (1 - 0.5**k))


def test_a_value_that_is_written_after_use_is_an_error_in_a_replay_too():
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')

    def f(x):
        y = x * p
        ops.assign(p, p * 3)
        return y

    g = ms.jit(f)
    g(X)
    for h in (f, g, g):
        with refused(WriteAfterUseError, 'Mul', line='y = x * p'):
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
    net = made(lambda self, x: self.w * x, lambda self, x, out, dout: (dout * 2,), name='Swallows')
    net.w = Parameter(Tensor([2.0]), name='w')
    f = ms.jit(lambda x: net(x) + net.w)
    f(X)
    for _ in range(2):
        with warned(SwallowedParameterWarning, 'Parameter w', 'Swallows') as said:
            ms.grad(f, 0, net.w)(X)
        assert '+ net.w' in said.line


def test_a_graph_inside_warns_when_it_is_traced_and_not_again():
    f = ms.jit(lambda x: ms.grad(lambda y: (y, y * 2))(x) + ms.grad(lambda y: shared)(x))
    with warned() as first:
        f(X)
    with warned() as second:
        assert f(Y).asnumpy().tolist() == [3, 3, 3]
    assert len(first.caught) == 2 and all(issubclass(w.category, MinicellWarning) for w in first.caught)
    assert not second.caught


def test_random_ops_are_drawn_again_in_a_replay():
    rng = np.random.default_rng(1)
    throw = Plain('Throw', lambda x: rng.random(x.shape).astype(x.dtype))

    def noise(x):
        return apply_plain(throw, (x,), sys._getframe(1))

    f = ms.jit(lambda x: x * noise(x))
    drawn = [tuple(f(ops.ones((4,))).asnumpy().tolist()) for _ in range(4)]
    assert len(set(drawn)) == 4 and f.traced == 1
    mask = ms.grad(f)(ops.ones((4,))).asnumpy()
    assert tuple(mask.tolist()) not in drawn


def test_the_entries_of_a_replay_bear_the_lines_that_made_them():
    def f(x):
        y = ops.exp(x)
        return cube(y) * 2

    g = ms.jit(f)
    g(X)
    with ms.Tape() as tape:
        ms.grad(g)(Y)
    lines = [e.where.text for e in tape.events if type(e).__name__ in ('Op', 'Call') and e.where and not e.where.ours]
    assert any('ops.exp(x)' in line for line in lines) and any('cube(y) * 2' in line for line in lines)
    assert any('x * x * x' in line for line in lines), 'what the Cell hides is shown in a replay too'
    call = next(e for e in tape.events if type(e).__name__ == 'Call')
    assert type(call.cell).__name__ == 'Cube' and 'cube(y) * 2' in call.where.text


def test_a_replay_leaves_the_tape_as_it_was():
    f = ms.jit(lambda x: ms.grad(cube)(x) + cube(x))
    for _ in range(2):
        f(X)
        ms.grad(f)(X)
    assert tape.recorded_from == tape.NOWHERE and not tape.gradients and not tape.looking and not writes


def test_bprop_debug_reports_in_a_replay(capsys):
    net = Cube()
    f = ms.jit(net)
    ms.grad(f)(X)
    net.bprop_debug = True
    with warned() as said:
        for x in (X, Y):
            ms.grad(f)(x)
    out = capsys.readouterr()
    assert out.out == '' and out.err.count('Cube.bprop(x=') == 2 and not said.caught


def test_plus_equals_in_a_graph_writes_nothing():
    """As in eager mode: the name is bound to another Tensor."""

    @ms.jit
    def f(x):
        x += 1
        return x

    x = Tensor([1.0, 2.0])
    assert [f(x).asnumpy().tolist() for _ in range(3)] == [[2, 3]] * 3 and x.asnumpy().tolist() == [1, 2]
