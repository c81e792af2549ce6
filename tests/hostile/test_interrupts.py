"""Ctrl-C at any place: the next gradient is right, and nothing is left open or changed.

CPython looks for signals where a function begins, after a call that is not Python's own, and where a loop jumps back.
A trace function raises KeyboardInterrupt at such places inside minicell, one run a place.
"""

import builtins
import dis
import gc
import os
import sys
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.hostile.said import Triple, X, cell, left, next_gradient_is_right, tidy

HOME = os.path.dirname(ms.__file__) + os.sep


@cache
def looks_for_signals(code) -> frozenset[int]:
    """The offsets of instructions that come right after one where CPython looks for signals."""
    steps = [s for s in dis.get_instructions(code) if s.opname != 'CACHE']
    return frozenset(
        after.offset for step, after in pairwise(steps) if step.opname in ('CALL', 'CALL_FUNCTION_EX', 'CALL_KW')
    ) | frozenset(s.argval for s in steps if s.opname == 'JUMP_BACKWARD')


class Interrupt:
    """Counts the places of a run; at number `at` it raises KeyboardInterrupt."""

    def __init__(self, at: int = -1) -> None:
        self.at, self.seen, self.place = at, 0, ''
        self.called = set()  # frames whose last call went into a Python function: no look for signals after it

    def here(self, frame) -> None:
        if self.seen == self.at:
            self.place = f'{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} {frame.f_code.co_name}'
            self.seen += 1
            raise KeyboardInterrupt
        self.seen += 1

    def __call__(self, frame, event, arg):
        self.called.add(frame.f_back)
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self.here(frame)
        return self.step

    def step(self, frame, event, arg):
        if event == 'opcode' and frame.f_lasti in looks_for_signals(frame.f_code):
            if frame in self.called:
                self.called.discard(frame)
            else:
                self.here(frame)
        return self.step


P = Parameter(Tensor([2.0, 2.0, 2.0]), name='p')


class Own(nn.Cell):
    """A bprop with a gradient of its own in it, and a weight that it answers for."""

    def __init__(self):
        super().__init__()
        self.w = P
        self.internal_params = [P]

    def construct(self, x):
        return x * x * self.w

    def bprop(self, x, out, dout):
        return (ms.grad(lambda y: (y * y * dout).sum())(x) * self.w,), {self.w: x * x * dout}


TWO = cell(lambda self, x: (x * 3, ops.exp(x)), lambda self, x, out, dout: (dout[0] * 3 + dout[1] * out[1],), 'Two')


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(3, 2, weight_init='ones'), nn.ReLU(), nn.Dense(2, 1, weight_init='ones'))

    def construct(self, x):
        return self.net(x.reshape(1, 3)).sum()


def optimizer():
    net = Layers()
    opt = nn.Adam(net.trainable_params(), 0.1)
    opt(ms.value_and_grad(net, None, opt.parameters)(X)[1])


def taped():
    with ms.Tape():
        ms.grad(lambda x: (Triple()(x) * x).sum())(X)


def read_later():
    _, back = ms.vjp(lambda x: (Triple()(x) * P).sum(), X, weights=P)
    return back(Tensor(1.0))


def traced():
    graph = ms.jit(lambda x: (Triple()(x) * x * P).sum())
    graph(X)
    ms.grad(graph)(X)


def written():
    q = Parameter(Tensor([1.0, 1.0, 1.0]), name='q')

    def f(x):
        q.set_data(Tensor([3.0, 3.0, 3.0]))
        ops.assign_add(q, Tensor([1.0, 1.0, 1.0]))
        return (x * q).sum()

    ms.grad(f)(X)


def hooked():
    net = Triple()
    net.register_backward_hook(lambda cell, inner, outer: None)
    net.register_forward_hook(lambda cell, given, out: out)
    ms.grad(lambda x: net(x).sum())(X)


PROGRAMS = {
    'a gradient': lambda: ms.grad(lambda x: (x * x + ops.sin(x)).sum())(X),
    'a gradient with weights': lambda: ms.grad(lambda x: (x * P).sum(), 0, P)(X),
    'a bprop with a gradient in it': lambda: ms.grad(lambda x: Own()(x).sum(), 0, P)(X),
    'a bprop of two outputs': lambda: ms.grad(lambda x: sum(t.sum() for t in TWO(x)))(X),
    'a gradient of a gradient': lambda: ms.grad(lambda x: ms.grad(lambda y: (y * y * P).sum(), 0, P)(x)[1].sum())(X),
    'a vjp': read_later,
    'a jvp': lambda: ms.jvp(lambda x: Triple()(x) * x, X, X),
    'a Jacobian': lambda: ms.jacrev(lambda x: x * x * P)(X),
    'a graph': traced,
    'an optimizer step': optimizer,
    'a Tape': taped,
    'writes': written,
    'hooks': hooked,
    'check_bprop': lambda: ms.check_bprop(Triple(), X),
}


def run(program, at: int = -1) -> Interrupt:
    """Run it with an interrupt at a place; a KeyboardInterrupt that somebody swallowed is a failure too."""
    interrupt, swallowed = Interrupt(at), []
    # Python itself swallows those in a weakref's callback
    hook, sys.unraisablehook = sys.unraisablehook, swallowed.append
    sys.settrace(interrupt)
    try:
        program()
    except KeyboardInterrupt:
        return interrupt
    finally:
        sys.settrace(None)
        sys.unraisablehook = hook
    assert at < 0 or interrupt.seen <= at or swallowed, f'the interrupt at {interrupt.place} was swallowed'
    return interrupt


def chosen(count: int, most: int = 250) -> list[int]:
    """Places to try: all of a short program, of a long one as many, evenly over it."""
    return sorted({k * count // most for k in range(most)}) if count > most else list(range(count))


@pytest.mark.parametrize(
    'most', [pytest.param(10, marks=pytest.mark.slow), pytest.param(250, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize('program', PROGRAMS.values(), ids=PROGRAMS)
def test_after_an_interrupt_the_next_gradient_is_right_and_nothing_is_left(program, most):
    program()  # what is made once is made
    count = run(program).seen
    assert count > 15, 'too few places for a test'
    places = chosen(count, most)
    wrong, open_still, where = [], Counter(), []
    for at in places:
        P.set_data(Tensor([2.0, 2.0, 2.0]))
        interrupt = run(program, at)
        try:
            if not next_gradient_is_right():
                wrong.append(interrupt.place)
        except Exception as error:
            wrong.append(f'{interrupt.place}: {error!r:.80}')
        found = left(P)
        if found:
            open_still.update(found)
            where.append(interrupt.place)
        tidy()
        P.at = -1
    assert not wrong, f'{len(wrong)} of {len(places)}: the next gradient is wrong after an interrupt in {wrong[:3]}'
    assert not where, f'{len(where)} of {len(places)}: left are {dict(open_still)}, e.g. after one in {where[:3]}'


def changed(program, places: list[int], put, same) -> list[str]:
    """The places of interrupts after which what was put before is not the same."""
    found = []
    try:
        for at in places:
            put()
            interrupt = run(program, at)
            if not same():
                found.append(interrupt.place)
            tidy()
            P.at = -1
    finally:
        tidy()
    return found


@pytest.mark.nightly
@pytest.mark.parametrize('enabled', [True, False], ids=['on', 'off'])
def test_an_interrupt_leaves_the_collector_as_the_user_had_it(enabled):
    put = lambda: (gc.set_threshold(500, 7, 7), (gc.enable if enabled else gc.disable)())
    same = lambda: (gc.isenabled(), gc.get_threshold()) == (enabled, (500, 7, 7))
    program = PROGRAMS['a gradient']
    found = changed(program, chosen(run(program).seen), put, same)
    assert not found, f'the collector is not as it was after an interrupt in {found[:3]}'


@pytest.mark.slow
def test_two_interrupts_in_a_row_leave_nothing():
    """The second one comes in what follows the first: here the next gradient."""
    program = PROGRAMS['a bprop with a gradient in it']
    count = run(program).seen
    dirty = []
    for k in range(20):
        first, second = run(program, k * count // 20), run(program, (19 - k) * count // 20)
        assert next_gradient_is_right(), f'after interrupts in {first.place} and {second.place}'
        if left(P):
            dirty.append(second.place)
        tidy()
        P.at = -1
    assert not dirty, f'left open after {dirty[:3]}'


@pytest.mark.nightly
def test_print_is_as_it_was_whoever_replaced_it():
    """A print that was replaced by the user before a trace is the user's again after an interrupted one."""
    mine = lambda *values, **options: None
    places = chosen(run(traced).seen)[::3]
    found = changed(traced, places, lambda: setattr(builtins, 'print', mine), lambda: builtins.print is mine)
    assert not found, f'print is another one after an interrupt in {found[:3]}'
