"""A Tape: which events, in which order, with which numbers; and the values as they were."""

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.watch import Back, Begin, Call, End, Enter, Fail, Give, Leave, Op, Pull
from tests.core.cells import Cube, Keeps, Product, Split

X = Tensor([1.0, 2.0])


def watch(f):
    """What f() returns, and the Tape around it."""
    with ms.Tape() as tape:
        result = f()
    return result, tape


def short(events) -> list[str]:
    """Events as words: 'Op Mul recorded', 'Pull Mul' ..."""
    said = []
    for e in events:
        name = type(e).__name__
        if isinstance(e, Op):
            name += f' {e.rule.name} {e.state}'
        elif isinstance(e, Call):
            name += f' {type(e.cell).__name__} {e.state}'
        elif isinstance(e, (Enter, Leave)):
            name += f' {type(e.cell).__name__}'
        elif isinstance(e, (Pull, Give)):
            name += f' {e.entry.rule.name if isinstance(e.entry, Op) else type(e.entry.cell).__name__}'
        said.append(name)
    return said


def numbers(value):
    return np.asarray(getattr(value, 'array', value)).tolist()


# ---- the order of things -----------------------------------------------------------------------------------------


def test_a_gradient_forward_and_back():
    _, tape = watch(lambda: ms.grad(lambda x: (x * x + 1).sum())(X))
    assert short(tape.events) == [
        'Begin',
        'Op Mul recorded',
        'Op Add recorded',
        'Op ReduceSum recorded',
        'Back',
        'Pull ReduceSum',
        'Give ReduceSum',
        'Pull Add',
        'Give Add',
        'Pull Mul',
        'Give Mul',
        'End',
    ]


def test_a_takeover_hides_its_ops_and_shows_what_bprop_does():
    _, tape = watch(lambda: ms.grad(Cube())(X))
    assert short(tape.events) == [
        'Begin',
        'Enter Cube',
        'Op Mul hidden',
        'Op Mul hidden',
        'Leave Cube',
        'Call Cube recorded',
        'Back',
        'Pull Cube',
        *['Op Mul unrecorded'] * 3,
        'Give Cube',
        'End',
    ]


def test_the_second_order_records_the_reading_back():
    _, tape = watch(lambda: ms.grad(ms.grad(Cube()))(X))
    assert short(tape.events) == [
        'Begin',
        'Begin',
        'Enter Cube',
        'Op Mul hidden',
        'Op Mul hidden',
        'Leave Cube',
        'Call Cube recorded',
        'Op OnesLike unrecorded',
        'Back',
        'Pull Cube',
        'Op Mul unrecorded',
        'Op Mul recorded',
        'Op Mul recorded',
        'Give Cube',
        'End',
        'Back',
        'Pull Mul',
        'Give Mul',
        'Pull Mul',
        'Give Mul',
        'End',
    ]
    assert [e.order for e in tape.events if isinstance(e, Begin)] == [1, 2]


def test_a_plain_cell_hides_nothing():
    _, tape = watch(lambda: ms.grad(nn.ReLU())(X))
    assert short(tape.events) == [
        *('Begin', 'Enter ReLU', 'Op ReLU recorded', 'Leave ReLU'),
        *('Back', 'Pull ReLU', 'Give ReLU', 'End'),
    ]


def test_without_a_gradient_nothing_is_recorded_but_all_is_seen():
    out, tape = watch(lambda: Cube()(X) + 1)
    assert short(tape.events) == [
        *('Enter Cube', 'Op Mul hidden', 'Op Mul hidden', 'Leave Cube', 'Call Cube unrecorded', 'Op Add unrecorded')
    ]
    assert tape.events[-1].out is out


def test_cells_in_cells_nest_properly():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Cube()

        def construct(self, x):
            return self.inner(x) * 2

        def bprop(self, x, out, dout):
            return (self.inner(x) * dout,)

    _, tape = watch(lambda: ms.grad(Outer())(X))
    assert short(tape.events) == [
        'Begin',
        'Enter Outer',
        'Enter Cube',
        'Op Mul hidden',
        'Op Mul hidden',
        'Leave Cube',
        'Op Mul hidden',
        'Leave Outer',
        'Call Outer recorded',
        'Back',
        'Pull Outer',
        'Enter Cube',
        'Op Mul hidden',
        'Op Mul hidden',
        'Leave Cube',
        'Call Cube unrecorded',
        'Op Mul unrecorded',
        'Give Outer',
        'End',
    ]


def test_time_only_grows():
    _, tape = watch(lambda: ms.grad(ms.grad(lambda x: (Split()(x)[1] * Cube()(x)).sum()))(X))
    times = [e.at for e in tape.events]
    assert times == sorted(set(times))


def test_an_entry_that_no_cotangent_reaches_is_not_pulled():
    _, tape = watch(lambda: ms.grad(lambda x: (ops.exp(x), x * 2)[1])(X))
    assert [type(e).__name__ for e in tape.events if isinstance(e, Pull)] == ['Pull']
    assert 'Op Exp recorded' in short(tape.events)


# ---- the numbers -------------------------------------------------------------------------------------------------


def test_identity_ties_an_input_to_the_event_that_made_it():
    _, tape = watch(lambda: ms.grad(lambda x: ops.tanh(x * x).sum())(X))
    begin, mul, tanh, total = tape.events[:4]
    assert mul.inputs[0] is mul.inputs[1] is begin.inputs[0]
    assert tanh.inputs[0] is mul.out and total.inputs[0] is tanh.out
    assert begin.sources[0] is X and begin.inputs[0] is not X


def test_pull_and_give_have_the_numbers():
    _, tape = watch(lambda: ms.grad(lambda x: (x * x * 3).sum())(X))
    steps = [(e, type(e).__name__) for e in tape.events if isinstance(e, (Pull, Give))]
    found = [
        numbers(e.cotangent) if isinstance(e, Pull) else [d if d is None else numbers(d) for _, d in e.gradients]
        for e, _ in steps
    ]
    assert found == [1.0, [[1, 1]], [1, 1], [[3, 3], None], [3, 3], [[3, 6], [3, 6]]]
    last = steps[-1][0]
    assert [t for t, _ in last.gradients] == list(last.entry.inputs)


def test_accumulation_is_the_sum_of_what_was_given():
    """x used three times: the gradients given to it add up to what End returns."""
    got, tape = watch(lambda: ms.grad(lambda x: (x * x + Cube()(x)).sum())(X))
    (begin,) = [e for e in tape.events if isinstance(e, Begin)]
    given = [d for e in tape.events if isinstance(e, Give) for t, d in e.gradients if t is begin.inputs[0]]
    assert len(given) == 3
    np.testing.assert_allclose(sum(given), got.asnumpy())
    (end,) = [e for e in tape.events if isinstance(e, End)]
    assert end.gradients[0] is got


@pytest.mark.filterwarnings('ignore::minicell.errors.ImplicitSumWarning')
def test_back_has_the_outputs_and_their_seeds():
    _, tape = watch(lambda: ms.grad(Split())(X))
    (back,) = [e for e in tape.events if isinstance(e, Back)]
    (call,) = [e for e in tape.events if isinstance(e, Call)]
    assert [t for t, _ in back.outputs] == list(call.out)
    assert [numbers(g) for _, g in back.outputs] == [[1, 1], [1, 1]]


def test_several_outputs_are_pulled_with_a_tuple_that_says_what_did_not_arrive():
    _, tape = watch(lambda: ms.grad(lambda x: (Split()(x)[1] * 3).sum())(X))
    (pull,) = [e for e in tape.events if isinstance(e, Pull) and isinstance(e.entry, Call)]
    assert isinstance(pull.cotangent, tuple)
    assert pull.cotangent[0] is None and numbers(pull.cotangent[1]) == [3, 3]


def test_give_of_a_takeover_has_none_for_a_declared_absence():
    class Half(Product):
        def bprop(self, x, y, out, dout):
            return dout * y, None

    _, tape = watch(lambda: ms.grad(Half(), (0, 1))(X, X))
    (give,) = [e for e in tape.events if isinstance(e, Give)]
    assert numbers(give.gradients[0][1]) == [1, 2] and give.gradients[1][1] is None


def test_enter_has_the_bound_arguments_as_tensors_of_their_own():
    class Takes(nn.Cell):
        def construct(self, x, y, scale=3):
            return x * y * scale

        def bprop(self, x, y, scale, out, dout):
            return dout, dout, None

    _, tape = watch(lambda: ms.grad(lambda x: Takes()(y=x, x=x))(X))
    (enter,) = [e for e in tape.events if isinstance(e, Enter)]
    (call,) = [e for e in tape.events if isinstance(e, Call)]
    assert enter.custom and enter.inputs[2] == call.inputs[2] == 3
    assert enter.inputs[0] is not enter.inputs[1], 'one alias an argument position'
    first, second = [e for e in tape.events if isinstance(e, Op) and e.state == 'hidden']
    assert first.inputs == (enter.inputs[0], enter.inputs[1]) or (
        first.inputs[0] is enter.inputs[0] and first.inputs[1] is enter.inputs[1]
    )
    assert second.inputs[0] is first.out
    assert call.inputs[0] is call.inputs[1]


def test_static_arguments_of_an_op():
    _, tape = watch(lambda: X.reshape(2, 1).sum(0, keepdims=True))
    reshape, total = tape.events
    assert reshape.attrs == ((2, 1),) and total.attrs == ((0,), True)


# ---- values as of their time -------------------------------------------------------------------------------------


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


# ---- an error that ended it --------------------------------------------------------------------------------------


def test_an_error_in_an_op():
    with pytest.raises(ValueError) as caught, ms.Tape() as tape:
        ms.grad(lambda x: x * x + Tensor([1.0, 2.0, 3.0]))(X)
    assert tape.error is caught.value
    assert short(tape.events) == ['Begin', 'Op Mul recorded', 'Fail']
    fail = tape.events[-1]
    assert fail.error is caught.value and fail.where.expression == 'x * x + Tensor([1.0, 2.0, 3.0])'


def test_an_error_in_a_bprop_is_tied_to_its_entry():
    class Bad(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return dout @ Tensor([[1.0, 2.0, 3.0]])

    with pytest.raises(ValueError) as caught, ms.Tape() as tape:
        ms.grad(Bad())(X)
    fails = [e for e in tape.events if isinstance(e, Fail)]
    assert fails[-1].error is caught.value
    (call,) = [e for e in tape.events if isinstance(e, Call)]
    assert any(f.entry is call for f in fails)


def test_an_error_in_construct_marks_the_leave_as_failed():
    class Bad(nn.Cell):
        def construct(self, x):
            raise KeyError('mine')

    with pytest.raises(KeyError), ms.Tape() as tape:
        Bad()(X)
    assert [e.failed for e in tape.events if isinstance(e, Leave)] == [True]
    (fail,) = [e for e in tape.events if isinstance(e, Fail)]
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


# ---- Tapes -------------------------------------------------------------------------------------------------------


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
    np.testing.assert_allclose(got.asnumpy(), 7 * X.asnumpy() ** 6)
    assert short(tapes[0].events) == [
        'Enter Cube',
        'Op Mul hidden',
        'Op Mul hidden',
        'Leave Cube',
        'Call Cube recorded',
    ]


def test_a_tape_is_used_once():
    tape = watch(lambda: X * 2)[1]
    with pytest.raises(RuntimeError, match='this Tape has been used'), tape:
        pass


def test_an_empty_tape():
    tape = watch(lambda: None)[1]
    assert tape.events == [] and str(tape) == 'an empty tape: nothing happened inside the block'
    assert repr(tape) == '<Tape of 0 events>'


# ---- printed -----------------------------------------------------------------------------------------------------


def test_print_shows_the_users_own_expressions():
    net = Product()

    def loss(x, y):
        z = net(x, y)
        return (z * 2).sum()

    _, tape = watch(lambda: ms.grad(loss, (0, 1))(X, X))
    lines = str(tape).splitlines()
    assert lines[0] == 'a gradient of loss by (2,), (2,)'
    assert [line.split() for line in lines[1:5]] == [
        ['x', '*', 'y', 'Mul', '->', '(2,),', 'hidden'],
        ['1', 'z', '=', 'net(x,', 'y)', 'Product,', 'with', 'its', 'own', 'bprop', '->', '(2,)'],
        ['2', 'z', '*', '2', 'Mul', '->', '(2,)'],
        ['3', '(z', '*', '2).sum()', 'ReduceSum', '->', '()'],
    ]
    assert lines[5] == 'reading back'
    assert [' '.join(line.split()) for line in lines[6:]] == [
        '3 ReduceSum gets dout ()',
        'hands out (2,)',
        '2 Mul gets dout (2,)',
        'hands out (2,), no gradient',
        '1 Product.bprop gets dout (2,)',
        'dout * y Mul -> (2,), unrecorded',
        'dout * y * 10 Mul -> (2,), unrecorded',
        'dout * x Mul -> (2,), unrecorded',
        'dout * x * 100 Mul -> (2,), unrecorded',
        'hands out (2,), (2,)',
    ]


@pytest.mark.parametrize('order', [1, 2, 3])
def test_print_of_higher_orders_numbers_every_entry_once(order):
    f = lambda x: Cube()(x) * x
    for _ in range(order):
        f = ms.grad(lambda x, f=f: f(x).sum())
    _, tape = watch(lambda: f(X))
    lines = str(tape).splitlines()
    assert sum(line.strip() == 'reading back' for line in lines) == order
    made = [line for line in lines if '->' in line and ', hidden' not in line and ', unrecorded' not in line]
    numbered = [line.split()[0] for line in made if line.split()[0].rstrip("'").isdigit()]
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
    assert 'w.set_data(Tensor([3.0]))' in text and 'writes, by w.set_data' in text
    assert '!!  ShapeError: Add: shapes (2,) and (3,) do not fit' in text
