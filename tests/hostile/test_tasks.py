"""asyncio tasks and generators whose Tapes and gradients close in another order than they were opened."""

import asyncio
import sys

import pytest

import minicell as ms
from minicell import Tensor
from minicell.core import tape
from tests.hostile.said import (
    Ran,
    Triple,
    X,
    first,
    left,
    next_gradient_is_right,
    other_tasks,
    quiet,
    right,
    right_or_said,
)


def names(seen: ms.Tape) -> list[str]:
    return [e.rule.name for e in seen.events if hasattr(e, 'rule')]


def closed_and_right(ran: Ran, due: dict) -> None:
    """Nothing is kept any more, and each Tape has its own ops in it, or minicell spoke of Tapes."""
    before = len(tape.entries)
    X * 2 + 1
    assert len(tape.entries) == before, 'ops are still kept, after all Tapes were closed'
    assert not left()
    assert next_gradient_is_right()
    if not ran.says('Tape', keep=False):
        assert ran.error is None
        for who, (seen, wanted) in due.items():
            missing = [n for n in wanted if n not in names(seen)]
            assert not missing, f'the Tape of {who} does not show its own {missing}: {names(seen)}'


ORDERS = {'as nested': 'abba', 'in turns': 'abab', 'three in turns': 'abcabc', 'the first last': 'abcbca'}


KINDS = {'a': ('Exp', ms.ops.exp), 'b': ('Sin', ms.ops.sin), 'c': ('Cos', ms.ops.cos)}


async def in_order(order: str, tapes: dict) -> None:
    """A task for each letter: it opens its Tape at the first turn that it has, and closes it at the second."""
    turns = {who: (asyncio.Event(), asyncio.Event()) for who in sorted(set(order))}
    taken = asyncio.Event()

    async def task(who):
        seen = tapes[who] = ms.Tape()
        await turns[who][0].wait()
        with seen:
            KINDS[who][1](X)
            taken.set()
            await turns[who][1].wait()
        taken.set()

    tasks = [asyncio.create_task(task(who)) for who in turns]
    for k, who in enumerate(order):
        turns[who][order[:k].count(who)].set()
        waiting = asyncio.create_task(taken.wait())
        await asyncio.wait([waiting, *tasks], return_when=asyncio.FIRST_COMPLETED, timeout=2)
        waiting.cancel()
        taken.clear()
        await other_tasks()
    await asyncio.gather(*tasks)


def generators_in_order(order: str, tapes: dict) -> None:
    """The same of generators."""

    def looks(who):
        with ms.Tape() as tapes[who]:
            KINDS[who][1](X)
            yield

    running = {who: looks(who) for who in set(order)}
    for who in order:
        next(running[who], None)


@pytest.mark.parametrize('order', ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize('kind', ['tasks', 'generators'])
def test_tapes_that_close_out_of_order(kind, order):
    tapes = {}
    work = (
        (lambda: asyncio.run(in_order(order, tapes))) if kind == 'tasks' else lambda: generators_in_order(order, tapes)
    )
    ran = Ran(work)
    closed_and_right(ran, {who: (seen, [KINDS[who][0]]) for who, seen in tapes.items()})


def test_a_generator_with_a_tape_that_nobody_finishes():
    def looks():
        with ms.Tape():
            yield X * 2

    def program():
        left_open = looks()
        next(left_open)
        del left_open

    closed_and_right(Ran(program), {})


@pytest.mark.parametrize('close', ['inside', 'outside'])
def test_a_tape_and_a_gradient_that_overlap(close):
    """The function opens (or closes) a Tape that somebody else closes (or opened): the gradient is right."""
    seen = ms.Tape()
    begin, end = seen.__enter__, lambda: seen.__exit__(None, None, None)

    if close == 'inside':
        begin()
    turn = begin if close == 'outside' else end
    right_or_said(lambda: ms.grad(lambda x: (first(Triple()(x), turn()) * x).sum())(X), [6, 12, 18], 'Tape')
    if close == 'outside':
        end()
    closed_and_right(Ran(lambda: None), {})


def test_a_generator_that_is_advanced_in_two_gradients():
    """It opens a Tape in one gradient, and closes it in the next."""

    def looks():
        with ms.Tape():
            yield
        yield

    steps = looks()

    f = lambda x: first((x * x).sum(), next(steps))
    right_or_said(lambda: (ms.grad(f)(X), ms.grad(f)(X)), ([2, 4, 6], [2, 4, 6]), 'Tape')
    closed_and_right(Ran(lambda: None), {})


def test_a_gradient_of_a_generators_values():
    """A generator that computes under two gradients in turns: each has its own part of it."""

    def squares(x):
        while True:
            x = x * x
            yield x

    kept = {}

    def f(x):
        kept['steps'] = squares(x)
        return next(kept['steps']).sum()

    def g(x):
        return (x * 3).sum() + next(kept['steps']).sum()  # the generator goes on with f's x, which is a constant here

    quiet(lambda: (ms.grad(f)(X), ms.grad(g)(X)), ([2, 4, 6], [3, 3, 3]))
    assert not left()


@pytest.mark.parametrize('how', ['cancelled', 'failed', 'timed out'])
def test_a_task_that_ends_before_its_tape(how):
    async def task():
        with ms.Tape():
            X * 2
            if how == 'failed':
                raise LookupError
            await asyncio.Event().wait()

    async def run():
        running = asyncio.create_task(task())
        await other_tasks()
        if how == 'cancelled':
            running.cancel()
        wait = asyncio.wait_for(running, 0.01)
        try:
            await wait
        except (asyncio.CancelledError, LookupError, TimeoutError):
            assert sys.exc_info()[0] is not None

    asyncio.run(run())
    closed_and_right(Ran(lambda: None), {})


def test_vjps_of_tasks_that_are_read_in_any_order():
    async def task(k, turn):
        _, back = ms.vjp(lambda x: x * x * k, X)
        await other_tasks()
        found = ms.grad(lambda x: (Triple()(x) * k).sum())(X)
        if turn:
            await other_tasks()
        return back(Tensor([1.0, 1.0, 1.0]))[0], found

    async def run():
        return await asyncio.gather(*(task(float(k), k % 2) for k in range(6)))

    due = [([2.0 * k, 4.0 * k, 6.0 * k], [3.0 * k] * 3) for k in range(6)]
    assert right(tuple(asyncio.run(run())), tuple(due))
