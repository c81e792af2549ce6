"""check_bprop: its verdict on right and wrong bprops, and what it says."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.errors import BpropTupleError
from minicell.core.watch import Call
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
    'an output that is no float': (made(lambda s, x: (x * 2, x > 0, 5), lambda s, x, out, dout: (dout[0] * 2,)), (X,)),
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
        (Tensor(np.ones((2, 3), np.float32)), Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))),
    ),
    'an input of length 0': (Cube(), (Tensor(np.zeros((0, 3))),)),
    'rank 0': (Cube(), (Tensor(2.0),)),
    'float16': (Cube(), (Tensor([0.5, 2.0], ms.float16),)),
    'float64': (Cube(), (Tensor([0.5, 2.0], ms.float64),)),
    'more elements than are tried': (Cube(), (Tensor(np.linspace(-1, 1, 100)),)),
    'a constant': (made(lambda s, x: x * 0 + 1, lambda s, x, out, dout: (dout * 0,)), (X,)),
    'a step': (made(lambda s, x: (x > 0).astype(x.dtype), lambda s, x, out, dout: (ops.zeros_like(dout),)), (X,)),
    'a custom cell inside': (made(lambda s, x: Cube()(x) * 2, lambda s, x, out, dout: (dout * 6 * x * x,)), (X,)),
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
    head, *lines, tried = said(result)
    assert head.startswith(f'✓ {type(mine).__name__}.bprop agrees')
    tells(tried, 'Tried', '−1000', 'a single 1', 'twice', 'another call')
    for row, line in zip(result.rows, lines, strict=True):
        assert (row.verdict, line[:3]) in (('right', '✓ d'), ('kink', '✓ d'), ('not asked', '○ d')), line
        assert not row.asked or row.due.shape == row.yours.shape


def test_how_it_was_compared_is_said():
    for name, by in (
        ('a cube', 'rules and differences'), ('a custom cell inside', 'rules and differences'),
        ('numpy inside', 'differences'), ('numpy in part of it', 'differences'), ('a gradient inside', 'differences'),
    ):  # fmt: skip
        mine, inputs = RIGHT[name]
        result = ms.check_bprop(mine, *inputs)
        assert result.rows[0].by == by
        tells(said(result)[1], '✓ dx: agrees', *by.split(' and '))


@pytest.mark.parametrize('slope', [0.0, 0.3, 1.0])
def test_any_slope_between_those_on_both_sides_of_a_kink_is_accepted_and_said(slope):
    kink = made(
        lambda s, x: ops.relu(x),
        lambda s, x, o, d: (d * (ops.cast(x > 0, d.dtype) + slope * ops.cast(x == 0, d.dtype)),),
    )
    result = ms.check_bprop(kink, Tensor([0.0, 1.0]))
    assert result and result.rows[0].verdict == 'kink'
    tells(said(result)[1], '✓ dx: kink', 'no derivative', 'both sides')


def test_rows_have_the_numbers():
    result = ms.check_bprop(Cube(), X, sens=Tensor([1.0, 2.0, 3.0]))
    (row,) = result.rows
    due = 3 * X.asnumpy().astype(float) ** 2 * [1, 2, 3]
    assert (row.cell, row.name, row.place, row.asked, row.yours.dtype) == ('Cube', 'x', 0, True, np.float32)
    np.testing.assert_allclose(row.yours, due, rtol=1e-6)
    np.testing.assert_allclose(row.due, due, rtol=1e-6)


def test_the_same_call_gives_the_same_verdict():
    assert repr(ms.check_bprop(Product(), X, Y)) == repr(ms.check_bprop(Product(), X, Y))


def test_an_op_without_a_second_order_inside():
    """construct of which nobody has a rule: differences decide."""
    slope = lambda s, x: ms.grad(lambda y: ops.relu6(y).sum())(x)
    assert ms.check_bprop(made(slope, lambda s, x, out, dout: (dout * 0,)), X).ok
    (row,) = ms.check_bprop(made(slope, lambda s, x, out, dout: (dout * 7,)), X).rows
    assert (row.by, row.ok) == ('rules and differences', False) and not row.due.any()
    (row,) = ms.check_bprop(made(lambda s, x: relu6_grad(x, x), lambda s, x, out, dout: (dout,)), X).rows
    assert row.verdict == 'unknown'
    tells(row.why, 'ReLU6Grad')


def test_a_wrong_factor_says_where_and_how_far():
    wrong = made(lambda s, x: x * x, lambda s, x, out, dout: (dout * x * Tensor([2.0, 2.0, 3.0], x.dtype),))
    result = ms.check_bprop(wrong, X, sens=Tensor([1.0, 1.0, 1.0]))
    assert not result.ok and not result
    head, line = said(result)[:2]
    tells(head, '✗ Mine.bprop', 'not')
    tells(line, '✗ dx: wrong', '[2]', '−4.5', '−3')
    (row,) = result.rows
    assert (row.off, row.worst, row.ok) == (1.5, (2,), False)


def test_one_wrong_input_among_right_ones():
    swapped = made(lambda s, x, y: x * y, lambda s, x, y, out, dout: (dout * y, dout * y))
    result = ms.check_bprop(swapped, X, Y)
    assert [row.verdict for row in result.rows] == ['right', 'wrong']
    assert said(result)[1].startswith('✓ dx: agrees') and said(result)[2].startswith('✗ dy: wrong')
    tells(result.rows[1].mistake, 'gradient of x')


def test_a_declared_absence_is_a_zero_unless_nobody_asks():
    absent = made(lambda s, x, y: x * y, lambda s, x, y, out, dout: (dout * y, None))
    result = ms.check_bprop(absent, X, Y)
    assert [row.verdict for row in result.rows] == ['right', 'wrong']
    tells(result.rows[1].why, 'None', 'zero')
    for wrt in ('x', 0, ('x',), [0]):
        result = ms.check_bprop(absent, X, Y, wrt=wrt)
        assert result and [row.verdict for row in result.rows] == ['right', 'not asked']
    assert not ms.check_bprop(absent, X, Y, wrt=(0, 'y'))


@pytest.mark.parametrize(('options', 'facts'), [({'wrt': 'z'}, ("'z'", 'x, y')), ({'order': 3}, ('order', '3'))])
def test_options_that_mean_nothing_are_errors(options, facts):
    with refused(ValueError, *facts):
        ms.check_bprop(Product(), X, Y, **options)


def test_a_weight_of_internal_params():
    class Wrong(Scale):
        def bprop(self, x, out, dout):
            return (dout * self.w,), {self.w: dout.sum()}

    mine = Wrong(2.0)
    result = ms.check_bprop(mine, X)
    assert [(row.name, row.ok) for row in result.rows] == [('x', True), ('w', False)]
    assert ms.check_bprop(mine, X, wrt='x').ok and not ms.check_bprop(mine, X, wrt=mine.w).ok


def test_the_mistake_is_named():
    for bprop, *facts in (
        (lambda s, x, out, dout: (2 * x,), 'dout', 'missing'),
        (lambda s, x, out, dout: (x * dout,), '0.5'),
        (lambda s, x, out, dout: (-2 * x * dout,), 'sign'),
        (lambda s, x, out, dout: (2 * x * dout * dout,), 'dout', 'too often'),
        (lambda s, x, out, dout: (dout * float('nan'),), 'NaN'),
    ):
        result = ms.check_bprop(made(lambda s, x: x * x, bprop), X)
        assert not result.ok
        tells(result.rows[0].mistake, *facts)
    ignores = ms.check_bprop(made(lambda s, x: x * x, lambda s, x, out, dout: (2 * x,)), X, sens=ops.ones_like(X))
    assert not ignores.ok, 'right for ones, and for nothing else'
    linear = made(lambda s, x: x * x, lambda s, x, out, dout: (2 * x * ops.sign(dout),))
    assert not ms.check_bprop(linear, X).ok


def test_the_second_order_is_tried_where_it_is_asked_for():
    constant = made(lambda s, x: x * x, lambda s, x, out, dout: (2 * ops.stop_gradient(x) * dout,))
    assert ms.check_bprop(constant, X) and ms.check_bprop(Cube(), X, order=2) and ms.check_bprop(Product(), X, Y).rows
    result = ms.check_bprop(constant, X, order=2)
    assert result.rows[0].verdict == 'wrong'
    tells(result.rows[0].why, 'first', 'right', 'second')


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


def test_a_random_construct_is_compared_with_the_same_dice():
    def construct(self, x):
        return x * Tensor(np.random.rand(3), x.dtype), None

    right = made(construct, lambda s, x, out, dout: (dout[0] * out[0] / x,))
    result = ms.check_bprop(right, X)
    assert result.ok and result.rows[0].by == 'rules and differences', repr(result)
    assert not ms.check_bprop(made(construct, lambda s, x, out, dout: (dout[0],)), X).ok
    dice = made(lambda s, x: x * 2, lambda s, x, out, dout: (dout * (2 + (np.random.rand() < 0.4)),))
    (row,) = ms.check_bprop(dice, X).rows
    tells(row.mistake, 'twice')


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


def test_a_kept_value_is_found_by_another_call():
    result = ms.check_bprop(Keeps(), X)
    assert not result.ok
    tells(result.rows[0].mistake, 'call', 'in between')


def test_what_construct_uses_and_no_bprop_answers_for_is_named():
    result = ms.check_bprop(made(lambda s, x: nn.Dense(3, 2)(x), lambda s, x, out, dout: (dout @ out.T @ x,)), X)
    assert not result.ok
    w = Parameter(Tensor([2.0, 3.0, 4.0]), 'w')
    uses = made(lambda s, x: x * w.astype(x.dtype), lambda s, x, out, dout: (dout * w.astype(x.dtype),))
    result = ms.check_bprop(uses, X)
    assert [row.ok for row in result.rows] == [True] and not result.ok
    tells(said(result)[2], 'w', 'internal_params', 'lost')


def test_a_cell_without_a_bprop_and_a_function():
    result = ms.check_bprop(nn.Dense(3, 2, 0.5, 0.1), X)
    assert result.ok
    tells(said(result)[0], '✓ autodiff of Dense', 'agrees')
    result = ms.check_bprop(lambda x, y: x * y, X, Y)
    assert result.ok and len(result.rows) == 2


def test_html_is_the_same_text():
    page = ms.check_bprop(made(lambda s, x: x * 2, lambda s, x, out, dout: (dout * (x < 1),)), X)._repr_html_()
    assert page.startswith('<pre') and 'Mine.bprop' in page and 'true gradient' in page
