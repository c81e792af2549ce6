"""Part (c): gradients by position, paths that are cut, sums, dtypes, NaN (traps 3, 4, 8, 11, 12, 13, 14, 25)."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import DTypeError, NotATensorError, SensError, ShapeError
from minicell.errors import (
    ImplicitSumWarning,
    IndexWriteError,
    LeavesTapeError,
    LeavesTapeWarning,
    NoPathWarning,
    NotANumberWarning,
    WriteAfterUseError,
)
from tests.core.cells import returning
from tests.traps.said import refused, warned

X = Tensor([1.0, 2.0, 3.0])


def numbers(value):
    return [v.asnumpy().tolist() for v in value] if isinstance(value, tuple) else value.asnumpy().tolist()


# ---- 3: by position, not by object ---------------------------------------------------------------------------------


def test_one_object_in_two_places_is_two_inputs():
    """MindSpore gives both the total: 4 and 4."""
    assert numbers(ms.grad(lambda p, q: p + 3 * q, (0, 1))(X, X)) == [[1, 1, 1], [3, 3, 3]]
    got = ms.grad(lambda p, q: ((p - 2 * q) ** 2).sum(), (0, 1))(X, X)
    assert numbers(got) == [[-2, -4, -6], [4, 8, 12]]


def test_what_a_closure_holds_is_a_constant_though_it_is_the_same_object():
    """MindSpore gives 6, 12, 18 for the inner gradient of a·b·b by b; it is 4, 8, 12 after another derivative by a."""
    assert numbers(ms.grad(lambda p: p * X)(X)) == [1, 2, 3]
    inner = ms.grad(lambda a: ms.grad(lambda b: a * b * b)(a))
    assert numbers(inner(X)) == [4, 8, 12], 'd/da of 2a² = 4a'


# ---- 4: written after use ------------------------------------------------------------------------------------------


def test_a_value_written_after_use_names_the_op_and_the_write():
    p = Parameter(Tensor(2.0), name='p')

    def f(a):
        o = a * p
        p.set_data(100.0)
        return o

    parts = 'The gradient of Mul needs the value that it used', 'by p.set_data', 'written: test_paths.py, line'
    with refused(WriteAfterUseError, *parts, line='o = a * p') as caught:
        ms.grad(f)(Tensor(3.0))
    assert 'p.set_data(100.0)' in str(caught.value)


def test_a_write_that_no_rule_reads_is_no_error():
    p = Parameter(Tensor(2.0), name='p')

    def f(a):
        o = a + p
        p.set_data(100.0)
        return o

    with warned() as said:
        assert float(ms.grad(f)(Tensor(3.0))) == 1.0
    assert not said.caught


def test_an_input_written_after_the_call_of_a_cell_is_an_error_too():
    cell = returning(lambda x, out, dout: (dout * x,), name='Reads')
    kept = Tensor([1.0, 1.0])

    def f(a):
        out = cell(kept + a * 0)
        again = Product(kept, a)
        kept[0] = 50.0
        return out + again

    def Product(x, a):
        return x * a

    with refused(WriteAfterUseError, 'The gradient of Mul', 'by x[i] = v', line='return x * a'):
        ms.grad(f)(Tensor([1.0, 2.0]))


def test_an_index_write_into_what_is_differentiated_is_refused():
    def f(a):
        a[0] = 1.0
        return a

    with refused(IndexWriteError, 'x[i] = v writes in place', 'ops.select(mask, v, x)', line='a[0] = 1.0'):
        ms.grad(f)(X)


# ---- 8: on the line of the op --------------------------------------------------------------------------------------


def test_an_ops_error_comes_at_once_with_shapes_and_the_line():
    """In MindSpore it comes when someone prints, or from the next correct op, or never."""
    a, b = ops.ones((2, 3)), ops.ones((4, 5))
    with refused(ShapeError, 'MatMul: shapes (2, 3) and (4, 5) do not fit', line='ops.matmul(a, b)'):
        ops.matmul(a, b)
    assert numbers(X * 2) == [2, 4, 6], 'nothing is left over for the next op'
    assert numbers(ms.grad(ops.square)(X)) == [2, 4, 6]


# ---- 11: a gradient of nothing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('arguments', 'got'),
    [((3.0,), 'a float'), ((np.ones(2),), 'a ndarray'), (([X],), 'a list'), (({'x': X},), 'a dict')],
    ids=['float', 'array', 'list', 'dict'],
)
def test_a_gradient_of_nothing_says_what_came(arguments, got):
    with refused(NotATensorError, f'argument 0 of <lambda> is {got}', 'Tensor(...)', line='ms.grad(lambda a: a)'):
        ms.grad(lambda a: a)(*arguments)


def test_a_gradient_without_arguments_says_so():
    with refused(RuntimeError, 'was called with 0 arguments', line='ms.grad(lambda: X)()'):
        ms.grad(lambda: X)()


# ---- 12: zero, because nothing connects ----------------------------------------------------------------------------


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
    with warned() as said:
        got = ms.grad(function)(X)
    assert numbers(got) == [0, 0, 0]
    text = said.one(NoPathWarning)
    assert (
        text.startswith('The gradient of ') and 'with respect to argument 0 is 0 because nothing connects them' in text
    )
    assert said.line == 'got = ms.grad(function)(X)'


def test_the_argument_or_parameter_is_named():
    w = Parameter(Tensor([1.0]), name='unused')
    with warned() as said:
        ms.grad(lambda a, b: a * 2, (0, 1), [w])(X, X)
    texts = [str(w.message) for w in said.caught]
    assert [t.split(' is 0')[0] for t in texts] == [
        'The gradient of <lambda> with respect to argument 1',
        'The gradient of <lambda> with respect to the Parameter unused',
    ]


@pytest.mark.parametrize('function', [lambda a: a * 0, lambda a: a - a, lambda a: ops.relu(-a)])
def test_a_computed_zero_is_not_reported(function):
    with warned() as said:
        assert numbers(ms.grad(function)(X)) == [0, 0, 0]
    assert not said.caught


def test_numpy_in_a_gradient_is_refused():
    with refused(LeavesTapeError, 'NumPy cannot follow a gradient', 'minicell.ops', line='np.sin(a)'):
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
    with warned() as said:
        got = ms.grad(LEAVES[how])(X)
    assert numbers(got) in ([1, 2, 3], [6, 6, 6])
    text = said.one(LeavesTapeWarning)
    assert text.startswith(f'{how} of a Tensor that is being differentiated') and 'silently 0' in text
    assert said.line.startswith(f"'{how}': lambda a")


def test_a_list_of_recorded_tensors_made_a_tensor_is_said():
    with warned() as said:
        got = ms.grad(lambda a: a * 2 + Tensor([a[0], a[1], a[2]]))(X)
    assert numbers(got) == [2, 2, 2]
    assert {w.category for w in said.caught} == {LeavesTapeWarning}


# ---- 13: integers and bools ----------------------------------------------------------------------------------------


def test_a_cast_to_integers_ends_the_gradient():
    """In MindSpore it is transparent: the gradient of a.astype(int32).astype(float32) is 1, that of floor 0."""
    with warned() as said:
        assert numbers(ms.grad(lambda a: a.astype(ms.int32).astype(ms.float32))(X)) == [0, 0, 0]
    said.one(NoPathWarning)


@pytest.mark.parametrize('x', [Tensor([1, 2]), Tensor([True, False])], ids=['int', 'bool'])
def test_an_integer_or_bool_input_has_no_gradient(x):
    with refused(
        NotATensorError, f'argument 0 of <lambda> is {"an Int64" if x.dtype == ms.int64 else "a Bool"} Tensor'
    ):
        ms.grad(lambda a: a * 0.5)(x)


def test_a_bool_gradient_from_bprop_is_refused():
    with refused(DTypeError, 'Bad.bprop returned a Bool Tensor as the gradient of x', '.astype(x.dtype)'):
        ms.grad(returning(lambda x, out, dout: (dout > 0,)))(X)


def test_an_integer_output_gives_dout_none_beside_a_float_one():
    """MindSpore hands bprop a dout of Bool, and loses a factor 2 there."""
    seen = []

    class Mask(nn.Cell):
        def construct(self, x):
            return x * 3, x > 1

        def bprop(self, x, out, dout):
            seen.append(dout)
            return (dout[0] * 3,)

    assert numbers(ms.grad(lambda x: (lambda y, m: y * 2 * m.astype(ms.float32))(*Mask()(x)))(X)) == [0, 6, 6]
    assert isinstance(seen[0][0], Tensor) and numbers(seen[0][0]) == [0, 2, 2]


# ---- 14: several outputs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'outputs', [lambda a: (a * 2, a * 3), lambda a: [a * 2, a * 3], lambda a: {1: a * 2, 2: a * 3}]
)
def test_several_outputs_are_announced(outputs):
    with warned() as said:
        assert numbers(ms.grad(outputs)(X)) == [5, 5, 5]
    text = said.one(ImplicitSumWarning)
    assert '<lambda> has 2 float outputs, and ones were used as the cotangent of each' in text
    assert 'the gradient of their sum' in text and 'give sens' in text
    assert 'ms.grad(outputs)(X)' in said.line


def test_the_surrogate_that_seems_to_do_nothing_is_announced():
    """grad(IFNode)(x, v) is 1 for every x: spike and v - spike are summed."""
    surrogate = returning(lambda v, out, dout: (dout * 0.3,), construct=lambda self, v: (v > 1).astype(ms.float32))

    class IFNode(nn.Cell):
        def construct(self, x, v):
            v = v + x
            spike = surrogate(v)
            return spike, v - spike

    with warned() as said:
        assert numbers(ms.grad(IFNode())(X, X)) == [1, 1, 1]
    assert said.one(ImplicitSumWarning).startswith('IFNode has 2 float outputs')


@pytest.mark.parametrize(
    'ask',
    [
        lambda f: ms.grad(f, has_aux=True)(X),
        lambda f: ms.value_and_grad(f, has_aux=True)(X),
        lambda f: ops.GradOperation(sens_param=True)(f)(X, (X, X)),
        lambda f: ms.vjp(f, X)[1](X, X),
        lambda f: ms.jvp(f, X, X),
        lambda f: ms.grad(lambda a: f(a)[0])(X),
        lambda f: ms.grad(lambda a: (f(a)[0], a > 1))(X),
    ],
    ids=['has_aux', 'value and has_aux', 'sens', 'vjp', 'jvp', 'picked', 'a mask beside it'],
)
def test_where_the_choice_is_made_nothing_is_said(ask):
    with warned() as said:
        ask(lambda a: (a * 2, a * 3))
    assert not said.caught


# ---- 25: NaN -------------------------------------------------------------------------------------------------------


def test_the_where_trick_names_the_op_that_made_the_nan():
    def f(x):
        root = ops.sqrt(x)
        return ops.select(x > 0, root, 0.0)

    with warned() as said:
        got = ms.grad(f)(Tensor([0.0, 4.0]))
    assert np.isnan(got.asnumpy()[0]) and got.asnumpy()[1] == 0.25
    text = said.one(NotANumberWarning)
    assert 'first made by the backward of Sqrt' in text and 'root = ops.sqrt(x)' in text
    assert 'before the op' in text
    assert said.line == 'got = ms.grad(f)(Tensor([0.0, 4.0]))'


def test_infinity_is_said_too_and_a_power_of_zero_is_right():
    with warned() as said:
        assert np.isinf(float(ms.grad(ops.sqrt)(Tensor(0.0))))
    said.one(NotANumberWarning)
    with warned() as quiet:
        assert float(ms.grad(lambda x: x**0)(Tensor(0.0))) == 0.0, 'MindSpore: nan'
    assert not quiet.caught


def test_a_bprop_that_makes_nan_is_named():
    cell = returning(lambda x, out, dout: (dout / (x - x),), name='Divides')
    with warned() as said:
        ms.grad(cell)(X)
    assert 'first made by Divides.bprop (test_paths.py, line' in said.one(NotANumberWarning)


def test_a_nan_that_a_bprop_returns_as_a_number_is_said():
    """No operation fails there: the numbers are NaN from the start."""
    cell = returning(lambda x, out, dout: (dout * float('nan'),), name='Poisons')
    with warned() as said:
        ms.grad(lambda x: cell(x * 2))(X)
    assert 'what the bprop of Poisons returned' in said.one(NotANumberWarning)
    with warned() as quiet:
        ms.grad(lambda x: x * 1e30)(Tensor([1e8]))
        ms.grad(lambda x: (x * 1e38).sum())(Tensor([1.0, 1.0]))
    assert not quiet.caught, 'large numbers are finite'


def test_a_sens_that_does_not_fit_is_one_kind_of_error():
    ask = ops.GradOperation(sens_param=True)(lambda x: x * 2)
    with refused(SensError, 'sens is Float32 (2,), but the output it belongs to is Float32 (3,)', line='ask(X, X[:2])'):
        ask(X, X[:2])
    with refused(SensError, 'sens is Float64 (3,)'):
        ask(X, X.astype(ms.float64))
    with refused(SensError, 'sens has 2 Tensors'):
        ask(X, (X, X))
