"""What nobody should do in the middle of a gradient, as a generated program does it.

Each act is made of random numbers, and is there twice: as minicell runs it, and in NumPy, by whose differences the
gradient that is due is known. `s.v` is the value so far, `s.old` an earlier one, `s.p` the Parameter.
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
from tests.hostile.said import Triple, X, cell, other_tasks, right

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
ACTS: dict = {}  # name -> who makes it, what may be said of it, whether the gradient of p is defined, too


def act(*words: str, weights: bool = True) -> Callable:
    """words: one of these may minicell say of it instead of the right number."""

    def keep(maker: Callable) -> Callable:
        ACTS[maker.__name__.replace('_', ' ')] = maker, words, weights
        return maker

    return keep


def atom(rng) -> tuple:
    return ATOMS[list(ATOMS)[int(rng.integers(len(ATOMS)))]]


def one_of(rng, ways: list):
    return ways[int(rng.integers(len(ways)))]


def applied(f: Callable) -> Callable:
    return lambda s: setattr(s, 'v', f(s.v))


def nothing(s) -> None:
    pass


def made(name: str, construct: Callable, bprop: Callable, **kept: object) -> nn.Cell:
    """A Cell of one input with a bprop, of functions of (cell, x) and (cell, x, dout)."""
    run = lambda self, x: construct(self, x)
    return cell(run, lambda self, x, out, dout: (bprop(self, x, dout),), name, **kept)


# ---- one op, another way ---------------------------------------------------------------------------------------------


def stepwise(f, x):
    yield f(x)


async def awaited(f, x):
    await other_tasks()
    return f(x)


def in_a_worker(f, x):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(f, x).result()


def under_a_tape(f, x):
    with ms.Tape() as seen:
        found = f(x)
    assert seen.events, 'the Tape saw nothing'
    return found


def asking(f):
    return made('Asks', lambda c, x: f(x), lambda c, x, dout: ms.grad(lambda y: (f(y) * dout).sum())(x))


ANOTHER_WAY = {  # of an op, its derivative, and a constant: minicell's, and NumPy's where it is not the op's own
    'a generator': lambda f, d, c: (lambda v: next(stepwise(f, v)), None),
    'a coroutine': lambda f, d, c: (lambda v: asyncio.run(awaited(f, v)), None),
    'a worker computes': lambda f, d, c: (lambda v: in_a_worker(f, v), None),
    'a tape around it': lambda f, d, c: (lambda v: under_a_tape(f, v), None),
    'a bprop that asks': lambda f, d, c: (lambda v: asking(f)(v), None),
    'a vjp inside': lambda f, d, c: (lambda v: ms.vjp(f, v)[1](ops.ones_like(v))[0], d),
    'a vjp read in another thread': lambda f, d, c: (lambda v: in_a_worker(ms.vjp(f, v)[1], ops.ones_like(v))[0], d),
    'a vjp by its cotangent': lambda f, d, c: (lambda v: ms.vjp(f, Tensor(c))[1](v)[0], lambda v: d(c) * v),
    'a gradient inside': lambda f, d, c: (lambda v: ms.grad(lambda y: f(y).sum())(v), d),
    'a jvp inside': lambda f, d, c: (lambda v: ms.jvp(f, v, Tensor(c))[1], lambda v: d(v) * c),
}


def another_way(make):
    def maker(rng):
        f, n, d = atom(rng)
        ours, numpys = make(f, d, rng.uniform(0.5, 1.5, 3))
        return applied(ours), applied(numpys or n)

    return maker


for name, make in ANOTHER_WAY.items():
    ACTS[name] = another_way(make), [word for word in ('thread', 'vjp') if word in name or 'worker' in name], True


@act('vjp', 'back', 'outer', 'over', 'closed')
def a_vjp_of_a_gradient_that_is_over(rng):
    f, _, d = atom(rng)
    c = rng.uniform(0.5, 1.5, 3)

    def ours(s):
        kept = []
        s.before(lambda: ms.grad(lambda x: (kept.append(ms.vjp(f, x)[1]), (x * x).sum())[1])(Tensor(c)))
        s.v = s.v * kept[0](ONES)[0]

    return ours, applied(lambda v: v * d(c))


# ---- threads, Tapes, interrupts and errors ---------------------------------------------------------------------------


@act('thread')
def a_gradient_in_another_thread(rng):
    many, at_once = int(rng.integers(1, 4)), rng.random() < 0.5

    def ours(s):
        def side():
            try:
                for _ in range(many):
                    found = ms.grad(lambda x: (Triple()(x) * x).sum())(X)
                    assert right(found, [6, 12, 18]), 'the other thread is wrong'
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

    return ours, nothing


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


@act()
def an_interrupt(rng):
    where, kind = one_of(rng, ['here', 'construct', 'bprop']), one_of(rng, [KeyboardInterrupt, LookupError])

    def ours(s):
        def stop(place, value=None):
            if place == where and not s.stopped:
                s.stopped.append(kind)
                raise kind
            return value

        stop('here')
        if where != 'here':
            halts = made('Stops', lambda c, x: stop('construct', x * s.p * 2), lambda c, x, d: stop('bprop', d * 2))
            s.v = s.v + 0 * halts(s.v)

    return ours, nothing


@act()
def an_error_that_is_caught(rng):
    error = one_of(rng, [LookupError, MinicellError, StopIteration])

    def construct(cell, x):
        x * x
        raise error

    def ours(s):
        with suppress(error):
            made('Fails', construct, lambda cell, x, dout: dout)(s.v)

    return ours, nothing


# ---- values that travel ----------------------------------------------------------------------------------------------

TRIPS = [lambda v: pickle.loads(pickle.dumps(v)), copy.copy, copy.deepcopy, lambda v: copy.deepcopy([v])[0]]


@act('constant', 'cop', 'pickle')
def a_value_that_travels(rng):
    return applied(one_of(rng, TRIPS)), nothing


@act('cop', 'pickle')
def a_parameter_that_travels(rng):
    """Its copy is a constant: with the numbers that it has at this point, which are none of x or p."""
    trip = one_of(rng, TRIPS)
    return lambda s: setattr(s, 'v', s.v * trip(s.p)), lambda s: setattr(s, 'v', s.v * s.frozen(s.p))


@act('constant')
def numbers_that_leave(rng):
    leave = one_of(rng, [lambda v: Tensor(v.asnumpy()), lambda v: Tensor(np.array(v.tolist())), lambda v: Tensor(v)])
    return applied(lambda v: v * leave(v)), applied(lambda v: v * v)


# ---- past a bprop, and graphs ----------------------------------------------------------------------------------------


# forward it changes nothing; backward it says 5
FIVE = cell(lambda self, x: x * 1, lambda self, x, out, dout: (dout * 5,), 'Five')


def by_five(s):
    s.v = 5 * s.v - 4 * s.frozen(s.v)


@act()
def a_bprop_of_its_own(rng):
    return applied(FIVE), by_five


@act('Five')
def a_construct_past_its_bprop(rng):
    ways = [lambda n, v: n.construct(v), lambda n, v: getattr(n, 'construct')(v), lambda n, v: type(n).construct(n, v)]  # noqa: B009
    way = one_of(rng, ways)
    return applied(lambda v: way(FIVE, v)), by_five


HOLDER, ROW = types.SimpleNamespace(k=2.0), [2.0]


@act('graph', 'jit')
def a_graph_that_is_stale(rng):
    box = {'k': 2.0}
    ways = [
        (lambda t: t * box['k'], lambda: box.update(k=3.0)),
        (lambda t: t * HOLDER.k, lambda: setattr(HOLDER, 'k', 3.0)),
        (lambda t: t * sum(ROW), lambda: ROW.append(1.0)),
    ]
    read, change = one_of(rng, ways)

    def ours(s):
        HOLDER.k, ROW[:], box['k'] = 2.0, [2.0], 2.0
        graph = ms.jit(read)
        s.before(lambda: graph(Tensor(np.ones(3))))
        change()
        s.v = graph(s.v)

    return ours, applied(lambda v: 3 * v)


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
    return one_of(rng, ways)


def wrote(s):
    s.p = np.full(3, 9.0)


@act('writ', weights=False)
def a_parameter_that_is_written(rng):
    how = write(rng)
    return lambda s: how(s.p), wrote


@act('writ', weights=False)
def a_bprop_that_reads_what_is_written(rng):
    how, by_self = write(rng), rng.random() < 0.5

    def ours(s):
        p = s.p
        reads = (lambda cell, x, dout: dout * cell.w) if by_self else lambda cell, x, dout: dout * p
        s.v = made('Reads', lambda cell, x: x * p, reads, w=p)(s.v)
        how(p)

    return ours, lambda s: (setattr(s, 'v', s.v * s.p), wrote(s))


@act('Parameter', 'gradient', 'writ', weights=False)
def a_parameter_that_is_given_the_value(rng):
    def ours(s):
        s.p.set_data(s.v * 1)
        s.v = s.v * s.p

    def due(s):
        s.p = s.v
        s.v = s.v * s.p

    return ours, due


VIEWS = [lambda d: d, lambda d: d[:2], lambda d: d.reshape((3,)), lambda d: d.T, lambda d: d[...]]


@act('Writes', 'writ', 'read-only', 'dout')
def a_bprop_that_writes_into_dout(rng):
    view = one_of(rng, VIEWS)

    def bprop(cell, x, dout):
        mine = dout * 2
        view(dout)[0] = 9.0
        return mine

    return applied(lambda v: made('Writes', lambda cell, x: x * 2, bprop)(v) + v), applied(lambda v: 3 * v)


@act('Writes', 'writ', 'read-only')
def a_bprop_that_writes_into_its_input(rng):
    def bprop(cell, x, dout):
        x[0] = 9.0
        return dout * 2

    return applied(lambda v: made('Writes', lambda cell, x: x * 2, bprop)(v) + v * v), applied(lambda v: 2 * v + v * v)


# ---- what a Cell captures and keeps ----------------------------------------------------------------------------------


@act('of In ')
def a_capture(rng):
    way = int(rng.integers(4))

    def ours(s):
        z, box = s.old, types.SimpleNamespace(z=s.old)
        get = [lambda c: z, lambda c: box.z, lambda c: c.context, lambda c: c.state['z']][way]
        net = made('In', lambda c, y: y * get(c), lambda c, y, dout: dout * get(c), state={})
        net.state['z'] = z
        if way == 2:
            net.context = z
        s.v = net(s.v)

    return ours, lambda s: setattr(s, 'v', s.v * s.old)


KEEPS = [
    (lambda c, x: setattr(c, 'h', x), lambda c: c.h),
    (lambda c, x: c.cache.update(h=x), lambda c: c.cache['h']),
    (lambda c, x: setattr(c, 'h', x.asnumpy()), lambda c: Tensor(c.h)),
    (lambda c, x: c.kept.append(x), lambda c: c.kept[-1]),
    (lambda c, x: setattr(c, 'h', x.tolist()), lambda c: Tensor(np.array(c.h))),
]


@act('Keeps', 'self')
def a_value_kept_on_self(rng):
    keep, read = one_of(rng, KEEPS)

    def ours(s):
        back = lambda c, x, dout: 2 * read(c) * dout
        net = made('Keeps', lambda c, x: (keep(c, x), x * x)[1], back, cache={}, kept=[])
        s.v = net(s.v) + net(s.v * 0.5)

    return ours, applied(lambda v: v * v * 1.25)


SETTINGS = [
    (lambda c: c.k, lambda c: setattr(c, 'k', 5.0)),
    (lambda c: c.by_name['k'], lambda c: c.by_name.update(k=5.0)),
    (lambda c: 5.0 if c.training else 2.0, lambda c: c.set_train()),
]


@act('Setting')
def a_setting_that_changes(rng):
    read, change = one_of(rng, SETTINGS)

    def ours(s):
        net = made('Setting', lambda c, x: x * read(c), lambda c, x, dout: dout * read(c), k=2.0, by_name={'k': 2.0})
        s.v = net(s.v)
        change(net)

    return ours, applied(lambda v: 2 * v)


@act('arameter p')
def a_parameter_swallowed(rng):
    def ours(s):
        p = s.p
        s.v = made('Swallows', lambda c, x: x * p, lambda c, x, dout: dout * p)(s.v)

    return ours, lambda s: setattr(s, 'v', s.v * s.p)
