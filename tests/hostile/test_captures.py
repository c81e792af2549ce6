"""What a Cell with a bprop uses beside its inputs: its part of the gradient is there, or the Cell is named."""

import functools
import types

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.core.cells import made
from tests.hostile.said import Ran, X, first, quiet, right, right_or_said


def under_a_tape_of(f):
    def ask(x):
        with ms.Tape():
            return ms.grad(f)(x)

    return ask


class In(nn.Cell):
    """y times what `get` finds; its bprop knows only of y."""

    def __init__(self, get):
        super().__init__()
        self.get = get

    def construct(self, y):
        return y * self.get()

    def bprop(self, y, out, dout):
        return (dout * self.get(),)


class Deep(nn.Cell):
    def construct(self):
        return self.z[0] * 1


def on_self(state, put, read):
    """What is put on the Cell once it is made, and its place there filled."""
    net = In(lambda: read(net))
    net.state = state
    put(net)
    return net


def by_global(z):
    globals()['SHARED'] = z
    return In(lambda: SHARED)  # noqa: F821


def by_generator(z):
    return In(lambda: next(z for _ in range(1)))  # (the next value of one that is kept would be bprop's, and is said)


def by_inner_cell(z):
    deep = Deep()
    deep.z = [z]
    return In(lambda: deep())


WAYS = {
    'a closure': lambda z: In(lambda: z),
    'self': lambda z: on_self(None, lambda net: setattr(net, 'context', z), lambda net: net.context),
    'a dict': lambda z: on_self({}, lambda net: net.state.update(z=z), lambda net: net.state['z']),
    'a list': lambda z: on_self([], lambda net: net.state.append(z), lambda net: net.state[-1]),
    'an object': lambda z: (lambda box: In(lambda: box.z))(types.SimpleNamespace(z=z)),
    'a default': lambda z: In(lambda z=z: z),
    'a partial': lambda z: In(functools.partial(lambda z: z, z)),
    'a global': by_global,
    'a generator': by_generator,
    'an inner Cell': by_inner_cell,
    'computing': lambda z: In(lambda: ops.exp(z * 0) * z),
}
ways = pytest.mark.parametrize('way', WAYS.values(), ids=WAYS)


def under_a_tape(way):
    with ms.Tape():
        return ms.grad(lambda x: way(x * x)(x).sum())(X)


# z is captured, and the Cell gives y * z: where z = x * x, 3x² is due, and x² is what its bprop knows of
CAPTURED = {
    'made of x': (lambda way: ms.grad(lambda x: way(x * x)(x).sum())(X), [3, 12, 27]),
    'x itself': (lambda way: ms.grad(lambda x: way(x)(x * 1).sum())(X), [2, 4, 6]),
    'the very input': (lambda way: ms.grad(lambda x: way(x)(x).sum())(X), [2, 4, 6]),
    'second order': (lambda way: ms.grad(lambda x: ms.grad(lambda t: way(t * t)(t).sum())(x).sum())(X), [6, 12, 18]),
    'a vjp': (lambda way: ms.vjp(lambda x: way(x * x)(x).sum(), X)[1](Tensor(1.0)), ([3, 12, 27],)),
    'under a Tape': (under_a_tape, [3, 12, 27]),
}


@ways
@pytest.mark.parametrize('ask, due', CAPTURED.values(), ids=CAPTURED)
def test_a_recorded_tensor_that_is_no_input(ask, due, way):
    facts = 'of In uses', '(3,)', 'bprop of In', 'its inputs', 'ops.stop_gradient'
    right_or_said(lambda: ask(way), due, *facts, keep=way is WAYS['self'])  # it is the same sentence for all


@ways
def test_what_is_meant_as_a_constant_is_not_said(way):
    """stop_gradient says that it is meant: the right number, and no word."""
    quiet(lambda: ms.grad(lambda x: way(ops.stop_gradient(x * x))(x).sum())(X), [1, 4, 9])


@ways
def test_check_bprop_does_not_agree_with_a_cell_that_loses_a_gradient(way):
    """Inside a gradient, where z is differentiated; alone, z is a constant, and the Cell is right."""
    seen = []
    ran = Ran(lambda: ms.grad(lambda x: first(x.sum(), seen.append(ms.check_bprop(way(x * x), x))))(X))
    noted = len(str(seen[0]).splitlines()) > 2  # more than the verdict and its row
    assert ran.texts or not seen[0].ok or noted, f'it only says: {seen[0]}'
    assert right(ran.value, [1, 1, 1])


BOX = []
hides = made(lambda self, x: (BOX.append(x * x), x * 1)[1], lambda self, x, out, dout: (dout,), name='Hides')
TAKEN = {
    'itself': lambda: BOX[-1],
    'made of it': lambda: ops.exp(BOX[-1]),
    'its numbers': lambda: Tensor(BOX[-1].asnumpy()),
    'a number': lambda: float(BOX[-1][0]),
}


@pytest.mark.parametrize('take', TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize('ask', [ms.grad, lambda f: ms.vjp(f, X)[1], under_a_tape_of], ids=['grad', 'vjp', 'a Tape'])
def test_what_another_construct_has_hidden_is_captured(ask, take):
    takes = made(lambda self, x: x * take(), lambda self, x, out, dout: (dout,), name='Takes')
    f = lambda x: takes(hides(x)).sum()
    right_or_said(lambda: ask(f)(X), [3, 12, 27], 'of Takes uses', 'its inputs', keep=False)


@pytest.mark.parametrize('point', [X, Tensor(2.0)], ids=['differentiated', 'constant'])
def test_what_a_construct_hides_from_itself_or_of_a_constant_is_none(point):
    """One of its own, one of a Cell that it calls, and one of a constant."""
    own = made(lambda self, x: (hides(x), BOX[-1] * x)[1], lambda self, x, out, dout: (dout * 3 * x * x,))
    quiet(lambda: ms.grad(lambda x: own(x).sum())(X), [3, 12, 27])
    takes = made(lambda self, x: x * BOX[-1], lambda self, x, out, dout: (dout * BOX[-1],))
    quiet(lambda: ms.grad(lambda x: (hides(Tensor([2.0, 2.0, 2.0])), takes(x).sum())[1])(X), [4, 4, 4])
