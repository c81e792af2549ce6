"""Gradients by position, paths that are cut, writes after use, sums of outputs, dtypes, NaN."""

import types

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import DTypeError, ShapeError
from minicell.errors import (
    ImplicitSumWarning,
    LeavesTapeError,
    LeavesTapeWarning,
    NoPathWarning,
    NotANumberWarning,
)
from tests.core.cells import returning, values
from tests.messages import refused, tells, warned

X = Tensor([1.0, 2.0, 3.0])


def test_one_object_in_two_places_is_two_inputs():
    """MindSpore gives both the total: 4 and 4."""
    assert values(ms.grad(lambda p, q: p + 3 * q, (0, 1))(X, X)) == ([1, 1, 1], [3, 3, 3])
    assert values(ms.grad(lambda p, q: p + 3 * q, 1)(X, X)) == [3, 3, 3]
    got = ms.grad(lambda p, q: ((p - 2 * q) ** 2).sum(), (0, 1))(X, X)
    assert values(got) == ([-2, -4, -6], [4, 8, 12])


def test_what_a_closure_holds_is_a_constant_though_it_is_the_same_object():
    """MindSpore gives 6, 12, 18 for the inner gradient of a·b·b by b; it is 4, 8, 12 after another derivative by a."""
    assert values(ms.grad(lambda p: p * X)(X)) == [1, 2, 3]
    assert values(ms.grad(lambda p: X * p * p)(X)) == [2, 8, 18]
    inner = ms.grad(lambda a: ms.grad(lambda b: a * b * b)(a))
    assert values(inner(X)) == [4, 8, 12], 'd/da of 2a² = 4a'


def test_an_ops_error_comes_at_once_with_shapes_and_the_line():
    """In MindSpore it comes when someone prints, or from the next correct op, or never."""
    a, b = ops.ones((2, 3)), ops.ones((4, 5))
    with refused(ShapeError, 'MatMul: shapes', '(2, 3) and (4, 5)', line='ops.matmul(a, b)'):
        ops.matmul(a, b)
    assert values(X * 2) == [2, 4, 6], 'nothing is left over for the next op'
    assert values(ms.grad(ops.square)(X)) == [2, 4, 6]


@pytest.mark.parametrize(
    'function',
    [
        lambda a: Tensor([1.0]),
        lambda a: 5.0,
        lambda a: None,
        lambda a: (a > 1).astype(ms.float32),
        lambda a: ops.stop_gradient(a) * 2,
        ops.floor,
    ],
    ids=['a constant', 'a number', 'None', 'a step', 'stopped', 'floor'],
)
def test_a_zero_that_nothing_connects_is_said(function):
    with warned(NoPathWarning, 'gradient of', 'argument 0', 'nothing connects') as said:
        got = ms.grad(function)(X)
    assert values(got) == [0, 0, 0]
    assert 'ms.grad(function)' in said.line


def test_the_argument_or_parameter_is_named():
    w = Parameter(Tensor([1.0]), name='unused')
    with warned() as said:
        ms.grad(lambda a, b: a * 2, (0, 1), [w])(X, X)
    argument, parameter = (w.message for w in said.caught)
    tells(argument, 'of <lambda>', 'argument 1 is')
    tells(parameter, 'of <lambda>', 'Parameter unused')


@pytest.mark.parametrize('function', [lambda a: a * 0, lambda a: a - a, lambda a: ops.relu(-a)])
def test_a_computed_zero_is_not_reported(function):
    assert values(ms.grad(function)(X)) == [0, 0, 0]


class Holds:
    """What it holds stands in its class."""


def in_a_class(tensor):
    Holds.kept = tensor
    return Holds()


def in_a_module(tensor):
    module = types.ModuleType('holds')
    module.kept = [tensor]
    return module


@pytest.mark.parametrize('hide', [in_a_class, in_a_module, lambda t: type('Made', (Holds,), {'kept': (t,)})()])
def test_a_tensor_that_is_lost_in_a_class_is_said(hide):
    with warned(NoPathWarning, 'that holds a', 'beside others'):
        assert values(ms.grad(lambda x: ((x * x).sum(), hide(x * 3)))(X)) == [2, 4, 6]
    Holds.kept = X
    assert values(ms.grad(lambda x: ((x * x).sum(), Holds()))(X)) == [2, 4, 6]


def test_numpy_in_a_gradient_is_refused():
    with refused(LeavesTapeError, 'NumPy', 'minicell.ops', line='np.sin(a)'):
        ms.grad(lambda a: np.sin(a))(X)


LEAVES = {
    'asnumpy()': lambda a: a * Tensor(a.asnumpy()),
    'float()': lambda a: a * float(a.sum()),
    'int()': lambda a: a * int(a.sum()),
    'item()': lambda a: a * a.sum().item(),
    'tolist()': lambda a: a * Tensor(a.tolist()),
    'Tensor(...)': lambda a: a * Tensor(a),
}


@pytest.mark.parametrize('how', LEAVES)
def test_numbers_that_leave_the_tape_are_said(how):
    """The part of the gradient that goes through them is 0: x·x has the slope x here."""
    with warned(LeavesTapeWarning, f'{how} of', 'differentiated', 'silently 0') as said:
        got = ms.grad(LEAVES[how])(X)
    assert values(got) in ([1, 2, 3], [6, 6, 6])
    assert said.line.startswith(f"'{how}': lambda a")


def test_a_list_of_recorded_tensors_made_a_tensor_is_said():
    with warned() as said:
        got = ms.grad(lambda a: a * 2 + Tensor([a[0], a[1], a[2]]))(X)
    assert values(got) == [2, 2, 2]
    assert {w.category for w in said.caught} == {LeavesTapeWarning}


def test_a_cast_to_integers_ends_the_gradient():
    """In MindSpore it is transparent: the gradient of a.astype(int32).astype(float32) is 1, that of floor 0."""
    with warned(NoPathWarning, 'argument 0'):
        assert values(ms.grad(lambda a: a.astype(ms.int32).astype(ms.float32))(X)) == [0, 0, 0]


def test_a_bool_gradient_from_bprop_is_refused():
    with refused(DTypeError, 'Bad.bprop', 'a Bool Tensor', 'gradient of x', '.astype(x.dtype)'):
        ms.grad(returning(lambda x, out, dout: (dout > 0,)))(X)


@pytest.mark.parametrize(
    'outputs', [lambda a: (a * 2, a * 3), lambda a: [a * 2, a * 3], lambda a: {1: a * 2, 2: a * 3}]
)
def test_several_outputs_are_announced(outputs):
    with warned(ImplicitSumWarning, '<lambda>', '2 float outputs', 'ones', 'their sum', 'give sens') as said:
        assert values(ms.grad(outputs)(X)) == [5, 5, 5]
    assert 'ms.grad(outputs)' in said.line


def test_the_surrogate_that_seems_to_do_nothing_is_announced():
    """grad(IFNode)(x, v) is 1 for every x: spike and v - spike are summed."""
    surrogate = returning(lambda v, out, dout: (dout * 0.3,), construct=lambda self, v: (v > 1).astype(ms.float32))

    class IFNode(nn.Cell):
        def construct(self, x, v):
            v = v + x
            spike = surrogate(v)
            return spike, v - spike

    with warned(ImplicitSumWarning, 'IFNode', '2 float outputs'):
        assert values(ms.grad(IFNode())(X, X)) == [1, 1, 1]


def test_the_where_trick_names_the_op_that_made_the_nan():
    def f(x):
        root = ops.sqrt(x)
        return ops.select(x > 0, root, 0.0)

    with warned(NotANumberWarning, 'backward of Sqrt', '= ops.sqrt(x)', 'before the op') as said:
        got = ms.grad(f)(Tensor([0.0, 4.0]))
    assert np.isnan(got.asnumpy()[0]) and got.asnumpy()[1] == 0.25
    assert 'ms.grad(f)' in said.line


def test_infinity_is_said_too_and_a_power_of_zero_is_right():
    with warned(NotANumberWarning, 'Sqrt'):
        assert np.isinf(float(ms.grad(ops.sqrt)(Tensor(0.0))))
    assert float(ms.grad(lambda x: x**0)(Tensor(0.0))) == 0.0, 'MindSpore: nan'


def test_a_bprop_that_makes_nan_is_named():
    cell = returning(lambda x, out, dout: (dout / (x - x),), name='Divides')
    with warned(NotANumberWarning, 'by Divides.bprop', '(test_'):
        ms.grad(cell)(X)


@pytest.mark.parametrize('number', [float('nan'), float('inf'), -float('inf')])
def test_a_nan_that_a_bprop_returns_as_a_number_is_said(number):
    """No operation fails there: the numbers are NaN from the start."""
    cell = returning(lambda x, out, dout: (dout * number,), name='Poisons')
    with warned(NotANumberWarning, 'NaN or infinity', 'bprop of Poisons', 'returned'):
        got = ms.grad(lambda x: cell(x * 2))(X)
    np.testing.assert_array_equal(got.asnumpy(), [number] * 3)
    ms.grad(lambda x: x * 1e30)(Tensor([1e8]))
    ms.grad(lambda x: (x * 1e38).sum())(Tensor([1.0, 1.0]))
