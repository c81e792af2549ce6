"""What vjp, jvp and the Jacobians give is a gradient like any other, of a function that is run once."""

import contextlib

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import NotLinearWarning
from tests.hostile.said import Ran, Triple, X, cell, first, left, quiet, right, said

ONES = Tensor([1.0, 1.0, 1.0])
FUNCTIONS = {
    'x * x': (lambda x: x * x, lambda x: 2 * x, lambda x: 0 * x + 2),
    'a cube': (lambda x: x * x * x, lambda x: 3 * x**2, lambda x: 6 * x),
    'sin': (ops.sin, np.cos, lambda x: -np.sin(x)),
    'a Cell with a bprop': (lambda x: Triple()(x) * x, lambda x: 6 * x, lambda x: 0 * x + 6),
    'a graph': (ms.jit(lambda x: x * x * 1), lambda x: 2 * x, lambda x: 0 * x + 2),
}
functions = pytest.mark.parametrize('f, slope, second', FUNCTIONS.values(), ids=FUNCTIONS)
N = np.array([1.0, 2.0, 3.0])


@functions
def test_a_gradient_by_the_cotangent_goes_through_it(f, slope, second):
    """sum(s * s * f'(x)) by s is 2 s f'(x)."""
    _, back = ms.vjp(f, X)
    found = lambda: ms.grad(lambda s: (back(s)[0] * s).sum())(ONES)
    quiet(found, 2 * slope(N))
    with ms.Tape():
        quiet(found, 2 * slope(N))


@functions
def test_a_gradient_by_the_input_goes_through_it(f, slope, second):
    quiet(lambda: ms.grad(lambda x: (ms.vjp(f, x)[1](x)[0]).sum())(X), second(N) * N + slope(N))


@functions
def test_third_order_through_vjps_in_each_other(f, slope, second):
    """The slope of x * f''(x), which vjp of vjp gives: checked by differences."""
    inner = lambda x: ms.vjp(f, x)[1](ONES.astype(x.dtype))[0]
    outer = lambda x: ms.vjp(inner, x)[1](x)[0].sum()
    step = 1e-4
    due = [((N + e) * second(N + e)).sum() - ((N - e) * second(N - e)).sum() for e in np.eye(3) * step]
    quiet(lambda: ms.grad(outer)(Tensor(N)), np.array(due) / (2 * step), near=1e-3)


WRITES = {
    'p.set_data': lambda p, v: p.set_data(v),
    'ops.assign(p': lambda p, v: ops.assign(p, v),
    'x[i] = v': lambda p, v: p.__setitem__(..., v),
}
writes = pytest.mark.parametrize('by, write', WRITES.items(), ids=WRITES)


@writes
@pytest.mark.parametrize('weights', [False, True], ids=['of the input', 'of the Parameter'])
def test_a_write_in_the_forward_of_a_vjp(by, write, weights):
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')
    f = lambda x: first(x * p, write(p, Tensor([100.0] * 3))).sum()
    program = lambda: ms.vjp(f, X, weights=p if weights else None)[1](Tensor(1.0))
    said(program, 'gradient of Mul', 'written since', by)
    assert not left(p)


@writes
def test_a_parameter_that_is_given_a_differentiated_value(by, write):
    """grad says that no gradient passes a write; so does vjp."""
    p = Parameter(Tensor([0.0, 0.0, 0.0]), name='p')
    program = lambda: ms.vjp(lambda x: (write(p, x * x), (p * x).sum())[1], X)[1](Tensor(1.0))
    said(program, by, 'gradient', 'line ')


BETWEEN = {
    'nothing': lambda x: None,
    'a gradient': lambda x: ms.grad(lambda y: y.sum())(X),
    'a vjp': lambda x: ms.vjp(lambda y: y.sum(), X)[1](Tensor(1.0)),
    'a Jacobian': lambda x: ms.jacrev(lambda y: y * y)(X),
}


@pytest.mark.parametrize('between', BETWEEN.values(), ids=BETWEEN)
def test_a_hidden_value_does_not_become_a_constant(between):
    """2x by the Cell, and 3x by the value that it kept: an error says that it was kept."""
    keeps = lambda self, x: first(x * 2, setattr(self, 'h', x * 3))
    net = cell(keeps, lambda self, x, out, dout: (dout * 2,), 'Keeps')
    f = lambda x: (first(net(x), between(x)) + net.h).sum()
    said(lambda: ms.vjp(f, X)[1](Tensor(1.0)), 'Add uses', 'construct of Keeps', 'lost')


OUTERS = {
    'a gradient': lambda keep: ms.grad(lambda x: keep(x).sum())(X),
    'a second gradient': lambda keep: ms.grad(lambda x: ms.grad(lambda y: keep(y).sum())(x).sum() + (x * x).sum())(X),
    'a vjp': lambda keep: ms.vjp(lambda x: keep(x).sum(), X)[1](Tensor(1.0)),
    'a jvp': lambda keep: ms.jvp(lambda x: keep(x).sum(), X, ONES),
}


@pytest.mark.parametrize('outer', OUTERS.values(), ids=OUTERS)
def test_what_outlives_an_outer_gradient_is_right_or_says_so(outer):
    kept = []

    def keep(x):
        out, back = ms.vjp(lambda y: y * y, x)
        kept.append(back)
        return out

    outer(keep)
    quiet(lambda: kept[0](ONES), ([2, 4, 6],))
    assert not left()


def test_what_was_taken_in_one_gradient_is_read_in_another():
    kept = []
    ms.grad(lambda x: first(x.sum(), kept.append(ms.vjp(lambda y: y * y, x)[1])))(X)
    quiet(lambda: ms.grad(lambda s: kept[0](s * s)[0].sum())(ONES), [4, 8, 12])


RUNS = {
    'jvp': lambda f: ms.jvp(f, X, ONES),
    'jvp of several': lambda f: ms.jvp(lambda x, y: f(x) * y, (X, X), (ONES, ONES)),
    'jvp with has_aux': lambda f: ms.jvp(lambda x: (f(x), 3), X, ONES, has_aux=True),
    'jacfwd': lambda f: ms.jacfwd(f)(X),
    'jacrev': lambda f: ms.jacrev(f)(X),
    'vjp': lambda f: [ms.vjp(f, X)[1](ONES) for _ in range(1)],
    'value_and_grad': lambda f: ms.value_and_grad(lambda x: f(x).sum())(X),
}


@pytest.mark.parametrize('ask', RUNS.values(), ids=RUNS)
def test_the_function_is_run_once(ask):
    runs = []
    ask(lambda x: first(x * x, runs.append(x)))
    assert len(runs) == 1, f'it was run {len(runs)} times'


@pytest.mark.parametrize('times', [1, 2])
def test_the_value_of_a_jvp_is_that_of_its_first_run(times):
    """As in MindSpore: 3 (and 6 in a second call's first run), with the slope that belongs to it."""
    n = Parameter(Tensor([0.0]), name='n', requires_grad=False)

    def f(x):
        ops.assign_add(n, Tensor([1.0]))
        return x * n

    for k in range(1, times + 1):
        before = n.asnumpy().item()
        value, slope = ms.jvp(f, Tensor([3.0]), Tensor([1.0]))
        assert right((value, slope), ([3.0 * (before + 1)], [before + 1])), f'call {k}: {value}, {slope}'


def test_the_mask_of_a_random_function_is_the_same_in_value_and_slope():
    net = nn.Dropout(p=0.5)
    net.set_train()
    x = Tensor(np.full(50, 3.0, np.float32))
    value, slope = ms.jvp(net, x, Tensor(np.ones(50, np.float32)))
    assert right(value.asnumpy() / 3, slope.asnumpy())


V = Tensor([1.0, 0.0])
NOT_LINEAR = {
    'relu(dout)': (lambda d: ops.relu(d), [1, 0]),
    'dout / norm(dout)': (lambda d: d / ops.sqrt((d * d).sum()), [0.35355339, -0.35355339]),
    'dout * dout': (lambda d: d * d, [2, 0]),
    'clip': (lambda d: ops.clip_by_value(d, Tensor(-0.5), Tensor(0.5)), [0, 0]),
    'dout * abs(dout)': (lambda d: d * ops.abs(d), [2, 0]),
}


def not_linear(rule) -> nn.Cell:
    return cell(lambda self, x: x * 1, lambda self, x, out, dout: (rule(dout),))


@pytest.mark.parametrize('rule, due', NOT_LINEAR.values(), ids=NOT_LINEAR)
def test_jvp_through_a_bprop_that_is_not_linear_says_so(rule, due):
    ran = Ran(lambda: ms.jvp(not_linear(rule), Tensor([3.0, 4.0]), V)[1])
    assert right(ran.value, due), f'{ran.value}, due {due}'
    assert ran.says('jvp of Net', 'bprop of Net', 'not linear', 'dout = 1') and type(ran.told[0]) is NotLinearWarning


@pytest.mark.parametrize('rule, due', NOT_LINEAR.values(), ids=NOT_LINEAR)
def test_jacfwd_takes_a_bprop_that_is_not_linear_at_a_dout_of_one(rule, due):
    ran = Ran(lambda: ms.jacfwd(not_linear(rule))(Tensor([3.0, 4.0])))
    assert ran.value is not None and right(ran.value[:, 0], due), f'{ran.value}, due is a first column {due}'
    assert ran.says('jvp of Net', 'not linear')


def test_of_a_linear_bprop_nothing_is_said():
    quiet(lambda: ms.jvp(lambda x: Triple()(x) * x, X, ONES)[1], [6, 12, 18])


CUBE = lambda t: t * t * t
ASKS = {
    'grad': lambda x, dout: ms.grad(lambda t: (CUBE(t) * dout).sum())(x),
    'vjp': lambda x, dout: ms.vjp(CUBE, x)[1](dout)[0],
    'jvp': lambda x, dout: ms.jvp(CUBE, x, dout)[1],
    'jacfwd': lambda x, dout: dout @ ms.jacfwd(CUBE)(x),
    'jacrev': lambda x, dout: dout @ ms.jacrev(CUBE)(x),
    'check_bprop': lambda x, dout: 3 * x * x * dout * float(ms.check_bprop(Triple(), Tensor([1.0])).ok),
}


@pytest.mark.parametrize('look', [contextlib.nullcontext, ms.Tape], ids=['alone', 'under a Tape'])
@pytest.mark.parametrize('ask', ASKS.values(), ids=ASKS)
def test_a_bprop_may_ask_for_gradients_whose_dout_depends_on_x_to_third_order(ask, look):
    """(The way back calls it while the outermost gradient frees its entries.)"""
    net = cell(lambda self, x: CUBE(x), lambda self, x, out, dout: (ask(x, dout),))
    f, order = lambda x: net(x) * x, lambda f: ms.grad(lambda x: f(x).sum())
    with look():
        quiet(lambda: order(f)(X), 4 * N**3)
        quiet(lambda: order(order(f))(X), 12 * N**2)
        quiet(lambda: order(order(order(f)))(X), 24 * N)
