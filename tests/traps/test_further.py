"""Rows of MINDSPORE.md where minicell computes what MindSpore refuses, or prints other last digits; each ran on it."""

import functools
import math
import pickle

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.common.initializer import initializer
from minicell.errors import HookError, SettingError

X = Tensor([1.0, 2.0, 3.0])


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


@pytest.mark.parametrize('compute', [lambda t: X * t, lambda t: ops.mul(X, t), lambda t: t * X])
def test_a_tuple_of_numbers_is_an_operand(compute):
    assert compute((1.0, 2.0, 3.0)).tolist() == [1, 4, 9]


def test_a_gradient_inside_the_construct_of_a_cell_with_a_bprop():
    class Net(nn.Cell):
        def construct(self, x):
            return ms.grad(lambda v: v * v)(x)

        def bprop(self, x, out, dout):
            return (dout * 7,)

    assert Net()(X).tolist() == [2, 4, 6] and ms.grad(Net())(X).tolist() == [7, 7, 7]


def test_operators_and_partials_are_functions_to_differentiate():
    assert ms.grad(ops.Mul())(X, X).tolist() == [1, 2, 3]
    assert ms.grad(functools.partial(lambda a, b: a * b, X))(X).tolist() == [1, 2, 3]


def test_a_cell_can_be_pickled():
    net = nn.Dense(2, 1)
    assert pickle.loads(pickle.dumps(net)).weight.tolist() == net.weight.tolist()


def test_insert_gradient_of_takes_a_function():
    with pytest.raises(HookError, match='takes a function, but got an int'):
        ops.InsertGradientOf(3)


def test_an_initializer_has_its_numbers_at_once():
    assert str(initializer('ones', [2])) == '[1. 1.]' and initializer('ones', [2]).tolist() == [1, 1]


def test_what_adam_and_sgd_remember():
    p = Parameter(X, name='p')
    names = lambda opt: [q.name for q in opt.get_parameters()]
    assert names(nn.Adam([p], 0.1)) == ['global_step', 'learning_rate', 'p', 'moment1.p', 'moment2.p']
    assert names(nn.SGD([p], 0.1)) == ['global_step', 'learning_rate', 'p', 'momentum']


def test_settings_that_minicell_is_without():
    for ask in (lambda: ops.relu(X, inplace=True), lambda: ops.gather(X, Tensor([0]), 0, batch_dims=1)):
        with pytest.raises(SettingError, match=r'(?s)here.*your line'):
            ask()


def test_initializers_print_their_settings():
    text = repr(nn.Conv2d(1, 2, 3, weight_init='ones', has_bias=True))
    assert 'weight_init=ones, bias_init=Uniform' in text and 'bias_init=None' in repr(nn.Conv2d(1, 2, 3))


def test_numpy_is_those_functions_that_are_ops():
    from minicell import numpy as mnp

    assert mnp.power is ops.pow and mnp.sum(X).item() == 6 and not hasattr(mnp, 'arange')


def test_a_cell_of_any_kind_is_a_learning_rate():
    class Rate(nn.Cell):
        def construct(self, step):
            return Tensor(0.5) / (step + 1).astype(ms.float32)

    p = Parameter(Tensor([1.0]), name='p')
    opt = nn.SGD([p], Rate())
    for due in (0.5, 0.25):
        opt((Tensor([1.0]),))
        assert p.asnumpy().tolist() == [due]
