"""check_bprop: its verdict on right and wrong bprops, and what it says."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.check import truth
from minicell.core.errors import BpropTupleError, MinicellError, NoRuleError
from minicell.core.watch import Call, Pull
from minicell.errors import HiddenValueWarning
from minicell.ops.elementwise import relu6_grad
from tests.core.cells import Cube, Keeps, Product, Scale, Split, made, of_kind, returning
from tests.messages import refused, tells

X, Y = Tensor([0.5, 2.0, -1.5]), Tensor([3.0, 4.0, 5.0])


def said(result) -> list[str]:
    return [line.strip() for line in repr(result).splitlines()]


RIGHT = {
    'a cube': (Cube(), (X,)),
    'two inputs': (made(lambda s, x, y: x * y, lambda s, x, y, out, dout: (dout * y, dout * x)), (X, Y)),
    'with out': (made(lambda s, x: ops.exp(x), lambda s, x, out, dout: (dout * out,)), (X,)),
    'several outputs': (Split(), (X,)),
    'an output that is no float': (
        made(lambda s, x: (x * 2, x > 0, 5), lambda s, x, out, dout: (dout[0] * 2,)),
        (X,),
    ),
    'a dict output': (
        made(lambda s, x: {'a': x * 2, 'b': x * x}, lambda s, x, o, d: (d['a'] * 2 + d['b'] * 2 * x,)),
        (X,),
    ),
    'an integer input': (
        made(lambda s, x, i: x * i, lambda s, x, i, out, dout: (dout * i, None)),
        (X, Tensor([1, 2, 3])),
    ),
    'a Python input': (made(lambda s, x, k: x * k, lambda s, x, k, out, dout: (dout * k, None)), (X, 3)),
    'a default': (made(lambda s, x, k=2.0: x * k, lambda s, x, k, out, dout: (dout * k, None)), (X,)),
    'internal_params': (Scale(3.0), (X,)),
    'a matrix product': (
        made(lambda s, x, y: x @ y, lambda s, x, y, out, dout: (dout @ y.T, x.T @ dout)),
        (Tensor(np.ones((2, 3), np.float32)), Tensor(np.arange(12.0).reshape(3, 4))),
    ),
    'an input of length 0': (Cube(), (Tensor(np.zeros((0, 3))),)),
    'rank 0': (Cube(), (Tensor(2.0),)),
    'float16': (Cube(), (Tensor([0.5, 2.0], ms.float16),)),
    'float64': (Cube(), (Tensor([0.5, 2.0], ms.float64),)),
    'more elements than are tried': (Cube(), (Tensor(np.linspace(-1, 1, 100)),)),
    'a constant': (made(lambda s, x: x * 0 + 1, lambda s, x, out, dout: (dout * 0,)), (X,)),
    'a step': (
        made(lambda s, x: (x > 0).astype(x.dtype), lambda s, x, out, dout: (ops.zeros_like(dout),)),
        (X,),
    ),
    'a custom cell inside': (
        made(lambda s, x: Cube()(x) * 2, lambda s, x, out, dout: (dout * 6 * x * x,)),
        (X,),
    ),
    'a gradient inside': (
        made(lambda s, x: ms.grad(lambda y: (y * y * y).sum())(x), lambda s, x, o, d: (d * 6 * x,)),
        (X,),
    ),
    'numpy inside': (made(lambda s, x: Tensor(np.sin(x)), lambda s, x, o, d: (d * ops.cos(x),)), (X,)),
    'numpy in part of it': (
        made(lambda s, x: x * Tensor(np.sin(x)), lambda s, x, o, d: (d * (ops.sin(x) + x * ops.cos(x)),)),
        (X,),
    ),
}


@pytest.mark.parametrize('name', RIGHT)
def test_a_right_bprop(name):
    mine, inputs = RIGHT[name]
    result = ms.check_bprop(mine, *inputs)
    assert result.ok and bool(result), repr(result)
    head, *lines = said(result)
    assert head.startswith(f'✓ {type(mine).__name__}.bprop agrees')
    assert all(line.startswith('✓ d') for line in lines)
    assert all(row.ok and row.yours.shape == row.numeric.shape for row in result.rows)


def test_how_it_was_compared_is_said():
    for name in ('a cube', 'a custom cell inside'):
        mine, inputs = RIGHT[name]
        tells(said(ms.check_bprop(mine, *inputs))[1], '✓ dx: agrees', 'autodiff and differences')
    mine, inputs = RIGHT['numpy inside']
    tells(said(ms.check_bprop(mine, *inputs))[1], '✓ dx: agrees', 'with differences', 'not with autodiff')
    kink = made(lambda s, x: ops.relu(x), lambda s, x, o, d: (ops.select(x > 0, d, 0.0),))
    line = said(ms.check_bprop(kink, Tensor([0.0, 1.0])))[1]
    tells(line, '✓ dx: agrees', 'with autodiff', 'not with differences', 'off by', 'a kink')


def test_rows_have_the_numbers():
    result = ms.check_bprop(Cube(), X, sens=Tensor([1.0, 2.0, 3.0]))
    (row,) = result.rows
    due = 3 * X.asnumpy().astype(float) ** 2 * [1, 2, 3]
    assert (row.name, row.yours.dtype) == ('x', np.float64)
    np.testing.assert_allclose(row.yours, due)
    np.testing.assert_allclose(row.true, due)
    np.testing.assert_allclose(row.numeric, due, rtol=1e-6)


def test_the_same_call_gives_the_same_verdict():
    assert repr(ms.check_bprop(Product(), X, Y)) == repr(ms.check_bprop(Product(), X, Y))


def test_an_op_without_a_second_order_inside():
    """construct of which nobody has a rule: differences decide."""
    slope = lambda s, x: ms.grad(lambda y: ops.relu6(y).sum())(x)
    assert ms.check_bprop(made(slope, lambda s, x, out, dout: (dout * 0,)), X).ok
    result = ms.check_bprop(made(slope, lambda s, x, out, dout: (dout * 7,)), X)
    assert not result.ok
    tells(result.rows[0].true, 'Mine', 'a gradient', 'not recorded')
    assert said(result)[1].endswith('true 0') and 'yours' in said(result)[1]


def test_a_wrong_factor_says_where_and_how_far():
    wrong = made(lambda s, x: x * x, lambda s, x, out, dout: (dout * x * Tensor([2.0, 2.0, 3.0]),))
    sens = Tensor([1.0, 1.0, 1.0])
    result = ms.check_bprop(wrong, X, sens=sens)
    assert not result.ok and not result
    head, line = said(result)
    tells(head, '✗ Mine.bprop', 'not')
    tells(line, '✗ dx: off', '1.5', 'worst at [2]', 'yours -4.5', 'true -3')
    (row,) = result.rows
    assert (row.off, row.worst, row.ok) == (1.5, (2,), False)


def test_one_wrong_input_among_right_ones():
    swapped = made(lambda s, x, y: x * y, lambda s, x, y, out, dout: (dout * y, dout * y))
    result = ms.check_bprop(swapped, X, Y)
    assert [row.ok for row in result.rows] == [True, False]
    assert said(result)[1].startswith('✓ dx: agrees') and said(result)[2].startswith('✗ dy: off')


def test_a_declared_absence_is_not_the_true_gradient():
    result = ms.check_bprop(made(lambda s, x, y: x * y, lambda s, x, y, out, dout: (dout * y, None)), X, Y)
    assert [row.ok for row in result.rows] == [True, False]
    assert 'yours 0' in said(result)[2]


def test_a_weight_of_internal_params():
    class Wrong(Scale):
        def bprop(self, x, out, dout):
            return (dout * self.w,), {self.w: dout.sum()}

    result = ms.check_bprop(Wrong(2.0), X)
    assert [(row.name, row.ok) for row in result.rows] == [('x', True), ('w', False)]


@pytest.mark.filterwarnings('ignore::minicell.errors.NotANumberWarning')
def test_a_nan_is_wrong():
    result = ms.check_bprop(made(lambda s, x: x * 2, lambda s, x, out, dout: (dout * float('nan'),)), X)
    assert not result.ok
    tells(said(result)[1], 'up to inf', 'yours nan')


def test_dout_that_is_ignored_is_recognised():
    """Even where the gradient would be right for ones."""
    ignores = made(lambda s, x: x * x, lambda s, x, out, dout: (2 * x,))
    result = ms.check_bprop(ignores, X)
    assert not result.ok
    tells(said(result)[-1], 'ignores dout', 'Multiply by dout')
    result = ms.check_bprop(ignores, X, sens=ops.ones_like(X))
    assert not result.ok and all(row.ok for row in result.rows)
    tells(said(result)[-1], 'ignores dout')


def test_a_bprop_that_uses_the_sign_of_dout_does_not_ignore_it():
    result = ms.check_bprop(made(lambda s, x: x * x, lambda s, x, out, dout: (2 * x * ops.sign(dout),)), X)
    assert not result.ok
    tells(said(result)[-1], 'not linear', 'the same gradient', 'minus dout')


def test_not_linear_in_dout_is_recognised():
    result = ms.check_bprop(made(lambda s, x: x * 2, lambda s, x, out, dout: (dout * dout * 2,)), X)
    tells(said(result)[-1], 'not linear', 'twice the dout', 'not give twice')


def test_the_documents_listing():
    """dx = x + 1, dy = y + 1: neither is the gradient of a matrix product, and both ignore dout."""
    document = made(lambda s, x, y: ops.MatMul()(x, y), lambda s, x, y, out, dout: (x + 1, y + 1))
    result = ms.check_bprop(document, Tensor([[0.5, 0.6, 0.4]]), Tensor(np.eye(3, dtype=np.float32)))
    assert [row.ok for row in result.rows] == [False, False]
    tells(said(result)[-1], 'ignores dout')


def test_a_malformed_bprop_is_a_verdict():
    result = ms.check_bprop(returning(lambda x, out, dout: dout), X)
    assert not result.ok and isinstance(result.error, BpropTupleError) and result.rows == []
    tells(result, '✗ Bad.bprop', 'a bare Tensor', 'tuple is due')


def test_the_users_own_exception_leaves():
    def bprop(self, x, out, dout):
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        ms.check_bprop(made(lambda s, x: x * 2, bprop), X)
    assert float(ms.grad(lambda x: x * x)(Tensor(3.0))) == 6.0


@pytest.mark.filterwarnings('ignore::minicell.errors.NoPathWarning')
def test_without_a_float_output_there_is_nothing_to_check():
    result = ms.check_bprop(made(lambda s, x: x > 0, lambda s, x, out, dout: (dout,)), X)
    assert not result.ok
    tells(result, 'never called', 'a float Tensor')


@pytest.mark.parametrize('inputs', [(), (3.0,), (Tensor([1, 2]),), (np.ones(2),)], ids=repr)
def test_without_a_float_input_it_is_an_error(inputs):
    with refused(TypeError, 'check_bprop', 'Cube', 'a float Tensor', line='ms.check_bprop(Cube(), *inputs)'):
        ms.check_bprop(Cube(), *inputs)


def test_a_random_construct_is_compared_with_autodiff_alone():
    def construct(self, x):
        return x * Tensor(np.random.rand(3)), None

    right = made(construct, lambda s, x, out, dout: (dout[0] * out[0] / x,))
    result = ms.check_bprop(right, X)
    assert result.ok, repr(result)
    line, note = said(result)[1:]
    assert tells(line, '✓ dx: agrees').endswith('with autodiff')
    tells(note, 'random', 'differences', 'left out')
    wrong = made(construct, lambda s, x, out, dout: (dout[0],))
    assert not ms.check_bprop(wrong, X).ok


def test_it_changes_neither_the_inputs_nor_the_parameters():
    mine = Scale(3.0)
    before = mine.w.asnumpy().copy(), X.asnumpy().copy()
    ms.check_bprop(mine, X)
    np.testing.assert_array_equal(mine.w.asnumpy(), before[0])
    np.testing.assert_array_equal(X.asnumpy(), before[1])
    assert (mine.w.dtype, mine.w.at, X.dtype) == (ms.float32, -1, ms.float32)


def test_it_can_be_asked_inside_a_gradient_and_inside_a_tape():
    results = []

    def f(x):
        results.append(ms.check_bprop(Cube(), X))
        return x * x

    assert float(ms.grad(f)(Tensor(3.0))) == 6.0
    with ms.Tape() as tape:
        results.append(ms.check_bprop(Product(), X, Y))
        ms.grad(Cube())(X)
    assert [r.ok for r in results] == [True, False]
    assert len(of_kind(tape, Call)) == 1, 'what the check does is no part of the Tape'


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
def test_a_kept_value_is_checked_and_warned_of():
    with pytest.warns(HiddenValueWarning):
        result = ms.check_bprop(Keeps(), X)
    assert not result.ok and all(row.ok for row in result.rows), 'right for one call'
    tells(said(result)[-1], 'last call kept', 'another call')


def test_a_cell_without_a_bprop_and_a_function():
    result = ms.check_bprop(nn.Dense(3, 2, 0.5, 0.1), X)
    assert result.ok
    tells(said(result)[0], '✓ autodiff of Dense', 'agrees')
    result = ms.check_bprop(lambda x, y: x * y, X, Y)
    assert result.ok and len(result.rows) == 2


def test_html_is_the_same_text():
    page = ms.check_bprop(made(lambda s, x: x * 2, lambda s, x, out, dout: (dout * (x < 1),)), X)._repr_html_()
    assert page.startswith('<pre') and 'Mine.bprop' in page and 'true gradient' in page


def pulls(f, *inputs):
    with ms.Tape() as tape:
        ms.grad(f, tuple(range(len(inputs))))(*inputs)
    return tape, [e for e in of_kind(tape, Pull) if isinstance(e.entry, Call)]


def test_truth_is_autodiff_for_the_same_cotangent():
    tape, (pull,) = pulls(lambda x, y: (Product()(x, y) * 3).sum(), X, Y)
    dx, dy = truth(tape, pull)
    np.testing.assert_allclose(dx, 3 * Y.asnumpy())
    np.testing.assert_allclose(dy, 3 * X.asnumpy())


def test_truth_of_each_of_two_calls():
    cube = Cube()
    tape, found = pulls(lambda x: cube(cube(x)).sum(), X)
    outer, inner = (truth(tape, pull)[0] for pull in found)
    x = X.asnumpy().astype(float)
    np.testing.assert_allclose(outer, 3 * x**6, rtol=1e-5)
    np.testing.assert_allclose(inner, 3 * x**6 * 3 * x**2, rtol=1e-5)


def test_truth_of_the_same_object_in_two_positions_keeps_them_apart():
    tape, (pull,) = pulls(lambda x: Product()(x, x * 1).sum(), X)
    tape_2, (pull_2,) = pulls(lambda x: made(lambda s, p, q: p + 3 * q, lambda s, p, q, o, d: (d, d))(x, x).sum(), X)
    assert len(truth(tape, pull)) == 2
    dp, dq = truth(tape_2, pull_2)
    np.testing.assert_array_equal([dp, dq], [[1] * 3, [3] * 3])


def test_truth_has_the_values_of_its_time():
    """A Parameter that was updated since: the true gradient is that of the call."""
    w = Parameter(Tensor([2.0, 2.0, 2.0]), 'w')
    mine = made(lambda s, x: x * w * w, lambda s, x, out, dout: (dout * 7,))
    tape, (pull,) = pulls(lambda x: mine(x).sum(), X)
    w.set_data(Tensor([9.0, 9.0, 9.0]))
    np.testing.assert_array_equal(truth(tape, pull)[0], [4, 4, 4])


def test_truth_of_internal_params_and_of_what_has_no_gradient():
    mine = Scale(3.0)
    tape, (pull,) = pulls(lambda x: mine(x).sum(), X)
    dx, dw = truth(tape, pull)
    np.testing.assert_array_equal(dx, [3, 3, 3])
    np.testing.assert_allclose(dw, X.asnumpy().sum())
    takes = made(lambda s, x, i: x * i, lambda s, x, i, out, dout: (dout, None))
    tape, (pull,) = pulls(lambda x: takes(x, Tensor([1, 2, 3])).sum(), X)
    dx, di = truth(tape, pull)
    assert dx.tolist() == [1, 2, 3] and di is None


def test_truth_says_why_there_is_none():
    for construct, kind, *facts in (
        (lambda s, x: ms.grad(ops.relu6)(x), MinicellError, 'Mine', 'a gradient', 'not recorded'),
        (lambda s, x: relu6_grad(x, x), NoRuleError, 'ReLU6Grad'),
    ):
        mine = made(construct, lambda s, x, out, dout: (dout,))
        tape, (pull,) = pulls(lambda x, mine=mine: mine(x).sum(), X)
        (why,) = truth(tape, pull)
        assert isinstance(why, kind)
        tells(why, *facts)


def test_truth_of_the_second_order():
    """The Call of the inner gradient is pulled once; its true gradient is that of construct."""
    tape, found = pulls(lambda x: ms.grad(lambda y: (Cube()(y) * 2).sum())(x).sum(), X)
    (dx,) = truth(tape, found[0])
    np.testing.assert_allclose(getattr(dx, 'array', dx), 6 * X.asnumpy() ** 2)


def test_truth_of_several_outputs_of_which_one_is_used():
    tape, (pull,) = pulls(lambda x: (Split()(x)[1] * 5).sum(), X)
    np.testing.assert_allclose(truth(tape, pull)[0], 10 * X.asnumpy())
