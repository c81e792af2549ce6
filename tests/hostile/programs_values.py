"""Acts of hostile programs: values that travel, gradients in gradients, ways past a bprop, graphs."""

import copy
import pickle
import types

import numpy as np

import minicell as ms
from minicell import Tensor, nn, ops
from tests.hostile.programs import ONES, Made, act, applied, atom

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


class Five(nn.Cell):
    """Forward it changes nothing; backward it says 5."""

    def construct(self, x):
        return x * 1

    def bprop(self, x, out, dout):
        return (dout * 5,)


five = Five


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
