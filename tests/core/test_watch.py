"""A Tape: which events, in which order, with which numbers; and the values as they were."""

import sys

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.watch import Back, Begin, Call, End, Enter, Give, Leave, Op, Pull
from tests.core.cells import Cube, Product, Split

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


def of(events, *kinds):
    return [(type(e).__name__, e.of) for e in events if type(e).__name__ in kinds]


def test_a_vjp_ends_without_gradients_when_it_has_played_and_each_reading_names_it():
    with ms.Tape() as tape:
        _, pull = ms.vjp(lambda x: x * x, Tensor(3.0))
        pull(Tensor(1.0))
        pull(Tensor(2.0))
    told = of(tape.events, 'Begin', 'Back', 'End')
    assert [name for name, _ in told] == ['Begin', 'End', 'Back', 'End', 'Back', 'End']
    assert all(one is told[0][1] for _, one in told)
    assert [e.gradients is None for e in tape.events if isinstance(e, End)] == [True, False, False]


def test_an_exception_ends_each_gradient_that_it_passes():
    def inner(x):
        raise KeyError

    with ms.Tape() as tape:
        with pytest.raises(KeyError):
            ms.grad(lambda x: ms.grad(inner)(x) * x)(Tensor(3.0))
        ms.grad(lambda x: x * x)(Tensor(3.0))
    begins = [e.of for e in tape.events if isinstance(e, Begin)]
    ends = [e for e in tape.events if isinstance(e, End)]
    assert [next(k for k, b in enumerate(begins) if b is e.of) for e in ends] == [1, 0, 2]
    assert [e.gradients is None for e in ends] == [True, True, False]


def test_a_hook_is_told_with_what_it_was_given_and_what_it_returned():
    def ten(g):
        return g * 10

    def f(x):
        y = x * 3
        y.register_hook(ten)
        return y * y

    with ms.Tape() as tape:
        ms.grad(f)(Tensor(1.0))
    before, after = (next(e for e in tape.events if type(e).__name__ == kind) for kind in ('Hook', 'Hooked'))
    assert (before.function, before.kind) == (ten, 'tensor') and after.function is ten
    assert (before.gradients[0].item(), after.returned.item()) == (6.0, 60.0)


def test_a_tape_of_a_with_statement_knows_the_function_that_it_is_in():
    """By this the next gradient closes a Tape whose `with` was interrupted. A call of __enter__ is no `with`."""

    def in_with():
        with ms.Tape() as tape:
            return tape._frame is sys._getframe()

    def by_hand():
        tape = ms.Tape()
        tape.__enter__()
        known = tape._frame
        tape.__exit__(None, None, None)
        return known

    assert in_with() and by_hand() is None
