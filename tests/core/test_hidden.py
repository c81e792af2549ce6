"""Values born inside a Cell with its own bprop and kept: pytorch/pytorch#58509, a silently wrong gradient there."""

import warnings

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, ops
from minicell.errors import HiddenValueError, HiddenValueWarning, SeveredWarning
from tests.core.cells import LOOK, Keeps, Product, close, made, same
from tests.messages import refused, tells, warned

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
    with warned() as said:
        close(slope(Keeps())(x()), np.exp(X) * (1 + X))
    said.caught = [w for w in said.caught if w.category is HiddenValueWarning]
    (text,) = {str(w.message) for w in said.caught}
    tells(text, 'Keeps.bprop uses', 'of Keeps kept', 'a further output', 'again in bprop')
    assert len({(w.filename, w.lineno) for w in said.caught}) == 1
    assert said.caught[0].filename.endswith('cells.py') and '(self.kept + out)' in said.line


def test_used_in_bprop_at_second_order_it_is_an_error():
    with refused(HiddenValueError, 'Add uses', 'construct of Keeps', 'cells.py, line', '(self.kept + out)') as caught:
        ms.grad(lambda x: slope(Keeps())(x).sum())(x())
    (note,) = caught.value.__notes__
    tells(note, 'Keeps', 'bprop')
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
@LOOK
def test_used_later_in_the_net_it_is_an_error(how, look):
    """Nothing records what happened in the stretch: the gradient through it would silently be lost."""
    f = mixed(Keeps())[how]
    line = 'ms.grad(f)(x())' if how == 'as an output' else 'cell.kept'
    with refused(HiddenValueError, 'construct of Keeps', line=line), look():
        ms.grad(f)(x())
    assert float(ms.grad(lambda x: x * x)(Tensor(3.0))) == 6.0


def test_without_a_gradient_it_is_an_ordinary_value():
    cell = Keeps()
    out = cell(x())
    close(out + cell.kept, np.exp(X) * (X + 1))


def test_only_as_a_bool_or_integer_it_is_no_error():
    """A mask has no gradient to lose: the way dropout keeps it."""

    def construct(self, x):
        self.mask = x > 1
        self.index = ops.argmax(x)
        return ops.select(self.mask, x, 0.0)

    cell = made(construct, lambda self, x, out, dout: (ops.select(self.mask, dout, 0.0),))
    same(slope(cell)(x()), [0, 1])
    same(ms.grad(lambda x: slope(cell)(x * x).sum())(x()), [0, 0])
    got = ms.grad(lambda x: (cell(x) + ops.select(cell.mask, x, 1.0) * x[cell.index]).sum())(x())
    same(got, [0, 1 + 1 + 2 * 2])


def test_a_value_made_of_constants_alone_may_be_kept():
    """Random masks, coefficients: nothing differentiated flows into them."""

    def construct(self, x):
        self.mask = ops.ones_like(x) / self.keep
        return x * self.mask

    cell = made(construct, lambda self, x, out, dout: (dout * self.mask,))
    cell.keep = Tensor(0.5, ms.float64)
    assert slope(cell)(x()).asnumpy().tolist() == [2, 2]
    assert ms.grad(lambda x: slope(lambda y: cell(y) * y)(x).sum())(x()).asnumpy().tolist() == [4, 4]
    assert ms.grad(lambda x: (cell(x) * cell.mask).sum())(x()).asnumpy().tolist() == [4, 4]


def test_a_stopped_value_may_be_kept():
    def construct(self, x):
        self.kept = ops.stop_gradient(x * 2)
        return x * self.kept

    cell = made(construct, lambda self, x, out, dout: (dout * self.kept,))
    assert slope(cell)(x()).asnumpy().tolist() == [1, 4]
    assert ms.grad(lambda x: (cell(x) + cell.kept).sum())(x()).asnumpy().tolist() == [1, 4]


def test_an_input_that_is_kept_is_on_the_tape():
    """x itself was not born in the stretch: its place is known, and at every order the gradient is right."""

    def construct(self, x):
        self.x = x
        return x * x

    cell = made(construct, lambda self, x, out, dout: (dout * 2 * self.x,))
    assert slope(cell)(x()).asnumpy().tolist() == [1, 4]
    assert ms.grad(lambda x: slope(cell)(x).sum())(x()).asnumpy().tolist() == [2, 2]
    assert ms.grad(lambda x: (cell(x) * cell.x).sum())(x()).asnumpy().tolist() == (3 * X**2).tolist()


def test_the_way_out_a_further_output():
    """What the message advises works at every order."""

    def construct(self, x):
        e = ops.exp(x)
        return e * x, e

    returns = made(construct, lambda self, x, out, dout: (dout[0] * (out[1] + out[0]) + dout[1] * out[1],))
    f = lambda x: returns(x)[0].sum()

    close(ms.grad(f)(x()), np.exp(X) * (1 + X))
    close(ms.grad(lambda x: ms.grad(f)(x).sum())(x()), np.exp(X) * (2 + X), rtol=1e-12)


def test_a_custom_cell_inside_a_custom_cell_is_hidden_whole():
    """The outer bprop alone counts; what the inner one keeps is the outer's hidden value."""
    calls = []

    def construct(self, x):
        self.kept = x * 2
        return self.kept

    inner = made(construct, lambda self, x, out, dout: calls.append('inner') or (dout * 2,))
    cell = made(
        lambda self, x: inner(x) * x,
        lambda self, x, out, dout: calls.append('outer') or (dout * 4 * x,),
        name='Outer',
    )
    same(slope(cell)(x()), 4 * X)
    assert calls == ['outer']
    with refused(HiddenValueError, 'construct of Outer'):
        ms.grad(lambda x: (cell(x) + inner.kept).sum())(x())


def test_a_gradient_that_construct_computes_and_keeps():
    """What ms.grad gives inside a hidden stretch was born there too."""

    def construct(self, x):
        self.slope = ms.grad(lambda y: (y * y * y).sum())(x)
        self.constant = ms.grad(lambda y: (y * y * y).sum())(Tensor(X))
        return self.slope * 2

    cell = made(construct, lambda self, x, out, dout: (dout * 12 * x,))
    close(slope(cell)(x()), 12 * X)
    with refused(HiddenValueError, 'construct of Mine'):
        ms.grad(lambda x: (cell(x) + cell.slope).sum())(x())
    got = ms.grad(lambda x: (cell(x) + cell.constant * x).sum())(x())
    close(got, 12 * X + 3 * X**2)


def test_a_custom_cell_in_a_bprop_hides_at_the_next_order():
    def construct(self, x):
        self.kept = x * x
        return self.kept * 1

    square = made(construct, lambda self, x, out, dout: (dout * 2 * x,), name='Square')
    cell = made(lambda self, x: x * x * x, lambda self, x, out, dout: (dout * 3 * square(x),))
    close(ms.grad(lambda x: slope(cell)(x).sum())(x()), 6 * X)

    def wrong(x):
        g = slope(cell)(x)
        return (g * square.kept).sum()

    with refused(HiddenValueError, 'construct of Square'):
        ms.grad(wrong)(x())


def test_two_calls_in_one_gradient_still_warn():
    """The first call's bprop would read the second call's value: here the number is wrong, and the warning says so."""
    cell = Keeps()
    with warned() as said:
        got = ms.grad(lambda x: (cell(x) + cell(2 * x)).sum())(x())
    (text,) = {str(w.message) for w in said.caught if w.category is HiddenValueWarning}
    tells(text, 'called twice', 'last call')
    right = np.exp(X) * (1 + X) + 2 * np.exp(2 * X) * (1 + 2 * X)
    assert not np.allclose(got.asnumpy(), right)


def test_kept_in_a_parameter_by_set_data():
    """A moving average inside construct is a write, not a kept value: said where a gradient would pass through it."""

    def construct(self, x):
        self.mean.set_data(self.mean * 0.5 + x.mean() * 0.5)
        return x * 2

    cell = made(construct, lambda self, x, out, dout: (dout * 2,))
    cell.mean = Parameter(Tensor(0.0, ms.float64), name='mean', requires_grad=False)
    same(ms.grad(lambda x: (cell(x) + cell(x)).sum())(x()), [4, 4])
    cell.mean.set_data(0)
    with warned(SeveredWarning, 'Mul uses', 'mean.set_data'):
        got = ms.grad(lambda x: (cell(x) * cell.mean).sum())(x())
    same(got, [1.25, 1.25])
    assert float(cell.mean) == 0.625


def test_a_kept_value_of_a_gradient_that_is_over_is_a_constant():
    """Monitoring in a training loop: what the last step kept takes part in this step as a number."""
    cell = Keeps()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HiddenValueWarning)
        slope(cell)(x())
    assert float((cell.kept * cell.kept).sum()) > 0
    close(ms.grad(lambda x: (x * cell.kept).sum())(x()), np.exp(X))
    # a hooked Cell takes its inputs through one entry with an output for each
    times = made(lambda self, a, b: a * b)
    times.register_backward_hook(lambda cell, given, arrived: None)
    close(ms.grad(lambda x: times(x, cell.kept))(x()), np.exp(X))
