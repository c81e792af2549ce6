"""What minicell takes, computes or prints where MindSpore refuses it, or does it in another way: each ran on both."""

import functools
import math
import pickle

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.common.initializer import initializer
from minicell.errors import GraphValueError, HookError, SettingError
from tests.core.cells import made
from tests.messages import refused, tells

A, B = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
X, Y, THREE = Tensor([2.0]), Tensor([3.0]), Tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ('f', 'due'),
    [(lambda x: (x * x.T).sum(), 2), (lambda x: ops.matmul(x, x).sum(), 4), (lambda x: (x @ x.T).sum(), 4)],
)
def test_a_second_derivative_goes_through_a_transpose(f, due):
    assert ms.grad(ms.grad(f))(A).tolist() == [[due] * 2] * 2
    mixed = ms.grad(ms.grad(lambda x, y: ops.matmul(x, y).sum(), 0), 1)
    assert mixed(A, B).tolist() == [[2, 2], [2, 2]]


def test_further_outputs_may_be_anything():
    for further in (3, None, 'text'):
        slope, rest = ms.grad(lambda x, further=further: (x * x, further), has_aux=True)(X)
        assert slope.tolist() == [4] and rest == (further,)


def test_an_integer_has_zeros_in_its_place():
    dx, di = ops.GradOperation(get_all=True)(lambda x, i: x * i)(X, Tensor([5]))
    assert dx.tolist() == [5] and di.tolist() == [0] and di.dtype == ms.int64


@pytest.mark.parametrize('name', ['elu', 'gelu', 'softmax', 'log_softmax'])
def test_these_have_second_derivatives(name):
    op = getattr(ops, name)
    slope = ms.grad(lambda x: (op(x) ** 2 * Tensor([1.0, 2.0])).sum())
    x, step = Tensor([0.3, -0.5], ms.float64), 1e-6
    found = ms.grad(lambda x: slope(x)[0])(x)[0].item()
    there, here = (float(slope(x + Tensor([s, 0.0], ms.float64))[0]) for s in (step, -step))
    assert found == pytest.approx((there - here) / (2 * step), rel=1e-4)


def test_an_out_of_one_has_a_dout_of_one():
    class One(nn.Cell):
        def construct(self, x):
            return (x * 2,)

        def bprop(self, x, out, dout):
            assert type(out) is type(dout) is tuple and len(out) == len(dout) == 1
            return (dout[0] * 10,)

    assert ms.grad(lambda x: One()(x)[0] * 3)(X).tolist() == [30]


def test_a_backward_hook_is_differentiated_too():
    cell = nn.Tanh()
    cell.register_backward_hook(lambda c, i, g: (i[0] * 2,))
    plain = ms.grad(ms.grad(ops.tanh))(X).item()
    assert ms.grad(ms.grad(cell))(X).item() == pytest.approx(2 * 2 * plain)


def test_a_list_of_cells_one_by_one():
    assert len(nn.CellList(nn.ReLU(), nn.Tanh())) == 2


def test_the_rate_that_is_printed_is_the_one_that_was_given():
    assert repr(nn.Dropout2d(p=0.2)) == 'Dropout2d(p=0.2)'
    assert ops.dropout(X, 1.0).tolist() == [0]


def test_a_branch_on_a_value_is_refused_in_any_graph():
    @ms.jit
    def f(x):
        if x.sum() > 2:
            return x * 10
        return x

    with refused(GraphValueError, 'bool() of', 'graph of f', line='if x.sum() > 2'):
        f(X)


def test_a_tuple_given_to_a_graph_has_its_gradients():
    @ms.jit
    def product(pair):
        return pair[0] * pair[1]

    assert [g.tolist() for g in ms.grad(lambda x, y: product((x, y)), (0, 1))(X, Y)] == [[3], [2]]


def test_stop_gradient_in_a_graph_holds_for_every_order():
    f = ms.jit(lambda x: (ops.stop_gradient(x) * x).sum())
    assert ms.grad(f)(X).tolist() == [2]
    assert ms.grad(ms.grad(f))(X).tolist() == [0]


@pytest.mark.parametrize(
    ('op', 'of', 'due'),
    [
        (ops.tanh, 5.0, math.tanh(5.0)),  # MindSpore: 1.0000098
        (ops.exp, 1.0, math.e),  # 2.7182798
        (ops.sigmoid, 2.0, 1 / (1 + math.exp(-2.0))),
        (ops.silu, 2.0, 2 / (1 + math.exp(-2.0))),
    ],
)
def test_the_last_digits_are_right(op, of, due):
    assert abs(float(op(Tensor(of))) - due) <= 2 * np.spacing(np.float32(due))


@pytest.mark.parametrize('compute', [lambda t: THREE * t, lambda t: ops.mul(THREE, t), lambda t: t * THREE])
def test_a_tuple_of_numbers_is_an_operand(compute):
    assert compute((1.0, 2.0, 3.0)).tolist() == [1, 4, 9]


def test_a_gradient_inside_the_construct_of_a_cell_with_a_bprop():
    net = made(lambda self, x: ms.grad(lambda v: v * v)(x), lambda self, x, out, dout: (dout * 7,))
    assert net(THREE).tolist() == [2, 4, 6] and ms.grad(net)(THREE).tolist() == [7, 7, 7]


def test_operators_and_partials_are_functions_to_differentiate():
    assert ms.grad(ops.Mul())(THREE, THREE).tolist() == [1, 2, 3]
    assert ms.grad(functools.partial(lambda a, b: a * b, THREE))(THREE).tolist() == [1, 2, 3]


def test_a_cell_can_be_pickled():
    net = nn.Dense(2, 1)
    assert pickle.loads(pickle.dumps(net)).weight.tolist() == net.weight.tolist()


def test_insert_gradient_of_takes_a_function():
    with refused(HookError, 'a function', 'an int'):
        ops.InsertGradientOf(3)


def test_an_initializer_has_its_numbers_at_once():
    assert str(initializer('ones', [2])) == '[1. 1.]' and initializer('ones', [2]).tolist() == [1, 1]


def test_what_adam_and_sgd_remember():
    p = Parameter(THREE, name='p')
    names = lambda opt: [q.name for q in opt.get_parameters()]
    assert names(nn.Adam([p], 0.1)) == ['global_step', 'learning_rate', 'p', 'moment1.p', 'moment2.p']
    assert names(nn.SGD([p], 0.1)) == ['global_step', 'learning_rate', 'p', 'momentum']
    assert names(nn.Momentum([p], 0.1, 0.9)) == ['global_step', 'learning_rate', 'p', 'momentum', 'moments.p']


def test_settings_that_minicell_is_without():
    with refused(SettingError, 'here', line='ops.relu('):
        ops.relu(THREE, inplace=True)
    with refused(SettingError, 'here', line='ops.gather('):
        ops.gather(THREE, Tensor([0]), 0, batch_dims=1)


def test_initializers_print_their_settings():
    text = repr(nn.Conv2d(1, 2, 3, weight_init='ones', has_bias=True))
    tells(text, 'weight_init=ones', 'bias_init=<minicell', 'initializer.Uniform object')
    tells(repr(nn.Conv2d(1, 2, 3)), 'initializer.HeUniform object', 'bias_init=None')


def test_numpy_is_those_functions_that_are_ops():
    from minicell import numpy as mnp

    assert mnp.power is ops.pow and mnp.sum(THREE).item() == 6 and not hasattr(mnp, 'roll')
