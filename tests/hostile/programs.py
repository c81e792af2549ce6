"""Programs of hostile use, made from a seed: a chain of plain steps, and acts between them that nobody should do.

Each step and each act is there twice: as minicell runs it, and in NumPy, by whose differences the gradient that is due
is known. `s.v` is the value so far, `s.old` an earlier one, `s.p` the Parameter.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np

import minicell as ms
from minicell import Tensor, nn, ops
from minicell.errors import MinicellError
from tests.hostile.said import Triple, X, right

ATOMS = {  # minicell's, NumPy's, its derivative
    'sin': (ops.sin, np.sin, np.cos),
    'tanh': (ops.tanh, np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    'square': (lambda x: x * x, lambda x: x * x, lambda x: 2 * x),
    'cube': (lambda x: x * x * x, lambda x: x**3, lambda x: 3 * x**2),
    'half': (lambda x: x * 0.5, lambda x: x * 0.5, lambda x: 0 * x + 0.5),
    'exp': (lambda x: ops.exp(x * 0.3), lambda x: np.exp(x * 0.3), lambda x: 0.3 * np.exp(x * 0.3)),
    'Triple': (lambda x: Triple()(x), lambda x: 3 * x, lambda x: 0 * x + 3),
}
ONES = Tensor(np.ones(3))


class Made:
    """Makes a Cell of one input with a bprop: what it does is given as functions of (cell, x) and (cell, x, dout)."""

    def __new__(cls, name: str, construct: Callable, bprop: Callable, **kept: object) -> nn.Cell:
        def run(self, x):
            return construct(self, x)

        def back(self, x, out, dout):
            return (bprop(self, x, dout),)

        net = type(name, (nn.Cell,), {'construct': run, 'bprop': back})()
        for key, value in kept.items():
            setattr(net, key, value)
        return net


def act(words: str = '', weights: bool = True) -> Callable:
    """words: what minicell may say of it instead of the right number; weights: the gradient of p is defined, too."""

    def keep(maker: Callable) -> Callable:
        ACTS[maker.__name__.replace('_', ' ')] = maker, words, weights
        return maker

    return keep


ACTS: dict = {}


def atom(rng) -> tuple:
    return ATOMS[list(ATOMS)[int(rng.integers(len(ATOMS)))]]


def applied(f: Callable) -> Callable:
    return lambda s: setattr(s, 'v', f(s.v))


# ---- threads and turns -----------------------------------------------------------------------------------------------


@act('thread')
def a_worker_computes(rng):
    f, n, _ = atom(rng)

    def ours(s):
        with ThreadPoolExecutor(1) as pool:
            s.v = pool.submit(f, s.v).result()

    return ours, applied(n)


@act('thread')
def a_gradient_in_another_thread(rng):
    many, at_once = int(rng.integers(1, 4)), rng.random() < 0.5

    def ours(s):
        def side():
            try:
                for _ in range(many):
                    assert right(ms.grad(lambda x: (Triple()(x) * x).sum())(X), [6, 12, 18]), (
                        'the other thread is wrong'
                    )
            except MinicellError as error:
                s.texts.append(str(error))
            except Exception as error:  # a thread's own would be lost
                s.foreign.append(error)

        thread = threading.Thread(target=side)
        thread.start()
        if at_once:
            thread.join()
        else:
            s.at_end.append(thread.join)

    return ours, lambda s: None


@act('thread|vjp')
def a_vjp_read_in_another_thread(rng):
    f, _, d = atom(rng)

    def ours(s):
        _, back = ms.vjp(f, s.v)
        with ThreadPoolExecutor(1) as pool:
            s.v = pool.submit(back, ops.ones_like(s.v)).result()[0]

    return ours, applied(d)


@act()
def a_generator(rng):
    f, n, _ = atom(rng)

    def steps(x):
        yield f(x)

    return applied(lambda v: next(steps(v))), applied(n)


@act()
def a_coroutine(rng):
    f, n, _ = atom(rng)

    async def step(x):
        await asyncio.sleep(0)
        return f(x)

    return applied(lambda v: asyncio.run(step(v))), applied(n)


@act()
def a_tape_around_it(rng):
    f, n, _ = atom(rng)

    def ours(s):
        with ms.Tape() as seen:
            s.v = f(s.v)
        assert seen.events, 'the Tape saw nothing'

    return ours, applied(n)


@act('Tape')
def a_tape_that_overlaps(rng):
    f, n, _ = atom(rng)
    inside = rng.random() < 0.5

    def ours(s):
        seen = ms.Tape()
        seen.__enter__()
        s.v = f(s.v)
        (s.at_end if inside else s.after).append(lambda: seen.__exit__(None, None, None))

    return ours, applied(n)


# ---- interrupts and errors -------------------------------------------------------------------------------------------


@act()
def an_interrupt(rng):
    where, kind = (
        str(rng.choice(['here', 'construct', 'bprop'])),
        [KeyboardInterrupt, LookupError][int(rng.integers(2))],
    )

    def stop(s, place):
        if place == where and not s.stopped:
            s.stopped.append(kind)
            raise kind

    def ours(s):
        stop(s, 'here')
        net = Made(
            'Stops',
            lambda cell, x: (stop(s, 'construct'), x * s.p * 2)[1],
            lambda cell, x, dout: (stop(s, 'bprop'), dout * 2)[1],
        )
        if where != 'here':
            s.v = s.v + 0 * net(s.v)

    return ours, lambda s: None


@act()
def an_error_that_is_caught(rng):
    error = [LookupError, MinicellError, StopIteration][int(rng.integers(3))]

    def construct(cell, x):
        x * x
        raise error

    def ours(s):
        with suppress(error):
            Made('Fails', construct, lambda cell, x, dout: dout)(s.v)

    return ours, lambda s: None
