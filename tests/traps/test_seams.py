"""Where minicell is stricter, kinder or simply other than MindSpore in small things: seen on both, side by side."""

import threading

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import DTypeError, NotATensorError, OperandError, SensError, ShapeError
from minicell.errors import (
    IndexWriteError,
    LeavesTapeWarning,
    ParameterError,
    ThreadError,
)
from tests.messages import refused, tells, warned

X = Tensor([1.0, 2.0, 3.0])


def test_a_tensor_made_of_a_tensor_is_a_constant():
    """MindSpore passes the gradient through Tensor(x): 2, 4, 6 here."""
    with warned(LeavesTapeWarning, 'Tensor(...)'):
        assert ms.grad(lambda x: (Tensor(x) * x).sum())(X).tolist() == [1, 2, 3]


def test_an_index_write_on_the_way_is_refused():
    """MindSpore differentiates it: 0, 4, 6 here."""

    def f(x):
        y = x * 1
        y[0] = 50.0
        return (y * y).sum()

    with refused(IndexWriteError, 'in place', 'ops.select', line='y[0] = 50.0'):
        ms.grad(f)(X)


def test_comparisons():
    """MindSpore says False to a list, an array and a NumPy number, whatever is in it; both say so to None."""
    x = Tensor([1.0, 2.0, 3.0])
    assert (x == None) is (x == 'a') is False and (x != None) is True  # noqa: E711
    assert (x == [1.0, 2.0, 4.0]).tolist() == [True, True, False]
    assert (x == np.float32(1)).tolist() == [True, False, False]
    with refused(OperandError, 'Equal', 'Tensors and numbers'):
        x == np.ones(3)  # noqa: B015


def test_ops_on_integers_and_bools():
    """MindSpore takes the difference of Bools, and has 2⁶³ - 1 for an integer over 0."""
    with refused(DTypeError, 'Sub', 'Bool and Bool', line='Tensor([True]) -', keep=False):  # NumPy's words are in it
        Tensor([True]) - Tensor([True])
    with np.errstate(divide='ignore'):
        assert (Tensor([5]) // 0).tolist() == [0]


def test_a_python_float_beside_float64_keeps_its_digits():
    """MindSpore rounds it to Float32 on its way."""
    one = Tensor([1.0], ms.float64)
    assert [t.item() for t in (one * 0.1, 0.1 / one, ops.maximum(one - one, 0.1))] == [0.1, 0.1, 0.1]
    assert (Tensor([0.3], ms.float64) == 0.3).item() and ms.grad(lambda x: x * 0.1)(one).item() == 0.1


def test_squeeze_of_an_axis_that_is_longer_than_one():
    with refused(ShapeError, 'Squeeze: shapes', (2, 3), line='ops.squeeze('):
        ops.squeeze(ops.ones((2, 3)), 0)


def test_the_slope_at_an_edge():
    """The mean of both sides, as in MindSpore; of the norm 0, where that has NaN."""
    assert ms.grad(lambda x: ops.leaky_relu(x, 0.2))(Tensor([0.0])).item() == pytest.approx(0.6)
    assert ms.grad(ops.hardtanh)(Tensor([-1.0, 1.0])).tolist() == [0.5, 0.5]
    assert ms.grad(ops.norm)(Tensor([0.0, 0.0])).tolist() == [0, 0]


def test_nesterov_makes_its_own_steps():
    w = Parameter(Tensor([2.0]), name='w')
    opt = nn.Momentum([w], 0.1, 0.9, use_nesterov=True)
    opt((Tensor([1.0]),))
    assert float(w) == pytest.approx(2 - 0.1 * (1 + 0.9))


def test_batch_norm_of_one_example_keeps_its_statistics_finite():
    norm = nn.BatchNorm1d(1).set_train()
    norm(Tensor([[3.0]]))
    assert norm.moving_variance.asnumpy() == pytest.approx([0.9])


def test_what_a_parameter_is_for_takes_no_tensor():
    net = nn.Dense(3, 1)
    with refused(NotATensorError, 'weights', 'Parameters', 'a Tensor', line='ms.grad('):
        ms.grad(net, None, [X])(X)
    with refused(ParameterError, "'variable'", 'a Parameter', 'a Tensor', line='ops.assign('):
        ops.assign(Tensor([1.0]), Tensor([2.0]))


def test_jvp_wants_a_v_that_fits():
    with refused(SensError, 'v needs', 'same shape', line='ms.jvp('):
        ms.jvp(ops.exp, X, Tensor([1.0, 2.0]))


def test_a_jit_function_and_set_data_mean_the_same_parameter():
    """In MindSpore b stays 0 from set_data on."""
    b = Parameter(Tensor([1.0, 2.0]), name='b')

    @ms.jit
    def add(t):
        ops.assign(b, b + t)
        return True

    add(Tensor([1.0, 1.0]))
    b.set_data(Tensor([0.0, 0.0]))
    add(Tensor([1.0, 1.0]))
    assert b.asnumpy().tolist() == [1, 1] and len(add.graphs) == 1


def test_another_thread_has_to_wait_or_is_told():
    """A worker inside a gradient: its op on the gradient's own Tensor, and its own gradient while this one waits."""
    said = []

    def f(x):
        def work():
            for program in (lambda: x * x, lambda: ms.grad(lambda y: y * y)(Tensor(3.0))):
                with pytest.raises(ThreadError) as caught:
                    program()
                said.append(caught.value)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return x * x

    assert float(ms.grad(f)(Tensor(3.0))) == 6.0
    tells(said[0], 'Mul', 'one thread', 'another thread', 'your line')
    tells(said[1], 'another thread', 'same thread', 'your line')
