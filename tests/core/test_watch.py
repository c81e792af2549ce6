"""A Tape: which events, in which order, with which numbers; and the values as they were."""

import sys

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.core.watch import Back, Begin, Call, End, Enter, Give, Op, Pull
from minicell.heard import Hook, Hooked
from tests.core.cells import Cube, Split, made, of_kind

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
        what = getattr(e, 'entry', e)
        name = what.rule.name if isinstance(what, Op) else type(what.cell).__name__ if hasattr(what, 'cell') else ''
        said.append(' '.join(filter(None, (type(e).__name__, name, getattr(e, 'state', '')))))
    return said


def stretches(events) -> list[list[str]]:
    """The same, divided before each Begin and each Back."""
    found = [[]]
    for each in short(events):
        if each in ('Begin', 'Back') and found[-1]:
            found.append([])
        found[-1].append(each)
    return found


def numbers(value):
    return np.asarray(getattr(value, 'array', value)).tolist()


INSIDE = ['Enter Cube', 'Op Mul hidden', 'Op Mul hidden', 'Leave Cube']


def test_a_gradient_forward_and_back():
    _, tape = watch(lambda: ms.grad(lambda x: (x * x + 1).sum())(X))
    pulls = [f'{kind} {op}' for op in ('ReduceSum', 'Add', 'Mul') for kind in ('Pull', 'Give')]
    assert stretches(tape.events) == [
        ['Begin', 'Op Mul recorded', 'Op Add recorded', 'Op ReduceSum recorded'],
        ['Back', *pulls, 'End'],
    ]


def test_a_takeover_hides_its_ops_and_shows_what_bprop_does():
    _, tape = watch(lambda: ms.grad(Cube())(X))
    assert stretches(tape.events) == [
        ['Begin', *INSIDE, 'Call Cube recorded'],
        ['Back', 'Pull Cube', *['Op Mul unrecorded'] * 3, 'Give Cube', 'End'],
    ]


def test_the_second_order_records_the_reading_back():
    _, tape = watch(lambda: ms.grad(ms.grad(Cube()))(X))
    ops_of_bprop = ['Op Mul unrecorded', 'Op Mul recorded', 'Op Mul recorded']
    assert stretches(tape.events) == [
        ['Begin'],
        ['Begin', *INSIDE, 'Call Cube recorded', 'Op OnesLike unrecorded'],
        ['Back', 'Pull Cube', *ops_of_bprop, 'Give Cube', 'End'],
        ['Back', *['Pull Mul', 'Give Mul'] * 2, 'End'],
    ]
    assert [e.order for e in of_kind(tape, Begin)] == [1, 2]


def test_a_plain_cell_hides_nothing():
    _, tape = watch(lambda: ms.grad(nn.ReLU())(X))
    assert stretches(tape.events) == [
        ['Begin', 'Enter ReLU', 'Op ReLU recorded', 'Leave ReLU'],
        ['Back', 'Pull ReLU', 'Give ReLU', 'End'],
    ]


def test_without_a_gradient_nothing_is_recorded_but_all_is_seen():
    out, tape = watch(lambda: Cube()(X) + 1)
    assert short(tape.events) == [*INSIDE, 'Call Cube unrecorded', 'Op Add unrecorded']
    assert tape.events[-1].out is out


def test_cells_in_cells_nest_properly():
    inner = Cube()
    outer = made(lambda self, x: inner(x) * 2, lambda self, x, out, dout: (inner(x) * dout,), name='Outer')
    _, tape = watch(lambda: ms.grad(outer)(X))
    assert stretches(tape.events) == [
        ['Begin', 'Enter Outer', *INSIDE, 'Op Mul hidden', 'Leave Outer', 'Call Outer recorded'],
        ['Back', 'Pull Outer', *INSIDE, 'Call Cube unrecorded', 'Op Mul unrecorded', 'Give Outer', 'End'],
    ]


def test_time_only_grows():
    _, tape = watch(lambda: ms.grad(ms.grad(lambda x: (Split()(x)[1] * Cube()(x)).sum()))(X))
    times = [e.at for e in tape.events]
    assert times == sorted(set(times))


def test_an_entry_that_no_cotangent_reaches_is_not_pulled():
    _, tape = watch(lambda: ms.grad(lambda x: (ops.exp(x), x * 2)[1])(X))
    assert len(of_kind(tape, Pull)) == 1
    assert 'Op Exp recorded' in short(tape.events)


def test_identity_ties_an_input_to_the_event_that_made_it():
    _, tape = watch(lambda: ms.grad(lambda x: ops.tanh(x * x).sum())(X))
    begin, mul, tanh, total = tape.events[:4]
    assert mul.inputs[0] is mul.inputs[1] is begin.inputs[0]
    assert tanh.inputs[0] is mul.out and total.inputs[0] is tanh.out
    assert begin.sources[0] is X and begin.inputs[0] is not X


def test_pull_and_give_have_the_numbers():
    _, tape = watch(lambda: ms.grad(lambda x: (x * x * 3).sum())(X))
    assert [numbers(e.cotangent) for e in of_kind(tape, Pull)] == [1.0, [1, 1], [3, 3]]
    gives = of_kind(tape, Give)
    given = [[d if d is None else numbers(d) for _, d in e.gradients] for e in gives]
    assert given == [[[1, 1]], [[3, 3], None], [[3, 6], [3, 6]]]
    last = gives[-1]
    assert [t for t, _ in last.gradients] == list(last.entry.inputs)


def test_accumulation_is_the_sum_of_what_was_given():
    """x used three times: the gradients given to it add up to what End returns."""
    got, tape = watch(lambda: ms.grad(lambda x: (x * x + Cube()(x)).sum())(X))
    (begin,), (end,) = of_kind(tape, Begin), of_kind(tape, End)
    given = [d for e in of_kind(tape, Give) for t, d in e.gradients if t is begin.inputs[0]]
    assert len(given) == 3
    np.testing.assert_allclose(sum(given), got.asnumpy())
    assert end.gradients[0] is got


@pytest.mark.filterwarnings('ignore::minicell.errors.ImplicitSumWarning')
def test_back_has_the_outputs_and_their_seeds():
    _, tape = watch(lambda: ms.grad(Split())(X))
    (back,), (call,) = of_kind(tape, Back), of_kind(tape, Call)
    assert [t for t, _ in back.outputs] == list(call.out)
    assert [numbers(g) for _, g in back.outputs] == [[1, 1], [1, 1]]


def test_several_outputs_are_pulled_with_a_tuple_that_says_what_did_not_arrive():
    _, tape = watch(lambda: ms.grad(lambda x: (Split()(x)[1] * 3).sum())(X))
    (pull,) = [e for e in of_kind(tape, Pull) if isinstance(e.entry, Call)]
    assert isinstance(pull.cotangent, tuple)
    assert pull.cotangent[0] is None and numbers(pull.cotangent[1]) == [3, 3]


def test_give_of_a_takeover_has_none_for_a_declared_absence():
    half = made(lambda self, x, y: x * y, lambda self, x, y, out, dout: (dout * y, None))
    _, tape = watch(lambda: ms.grad(half, (0, 1))(X, X))
    (give,) = of_kind(tape, Give)
    assert numbers(give.gradients[0][1]) == [1, 2] and give.gradients[1][1] is None


def test_enter_has_the_bound_arguments_as_tensors_of_their_own():
    takes = made(lambda self, x, y, scale=3: x * y * scale, lambda self, x, y, scale, out, dout: (dout, dout, None))
    _, tape = watch(lambda: ms.grad(lambda x: takes(y=x, x=x))(X))
    (enter,), (call,) = of_kind(tape, Enter), of_kind(tape, Call)
    assert enter.custom and enter.inputs[2] == call.inputs[2] == 3
    assert enter.inputs[0] is not enter.inputs[1], 'one alias an argument position'
    first, second = [e for e in of_kind(tape, Op) if e.state == 'hidden']
    assert first.inputs[0] is enter.inputs[0] and first.inputs[1] is enter.inputs[1]
    assert second.inputs[0] is first.out
    assert call.inputs[0] is call.inputs[1]


def test_static_arguments_of_an_op():
    _, tape = watch(lambda: X.reshape(2, 1).sum(0, keepdims=True))
    reshape, total = tape.events
    assert reshape.attrs == ((2, 1),) and total.attrs == ((0,), True)


def test_a_vjp_ends_without_gradients_when_it_has_played_and_each_reading_names_it():
    with ms.Tape() as tape:
        _, pull = ms.vjp(lambda x: x * x, Tensor(3.0))
        pull(Tensor(1.0))
        pull(Tensor(2.0))
    told = of_kind(tape, Begin, Back, End)
    assert short(told) == ['Begin', 'End', 'Back', 'End', 'Back', 'End']
    assert all(e.of is told[0].of for e in told)
    assert [e.gradients is None for e in of_kind(tape, End)] == [True, False, False]


def test_an_exception_ends_each_gradient_that_it_passes():
    def inner(x):
        raise KeyError

    with ms.Tape() as tape:
        with pytest.raises(KeyError):
            ms.grad(lambda x: ms.grad(inner)(x) * x)(Tensor(3.0))
        ms.grad(lambda x: x * x)(Tensor(3.0))
    begins, ends = [e.of for e in of_kind(tape, Begin)], of_kind(tape, End)
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
    (before,), (after,) = of_kind(tape, Hook), of_kind(tape, Hooked)
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
