"""S6, A2, A3: what vjp, jvp and the Jacobians give is a gradient like any other, of a function that is run once."""

import warnings

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import MinicellWarning
from tests.hostile.said import Ran, Triple, X, left, right, right_or_said, said

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
def test_s6_a_gradient_by_the_cotangent_goes_through_it(f, slope, second):
    """sum(s * s * f'(x)) by s is 2 s f'(x)."""
    _, back = ms.vjp(f, X)
    found = lambda: ms.grad(lambda s: (back(s)[0] * s).sum())(ONES)
    right_or_said(found, 2 * slope(N), 'vjp|back|sens', 'gradient|cotangent')


@functions
def test_s6_a_gradient_by_the_input_goes_through_it(f, slope, second):
    found = lambda: ms.grad(lambda x: (ms.vjp(f, x)[1](x)[0]).sum())(X)
    right_or_said(found, second(N) * N + slope(N), 'vjp|back')


@functions
def test_s6_third_order_through_vjps_in_each_other(f, slope, second):
    """The slope of x * f''(x), which vjp of vjp gives: checked by differences."""
    inner = lambda x: ms.vjp(f, x)[1](ONES.astype(x.dtype))[0]
    outer = lambda x: ms.vjp(inner, x)[1](x)[0].sum()
    step = 1e-4
    due = [
        ((N + e) * second(N + e)).sum() - ((N - e) * second(N - e)).sum() for e in np.eye(3) * step
    ]  # fmt: skip
    program = lambda: ms.grad(outer)(Tensor(N))
    right_or_said(program, np.array(due) / (2 * step), 'vjp|back|Triple', near=1e-3)


@functions
def test_s6_by_the_cotangent_and_under_a_tape(f, slope, second):
    _, back = ms.vjp(f, X)
    with ms.Tape():
        found = Ran(lambda: ms.grad(lambda s: (back(s)[0] * s).sum())(ONES))
    assert right(found.value, 2 * slope(N)) or found.says('vjp|back'), found.value


WRITES = {
    'set_data': lambda p: p.set_data(Tensor([100.0] * 3)),
    'assign': lambda p: ops.assign(p, Tensor([100.0] * 3)),
    'an index': lambda p: p.__setitem__(0, 100.0),
}


@pytest.mark.parametrize('write', WRITES.values(), ids=WRITES)
@pytest.mark.parametrize('weights', [False, True], ids=['of the input', 'of the Parameter'])
def test_s6_a_write_in_the_forward_of_a_vjp(write, weights):
    p = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')

    def f(x):
        y = x * p
        write(p)
        return y.sum()

    program = lambda: ms.vjp(f, X, weights=p if weights else None)[1](Tensor(1.0))
    right_or_said(program, (([2, 2, 2],), [1, 2, 3]) if weights else ([2, 2, 2],), 'Mul|p', 'writ')
    assert not left(p)


@pytest.mark.parametrize('write', ['set_data', 'assign', 'an index'])
def test_s6_a_parameter_that_is_given_a_differentiated_value(write):
    """grad says Severed; so does vjp."""
    p = Parameter(Tensor([0.0, 0.0, 0.0]), name='p')

    def f(x):
        given = x * x
        {'set_data': p.set_data, 'assign': lambda v: ops.assign(p, v), 'an index': lambda v: p.__setitem__(..., v)}[
            write
        ](given)
        return (p * x).sum()

    right_or_said(lambda: ms.vjp(f, X)[1](Tensor(1.0)), ([3, 12, 27],), 'Parameter|x\\[i\\]', 'gradient')


class Keeps(nn.Cell):
    def construct(self, x):
        self.h = x * 3
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 2,)


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
@pytest.mark.parametrize('between', ['nothing', 'a gradient', 'a vjp', 'a Jacobian'])
def test_s6_a_hidden_value_does_not_become_a_constant(between):
    """2x by the Cell, and 3x by the value that it kept: 5 is due, or an error that says that it was kept."""
    net = Keeps()
    inner = {
        'nothing': lambda x: None,
        'a gradient': lambda x: ms.grad(lambda y: y.sum())(X),
        'a vjp': lambda x: ms.vjp(lambda y: y.sum(), X)[1](Tensor(1.0)),
        'a Jacobian': lambda x: ms.jacrev(lambda y: y * y)(X),
    }

    def f(x):
        y = net(x)
        inner[between](x)
        return (y + net.h).sum()

    with warnings.catch_warnings():
        ran = Ran(lambda: ms.vjp(f, X)[1](Tensor(1.0)))
    assert right(ran.value, ([5, 5, 5],)) or (ran.error and ran.says('Keeps')), f'{ran.value}: {ran.texts}'


OUTERS = {
    'a gradient': lambda keep: ms.grad(lambda x: keep(x).sum())(X),
    'a second gradient': lambda keep: ms.grad(lambda x: ms.grad(lambda y: keep(y).sum())(x).sum() + (x * x).sum())(X),
    'a vjp': lambda keep: ms.vjp(lambda x: keep(x).sum(), X)[1](Tensor(1.0)),
    'a jvp': lambda keep: ms.jvp(lambda x: keep(x).sum(), X, ONES),
}


@pytest.mark.parametrize('outer', OUTERS.values(), ids=OUTERS)
def test_s6_what_outlives_an_outer_gradient_is_right_or_says_so(outer):
    kept = []

    def keep(x):
        out, back = ms.vjp(lambda y: y * y, x)
        kept.append(back)
        return out

    outer(keep)
    right_or_said(lambda: kept[0](ONES), ([2, 4, 6],), 'vjp|back', 'outer|over|closed|end')
    assert not left()


def test_s6_what_was_taken_in_one_gradient_is_read_in_another():
    kept = []

    def f(x):
        kept.append(ms.vjp(lambda y: y * y, x)[1])
        return x.sum()

    ms.grad(f)(X)
    right_or_said(lambda: ms.grad(lambda s: kept[0](s * s)[0].sum())(ONES), [4, 8, 12], 'vjp|back', 'gradient')


# ---- A3: the function is run once -----------------------------------------------------------------------------------

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
def test_a3_the_function_is_run_once(ask):
    runs = []

    def f(x):
        runs.append(x)
        return x * x

    ask(f)
    assert len(runs) == 1, f'it was run {len(runs)} times'


class Counts(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor([0.0]), name='n', requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.n, Tensor([1.0]))
        return x * self.n


@pytest.mark.parametrize('times', [1, 2])
def test_a3_the_value_of_a_jvp_is_that_of_its_first_run(times):
    """As in MindSpore: 3 (and 6 in a second call's first run), with the slope that belongs to it."""
    net = Counts()
    for k in range(1, times + 1):
        before = net.n.asnumpy().item()
        value, slope = ms.jvp(net, Tensor([3.0]), Tensor([1.0]))
        assert right((value, slope), ([3.0 * (before + 1)], [before + 1])), f'call {k}: {value}, {slope}'


def test_a3_the_mask_of_a_random_function_is_the_same_in_value_and_slope():
    net = nn.Dropout(p=0.5)
    net.set_train()
    x = Tensor(np.full(50, 3.0, np.float32))
    value, slope = ms.jvp(net, x, Tensor(np.ones(50, np.float32)))
    assert right(value.asnumpy() / 3, slope.asnumpy())


# ---- A2: a bprop that is not linear in dout -------------------------------------------------------------------------

V = Tensor([1.0, 0.0])
NOT_LINEAR = {
    'relu(dout)': (lambda d: ops.relu(d), [1, 0]),
    'dout / norm(dout)': (lambda d: d / ops.sqrt((d * d).sum()), [0.35355339, -0.35355339]),
    'dout * dout': (lambda d: d * d, [2, 0]),
    'clip': (lambda d: ops.clip_by_value(d, Tensor(-0.5), Tensor(0.5)), [0, 0]),
    'dout * abs(dout)': (lambda d: d * ops.abs(d), [2, 0]),
}


def not_linear(rule) -> nn.Cell:
    class Net(nn.Cell):
        def construct(self, x):
            return x * 1

        def bprop(self, x, out, dout):
            return (rule(dout),)

    return Net()


@pytest.mark.parametrize('rule, due', NOT_LINEAR.values(), ids=NOT_LINEAR)
def test_a2_jvp_takes_a_bprop_that_is_not_linear_at_a_dout_of_one_and_says_so(rule, due):
    ran = Ran(lambda: ms.jvp(not_linear(rule), Tensor([3.0, 4.0]), V)[1])
    assert right(ran.value, due), f'{ran.value}, due {due}'
    said(lambda: ms.jvp(not_linear(rule), Tensor([3.0, 4.0]), V), r'\bNet\b', 'linear')


@pytest.mark.parametrize('rule, due', NOT_LINEAR.values(), ids=NOT_LINEAR)
def test_a2_jacfwd_takes_a_bprop_that_is_not_linear_at_a_dout_of_one(rule, due):
    ran = Ran(lambda: ms.jacfwd(not_linear(rule))(Tensor([3.0, 4.0])))
    assert ran.value is not None and right(ran.value[:, 0], due), f'{ran.value}, due is a first column {due}'
    assert ran.says(r'\bNet\b', 'linear')


def test_a2_of_a_linear_bprop_nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter('error', MinicellWarning)
        assert right(ms.jvp(lambda x: Triple()(x) * x, X, ONES)[1], [6, 12, 18])
