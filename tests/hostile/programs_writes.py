"""Acts of hostile programs: writes, captures, and what a Cell keeps."""

import types
from collections.abc import Callable

import numpy as np

from minicell import Tensor, nn, ops
from tests.hostile.programs import Made, act, applied

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


@act('Parameter|gradient|writ|nothing connects', weights=False)
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
