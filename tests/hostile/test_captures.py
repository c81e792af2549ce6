"""S5: what a Cell with a bprop uses beside its inputs."""

import functools

import pytest

import minicell as ms
from minicell import Tensor, nn, ops
from tests.hostile.said import Ran, X, right, right_or_said

NAMED = r'\bIn\b'
LOST = 'gradient|recorded|differentiated|argument|input'


class In(nn.Cell):
    """y times what `get` finds; its bprop knows only of y."""

    def __init__(self, get):
        super().__init__()
        self.get = get

    def construct(self, y):
        return y * self.get()

    def bprop(self, y, out, dout):
        return (dout * self.get(),)


def by_closure(z):
    return In(lambda: z)


def by_self(z):
    net = In(lambda: net.context)
    net.context = z
    return net


def by_dict(z):
    net = In(lambda: net.state['z'])
    net.state = {}
    net.state['z'] = z
    return net


def by_list(z):
    net = In(lambda: net.state[-1])
    net.state = []
    net.state.append(z)
    return net


def by_object(z):
    class Box:
        pass

    box = Box()
    box.z = z
    return In(lambda: box.z)


def by_default(z):
    return In(lambda z=z: z)


def by_partial(z):
    return In(functools.partial(lambda z: z, z))


def by_global(z):
    globals()['SHARED'] = z
    return In(lambda: SHARED)  # noqa: F821


def by_generator(z):
    def forever():
        while True:
            yield z

    steps = forever()
    return In(lambda: next(steps))


def by_inner_cell(z):
    class Deep(nn.Cell):
        def construct(self):
            return z * 1

    deep = Deep()
    return In(lambda: deep())


def by_computing(z):
    return In(lambda: ops.exp(z * 0) * z)


WAYS = [
    by_closure, by_self, by_dict, by_list, by_object, by_default, by_partial, by_global, by_generator, by_inner_cell,
    by_computing,
]  # fmt: skip
ways = pytest.mark.parametrize('way', WAYS, ids=lambda way: way.__name__)


@ways
def test_s5_a_recorded_tensor_that_is_no_input(way):
    """z = x * x, and the Cell gives y * z: 3x² is due, and x² what its bprop knows of."""
    right_or_said(lambda: ms.grad(lambda x: way(x * x)(x).sum())(X), [3, 12, 27], NAMED, LOST)


@ways
def test_s5_the_differentiated_argument_itself_is_no_input(way):
    right_or_said(lambda: ms.grad(lambda x: way(x)(x * 1).sum())(X), [2, 4, 6], NAMED, LOST)


@ways
def test_s5_the_very_input_is_captured_too(way):
    """Given to the Cell, and found by it another way: bprop answers for the first of the two."""
    right_or_said(lambda: ms.grad(lambda x: way(x)(x).sum())(X), [2, 4, 6], NAMED, LOST)


@ways
def test_s5_at_second_order(way):
    slope = lambda x: ms.grad(lambda x: way(x * x)(x).sum())(x).sum()
    right_or_said(lambda: ms.grad(slope)(X), [6, 12, 18], NAMED, LOST)


@ways
def test_s5_by_vjp(way):
    program = lambda: ms.vjp(lambda x: way(x * x)(x).sum(), X)[1](Tensor(1.0))
    right_or_said(program, ([3, 12, 27],), NAMED, LOST)


@ways
def test_s5_what_is_meant_as_a_constant_is_not_said(way):
    """stop_gradient says that it is meant: the right number, and no word."""
    ran = Ran(lambda: ms.grad(lambda x: way(ops.stop_gradient(x * x))(x).sum())(X))
    assert right(ran.value, [1, 4, 9]) and not ran.texts, f'{ran.value}: {ran.texts}'


def test_s5_a_capture_under_a_tape_is_said_too():
    def program():
        with ms.Tape():
            return ms.grad(lambda x: by_closure(x * x)(x).sum())(X)

    right_or_said(program, [3, 12, 27], NAMED, LOST)


# ---- check_bprop does not call these right ---------------------------------------------------------------------------


@ways
def test_s5_check_bprop_does_not_agree_with_a_cell_that_loses_a_gradient(way):
    """Inside a gradient, where z is differentiated; alone, z is a constant, and the Cell is right."""
    seen = []

    def f(x):
        seen.append(ms.check_bprop(way(x * x), x))
        return x.sum()

    ran = Ran(lambda: ms.grad(f)(X))
    noted = len(str(seen[0]).splitlines()) > 2  # more than the verdict and its row
    assert ran.texts or not seen[0].ok or noted, f'it only says: {seen[0]}'
    assert right(ran.value, [1, 1, 1])
