"""Threads that end, work in other threads, and callbacks of Python's own in the middle of a gradient."""

import asyncio
import contextlib
import contextvars
import gc
import os
import signal
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import minicell as ms
from minicell import Parameter, Tensor
from tests.hostile.said import X, cell, first, left, next_gradient_is_right, other_tasks, right, right_or_said

DUE, NOTHING = [2, 4, 6], contextlib.nullcontext()


def elsewhere(work):
    """What it returns in another thread, or its error."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def start(*threads):
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Stop(BaseException):
    """Nobody's."""


@pytest.fixture(autouse=True)
def all_is_closed():
    yield
    assert not left() and next_gradient_is_right()


def paused():
    with ms.Tape():
        X * X
        yield


@pytest.mark.parametrize('waiting', [1, 6])
def test_a_thread_that_ends_with_an_open_tape_stops_nobody(waiting):
    """A generator paused inside `with ms.Tape()`, in a thread that is gone: its Tape would be open for ever."""
    kept = []

    def leave():
        kept.append(paused())
        next(kept[-1])

    start(threading.Thread(target=leave))
    found = []
    start(*[threading.Thread(target=lambda: found.append(ms.grad(lambda x: x * x)(X))) for _ in range(waiting)])
    assert len(found) == waiting and all(right(v, DUE) for v in found)
    assert right(ms.grad(lambda x: x * x)(X), DUE)
    kept[0].close()


def test_a_thread_that_ends_in_the_middle_of_a_gradient():
    def leave():
        with contextlib.suppress(SystemExit):
            ms.grad(lambda x: sys.exit())(X)

    start(threading.Thread(target=leave))
    assert right(ms.grad(lambda x: x * x)(X), DUE)


def test_tapes_in_an_exit_stack():
    with contextlib.ExitStack() as stack:
        tapes = [stack.enter_context(ms.Tape()) for _ in range(3)]
        assert right(ms.grad(lambda x: x * x)(X), DUE)
    assert all(len(tape.events) == len(tapes[0].events) > 3 for tape in tapes)
    with contextlib.ExitStack() as stack:
        stack.enter_context(ms.Tape())
        later = stack.pop_all()
    assert right(ms.grad(lambda x: x * x)(X), DUE)
    elsewhere(later.close)


# a Cell with a bprop that lets another thread do the work
HELPED = cell(
    lambda self, x: elsewhere(lambda: x * x),
    lambda self, x, out, dout: (elsewhere(lambda: dout * 2 * x),),
    'Helped',
)
LOCAL, FACTOR = threading.local(), Parameter(Tensor([1.0, 1.0, 1.0]), name='factor')
LOCAL.factor = FACTOR


async def in_a_task(x):
    await other_tasks()
    return x * x


INSIDE = {
    'a Cell that is helped': lambda x: HELPED(x),
    'a Parameter of this thread': lambda x: x * x * LOCAL.factor,
    'a task': lambda x: asyncio.run(in_a_task(x)),
    'a context': lambda x: contextvars.copy_context().run(lambda: x * x),
    'asyncio.to_thread': lambda x: asyncio.run(asyncio.to_thread(lambda: x * x)),
    'a view made elsewhere': lambda x: elsewhere(lambda: x.reshape(3, 1).T[0]) * x,
    'a comparison made elsewhere': lambda x: ms.ops.select(elsewhere(lambda: x > 0), x * x, x),
    'a timer': lambda x: (start(threading.Timer(0, lambda: X * X)), x * x)[1],
    'a Tape elsewhere': lambda x: (elsewhere(lambda: list(paused())), x * x)[1],
    'a graph elsewhere': lambda x: x * x + elsewhere(lambda: ms.jit(lambda a: a * 0)(X)),
}


@pytest.mark.parametrize('f', INSIDE.values(), ids=INSIDE)
def test_work_in_another_thread_or_task(f):
    right_or_said(lambda: ms.grad(lambda x: f(x).sum())(X), DUE, 'another thread', 'same thread', keep=False)


def test_a_gradient_of_a_gradient_that_is_helped():
    slope = lambda x: ms.grad(lambda y: HELPED(y).sum())(x).sum()
    right_or_said(lambda: ms.grad(slope)(X), [2, 2, 2], 'Mul is called', 'another thread')


def test_a_write_to_a_parameter_from_another_thread():
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name='p')
    write = lambda: p.set_data(Tensor([9.0, 9.0, 9.0]))
    program = lambda: ms.grad(lambda x: first(x * p * 2, elsewhere(write)).sum())(X)
    right_or_said(program, DUE, 'gradient of Mul', 'written since', 'p.set_data')


def other_gradient(*_):
    ms.grad(lambda x: x * 3)(X)


class Dying:
    def __del__(self):
        other_gradient()


def collect(callback, x):
    gc.callbacks.append(callback)
    try:
        y = x * 1
        gc.collect()
        return y * x
    finally:
        gc.callbacks.remove(callback)


def by_signal(handler, x):
    was = signal.signal(signal.SIGUSR1, handler)
    try:
        y = x * 1
        try:
            os.kill(os.getpid(), signal.SIGUSR1)
            for _ in range(100):
                pass
        except Stop:
            pass
        return y * x
    finally:
        signal.signal(signal.SIGUSR1, was)


def stop(*_):
    raise Stop


def by_weak_reference(x):
    y = x * x
    seen = weakref.ref(y, other_gradient)
    return y if seen() is y else None


def by_throw(x):
    def steps():
        try:
            yield x * 3
        except ValueError:
            yield x * x

    going = steps()
    next(going)
    return going.throw(ValueError())


def no_memory(self, x):
    raise MemoryError


RECURSIVE = cell(lambda self, x: self(x), lambda self, x, out, dout: (dout,))
FAILS = cell(no_memory, lambda self, x, out, dout: (dout,))


def deeper(x):
    return ms.grad(deeper)(x)


def survives(work, *errors):
    def f(x):
        with contextlib.suppress(*errors):
            work(x)
        return x * x

    return f


CALLBACKS = {
    'the collector': lambda x: collect(other_gradient, x),
    'a collector that raises': lambda x: collect(stop, x),
    '__del__': lambda x: (x * x, Dying())[0],
    'a weak reference': by_weak_reference,
    'a signal': lambda x: by_signal(other_gradient, x),
    'a signal that raises': lambda x: by_signal(stop, x),
    'throw': by_throw,
    'a Cell that calls itself': survives(RECURSIVE, RecursionError),
    'a gradient that calls itself': survives(deeper, RecursionError),
    'no memory in a construct': survives(FAILS, MemoryError),
}


@pytest.mark.parametrize(
    'f', [pytest.param(f, id=what, marks=[pytest.mark.slow] * ('collector' in what)) for what, f in CALLBACKS.items()]
)
@pytest.mark.parametrize('where', ['forward', 'in a bprop', 'vjp'])
def test_what_python_calls_in_the_middle(f, where, monkeypatch):
    monkeypatch.setattr(sys, 'unraisablehook', lambda _: None)
    net = cell(lambda self, x: x * x, lambda self, x, out, dout: (f(x), (dout * 2 * x,))[1])
    if where == 'vjp':
        assert right(ms.vjp(f, X)[1](Tensor([1.0, 1.0, 1.0]))[0], DUE)
    else:
        assert right(ms.grad(net if where == 'in a bprop' else f)(X), DUE)


def fails_once(error):
    """Its bprop raises at first."""

    def bprop(self, x, out, dout):
        if self.errors:
            raise self.errors.pop()
        return (dout * 2 * x,)

    return cell(lambda self, x: x * x, bprop, errors=[error])


@pytest.mark.parametrize('error', [Stop, KeyboardInterrupt, MemoryError, GeneratorExit, StopIteration])
@pytest.mark.parametrize('ask', ['grad', 'vjp', 'Tape'])
def test_what_a_bprop_raises_comes_out_and_the_next_time_it_is_right(error, ask):
    net = fails_once(error)
    once = ms.vjp(net, X)[1] if ask == 'vjp' else lambda _: (ms.grad(net)(X),)
    for k in range(2):
        with NOTHING if k else pytest.raises(error), ms.Tape() if ask == 'Tape' else NOTHING:
            found = once(Tensor([1.0, 1.0, 1.0]))
    assert right(found[0], DUE)


def test_a_value_that_an_exception_brings_out_is_a_constant():
    kept = []

    def f(x):
        raise LookupError(x * x)

    try:
        ms.grad(f)(X)
    except LookupError as error:
        kept += error.args
    assert right(ms.grad(lambda x: kept[0] * x)(X), [1, 4, 9])
