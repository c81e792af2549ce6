"""Programs of hostile use, made from a seed: a chain of plain steps, and acts between them that nobody should do.

Each step and each act is there twice: as minicell runs it, and in NumPy, by whose differences the gradient that is due
is known. `s.v` is the value so far, `s.old` an earlier one, `s.p` the Parameter.
"""

import asyncio
import copy
import pickle
import threading
import types
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


# ---- writes ----------------------------------------------------------------------------------------------------------


def write(rng) -> Callable:
    """A write of 9s into a Parameter."""
    nines = Tensor(np.full(3, 9.0))
    ways = [
        lambda p: p.set_data(nines),
        lambda p: ops.assign(p, nines),
        lambda p: p.__setitem__(slice(None), 9.0),
        lambda p: nn.SGD([p], 1.0)((p - nines,)),
    ]
    return ways[int(rng.integers(len(ways)))]


def wrote(s):
    s.p = np.full(3, 9.0)


@act('writ', weights=False)
def a_parameter_that_is_written(rng):
    how = write(rng)
    return lambda s: how(s.p), wrote


@act('writ', weights=False)
def a_bprop_that_reads_what_is_written(rng):
    how, way = write(rng), int(rng.integers(2))

    def ours(s):
        p = s.p
        reads = [lambda cell, x, dout: dout * p, lambda cell, x, dout: dout * cell.w][way]
        s.v = Made('Reads', lambda cell, x: x * p, reads, w=p)(s.v)
        how(p)

    def due(s):
        s.v = s.v * s.p
        wrote(s)

    return ours, due


@act('Parameter|gradient|writ', weights=False)
def a_parameter_that_is_given_the_value(rng):
    def ours(s):
        s.p.set_data(s.v * 1)
        s.v = s.v * s.p

    def due(s):
        s.p = s.v
        s.v = s.v * s.p

    return ours, due


@act('Writes|writ|read-only|dout')
def a_bprop_that_writes_into_dout(rng):
    views = [
        lambda d: d,
        lambda d: d[:2],
        lambda d: d.reshape((3,)),
        lambda d: d.T,
        lambda d: d[...],
        lambda d: ops.flatten(d),
    ]
    view = views[int(rng.integers(len(views) - 1))]

    def bprop(cell, x, dout):
        mine = dout * 2
        view(dout)[0] = 9.0
        return mine

    return applied(lambda v: Made('Writes', lambda cell, x: x * 2, bprop)(v) + v), applied(lambda v: 3 * v)


@act('Writes|writ|read-only')
def a_bprop_that_writes_into_its_input(rng):
    def bprop(cell, x, dout):
        x[0] = 9.0
        return dout * 2

    return applied(lambda v: Made('Writes', lambda cell, x: x * 2, bprop)(v) + v * v), applied(lambda v: 2 * v + v * v)


# ---- captures and keeps ----------------------------------------------------------------------------------------------


@act(r'\bIn\b')
def a_capture(rng):
    way = int(rng.integers(4))

    def ours(s):
        z, box = s.old, types.SimpleNamespace(z=s.old)
        get = [lambda c: z, lambda c: box.z, lambda c: c.context, lambda c: c.state['z']][way]
        net = Made('In', lambda c, y: y * get(c), lambda c, y, dout: dout * get(c), state={})
        net.state['z'] = z
        if way == 2:
            net.context = z
        s.v = net(s.v)

    return ours, lambda s: setattr(s, 'v', s.v * s.old)


@act('Keeps|self')
def a_value_kept_on_self(rng):
    way = int(rng.integers(5))
    keeps = [
        (lambda c, x: setattr(c, 'h', x), lambda c: c.h),
        (lambda c, x: c.cache.update(h=x), lambda c: c.cache['h']),
        (lambda c, x: setattr(c, 'h', x.asnumpy()), lambda c: Tensor(c.h)),
        (lambda c, x: c.kept.append(x), lambda c: c.kept[-1]),
        (lambda c, x: setattr(c, 'h', x.tolist()), lambda c: Tensor(np.array(c.h))),
    ]
    keep, read = keeps[way]

    def ours(s):
        net = Made(
            'Keeps', lambda c, x: (keep(c, x), x * x)[1], lambda c, x, dout: 2 * read(c) * dout, cache={}, kept=[]
        )
        s.v = net(s.v) + net(s.v * 0.5)

    return ours, applied(lambda v: v * v * 1.25)


@act('Setting')
def a_setting_that_changes(rng):
    way = int(rng.integers(3))

    def ours(s):
        read = [lambda c: c.k, lambda c: c.by_name['k'], lambda c: 5.0 if c.training else 2.0][way]
        net = Made('Setting', lambda c, x: x * read(c), lambda c, x, dout: dout * read(c), k=2.0, by_name={'k': 2.0})
        s.v = net(s.v)
        [lambda: setattr(net, 'k', 5.0), lambda: net.by_name.update(k=5.0), net.set_train][way]()

    return ours, applied(lambda v: 2 * v)


@act('[Pp]arameter p')
def a_parameter_swallowed(rng):
    def ours(s):
        p = s.p
        s.v = Made('Swallows', lambda c, x: x * p, lambda c, x, dout: dout * p)(s.v)

    return ours, lambda s: setattr(s, 'v', s.v * s.p)


# ---- values that travel ----------------------------------------------------------------------------------------------

TRIPS = [lambda v: pickle.loads(pickle.dumps(v)), copy.copy, copy.deepcopy, lambda v: copy.deepcopy([v])[0]]


@act('constant|cop|pickle')
def a_value_that_travels(rng):
    trip = TRIPS[int(rng.integers(len(TRIPS)))]
    return applied(trip), lambda s: None


@act('cop|pickle')
def a_parameter_that_travels(rng):
    """Its copy is a constant: with the numbers that it has at this point, which are none of x or p."""
    trip = TRIPS[int(rng.integers(len(TRIPS)))]
    return lambda s: setattr(s, 'v', s.v * trip(s.p)), lambda s: setattr(s, 'v', s.v * s.frozen(s.p))


@act('constant')
def numbers_that_leave(rng):
    ways = [lambda v: Tensor(v.asnumpy()), lambda v: Tensor(np.array(v.tolist())), lambda v: Tensor(v)]
    leave = ways[int(rng.integers(len(ways)))]
    return applied(lambda v: v * leave(v)), applied(lambda v: v * v)


# ---- gradients in gradients ------------------------------------------------------------------------------------------


@act('vjp')
def a_vjp_inside(rng):
    f, _, d = atom(rng)
    return applied(lambda v: ms.vjp(f, v)[1](ops.ones_like(v))[0]), applied(d)


@act('vjp')
def a_vjp_by_its_cotangent(rng):
    f, _, d = atom(rng)
    c = rng.uniform(0.5, 1.5, 3)
    return applied(lambda v: ms.vjp(f, Tensor(c))[1](v)[0]), applied(lambda v: d(c) * v)


@act('vjp|back|outer|over|closed')
def a_vjp_of_a_gradient_that_is_over(rng):
    f, _, d = atom(rng)
    c = rng.uniform(0.5, 1.5, 3)

    def ours(s):
        kept = []
        s.before(lambda: ms.grad(lambda x: (kept.append(ms.vjp(f, x)[1]), (x * x).sum())[1])(Tensor(c)))
        s.v = s.v * kept[0](ONES)[0]

    return ours, applied(lambda v: v * d(c))


@act()
def a_gradient_inside(rng):
    f, _, d = atom(rng)
    return applied(lambda v: ms.grad(lambda y: f(y).sum())(v)), applied(d)


@act()
def a_jvp_inside(rng):
    f, _, d = atom(rng)
    c = rng.uniform(0.5, 1.5, 3)
    return applied(lambda v: ms.jvp(f, v, Tensor(c))[1]), applied(lambda v: d(v) * c)


@act()
def a_bprop_that_asks(rng):
    f, n, _ = atom(rng)
    asks = lambda c, x, dout: ms.grad(lambda y: (f(y) * dout).sum())(x)
    return applied(lambda v: Made('Asks', lambda c, x: f(x), asks)(v)), applied(n)


# ---- past a bprop, and graphs ----------------------------------------------------------------------------------------


def five() -> nn.Cell:
    """Forward it changes nothing; backward it says 5."""
    return Made('Five', lambda c, x: x * 1, lambda c, x, dout: dout * 5)


def by_five(s):
    s.v = 5 * s.v - 4 * s.frozen(s.v)


@act()
def a_bprop_of_its_own(rng):
    return applied(lambda v: five()(v)), by_five


@act('Five')
def a_construct_past_its_bprop(rng):
    ways = [lambda n, v: n.construct(v), lambda n, v: getattr(n, 'construct')(v), lambda n, v: type(n).construct(n, v)]  # noqa: B009
    way = ways[int(rng.integers(len(ways)))]
    return applied(lambda v: way(five(), v)), by_five


@act('graph|jit')
def a_graph_that_is_stale(rng):
    box = {'k': 2.0}
    way = int(rng.integers(3))
    reads = [lambda t: t * box['k'], lambda t: t * HOLDER.k, lambda t: t * sum(ROW)]
    change = [lambda: box.update(k=3.0), lambda: setattr(HOLDER, 'k', 3.0), lambda: ROW.append(1.0)]

    def ours(s):
        HOLDER.k, ROW[:], box['k'] = 2.0, [2.0], 2.0
        graph = ms.jit(reads[way])
        s.before(lambda: graph(Tensor(np.ones(3))))
        change[way]()
        s.v = graph(s.v)

    return ours, applied(lambda v: 3 * v)


HOLDER, ROW = types.SimpleNamespace(k=2.0), [2.0]
