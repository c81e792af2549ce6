"""A replay gives what an eager call gives: on other inputs, under gradients of any order, with writes and captures."""

from typing import NamedTuple

import pytest

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from minicell.core.tensor import tensors_in
from tests.core.cells import Cube, Product, Scale, made

pytestmark = pytest.mark.filterwarnings('ignore::minicell.errors.MinicellWarning')
X, Y = Tensor([1.0, 2.0, -3.0]), Tensor([0.5, -1.5, 2.5])


def numbers(value):
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(numbers, value)) if not hasattr(value, '_fields') else tuple(map(numbers, value))
    return (value.asnumpy().tolist(), str(value.dtype)) if isinstance(value, Tensor) else value


class Pair(NamedTuple):
    first: Tensor
    second: Tensor


class Nested(nn.Cell):
    """A custom Cell in a custom Cell, and a gradient in its construct."""

    def __init__(self):
        super().__init__()
        self.cube = Cube()

    def construct(self, x):
        return self.cube(x) + ms.grad(lambda y: self.cube(y).sum())(x)

    def bprop(self, x, out, dout):
        return (dout * self.cube(x) * ms.grad(lambda y: self.cube(y).sum())(x) + out,)


split = made(lambda self, x: (x * 2, x * x), lambda self, x, out, dout: (dout[0] * 2 + dout[1] * 2 * x + out[0] * 0,))
same = made(lambda self, x: x, lambda self, x, out, dout: (dout * 5,))
const = made(lambda self, x: ops.ones((3,)), lambda self, x, out, dout: (dout * 7 * x,))
cube, scale, weight, shared = Cube(), Scale(3.0), Parameter(Tensor([2.0, 1.0, 0.5]), 'weight'), Tensor([2.0, 3.0, 4.0])


def loop(x, y):
    for _ in range(3):
        x = cube(x) * 0.1 + y
    return x


def value_beside(x, y):
    loss, (dx, dy) = ms.value_and_grad(lambda a, b: (a * a * b).sum(), (0, 1))(x, y)
    return {'loss': loss, 'slopes': [dx, dy], 'plus': dx + y}


def penalty(x, y):
    g = ms.grad(lambda a: (ops.sin(a) * y).sum())(x)
    return (g * g).sum() + (x * y).sum()


def writes(x, y):
    z = x * 2
    z[1] = y[0]
    z[0:1][0] = 7.0
    return z * y


def jitted_inside(x, y):
    return ms.jit(lambda a: a * a)(x) + y


def with_aux(x, y):
    g, aux = ms.grad(lambda a: ((a * y).sum(), a * 2), has_aux=True)(x)
    return g + aux[0]


def of_weights(x, y):
    return ms.grad(lambda a: (a * weight * weight).sum(), None, weight)(x) * y


def mixed(x, y):
    return (x.astype(ms.float16) * y).astype(ms.float64) * ops.ones((3,), ms.int32) + 1


PROGRAMS = {
    'ops': lambda x, y: ops.exp(x) * y / (x * x + 1) - 2,
    'one object twice': lambda x, y: Product()(x, x) - Product()(x, y),
    'an identity Cell': lambda x, y: same(x) * y,
    'its input': lambda x, y: x,
    'a constant Cell': lambda x, y: const(x) * y,
    'a constant output': lambda x, y: (x * y, shared, 5, 'text', None, True),
    'a Cell in a loop': loop,
    'a Cell twice': lambda x, y: cube(cube(x)) + cube(y) * cube(x + y),
    'nested Cells': lambda x, y: Nested()(x * 0.5) * y,
    'several outputs of a Cell': lambda x, y: (lambda a, b: a * y + b)(*split(x)),
    'one of several outputs': lambda x, y: split(x)[1] * y,
    'a tuple': lambda x, y: (x * y, (x, [y, x + y])),
    'a named tuple': lambda x, y: Pair(x * y, y),
    'a dict': lambda x, y: {'a': x * y, 'b': [x]},
    'closures over constants': lambda x, y: x * shared + y * 3,
    'indices and shapes': lambda x, y: ops.stack([x[1:], y[:2]]).reshape((4,)).T[::2] * x.shape[0],
    'reductions and masks': lambda x, y: ops.select(x > y, x, y * 2).mean() + x.max() * y,
    'dtypes': mixed,
    'internal_params': lambda x, y: scale(x) * y,
    'a value beside a gradient': value_beside,
    'a gradient penalty': penalty,
    'has_aux inside': with_aux,
    'a gradient of weights inside': of_weights,
    'sens inside': lambda x, y: ops.GradOperation(sens_param=True)(cube)(x, y),
    'a Hessian inside': lambda x, y: ms.grad(lambda a: ms.grad(lambda b: (cube(b) * b).sum())(a).sum())(x) * y,
    'writes': writes,
    'a jitted function': jitted_inside,
}
SMOOTH = [name for name in PROGRAMS if name not in ('writes', 'internal_params')]


def graph_free(value):
    """A program that a gradient can be taken of: the sum of all that it returns."""
    found = tensors_in(value)
    return sum((t.astype(ms.float32).sum() for t in found if t.dtype != ms.int64), Tensor(0.0))


@pytest.mark.parametrize('name', PROGRAMS)
def test_a_replay_gives_what_an_eager_call_gives(name):
    eager, graph = PROGRAMS[name], ms.jit(PROGRAMS[name])
    for x, y in ((X, Y), (Y, X), (X * 2, Y), (X, X), (Y, Y)):
        assert numbers(graph(x, y)) == numbers(eager(x, y))
    assert graph.traced == 1


@pytest.mark.parametrize('order', [1, 2])
@pytest.mark.parametrize('name', SMOOTH)
def test_gradients_of_a_replay_are_those_of_an_eager_call(name, order):
    program, graph = PROGRAMS[name], ms.jit(PROGRAMS[name])

    def slope(f):
        if order == 1:
            return ms.grad(lambda x, y: graph_free(f(x, y)), (0, 1))
        first = ms.grad(lambda x, y: graph_free(f(x, y)), (0, 1))
        return ms.grad(lambda x, y: (lambda a, b: (a * b).sum())(*first(x, y)), (0, 1))

    for x, y in ((X, Y), (Y, X), (X, X)):
        assert numbers(slope(graph)(x, y)) == numbers(slope(program)(x, y))
    assert graph.traced == 1


@pytest.mark.parametrize('name', SMOOTH)
def test_a_gradient_inside_a_graph_is_that_of_an_eager_call(name):
    program = PROGRAMS[name]
    slope = ms.grad(lambda x, y: graph_free(program(x, y)), (0, 1))
    graph = ms.jit(slope)
    for x, y in ((X, Y), (Y, X), (X, X)):
        assert numbers(graph(x, y)) == numbers(slope(x, y))
    assert graph.traced == 1


@pytest.mark.parametrize('name', PROGRAMS)
def test_a_tape_does_not_change_a_replay(name):
    eager, graph = PROGRAMS[name], ms.jit(PROGRAMS[name])
    with ms.Tape():
        first = numbers(graph(X, Y))
    with ms.Tape() as tape:
        second = numbers(graph(Y, X))
    assert (first, second) == (numbers(eager(X, Y)), numbers(eager(Y, X)))
    assert name in ('a constant output', 'its input') or tape.events
