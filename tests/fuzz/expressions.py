"""Random programs of a few ops, played by minicell and by autograd (HIPS): the same steps, two libraries.

A program is a list of steps (op, the values it takes, settings). It is made beside the numbers that it gives, so that
nothing overflows, and no number stands on a kink: what has one is moved away from it by a constant first.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp, primitive

import minicell as ms
from minicell import Parameter, Tensor, nn, ops
from tests.core.cells import made

square = made(lambda self, x: x * x, lambda self, x, out, dout: (2 * x * dout,))
# reads out, through which the second derivative goes
exp = made(lambda self, x: ops.exp(x), lambda self, x, out, dout: (out * dout,))
product = made(lambda self, x, y: x * y, lambda self, x, y, out, dout: (dout * y, dout * x))
# takes a gradient in its bprop
asks = made(
    lambda self, x: ops.sin(x) * x,
    lambda self, x, out, dout: (ms.grad(lambda y: (ops.sin(y) * y * dout).sum())(x),),
)
# a step forward, and a slope backward that is none of the step's: what bprop says counts, at every order
surrogate = made(
    lambda self, x: ops.select(x > 0, ops.ones_like(x), ops.zeros_like(x)),
    lambda self, x, out, dout: (dout * 2 * ops.sigmoid(2 * x) * (1 - ops.sigmoid(2 * x)),),
)
pair = made(
    lambda self, x, y: (x * y, x - ops.sin(y)),
    lambda self, x, y, out, dout: (dout[0] * y + dout[1], dout[0] * x - dout[1] * ops.cos(y)),
)


class Nests(nn.Cell):
    """A Cell with a bprop in the construct and in the bprop of another."""

    def __init__(self):
        super().__init__()
        self.inner = square

    def construct(self, x):
        return ops.tanh(self.inner(x))

    def bprop(self, x, out, dout):
        return ((1 - self.inner(out)) * 2 * x * dout,)


class Weighs(nn.Cell):
    """A weight of its own, which its bprop answers for."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array(1.5)), name='own')
        self.internal_params = [self.w]

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: (dout * x).sum()}


@primitive
def step(x):
    return (x > 0).astype(np.float64)


def slope(ans, x):
    def vjp(g):
        s = 1 / (1 + anp.exp(-2 * x))
        return g * 2 * s * (1 - s)

    return vjp


defvjp(step, slope)


def softmax(x, axis):
    e = anp.exp(x)
    return e / anp.sum(e, axis=axis, keepdims=True)


def log_softmax(x, axis):
    return x - anp.log(anp.sum(anp.exp(x), axis=axis, keepdims=True))


ONE = {  # of one value, whatever its shape: minicell's, autograd's
    'exp': (ops.exp, anp.exp),
    'sin': (ops.sin, anp.sin),
    'cos': (ops.cos, anp.cos),
    'tanh': (ops.tanh, anp.tanh),
    'square': (ops.square, lambda x: x * x),
    'sigmoid': (ops.sigmoid, lambda x: 1 / (1 + anp.exp(-x))),
    'neg': (lambda x: -x, lambda x: -x),
    'log': (lambda x: ops.log(ops.square(x) + 0.5), lambda x: anp.log(x * x + 0.5)),
    'sqrt': (lambda x: ops.sqrt(x * x + 0.5), lambda x: anp.sqrt(x * x + 0.5)),
    'cube': (lambda x: x**3, lambda x: x**3),
    'root': (lambda x: (x * x + 1.0) ** 1.5, lambda x: (x * x + 1.0) ** 1.5),
    'numbers': (lambda x: 0.5 - 2 * x / 3, lambda x: 0.5 - 2 * x / 3),
    'reciprocal': (lambda x: 1 / (x * x + 1.0), lambda x: 1 / (x * x + 1.0)),
    'Square': (square, lambda x: x * x),
    'Exp': (exp, anp.exp),
    'Asks': (asks, lambda x: anp.sin(x) * x),
    'Nests': (Nests(), lambda x: anp.tanh(x * x)),
    'Surrogate': (surrogate, step),
    'Weighs': (Weighs(), lambda x: x * 1.5),
}
KINKED = {'abs': (ops.abs, anp.abs), 'relu': (ops.relu, lambda x: anp.maximum(x, 0.0))}
TWO = {
    'add': (lambda x, y: x + y, lambda x, y: x + y),
    'sub': (lambda x, y: x - y, lambda x, y: x - y),
    'mul': (lambda x, y: x * y, lambda x, y: x * y),
    'div': (lambda x, y: x / (y * y + 1.0), lambda x, y: x / (y * y + 1.0)),
    'pow': (lambda x, y: (x * x + 0.5) ** ops.tanh(y), lambda x, y: (x * x + 0.5) ** anp.tanh(y)),
    'greater': (lambda x, y: ops.select(x > y, x * y, y), lambda x, y: anp.where(x > y, x * y, y + 0 * x)),
    'through sin': (lambda x, y: ops.sin(x * y), lambda x, y: anp.sin(x * y)),
    'Product': (product, lambda x, y: x * y),
    'Pair': (lambda x, y: pair(x, y)[0] - pair(y, x)[1], lambda x, y: x * y - (y - anp.sin(x))),
}
SAME = 'Product', 'Pair'  # of one shape
APART = {'maximum': (ops.maximum, anp.maximum), 'minimum': (ops.minimum, anp.minimum)}


@dataclass
class Program:
    """Steps over the values so far, of which the first two are the inputs x and w; the last one is the result."""

    x: np.ndarray
    w: np.ndarray
    steps: list[tuple] = field(default_factory=list)  # (name, minicell's, autograd's, which values)

    def play(self, x: object, w: object, by: int) -> object:
        """By minicell (1) or by autograd (2)."""
        values = [x, w]
        for each in self.steps:
            values.append(each[by](*[values[k] for k in each[3]]))
        return values[-1]

    def __str__(self) -> str:
        return '; '.join(f'v{k + 2} = {each[0]}{each[3]}' for k, each in enumerate(self.steps))


def random_program(rng: np.random.Generator, length: int) -> Program:
    """A program of so many steps (and a few more that keep its numbers small)."""
    shape = tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3)))
    spread = shape if rng.random() < 0.7 else tuple(1 if rng.random() < 0.5 else n for n in shape)[rng.integers(2) :]
    made = Program(rng.uniform(-1.5, 1.5, shape), rng.uniform(-1.5, 1.5, spread))
    values = [made.x, made.w]

    def add(name: str, ours: Callable, theirs: Callable, *which: int) -> int:
        made.steps.append((name, ours, theirs, which))
        values.append(np.asarray(theirs(*[values[k] for k in which])))
        most = np.abs(values[-1]).max(initial=0)
        if most > 3:
            by = float(np.round(2 / most, 6))
            return add('scaled', lambda t: t * by, lambda t: t * by, len(values) - 1)
        return len(values) - 1

    def moved(k: int) -> int:
        """Away from a kink, and from ties."""
        by = rng.uniform(0.1, 0.9, values[k].shape)
        return add('moved', lambda t: t + Tensor(by, t.dtype), lambda t: t + by, k)

    add(*pick(rng, {k: v for k, v in TWO.items() if shape == spread or k not in SAME}), 0, 1)
    for _ in range(length):
        latest = len(values) - 1
        k = latest if rng.random() < 0.85 else int(rng.integers(len(values)))
        kind = rng.choice(['one', 'one', 'two', 'two', 'shape', 'index', 'reduce', 'join', 'choose', 'kink', 'matmul'])
        STEPS[kind](rng, values, k, add, moved)
    if rng.random() < 0.5:
        STEPS['two'](rng, values, len(values) - 1, add, moved)
    return made


def pick(rng, table: dict) -> tuple:
    name = list(table)[int(rng.integers(len(table)))]
    return name, *table[name]


def fits(values: list, k: int, rng) -> int:
    """Another value that broadcasts with the k-th, or that one itself."""
    found = []
    for j, v in enumerate(values):
        try:
            if np.broadcast_shapes(v.shape, values[k].shape) and v.size <= 12:
                found.append(j)
        except ValueError:
            continue
    return int(rng.choice(found)) if found else k


def one(rng, values, k, add, moved):
    add(*pick(rng, ONE), k)


def kink(rng, values, k, add, moved):
    add(*pick(rng, KINKED), moved(k))


def two(rng, values, k, add, moved):
    j = fits(values, k, rng)
    if rng.random() < 0.25:
        add(*pick(rng, APART), moved(k), j)
    else:
        name, ours, theirs = pick(rng, TWO)
        if name in SAME and values[j].shape != values[k].shape:
            j = k  # a bprop gives the shape of its input
        add(name, ours, theirs, k, j)


def shape(rng, values, k, add, moved):
    v = values[k]
    turned = (*range(v.ndim)[::-1],)
    to = (v.size,) if rng.random() < 0.5 else (1, v.size)
    if rng.random() < 0.3:
        wide = (2, *v.shape)
        add(f'broadcast_to{wide}', lambda t: ops.broadcast_to(t, wide), lambda t: t * np.ones(wide), k)
    elif rng.random() < 0.5 and v.ndim > 1:
        add('transpose', lambda t: ops.transpose(t, turned), lambda t: anp.transpose(t, turned), k)
    else:
        add(f'reshape{to}', lambda t: t.reshape(to), lambda t: anp.reshape(t, to), k)


def index(rng, values, k, add, moved):
    v = values[k]
    if not v.ndim:
        return one(rng, values, k, add, moved)
    n = v.shape[0]
    several = [int(i) for i in rng.integers(-n, n, 3)]
    ways = {
        'int': int(rng.integers(-n, n)),
        'slice': slice(0, int(rng.integers(1, n + 1))),
        'backwards': slice(None, None, -1),
        'new axis': (None, ...),
        'last': (..., -1),
        'list': several,
    }
    name, where = pick(rng, {each: (w,) for each, w in ways.items()})
    return add(f'[{name} {where}]', lambda t: t[where], lambda t: t[where], k)


def reduce(rng, values, k, add, moved):
    v = values[k]
    axis = None if not v.ndim or rng.random() < 0.4 else int(rng.integers(-v.ndim, v.ndim))
    keep = bool(rng.random() < 0.5)
    name = rng.choice(['sum', 'mean', 'max', 'min', 'softmax', 'log_softmax'])
    if name in ('max', 'min'):
        theirs = anp.max if name == 'max' else anp.min
        ours = ops.amax if name == 'max' else ops.amin
        given = () if axis is None else (axis,)
        return add(name, lambda t: ours(t, *given, keepdims=keep), lambda t: theirs(t, axis, keepdims=keep), moved(k))
    if name in ('softmax', 'log_softmax') and v.ndim:
        ours, theirs = getattr(ops, name), globals()[name]
        axis = axis if axis is not None else -1
        return add(name, lambda t: ours(t, axis), lambda t: theirs(t, axis), k)
    ours, theirs = (ops.mean, anp.mean) if name == 'mean' else (ops.sum, anp.sum)
    given = {'axis': axis, 'keep_dims': keep} if name == 'mean' else {'dim': axis, 'keepdim': keep}
    return add(name, lambda t: ours(t, **given), lambda t: theirs(t, axis, keepdims=keep), k)


def join(rng, values, k, add, moved):
    same = [j for j, v in enumerate(values) if v.shape == values[k].shape]
    j = int(rng.choice(same))
    axis = int(rng.integers(0, values[k].ndim + 1))
    if rng.random() < 0.5 or not values[k].ndim:
        new = lambda t: anp.expand_dims(t, axis)  # (its own stack fails for numbers, at the second order)
        theirs = lambda s, t: anp.concatenate((new(s), new(t)), axis)
        return add('stack', lambda s, t: ops.stack((s, t), axis), theirs, k, j)
    axis = min(axis, values[k].ndim - 1)
    return add('concat', lambda s, t: ops.concat((s, t), axis), lambda s, t: anp.concatenate((s, t), axis), k, j)


def choose(rng, values, k, add, moved):
    same = [j for j, v in enumerate(values) if v.shape == values[k].shape]
    mask = rng.random(values[k].shape) < 0.5
    ours = ops.select if rng.random() < 0.5 else ops.where
    j = int(rng.choice(same))
    return add('select', lambda s, t: ours(Tensor(mask), s, t), lambda s, t: anp.where(mask, s, t), k, j)


def matmul(rng, values, k, add, moved):
    v = values[k]
    if v.ndim != 2:
        n = v.size
        k = add('flat', lambda t: t.reshape(1, n), lambda t: anp.reshape(t, (1, n)), k)
        v = values[k]
    turned = len(values)
    add('T', lambda t: t.T, lambda t: t.T, k)
    return add('matmul', lambda s, t: ops.matmul(s, t), lambda s, t: anp.matmul(s, t), k, turned)


STEPS = {each.__name__: each for each in (one, two, kink, shape, index, reduce, join, choose, matmul)}
