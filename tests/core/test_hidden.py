"""Values born inside a Cell with its own bprop and kept: pytorch/pytorch#58509, a silently wrong gradient there."""

import linecache
import warnings

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.errors import HiddenValueError, HiddenValueWarning
from tests.core.cells import Keeps, Product

pytestmark = [
    pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning'),
    pytest.mark.filterwarnings('ignore::minicell.errors.LeavesTapeWarning'),
]
X = np.array([0.5, 2.0])


def x() -> Tensor:
    return Tensor(X, ms.float64)


def slope(cell):
    return ms.grad(lambda x: cell(x).sum())


def test_used_in_bprop_at_first_order_it_warns_at_the_users_line():
    """The number is right for one call; the warning says what to write instead."""
    with pytest.warns(HiddenValueWarning) as caught:
        got = slope(Keeps())(x())
    np.testing.assert_allclose(got.asnumpy(), np.exp(X) * (1 + X))
    caught = [w for w in caught if w.category is HiddenValueWarning]
    warning = caught[0]
    assert {(w.filename, w.lineno, str(w.message)) for w in caught} == {
        (warning.filename, warning.lineno, str(warning.message))
    }
    assert warning.filename.endswith('cells.py')
    assert linecache.getline(warning.filename, warning.lineno).strip() == 'return (dout * (self.kept + out),)'
    said = str(warning.message)
    assert said.startswith('Keeps.bprop uses a value that construct of Keeps kept')
    assert 'Return it from construct as a further output' in said and 'compute it again in bprop' in said


def test_the_warning_is_an_ordinary_one_that_filters_rule():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('ignore')
        slope(Keeps())(x())
    assert not caught
    with warnings.catch_warnings():
        warnings.simplefilter('error', HiddenValueWarning)
        with pytest.raises(HiddenValueWarning):
            slope(Keeps())(x())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('default')
        cell = Keeps()
        for _ in range(3):
            slope(cell)(x())
    assert sum(w.category is HiddenValueWarning for w in caught) <= 1, 'once a place is enough'


def test_used_in_bprop_at_second_order_it_is_an_error():
    with pytest.raises(HiddenValueError) as caught:
        ms.grad(lambda x: slope(Keeps())(x).sum())(x())
    said = str(caught.value)
    assert said.startswith('Add uses a value that was computed inside construct of Keeps, which has its own bprop')
    assert 'cells.py, line' in said and 'return (dout * (self.kept + out),)' in said
    assert caught.value.__notes__ == ['This came from the bprop of the Cell Keeps.']
    assert isinstance(caught.value, RuntimeError)


def mixed(cell):
    """cell(x) plus something made of what it kept."""
    return {
        'by an op': lambda x: cell(x) + ops.tanh(cell.kept),
        'by an op with a recorded value': lambda x: cell(x) * cell.kept,
        'by a method': lambda x: cell(x) + cell.kept.sum(),
        'by an op of many': lambda x: ops.concat((cell(x), cell.kept)),
        'by indexing': lambda x: cell(x) + cell.kept[0],
        'by a cast': lambda x: cell(x) + cell.kept.astype(ms.float64).astype(ms.float32).astype(ms.float64),
        'by an op with a number': lambda x: cell(x) + 2 * cell.kept,
        'by another custom Cell': lambda x: cell(x) + Product()(cell.kept, Tensor(X)),
        'by another custom Cell, beside a recorded value': lambda x: Product()(cell(x), cell.kept),
        'by an inner gradient': lambda x: cell(x) + ms.grad(lambda h: (h * h).sum())(cell.kept),
        'as an output': lambda x: (cell(x), cell.kept),
    }


@pytest.mark.parametrize('how', mixed(Keeps()))
@pytest.mark.parametrize('watched', [False, True])
def test_used_later_in_the_net_it_is_an_error(how, watched):
    """Nothing records what happened in the stretch: the gradient through it would silently be lost."""
    f = mixed(Keeps())[how]
    with pytest.raises(HiddenValueError, match=r'(?s)Keeps.*your line: test_hidden\.py, line'):
        if watched:
            with ms.Tape():
                ms.grad(f)(x())
        else:
            ms.grad(f)(x())
    assert float(ms.grad(lambda x: x * x)(Tensor(3.0))) == 6.0


def test_without_a_gradient_it_is_an_ordinary_value():
    cell = Keeps()
    out = cell(x())
    np.testing.assert_allclose((out + cell.kept).asnumpy(), np.exp(X) * (X + 1))


def test_only_as_a_bool_or_integer_it_is_no_error():
    """A mask has no gradient to lose: the way dropout keeps it."""

    class Masked(nn.Cell):
        def construct(self, x):
            self.mask = x > 1
            self.index = ops.argmax(x)
            return ops.select(self.mask, x, 0.0)

        def bprop(self, x, out, dout):
            return (ops.select(self.mask, dout, 0.0),)

    cell = Masked()
    np.testing.assert_array_equal(slope(cell)(x()).asnumpy(), [0, 1])
    np.testing.assert_array_equal(ms.grad(lambda x: slope(cell)(x * x).sum())(x()).asnumpy(), [0, 0])
    got = ms.grad(lambda x: (cell(x) + ops.select(cell.mask, x, 1.0) * x[cell.index]).sum())(x())
    np.testing.assert_array_equal(got.asnumpy(), [0, 1 + 1 + 2 * 2])


def test_a_value_made_of_constants_alone_may_be_kept():
    """Random masks, coefficients: nothing differentiated flows into them."""

    class Drops(nn.Cell):
        def __init__(self):
            super().__init__()
            self.keep = Tensor(0.5, ms.float64)

        def construct(self, x):
            self.mask = ops.ones_like(x) / self.keep
            return x * self.mask

        def bprop(self, x, out, dout):
            return (dout * self.mask,)

    cell = Drops()
    assert slope(cell)(x()).asnumpy().tolist() == [2, 2]
    assert ms.grad(lambda x: slope(lambda y: cell(y) * y)(x).sum())(x()).asnumpy().tolist() == [4, 4]
    assert ms.grad(lambda x: (cell(x) * cell.mask).sum())(x()).asnumpy().tolist() == [4, 4]


def test_a_stopped_value_may_be_kept():
    class Stops(nn.Cell):
        def construct(self, x):
            self.kept = ops.stop_gradient(x * 2)
            return x * self.kept

        def bprop(self, x, out, dout):
            return (dout * self.kept,)

    cell = Stops()
    assert slope(cell)(x()).asnumpy().tolist() == [1, 4]
    assert ms.grad(lambda x: (cell(x) + cell.kept).sum())(x()).asnumpy().tolist() == [1, 4]


def test_an_input_that_is_kept_is_on_the_tape():
    """x itself was not born in the stretch: its place is known, and at every order the gradient is right."""

    class KeepsInput(nn.Cell):
        def construct(self, x):
            self.x = x
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 2 * self.x,)

    cell = KeepsInput()
    assert slope(cell)(x()).asnumpy().tolist() == [1, 4]
    assert ms.grad(lambda x: slope(cell)(x).sum())(x()).asnumpy().tolist() == [2, 2]
    assert ms.grad(lambda x: (cell(x) * cell.x).sum())(x()).asnumpy().tolist() == (3 * X**2).tolist()


def test_the_way_out_a_further_output():
    """What the message advises works at every order."""

    class Returns(nn.Cell):
        def construct(self, x):
            e = ops.exp(x)
            return e * x, e

        def bprop(self, x, out, dout):
            y, e = out
            return (dout[0] * (e + y) + dout[1] * e,)

    def f(x):
        return Returns()(x)[0].sum()

    np.testing.assert_allclose(ms.grad(f)(x()).asnumpy(), np.exp(X) * (1 + X))
    np.testing.assert_allclose(ms.grad(lambda x: ms.grad(f)(x).sum())(x()).asnumpy(), np.exp(X) * (2 + X), rtol=1e-12)


def test_a_custom_cell_inside_a_custom_cell_is_hidden_whole():
    """The outer bprop alone counts; what the inner one keeps is the outer's hidden value."""
    calls = []

    class Inner(nn.Cell):
        def construct(self, x):
            self.kept = x * 2
            return self.kept

        def bprop(self, x, out, dout):
            calls.append('inner')
            return (dout * 2,)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x):
            return self.inner(x) * x

        def bprop(self, x, out, dout):
            calls.append('outer')
            return (dout * 4 * x,)

    cell = Outer()
    np.testing.assert_array_equal(slope(cell)(x()).asnumpy(), 4 * X)
    assert calls == ['outer']
    with pytest.raises(HiddenValueError, match='construct of Outer'):
        ms.grad(lambda x: (cell(x) + cell.inner.kept).sum())(x())


def test_a_gradient_that_construct_computes_and_keeps():
    """What ms.grad gives inside a hidden stretch was born there too."""

    class KeepsSlope(nn.Cell):
        def construct(self, x):
            self.slope = ms.grad(lambda y: (y * y * y).sum())(x)
            self.constant = ms.grad(lambda y: (y * y * y).sum())(Tensor(X))
            return self.slope * 2

        def bprop(self, x, out, dout):
            return (dout * 12 * x,)

    cell = KeepsSlope()
    np.testing.assert_allclose(slope(cell)(x()).asnumpy(), 12 * X)
    with pytest.raises(HiddenValueError, match='construct of KeepsSlope'):
        ms.grad(lambda x: (cell(x) + cell.slope).sum())(x())
    got = ms.grad(lambda x: (cell(x) + cell.constant * x).sum())(x())
    np.testing.assert_allclose(got.asnumpy(), 12 * X + 3 * X**2)


def test_a_custom_cell_in_a_bprop_hides_at_the_next_order():
    class Square(nn.Cell):
        def construct(self, x):
            self.kept = x * x
            return self.kept * 1

        def bprop(self, x, out, dout):
            return (dout * 2 * x,)

    class Cubes(nn.Cell):
        def __init__(self):
            super().__init__()
            self.square = Square()

        def construct(self, x):
            return x * x * x

        def bprop(self, x, out, dout):
            return (dout * 3 * self.square(x),)

    cell = Cubes()
    np.testing.assert_allclose(ms.grad(lambda x: slope(cell)(x).sum())(x()).asnumpy(), 6 * X)

    def wrong(x):
        g = slope(cell)(x)
        return (g * cell.square.kept).sum()

    with pytest.raises(HiddenValueError, match='construct of Square'):
        ms.grad(wrong)(x())


def test_two_calls_in_one_gradient_still_warn():
    """The first call's bprop would read the second call's value: here the number is wrong, and the warning says so."""
    cell = Keeps()
    with pytest.warns(HiddenValueWarning, match="called twice, this is the last call's value"):
        got = ms.grad(lambda x: (cell(x) + cell(2 * x)).sum())(x())
    right = np.exp(X) * (1 + X) + 2 * np.exp(2 * X) * (1 + 2 * X)
    assert not np.allclose(got.asnumpy(), right)


def test_kept_in_a_parameter_by_set_data():
    """A moving average inside construct is a write, not a kept value."""

    class Mean(nn.Cell):
        def __init__(self):
            super().__init__()
            self.mean = Parameter(Tensor(0.0, ms.float64), name='mean', requires_grad=False)

        def construct(self, x):
            self.mean.set_data(self.mean * 0.5 + x.mean() * 0.5)
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 2,)

    cell = Mean()
    got = ms.grad(lambda x: (cell(x) * cell.mean).sum())(x())
    np.testing.assert_array_equal(got.asnumpy(), [1.25, 1.25])
    assert float(cell.mean) == 0.625


def test_numpy_may_compute_inside_construct():
    """One use of bprop: the forward calculation has no op here, so NumPy does it."""

    class Sine(nn.Cell):
        def construct(self, x):
            return Tensor(np.sin(x))

        def bprop(self, x, out, dout):
            return (dout * ops.cos(x),)

    np.testing.assert_allclose(slope(Sine())(x()).asnumpy(), np.cos(X))
    np.testing.assert_allclose(ms.grad(lambda x: slope(Sine())(x).sum())(x()).asnumpy(), -np.sin(X))


def test_a_kept_value_of_a_gradient_that_is_over_is_a_constant():
    """Monitoring in a training loop: what the last step kept takes part in this step as a number."""
    cell = Keeps()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HiddenValueWarning)
        slope(cell)(x())
    norm = float((cell.kept * cell.kept).sum())
    kept = cell.kept
    got = ms.grad(lambda x: (x * kept).sum())(x())
    np.testing.assert_allclose(got.asnumpy(), np.exp(X))
    assert norm > 0


def test_a_kept_value_is_a_constant_for_what_has_several_outputs_too():
    """A hooked Cell takes its inputs through one entry with an output for each."""
    cell = Keeps()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HiddenValueWarning)
        slope(cell)(x())

    class Times(nn.Cell):
        def construct(self, a, b):
            return a * b

    times = Times()
    times.register_backward_hook(lambda cell, given, arrived: None)
    np.testing.assert_allclose(ms.grad(lambda x: times(x, cell.kept))(x()).asnumpy(), np.exp(X))
