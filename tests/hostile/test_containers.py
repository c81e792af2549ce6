"""Lists, dicts and arrays that a Cell is given: whose they are, and what bprop finds in them."""

from collections import Counter, OrderedDict, namedtuple

import numpy as np
import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.watch import Tape
from tests.hostile.said import Ran, X, cell, quiet, right, said

one = lambda: Tensor([1.0, 1.0, 1.0])
weight = lambda name, value=1.0, **kept: Parameter(one() * value, name=name, **kept)
Pair = namedtuple('Pair', 'a b')


def modes(f):
    """Its value alone, with its slope, under a Tape, and from a graph, twice."""
    with Tape():
        taped = f(X)
    graph = ms.jit(f)
    return f(X), *ms.value_and_grad(f)(X), taped, graph(X), graph(X)


@pytest.mark.parametrize(
    'box',
    [lambda x: [x], lambda x: [1.0], lambda x: {'h': x}, lambda x: OrderedDict(h=x)],
    ids=['[x]', '[1]', 'a', 'b'],
)
def test_what_construct_puts_into_its_list_is_there_in_the_next_call(box):
    """bprop gets the list as it was at its own call; and the caller's own Tensor is in the caller's own list."""
    grow = lambda box: box.append(1) if isinstance(box, list) else box.__setitem__(len(box), 1)
    net = cell(
        lambda self, x, box: (grow(box), x * len(box))[1], lambda self, x, box, out, d: (d * (len(box) + 1), None)
    )

    def f(x):
        given = box(x)
        mine = next(iter(given.values() if isinstance(given, dict) else given))
        out = (net(x, given) + net(x, given)).sum()
        assert (given[0] if isinstance(given, list) else given['h']) is mine and len(given) == 3
        return out

    ran = Ran(lambda: modes(f))
    assert right(ran.value, (30, 30, [5, 5, 5], 30, 30, 30)) and ran.says('changes its input', 'box', keep=False), (
        ran.value
    )


FILLED = {  # what construct keeps in an input for bprop, and bprop's way to find it there
    'an array': (lambda m, v: m.__setitem__(..., v), lambda m: m, np.zeros(3, bool)),
    'a dict': (lambda m, v: m.update(mask=v), lambda m: m.get('mask', np.zeros(3, bool)), {}),
    'a list': (lambda m, v: m.append(v), lambda m: m[-1] if m else np.zeros(3, bool), []),
    'a dict in a list': (lambda m, v: m[0].update(k=v), lambda m: m[0].get('k', np.zeros(3, bool)), [{}]),
}


@pytest.mark.parametrize(('keep', 'find', 'given'), FILLED.values(), ids=FILLED)
def test_what_construct_keeps_in_an_input_does_not_reach_bprop_and_that_is_said(keep, find, given):
    mask = lambda m: Tensor(np.asarray(find(m), np.float32))
    construct = lambda self, x, m: [keep(m, x.asnumpy() > 1.5), x * mask(m)][1]
    net = cell(construct, lambda self, x, m, out, dout: (dout * mask(m), None), 'Masked')
    said(
        lambda: ms.grad(lambda x: net(x, given).sum())(X),
        'Masked',
        'changes its input',
        'Return',
        keep=keep is FILLED['a list'][0],
    )
    blind = cell(construct, lambda self, x, m, out, dout: (dout, None))
    quiet(lambda: ms.grad(lambda x: blind(x, given).sum())(X), [1, 1, 1])


CHANGES = {  # what construct does with a list of two before it multiplies them
    'pops': lambda box: box.append(box.pop(0)),
    'reverses': lambda box: box.reverse(),
    'inserts': lambda box: box.insert(0, box[0] * 1) or box.pop(0),
}


@pytest.mark.parametrize('change', CHANGES.values(), ids=CHANGES)
def test_the_callers_tensors_come_back_wherever_construct_has_put_them(change):
    net = cell(lambda self, box: (change(box), box[0] * box[1])[1], lambda self, b, out, d: ((d * b[1], d * b[0]),))

    def f(x, y):
        box = [x, y]
        z = net(box)
        assert {*map(id, box)} == {id(x), id(y)}
        return (z * box[0] * box[1]).sum()

    ran = Ran(lambda: ms.grad(f, (0, 1))(X, X * 2))
    assert right(ran.value, ([8, 64, 216], [4, 32, 108]))
    assert ran.says('changes its input', 'box', keep=False) if change is not CHANGES['inserts'] else not ran.told


def test_they_come_back_after_an_error_too_and_nested_as_they_stood():
    def fails(self, box):
        box['more'] = 1
        raise ValueError

    net = cell(fails, lambda self, box, out, dout: (dout,))

    def f(x):
        box = {'a': [x, (x, 2.0)], 'b': Pair(x, 'b')}
        with pytest.raises(ValueError):
            net(box)
        assert box['a'][0] is x and box['a'][1][0] is x and box['b'].a is x and box['more'] == 1
        return (box['b'].a * x).sum()

    assert right(ms.grad(f)(X), [2, 4, 6])


class Scaled(namedtuple('Scaled', 'x')):
    scale = 1.0


def scaled(x):
    made = Scaled(x)
    made.scale = 2.0
    return made


@pytest.mark.parametrize(
    ('box', 'factor'),
    [
        (scaled, lambda b: b.x * b.scale),
        (lambda x: [scaled(x)], lambda b: b[0].x * b[0].scale),
        (lambda x: Counter(a=x, b=-2), lambda b: b['a'] * -b['b']),
        (lambda x: Counter(a=2, b=x), lambda b: b['b'] * b['a']),
    ],
    ids=['a', 'b', 'c', 'd'],
)
def test_a_container_of_ones_own_class_stays_what_it_is(box, factor):
    slot = lambda v: tuple(map(slot, v)) if isinstance(v, list) else tuple(v.values() if isinstance(v, dict) else v)
    grads = lambda v, d: tuple(
        grads(p, d) if isinstance(p, tuple) else d * 2 if isinstance(p, Tensor) else None for p in v
    )
    net = cell(lambda self, box: factor(box), lambda self, box, out, d: (grads(slot(box), d),))
    whole = lambda f: lambda x: f(box(x)).sum()
    for f in (net, factor, lambda b: factor(ops.stop_gradient(b)) * 0 + factor(b)):
        quiet(lambda f=f: ms.value_and_grad(whole(f))(X), (12, [2, 2, 2]))


@pytest.mark.parametrize(
    'kind', [dict(k=2.0), [2.0], np.array([2.0, 2.0, 2.0], np.float32)], ids=['dict', 'list', 'array']
)
@pytest.mark.parametrize('how', ['default', 'by name', 'by place'])
def test_a_default_is_given_as_it_was_at_the_call(kind, how):
    at = lambda v: Tensor(v) if isinstance(v, np.ndarray) else v['k'] if isinstance(v, dict) else v[0]

    class Net(nn.Cell):
        def construct(self, x, given=kind):
            return x * at(given)

        def bprop(self, x, given, out, dout):
            return dout * at(given), None

    def f(x):
        args, named = ((kind,), {}) if how == 'by place' else ((), {'given': kind} if how == 'by name' else {})
        y = Net()(x, *args, **named)
        kind.update(k=9.0) if isinstance(kind, dict) else kind.__setitem__(0, 9.0)
        return y.sum()

    (kind.update(k=2.0) if isinstance(kind, dict) else kind.__setitem__(0, 2.0))
    quiet(lambda: ms.grad(f)(X), [2, 2, 2])


@pytest.mark.parametrize('given', [weight('given', 2.0), one() * 2, [weight('listed', 2.0)]], ids=['a', 'b', 'c'])
def test_a_tensor_as_a_default_is_an_input(given):
    class Net(nn.Cell):
        def construct(self, x, t=given):
            return x * (t[0] if isinstance(t, list) else t)

        def bprop(self, x, t, out, dout):
            return dout * (t[0] if isinstance(t, list) else t), (dout * x,) if isinstance(t, list) else dout * x

    weights = [t for t in (given[0] if isinstance(given, list) else given,) if isinstance(t, Parameter)]
    due = ([2, 2, 2], ([1, 2, 3],)) if weights else [2, 2, 2]
    quiet(lambda: ms.grad(lambda x: Net()(x).sum(), 0, weights or None)(X), due)


SWAPS = {  # what a bprop does with its own list, dict or array; once back is read again, it finds it as it was
    'a list': (lambda v: v.append(v.pop(0) * 10), lambda v: v[-1], [2.0]),
    'a dict': (lambda v: v.update(k=v['k'] * 10), lambda v: v['k'], {'k': 2.0}),
    'an array': (lambda v: v.__imul__(10), lambda v: float(v[0]), np.array([2.0])),
}


@pytest.mark.parametrize(('change', 'read', 'given'), SWAPS.values(), ids=SWAPS)
def test_what_a_bprop_does_with_its_inputs_is_gone_when_it_is_asked_again(change, read, given):
    net = cell(
        lambda self, x, v: x * read(v) * 10, lambda self, x, v, out, dout: (change(v), (dout * read(v), None))[1]
    )
    _, back = ms.vjp(lambda x: net(x, given), X)
    assert right((back(one()), back(one())), (([20, 20, 20],), ([20, 20, 20],))) and read(given) == 2
    assert right(ms.jacrev(lambda x: net(x, given))(X), np.diag([20, 20, 20]))
