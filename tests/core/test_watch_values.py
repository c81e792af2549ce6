"""A Tape: values as of their time, errors that ended it, Tapes in Tapes, and the printed list."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor
from minicell.core.watch import Call, Fail, Leave, Op
from tests.core.cells import Cube, Keeps, Product, close, made, of_kind
from tests.core.test_watch import INSIDE, X, short, watch
from tests.messages import refused, tells


def test_a_parameter_that_is_overwritten_later_keeps_its_old_value():
    w = Parameter(Tensor([2.0]), 'w')
    with ms.Tape() as tape:
        w * 1
        w.set_data(Tensor([3.0]))
        w * 2
        w[0] = 4.0
        w * 5
    first, write, second, write_2, third = tape.events
    assert [type(e).__name__ for e in tape.events] == ['Op', 'Write', 'Op', 'Write', 'Op']
    assert (write.what, write_2.what) == ('w.set_data', 'x[i] = v')
    assert write.tensor is w and write.where.expression == 'w.set_data(Tensor([3.0]))'
    assert write_2.where.text == 'w[0] = 4.0'
    assert [tape.value(w, e.at).tolist() for e in (first, second, third)] == [[2], [3], [4]]
    w.set_data(Tensor([9.0]))
    w[0] = 10.0
    assert [tape.value(w, e.at).tolist() for e in (first, second, third)] == [[2], [3], [4]], 'written after the block'
    assert float(w) == 10.0
    assert [tape.value(e.out, e.at).tolist() for e in (first, second, third)] == [[2], [6], [20]]


def test_values_can_be_asked_for_while_the_block_is_open():
    w = Parameter(Tensor([2.0]), 'w')
    with ms.Tape() as tape:
        w * 1
        w.set_data(Tensor([3.0]))
        assert short(tape.events) == ['Op Mul unrecorded', 'Write']
        assert tape.value(w, tape.events[0].at).tolist() == [2]
        w * 2
        assert len(tape.events) == 3


def test_a_view_of_what_is_overwritten_keeps_its_value_too():
    w = Parameter(Tensor([2.0, 5.0]), 'w')
    with ms.Tape() as tape:
        tail = w[1:]
        tail * 2
        w.set_data(Tensor([7.0, 8.0]))
    seen = tape.events[1]
    assert tape.value(tail, seen.at).tolist() == [5]
    w.set_data(Tensor([0.0, 0.0]))
    assert tape.value(tail, seen.at).tolist() == [5]
    assert tape.value(w, tape.events[0].at).tolist() == [2, 5]


@pytest.mark.parametrize('index', [[0, 2], np.array([0, 2]), Tensor([0, 2]), (Tensor([0, 2]),)])
def test_the_index_that_is_shown_cannot_be_written(index):
    with ms.Tape() as tape:
        back = ms.vjp(lambda x: x[index] * 1, Tensor([1.0, 2.0, 3.0]))[1]
    taken = next(e for e in tape.events if isinstance(e, Op) and e.attrs).attrs[0]
    with pytest.raises(ValueError, match='read-only'):
        (taken[0] if isinstance(taken, tuple) else taken)[...] = 1
    assert back(Tensor([1.0, 1.0]))[0].tolist() == [1, 0, 1]


def test_value_is_read_only():
    w = Parameter(Tensor([2.0]), 'w')
    with ms.Tape() as tape:
        w * 1
    w.set_data(Tensor([3.0]))
    for t in (w, tape.events[0].out):
        with pytest.raises(ValueError, match='read-only'):
            tape.value(t, tape.events[0].at)[0] = 1


def test_a_training_step_inside_and_outside_the_block():
    w = Parameter(Tensor([2.0]), 'w')

    def train():
        (dw,) = ms.grad(lambda x: (w * x).sum(), None, [w])(Tensor([3.0]))
        w.set_data(w - 0.1 * dw)

    with ms.Tape() as tape:
        train()
        train()
    train()
    values = [tape.value(w, e.at).item() for e in tape.events if isinstance(e, Op) and w in e.inputs]
    np.testing.assert_allclose(values, [2, 2, 1.7, 1.7], rtol=1e-6)


def test_an_error_in_an_op():
    with pytest.raises(ValueError) as caught, ms.Tape() as tape:
        ms.grad(lambda x: x * x + Tensor([1.0, 2.0, 3.0]))(X)
    assert tape.error is caught.value
    assert short(tape.events) == ['Begin', 'Op Mul recorded', 'Fail', 'End']
    fail = tape.events[-2]
    assert fail.error is caught.value and fail.where.expression == 'x * x + Tensor([1.0, 2.0, 3.0])'


def test_an_error_in_a_bprop_is_tied_to_its_entry():
    bad = made(lambda self, x: x * 2, lambda self, x, out, dout: dout @ Tensor([[1.0, 2.0, 3.0]]))
    with pytest.raises(ValueError) as caught, ms.Tape() as tape:
        ms.grad(bad)(X)
    fails, (call,) = of_kind(tape, Fail), of_kind(tape, Call)
    assert fails[-1].error is caught.value
    assert any(f.entry is call for f in fails)


def test_an_error_in_construct_marks_the_leave_as_failed():
    def construct(self, x):
        raise KeyError('mine')

    with pytest.raises(KeyError), ms.Tape() as tape:
        made(construct)(X)
    assert [e.failed for e in of_kind(tape, Leave)] == [True]
    (fail,) = of_kind(tape, Fail)
    assert fail.where.text == "raise KeyError('mine')"
    assert "KeyError: 'mine'" in str(tape)


def test_an_error_of_the_users_own_ends_the_block_with_its_line():
    with pytest.raises(ZeroDivisionError) as caught, ms.Tape() as tape:
        X * 2
        1 / 0  # noqa: B018
    assert tape.error is caught.value
    assert tape.events[-1].where.text.startswith('1 / 0')


def test_without_an_error_there_is_none():
    assert watch(lambda: X * 2)[1].error is None


def test_a_tape_inside_a_tape():
    with ms.Tape() as outer:
        X * 1
        with ms.Tape() as inner:
            X * 2
        X * 3
    assert len(outer.events) == 3 and len(inner.events) == 1


def test_a_tape_inside_a_gradient():
    tapes = []

    def f(x):
        y = x * x
        with ms.Tape() as tape:
            z = Cube()(y)
        tapes.append(tape)
        return z * x

    got = ms.grad(f)(X)
    close(got, 7 * X.asnumpy() ** 6)
    assert short(tapes[0].events) == [*INSIDE, 'Call Cube recorded']


def test_a_tape_is_used_once():
    tape = watch(lambda: X * 2)[1]
    with refused(RuntimeError, 'Tape', 'been used'), tape:
        pass


def test_an_empty_tape():
    tape = watch(lambda: None)[1]
    assert tape.events == [] and repr(tape) == '<Tape of 0 events>'
    tells(tape, 'empty tape', 'nothing happened')


def test_print_shows_the_users_own_expressions():
    net = Product()

    def loss(x, y):
        z = net(x, y)
        return (z * 2).sum()

    _, tape = watch(lambda: ms.grad(loss, (0, 1))(X, X))
    head, *lines = [' '.join(line.split()) for line in tells(tape, 'loss by (2,)').splitlines()]
    middle = lines.index('reading back')
    forward, back = lines[:middle], lines[middle + 1 :]
    assert head.endswith('by (2,), (2,)')
    for line, (start, end), op in zip(
        forward,
        (('x * y', '(2,), hidden'), ('1 z = net(x', '-> (2,)'), ('2 z * 2', '-> (2,)'), ('3 (z * 2).sum()', '-> 10')),
        ('Mul', 'Product', 'Mul', 'ReduceSum'),
        strict=True,
    ):
        assert line.startswith(start) and line.endswith(end) and f' {op}' in line
    assert [line.partition(' ')[0] for line in back] == [
        '3',
        'hands',
        '2',
        'hands',
        '1',
        *['dout'] * 4,
        'hands',
        '✗',
        '✗',
    ]
    assert back[3].endswith('(2,), no gradient') and '1 Product.bprop' in back[4] and '(2,), (2,)' in back[9]
    asked = ('dout * y', 'dout * y * 10', 'dout * x', 'dout * x * 100')
    assert back[5:9] == [f'{each} Mul -> (2,), unrecorded' for each in asked]


@pytest.mark.parametrize('order', [1, 2, 3])
def test_print_of_higher_orders_numbers_every_entry_once(order):
    f = lambda x: Cube()(x) * x
    for _ in range(order):
        f = ms.grad(lambda x, f=f: f(x).sum())
    _, tape = watch(lambda: f(X))
    lines = str(tape).splitlines()
    assert sum(line.strip() == 'reading back' for line in lines) == order
    made = [line for line in lines if '->' in line and ', hidden' not in line and ', unrecorded' not in line]
    numbered = [line.split()[0] for line in made if line.split()[0].rstrip('′″‴').isdigit()]
    assert len(numbered) == len(set(numbered)) == len(made)


@pytest.mark.filterwarnings('ignore::minicell.errors.KeptOnSelfWarning')
@pytest.mark.filterwarnings('ignore::minicell.errors.HiddenValueWarning')
def test_print_shows_writes_and_errors():
    w = Parameter(Tensor([2.0]), 'w')
    with pytest.raises(ValueError), ms.Tape() as tape:
        ms.grad(Keeps())(X)
        w.set_data(Tensor([3.0]))
        X + Tensor([1.0, 2.0, 3.0])
    text = str(tape)
    tells(text, 'w.set_data(Tensor([3.0]))', 'by w.set_data', '!!  ShapeError: Add', '(2,) and (3,)')


def test_each_reading_back_numbers_its_own_entries():
    def third(x):
        return ms.grad(ms.grad(ms.grad(lambda x: x * x * x)))(x)

    with ms.Tape() as tape:
        third(Tensor(2.0))
        third(Tensor(2.0))
    found = [line.split()[0] for line in str(tape).splitlines() if line.split()[-2:-1] == ['->']]
    recorded = [each for each in found if each[0].isdigit()]
    firsts = [each for each in recorded if each.rstrip('′″‴') == '1']
    assert firsts == ['1', '1′', '1″'], 'one list for each order, which goes on in the next gradient'
    assert len(recorded) == len(set(recorded))
    assert not [each for each in recorded if '‴' in each]


def test_a_listing_names_layers_and_no_function_of_minicells_own():
    with ms.Tape() as tape:
        ms.grad(ms.grad(ms.nn.Dense(1, 1)))(Tensor([[2.0]]))
    text = str(tape)
    assert '(in Dense)' in text
    assert '(in minicell)' in text and 'Played' not in text and '_' not in text
