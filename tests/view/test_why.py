"""`tape.why`: the rows of an account add up to the number, whatever made it."""

from pathlib import Path

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.account import ask, table
from tests.messages import refused, tells
from tests.view.everything import adds_up, close


class Net(nn.Cell):
    def __init__(self, right):
        super().__init__()
        self.matmul, self.right = ops.MatMul(), right

    def construct(self, x, y):
        return self.matmul(x, y)

    def bprop(self, x, y, out, dout):
        if self.right:
            return dout @ y.T, x.T @ dout
        return dout @ y.T + 0.5, x.T @ dout


class Ignores(nn.Cell):
    def construct(self, x, y):
        return ops.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = x + 1
        dy = y + 1
        return dx, dy


class Step(nn.Cell):
    def construct(self, x):
        return (x > 0).astype(ms.float32)

    def bprop(self, x, out, dout):
        slope = dout * ops.exp(-x * x)
        return (slope,)


class Doubles(nn.Cell):
    def construct(self, x):
        return x * x + x

    def bprop(self, x, out, dout):
        return (2 * x * dout,)


X = Tensor([[0.5, 0.6, 0.4], [1.2, 1.3, 1.1]])
Y = Tensor([[0.01, 0.3, 1.1], [0.1, 0.2, 1.3], [2.1, 1.2, 3.3]])


def taped(function, *args, by=None, weights=None):
    with ms.Tape() as tape:
        found = ms.grad(function, by if by is not None else 0, weights)(*args)
    return tape, found


def test_a_bprop_signs_and_the_rule_stands_beside_it():
    tape, (dx, _) = taped(lambda x, y: Ignores()(x, y).sum(), X, Y, by=(0, 1))
    account = adds_up(tape.why(dx, (0, 2)))
    tells(account.title, 'your dx[0,2]', 1.40)
    assert account.total == '1.40'
    (row,) = account.rows
    line = next(
        n for n, text in enumerate(Path(__file__).read_text('utf-8').splitlines(), 1) if text == '        dx = x + 1'
    )
    assert (row.who, row.formula, row.line, row.kind, row.yours) == (
        'your bprop', 'x + 1', f'{line}:13–18', 'bprop', True,
    )  # fmt: skip
    assert row.file == __file__ and row.of is None
    tells(account.note, 'Ignores.bprop', 'not use dout')
    tells(account.true_heading, "MatMul's rule")
    assert [(r.through, r.by, table.say(r.factor), r.cotangent) for r in account.true_rows] == [
        ('out[0,0]', 'y[2,0]', '2.10', 1.0), ('out[0,1]', 'y[2,1]', '1.20', 1.0), ('out[0,2]', 'y[2,2]', '3.30', 1.0),
    ]  # fmt: skip
    assert close(account.true, 6.6) and close(account.true_rows[-1].total, 6.6)
    for text in (account, account._repr_html_()):
        tells(text, 'bprop: x + 1', 'y[2,0]', 6.60, 'too small', 'by 5.20', keep=False)  # it names lines of this file


@pytest.mark.parametrize(('right', 'said'), [(True, 'yours agrees'), (False, 'too large by 1')])
def test_the_verdict(right, said):
    net = Net(right)
    tape, (dx, dy) = taped(lambda x, y: (net(x, y) * net(x, y)).sum(), X, Y, by=(0, 1))
    account = adds_up(tape.why(dy, (1, 2)))
    assert account.verdict == 'yours agrees' and 'does not use' not in account.note
    for row, net in zip(account.rows, ('2 Net', '1 Net'), strict=True):
        tells(row.who, 'your bprop', net)
    account = adds_up(tape.why(dx, (1, 1)))
    assert account.verdict.endswith(said)
    assert close(account.true_rows[-1].total, account.true, 1e-6)


def test_where_the_rules_would_hand_out_nothing():
    tape, d = taped(lambda a: Step()(a).sum(), Tensor([0.5, -1.0]))
    account = adds_up(tape.why(d, 0))
    assert account.true == 0 and not account.true_rows
    tells(account.rows[0].formula, 'ops.exp(-x *')
    tells(account.verdict, 'built-in rules', 'be 0', 'a surrogate')
    tape, d = taped(nn.relusigmoid(), Tensor([0.5, -1.0]))
    account = adds_up(tape.why(d, 0))
    tells(account.verdict, 'built-in rules', 'be 0: the b')
    assert not account.rows[0].yours
    assert account.title.startswith('How d')


def test_many_takeovers():
    def spikes(x):
        total = x * 0
        for k in range(12):
            total = total + Doubles()(x) * (k + 1.0)
        return total

    with ms.Tape() as tape:
        slope = ms.grad(spikes)(Tensor(1.5))
    account = adds_up(tape.why(slope))
    assert str(tape.why('slope')) == str(account) and close(account.true, 78 * 4) and close(account.number, 78 * 3)
    assert account.rows[-1].who == '7 other entries' and account.true_rows[-1].who == '6 other entries'
    assert close(account.true_rows[-1].total, 78 * 4)
    tells(account.verdict, 'too small by', 78)


def test_a_takeover_beside_a_rule():
    tape, d = taped(lambda a: Doubles()(a) + a * 0.1, Tensor(1.5))
    account = adds_up(tape.why(d))
    assert [r.kind for r in account.rows] == ['rule', 'bprop'] and close(account.true, 4.1)
    assert [r.who for r in account.true_rows] == ['Add', 'Mul', 'Mul']
    tells(account.true_heading, 'built-in rules', 'the bprop')
    tells(account.verdict, 'too small by 1')


def test_a_bprop_that_returns_none_and_one_that_cannot_be_compared():
    class Nothing(nn.Cell):
        def construct(self, x, y):
            return Tensor(x.asnumpy() * np.random.rand()) * y

        def bprop(self, x, y, out, dout):
            return None, dout

    tape, (dx, dy) = taped(lambda x, y: Nothing()(x, y), Tensor(1.0), Tensor(2.0), by=(0, 1))
    account = adds_up(tape.why(dx))
    assert not account.rows
    tells(account.note, '1 Nothing', 'None for x', 'as 0')
    account = adds_up(tape.why(dy))
    assert account.true is None and not account.true_rows
    tells(account.verdict, 'cannot be known', 'random')


def test_parameters_of_a_takeover_and_several_outputs():
    class Affine(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0, 3.0]), name='w')
            self.internal_params = [self.w]

        def construct(self, pair, scale):
            return pair[0] * self.w, pair[1] * scale

        def bprop(self, pair, scale, out, dout):
            a, b = dout
            return ((a * self.w, b * scale), b * pair[1]), {self.w: a * pair[0]}

    net = Affine()

    def loss(x, y, s):
        a, b = net((x, y), s)
        return (a * a).sum() + b.sum()

    args = Tensor([1.0, 2.0]), Tensor([5.0, 6.0]), Tensor([0.5, 0.25])
    tape, (found, (dw,)) = taped(loss, *args, by=(0, 1, 2), weights=[net.w])
    for d in (*found, dw):
        account = adds_up(tape.why(d, 1))
        assert account.verdict == 'yours agrees' and close(account.true, account.number)
    assert tape.why('w', 1).number == tape.why(dw, 1).number and tape.why(dw, 1).rows[0].formula == 'a * pair[0]'


def test_a_formula_is_that_of_its_own_gradient():
    """Where an input is no Tensor, where the dict has another order than internal_params, where one output is used."""

    class Line(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w, self.b = (Parameter(Tensor([2.0, 3.0]), name=name) for name in 'wb')
            self.internal_params = [self.w, self.b]

        def construct(self, x, k, y):
            return x * self.w + self.b, y * k

        def bprop(self, x, k, y, out, dout):
            dline, dy = dout
            dw = dline * x
            return (dline * self.w, None, dy * k), {self.b: dline, self.w: dw}

    net = Line()
    tape, ((dx, dy), weights) = taped(lambda x, y: net(x, 2, y)[0].sum(), *X[:, :2], by=(0, 1), weights=[net.w, net.b])
    told = [adds_up(tape.why(d, 1)).rows[0].formula for d in (dx, dy, *weights)]
    assert told == ['dline * self.w', 'dy * k', 'dline * x', '']
    (reading,) = (r for r in tape.show().record.readings if len(r.gave) > 2)
    assert [g.formula for g in reading.gave] == told and [g.name for g in reading.gave] == ['dx', 'dy', 'dw', 'dline']


def test_hooks_sign():
    def hooked(x):
        y = x * 3
        y.register_hook(lambda g: g * 10)
        return y * y

    tape, d = taped(hooked, Tensor(1.0))
    account = adds_up(tape.why(d))
    (row,) = account.rows
    tells(row.who, 'hook on y', '1 Mul')
    assert (row.kind, row.yours, row.factor) == ('hook', True, 3.0)
    tells(account.note, '6 arrived', 'hook on y', 'made 60')
    assert adds_up(account.deeper()).number == 6

    clip = ops.InsertGradientOf(lambda g: ops.minimum(g, 1.0))
    for by, said, factor in ((5, '5 arrived, and the hook made 1 of it.', None), (0.5, 'The hook changed nothing.', 1)):
        tape, d = taped(lambda x, by=by: clip(x) * by, Tensor(3.0))
        account = adds_up(tape.why(d))
        assert account.note == said and account.rows[0].factor == factor and account.rows[0].yours


def test_the_hook_of_an_input_and_one_that_is_not_called_again():
    calls = []
    x = Tensor(2.0)
    handle = x.register_hook(lambda g: calls.append(g) or g * 7)
    tape, d = taped(lambda x: x * x, x)
    handle.remove()
    account = adds_up(tape.why(d))
    assert [r.product for r in account.rows] == [2.0, 2.0, 24.0] and account.rows[-1].who.endswith('hook on x')
    tells(account.note, '4 arrived', 'hook on x', 'made 28')
    assert len(calls) == 1

    def odd(x):
        y = x * 3
        y.register_hook(lambda g: calls.append(g) or Tensor(np.float32(2)))
        return y * y

    tape, d = taped(odd, Tensor(1.0))
    (row,) = adds_up(tape.why(d)).rows
    tells(row.who, 'hook on y', '1 Mul')
    assert (row.factor, row.cotangent, row.product) == (3.0, 2.0, 6.0)
    y, count = tape.events[1].out, len(calls)
    with refused(ValueError, 'is a value', "for 'dy'"):
        tape.why(y)
    assert len(calls) == count


def test_backward_hooks_of_a_cell():
    net = nn.Dense(3, 2)
    net.register_backward_hook(lambda cell, into, out: (into[0] * 2,))
    tape, d = taped(net, Tensor([[1.0, 2.0, 3.0]]))
    account = adds_up(tape.why(d, (0, 1)))
    assert account.rows[0].kind == 'hook' and account.rows[0].yours
    tells(account.note, 'arrived', 'hook made', keep=False)  # Dense draws its weights
    adds_up(account.deeper())


def test_hooks_on_one_of_several():
    class Both(nn.Cell):
        def construct(self, a, b):
            return a * b

    net = Both()
    net.register_backward_hook(lambda cell, into, out: (into[0], into[1] * 3))
    tape, d = taped(lambda x: net(X, x).sum(), X + 1)
    account = adds_up(tape.why(d, (0, 1)))
    tells(account.note, '0.60 arrived', 'hook made 1.80')
    assert close(account.deeper().number, 0.6)

    class Pair(nn.Cell):
        def construct(self, x):
            return x * 2, x * 3

        def bprop(self, x, out, dout):
            return (dout[0] * 2 + dout[1] * 3,)

    def parts(x):
        a, b = Pair()(x)
        a.register_hook(lambda g: g * 5)
        return (a * a + b).sum()

    tape, d = taped(parts, Tensor([1.0, 2.0]))
    account = adds_up(tape.why(d, 1))
    assert account.number == 83 and account.verdict == 'yours agrees' and len(account.true_rows) == 2
    account = adds_up(tape.why('da', 1))
    assert [r.product for r in account.rows] == [4.0, 4.0, 32.0] and account.rows[-1].who.endswith('hook on a')

    def slices(x):
        a, b = ops.split(x, 1)
        return (a * b).sum()

    tape, d = taped(slices, Tensor([1.0, 2.0]))
    assert [r.through for r in adds_up(tape.why(d, 1)).rows] == ['b[0]']


def test_fan_out_and_many_entries():
    tape, d = taped(lambda x: x * x * x, Tensor(2.0))
    assert [(r.who, r.by) for r in adds_up(tape.why(d)).rows] == [('2 Mul', 'x * x'), ('1 Mul', 'x'), ('1 Mul', 'x')]
    part = next(e for e in tape.events if type(e).__name__ == 'Give').gradients[1][1]
    tells(adds_up(tape.why(part)).note, 'of 3 parts', 'of dx')
    assert len(tape.why(part).rows) == 1
    w = Parameter(Tensor(0.9), name='w')

    def run(x):
        h = x
        for _ in range(20):
            h = ops.tanh(h * w + x)
        return h

    tape, _ = taped(run, Tensor(0.3), weights=[w])
    account = adds_up(tape.why('w'))
    assert [r.kind for r in account.rows] == ['rule'] * 6 + ['others'] and account.rows[-1].who == '14 other entries'
    tape, d = taped(lambda x: (ops.softmax(x, -1) * Tensor(np.arange(32.0))).sum(), Tensor(np.linspace(-1, 1, 32)))
    account = adds_up(tape.why(d, 3))
    assert len(account.rows) == 7 and account.rows[-1].through == '26 others'


def test_second_and_third_order():
    cube = lambda x: x * x * x
    for function in (cube, lambda x: ops.exp(x) * x, lambda x: ops.relu(x) * x * x, lambda x: Doubles()(x) * x):
        first = lambda x, f=function: ms.grad(f)(x)
        second = lambda x, f=first: ms.grad(f)(x)
        for order, f in enumerate((function, first, second)):
            tape, d = taped(f, Tensor(0.5))
            account = adds_up(tape.why(d))
            assert any('′' in r.who for r in account.rows) == bool(order)
            for reading in ask.book_of(tape).walk.readings:
                for g in reading.end.gradients:
                    adds_up(tape.why(g))


def test_values_as_they_were():
    w = Parameter(Tensor([1.0, 2.0]), name='w')
    x = Tensor([3.0, 4.0])
    with ms.Tape() as tape:
        dx, (dw,) = ms.grad(lambda x: (w * w * x).sum(), 0, [w])(x)
        before = [str(tape.why(d, 1)) for d in (dx, dw)]
        w.set_data(Tensor([10.0, 20.0]))
        ops.assign(w, Tensor([5.0, 5.0]))
        assert [str(tape.why(d, 1)) for d in (dx, dw)] == before
    w.set_data(Tensor([7.0, 7.0]))
    x[0] = 9.0
    assert [str(tape.why(d, 1)) for d in (dx, dw)] == before
    assert adds_up(tape.why('dw', 1)).number == 16


@pytest.mark.filterwarnings('ignore')
def test_nan_and_infinity():
    tape, d = taped(lambda x: ops.log(x).sum(), Tensor([0.0, 1.0, 0.0]))
    assert [r.through for r in adds_up(tape.why(d, 0)).rows] == ['out[0]'] and tape.why(d, 0).total == '∞'
    assert tape.why(d, 1).total == '1' and len(tape.why(d, 1).rows) == 1
    c = Tensor([[np.nan, 1.0]])
    tape, (dx, dw) = taped(lambda x, w: (ops.matmul(x, w) * c).sum(), Tensor([[0.0, 1.0]]), Y[:2, :2], by=(0, 1))
    for d in (dx, dw):
        for index in np.ndindex(d.shape):
            account = adds_up(tape.why(d, index))
            assert ('NaN' in account.title) == bool(np.isnan(d.asnumpy()[index]))


@pytest.mark.filterwarnings('ignore')  # of complex numbers that lose their imaginary part
def test_dtypes():
    for dtype in (ms.float16, ms.float64):
        tape, d = taped(lambda x: (ops.softmax(x * x, -1) * x).sum(), X.astype(dtype))
        adds_up(tape.why(d, (1, 2)))


def test_unreached_and_the_identity():
    with pytest.warns(ms.errors.NoPathWarning):
        tape, (dx, dy) = taped(lambda x, y: y, Tensor(1.0), Tensor(2.0), by=(0, 1))
    tells(adds_up(tape.why(dx)).note, 'Nothing', 'leads from x')
    assert not tape.why(dx).rows
    assert [r.kind for r in adds_up(tape.why(dy)).rows] == ['start']


def test_errors_are_sentences():
    n = Tensor([1, 2, 3])
    tape, (dx, dy) = taped(lambda x, y: (x * y).sum() + ops.select(n > 1, x, y).sum(), Tensor([1.0, 2.0, 4.0]), Y[0],
                           by=(0, 1))  # fmt: skip
    _, other = taped(lambda x: x * x, Tensor(1.0))
    for error, given, words in [
        (ValueError, ('dq', 0), ("called 'dq'", 'dx, dy, d(')),
        (ValueError, ('q', 0), ("called 'q'", 'dx, dy, d(')),  # though there is a Tensor of bools without a name
        (ValueError, (other, ()), ('no such gradient', 'another tape')),
        (ValueError, (dx[0], ()), ('the whole', "tape.why('dx', (0, 2))")),
        (ValueError, (tape.events[0].inputs[0], 0), ('is a value', 'no gradient', "for 'dx'")),
        (ValueError, ('dn', 0), ('n is Int64', 'floats')),
        (ValueError, (n, 0), ('n is Int64', 'floats')),
        (IndexError, (dx, 3), ('shape (3,)', 'at (3,)')),
        (IndexError, (dx, ()), ('shape (3,)', '1 index', 'got ()')),
        (TypeError, (dx, 'a'), ('an int', 'axis', "got 'a'")),
        (TypeError, ((dx, dy), 0), ('one gradient', 'tuple of 2', 'tape.why')),
        (TypeError, (5, 0), ("as 'dx'", 'an int')),
    ]:
        with refused(error, *words, line='tape.why(*given)'):
            tape.why(*given)
    assert tape.why('x', 0).number == tape.why(dx, -3).number == tape.why('dx', np.int64(0)).number
    with refused(ValueError, 'has none', 'gradient inside'):
        ms.Tape().why('dx')
    with refused(ValueError, 'no single number'):
        taped(lambda x, y: Ignores()(x, y), X, Y)[0].why('dx', (0, 0)).deeper()


def test_inside_of_a_gradient_and_of_an_open_tape():
    """A question changes nothing that is recorded around it."""
    seen = []
    with ms.Tape() as tape:
        first = ms.grad(lambda x: x * x)(Tensor(3.0))

        def function(x):
            y = x * x
            seen.append(tape.why(first).number)
            return y * x

        d = ms.grad(function)(Tensor(2.0))
    assert seen == [6.0] and d.asnumpy() == 12 and adds_up(tape.why(d)).number == 12
    assert [type(e).__name__ for e in tape.events].count('Op') == 3


def test_numbers_in_words():
    assert [table.say(v) for v in (1.4, -5.2, 15.337, 1234.5, 2.0, 0.0, 3e-9, float('nan'), 12345678.5)] == [
        '1.40', '−5.20', '15.337', '1234.50', '2', '0', '3e−9', 'NaN', '1.23e7',
    ]  # fmt: skip
