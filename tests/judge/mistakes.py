"""Mistakes that people make in the bprop of classic layers, and trials of them: each gradient beside the true one.

A layer is a row of the table: its inputs, the shapes of several calls, construct, and the right bprop; below it stand
wrong ones, each after what was done (None: not tried here). An input called p is positive, q lies between 0 and 1, mask
is of zeros and ones, t has one 1 in each row, and i is of indices into the first axis of the first input.
"""

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell import Tensor, ops
from minicell.judge.diagnose import Trial

# ---- what the formulas are made of ---------------------------------------------------------------------------------

HOT = Tensor(1.0, ms.float64), Tensor(0.0, ms.float64)
CHANNELS = (0, 2, 3)
rows, columns = lambda x: x.shape[0], lambda x: x.shape[-1]
root = lambda q: q.shape[-1] ** 0.5
cast = lambda condition: ops.cast(condition, ms.float64)
hot = lambda i, w: ops.one_hot(i, w.shape[0], *HOT).T
mean = lambda x, axis=-1: x.mean(axis, keep_dims=True)
total = lambda x, axis=-1: x.sum(axis, keepdims=True)
centred = lambda x, axis: x - mean(x, axis)
spread = lambda x, axis: ops.sqrt(mean(ops.square(centred(x, axis)), axis) + 1e-5)
normed = lambda x, axis=-1: centred(x, axis) / spread(x, axis)
back = lambda x, g, axis: (g - mean(g, axis) - normed(x, axis) * mean(g * normed(x, axis), axis)) / spread(x, axis)
soft = lambda x: ops.softmax(x, -1)
slope = lambda a, g: a * (g - total(g * a))  # of a softmax whose output is a
attended = lambda q, k: soft(q @ k.T / root(q))
ds = lambda q, k, v, dout: slope(attended(q, k), dout @ v.T) / root(q)
unsummed = lambda q, k, v, dout: attended(q, k) * (dout @ v.T)
logs, logit = lambda x: ops.log_softmax(x, -1), lambda q: ops.log(q) - ops.log(1 - q)
length = lambda x: ops.sqrt(total(x * x))
patches = lambda x, n: ops.stack([x[:, j : x.shape[1] - n + j + 1] for j in range(n)], 2)
products = lambda x, w, dout: patches(x, w.shape[0]) * dout.expand_dims(-1)
turned = lambda w: ops.stack(ops.unstack(w, 0)[::-1], 0)


def spread_out(dout: Tensor, w: Tensor, edge: bool = True) -> Tensor:
    """The gradient of a convolution with respect to its lines; without the edge the last numbers are left out."""
    n, m = w.shape[0], dout.shape[1]
    zeros = lambda k: ops.zeros((dout.shape[0], k), ms.float64)
    whole = sum(ops.concat([zeros(j), dout * w[j], zeros(n - 1 - j)], 1) for j in range(n))
    return whole if edge else whole * cast(ops.arange(m + n - 1) < m)


SAME = [((4,),) * 3, ((3, 5),) * 3, ((2, 3),) * 3]  # as many as there are inputs
LONG = [((4, 5),) * 2, ((30,),) * 2, ((3, 7),) * 2]
ROWS = [((3, 5),) * 2, ((2, 4),) * 2, ((4, 6),) * 2]
WIDE = [((6, 3), (3,), (3,)), ((5, 4), (4,), (4,)), ((7, 2), (2,), (2,))]
PRODUCT = [((2, 3), (3, 4)), ((4, 2), (2, 3)), ((3, 5), (5, 2))]
SQUARE = [((3, 3),) * 2, ((2, 2),) * 2, ((4, 4),) * 2]
DENSE = [((3, 4), (2, 4), (2,)), ((2, 3), (4, 3), (4,)), ((5, 2), (3, 2), (3,))]
IMAGES = [((2, 3, 4, 2),), ((3, 2, 3, 3),), ((4, 2, 2, 5),)]
LINES = [((2, 6), (3,)), ((3, 5), (2,)), ((4, 7), (3,))]
HEADS = [((3, 4), (5, 4), (5, 2)), ((2, 3), (4, 3), (4, 5)), ((4, 2), (3, 2), (3, 4))]
WORDS = [((4, 3), (5,)), ((3, 2), (4,)), ((6, 2), (9,))]

TABLE = """
square | x | SAME | x * x | 2 * x * dout
    without 2 | x * dout
    without dout | 2 * x
    out for x | 2 * out * dout
cube | x | SAME | x ** 3 | 3 * x * x * dout
    a power too low | 3 * x * dout
    dout squared | 3 * x * x * dout * dout
exp | x | SAME | exp(x) | out * dout
    as a power | x * out * dout
    of x | x * dout
log | p | SAME | log(p) | dout / p
    times | dout * p
    of out | dout / out
sqrt | p | SAME | sqrt(p) | dout / (2 * out)
    without the half | dout / out
    of x | dout / (2 * p)
reciprocal | p | SAME | 1 / p | -dout * out * out
    sign | dout * out * out
    no square | -dout / p
sin | x | SAME | sin(x) | dout * cos(x)
    sign | -dout * cos(x)
cos | x | SAME | cos(x) | -dout * sin(x)
    sign | dout * sin(x)
    out | -dout * out
tanh | x | SAME | tanh(x) | dout * (1 - out * out)
    without the square | dout * (1 - out)
    of x | dout * (1 - x * x)
sigmoid | x | SAME | sigmoid(x) | dout * out * (1 - out)
    without 1 - out | dout * out
    of x | dout * x * (1 - x)
    straight through | dout
relu | x | SAME | relu(x) | dout * cast(x > 0)
    mirrored | dout * cast(x < 0)
    no mask | dout
    masks by dout | dout * cast(dout > 0)
    returns out | out * dout
leaky relu | x | SAME | select(x > 0, x, 0.1 * x) | dout * select(x > 0, ones_like(x), full_like(x, 0.1))
    without the leak | dout * cast(x > 0)
    leak with a sign | dout * select(x > 0, ones_like(x), full_like(x, -0.1))
abs | x | SAME | abs(x) | dout * sign(x)
    no sign | dout
clip | x | LONG | clamp(x, -1.0, 1.0) | dout * cast(abs(x) < 1)
    one side alone | dout * cast(x < 1)
    straight through | dout
silu | x | SAME | x * sigmoid(x) | dout * (sigmoid(x) + out * (1 - sigmoid(x)))
    one term alone | dout * sigmoid(x)
softplus | x | SAME | log(1 + exp(x)) | dout * sigmoid(x)
    slope of a sigmoid | dout * sigmoid(x) * (1 - sigmoid(x))
multiply | x y | SAME | x * y | y * dout, x * dout
    swapped | x * dout, y * dout
    out for dout | y * out, None
    added | y + dout, x + dout
subtract | x y | SAME | x - y | dout, -dout
    sign | None, dout
divide | x p | SAME | x / p | dout / p, -dout * x / (p * p)
    no square | None, -dout * x / p
    sign | None, dout * x / (p * p)
    times | dout * p, None
maximum | x y | LONG | maximum(x, y) | dout * cast(x > y), dout * cast(y > x)
    minimum | dout * cast(x < y), dout * cast(y < x)
    dout for both | dout, dout
gate | q x y | SAME | q * x + (1 - q) * y | dout * (x - y), dout * q, dout * (1 - q)
    one half alone | dout * x, None, None
    gates exchanged | None, dout * (1 - q), dout * q
sum | x | ROWS | x.sum() | dout * ones_like(x)
    as a mean | dout * ones_like(x) / x.size
    ones | ones_like(x)
mean of rows | x | ROWS | mean(x) | dout * ones_like(x) / columns(x)
    without 1 / n | dout * ones_like(x)
    the other axis | dout * ones_like(x) / rows(x)
variance | x | ROWS | mean(square(centred(x, -1))) | 2 * dout * centred(x, -1) / columns(x)
    not centred | 2 * dout * x / columns(x)
    n - 1 | 2 * dout * centred(x, -1) / (columns(x) - 1)
norm | x | ROWS | length(x) | dout * x / out
    not divided | dout * x
    of the square | 2 * dout * x
maximum of rows | x | ROWS | x.amax(-1, keepdims=True) | dout * cast(x == out)
    everywhere | dout * ones_like(x)
cumulative sum | x | ROWS | cumsum(x, 1) | total(dout) - cumsum(dout, 1) + dout
    not turned around | cumsum(dout, 1)
    itself left out | total(dout) - cumsum(dout, 1)
unit rows | x | ROWS | x / length(x) | (dout - out * total(dout * out)) / length(x)
    length as a constant | dout / length(x)
    not divided | dout - out * total(dout * out)
bias | x b | WIDE | x + b | dout, dout.sum(0)
    mean of the batch | None, dout.mean(0)
    first row | None, dout[0]
scale | x w | WIDE | x * w | dout * w, (dout * x).sum(0)
    sums apart | None, dout.sum(0) * x.sum(0)
    without x | None, dout.sum(0)
matrix product | x y | PRODUCT | x @ y | dout @ y.T, x.T @ dout
    out for dout | out @ y.T, None
    no dout | ones_like(dout) @ y.T, None
    dy zeros | None, zeros_like(y)
square product | x y | SQUARE | x @ y | dout @ y.T, x.T @ dout
    no transpose | dout @ y, None
    order | y.T @ dout, None
    transposed | None, dout.T @ x
    number by number | dout * y, None
dense | x w b | DENSE | x @ w.T + b | dout @ w, dout.T @ x, dout.sum(0)
    dw by the batch | None, dout.T @ x / rows(x), None
    db of one row | None, None, dout[-1]
    weight decay | None, dout.T @ x + 0.1 * w, None
softmax | x | ROWS | soft(x) | slope(out, dout)
    without the sum | dout * out
    as a sigmoid | dout * out * (1 - out)
    sum of dout | out * (dout - total(dout))
    the other axis | out * (dout - total(dout * out, 0))
log-softmax | x | ROWS | logs(x) | dout - exp(out) * total(dout)
    without the sum | dout
    out for its exp | dout - out * total(dout)
    dout not summed | dout - exp(out) * dout
log-sum-exp | x | ROWS | log(total(exp(x))) | dout * soft(x)
    not normed | dout * exp(x)
    one | dout * ones_like(x)
layer norm | x | ROWS | normed(x) | back(x, dout, -1)
    both as constants | dout / spread(x, -1)
    mean alone | (dout - mean(dout)) / spread(x, -1)
    without the root | (dout - mean(dout) - out * mean(dout * out)) / spread(x, -1) ** 2
    not divided | dout - mean(dout) - out * mean(dout * out)
batch norm | x w b | WIDE | normed(x, 0) * w + b | back(x, dout * w, 0), (dout * normed(x, 0)).sum(0), dout.sum(0)
    w forgotten | back(x, dout, 0), None, None
    statistics as constants | dout * w / spread(x, 0), None, None
    dw of x | None, (dout * x).sum(0), None
    dw of out | None, (dout * out).sum(0), None
norm of images | x | IMAGES | x - x.mean(CHANNELS, keep_dims=True) | dout - dout.mean(CHANNELS, keep_dims=True)
    mean as a constant | dout
rms norm | x | ROWS | x / sqrt(mean(x * x)) | (dout - out * mean(dout * out)) / sqrt(mean(x * x))
    root as a constant | dout / sqrt(mean(x * x))
    sum for mean | (dout - out * total(dout * out)) / sqrt(mean(x * x))
attention | q k v | HEADS | attended(q, k) @ v | ds(q, k, v, dout) @ k, ds(q, k, v, dout).T @ q, attended(q, k).T @ dout
    dq not scaled | ds(q, k, v, dout) @ k * root(q), None, None
    dq without the sum | unsummed(q, k, v, dout) @ k / root(q), None, None
    dk without the sum | None, (unsummed(q, k, v, dout)).T @ q / root(q), None
    dv without the softmax | None, None, (q @ k.T / root(q)).T @ dout
convolution | x w | LINES | (patches(x, w.shape[0]) * w).sum(-1) | spread_out(dout, w), products(x, w, dout).sum((0, 1))
    filter not turned | spread_out(dout, turned(w)), None
    edge forgotten | spread_out(dout, w, False), None
    dw of one image | None, products(x, w, dout)[0].sum(0)
    dw turned | None, turned(products(x, w, dout).sum((0, 1)))
    dw averaged | None, products(x, w, dout).mean((0, 1))
mean squared error | x y | SAME | square(x - y).mean() | dout * 2 * (x - y) / x.size, dout * 2 * (y - x) / x.size
    not averaged | dout * 2 * (x - y), None
    without 2 | dout * (x - y) / x.size, None
    the other way round | dout * 2 * (y - x) / x.size, dout * 2 * (x - y) / x.size
    without dout | 2 * (x - y) / x.size, None
absolute error | x y | SAME | abs(x - y) | dout * sign(x - y), dout * sign(y - x)
    difference for sign | dout * (x - y), None
    no sign | dout, None
binary cross entropy | q y | SAME | -y * log(q) - (1 - y) * log(1 - q) | dout * (q - y) / q / (1 - q), -dout * logit(q)
    as after a sigmoid | dout * (q - y), None
    one term alone | -dout * y / q, None
cross entropy | x t | ROWS | -(t * logs(x)).sum(-1).mean() | dout * (soft(x) - t) / rows(x), -dout * logs(x) / rows(x)
    not averaged | dout * (soft(x) - t), None
    sign | dout * (t - soft(x)) / rows(x), None
    softmax forgotten | dout * (x - t) / rows(x), None
    labels forgotten | dout * soft(x) / rows(x), None
    without dout | (soft(x) - t) / rows(x), None
embedding | w i | WORDS | gather(w, i, 0) | hot(i, w) @ dout, None
    mean of those alike | hot(i, w) @ dout / i.size, None
    row 0 as padding | hot(i, w) @ dout * cast(arange(w.shape[0]) > 0).reshape((-1, 1)), None
dropout | x mask | SAME | x * mask / 0.5 | dout * mask / 0.5, dout * x / 0.5
    not scaled | dout * mask, None
    no mask | dout / 0.5, None
    a new mask | dout * Tensor(np.random.rand(*x.shape) > 0.5) / 0.5, None
"""


class Layer(NamedTuple):
    """A layer with the right bprop, or with a wrong one."""

    names: list[str]
    shapes: Sequence[Any]
    construct: Callable
    bprop: Callable


LAYERS: dict[str, Layer] = {}
MISTAKES: dict[str, Layer] = {}
for line in TABLE.strip().splitlines():
    made = lambda formula, names: eval(f'lambda {", ".join(names)}: ({formula})', vars(ops) | globals())
    if not line.startswith(' '):
        layer, inputs, shapes, *formulas = line.split(' | ')
        forward, right = (
            made(f, inputs.split() + more) for f, more in zip(formulas, ([], ['out', 'dout']), strict=True)
        )
        LAYERS[layer] = Layer(inputs.split(), globals()[shapes], forward, right)
    else:
        done, formula = line.strip().split(' | ')
        wrongly = made(formula, [*LAYERS[layer].names, 'out', 'dout'])
        MISTAKES[f'{layer}: {done}'] = LAYERS[layer]._replace(bprop=wrongly)

# ---- trials --------------------------------------------------------------------------------------------------------


def numbers(name: str, shape: tuple[int, ...], first: int, rng: np.random.Generator) -> np.ndarray:
    """What goes into an input of this name."""
    made = {
        'p': lambda: rng.uniform(0.3, 3, shape),
        'q': lambda: rng.uniform(0.1, 0.9, shape) if len(shape) else 0.5,
        'mask': lambda: (rng.random(shape) > 0.5).astype(float),
        't': lambda: np.eye(shape[-1])[rng.integers(0, shape[-1], shape[:-1])],
        'i': lambda: rng.integers(0, first, shape).astype(np.int32),
    }
    return made.get(name, lambda: rng.standard_normal(shape))()


def arrays(found: Any) -> list[np.ndarray | None]:
    """What a bprop returned."""
    return [None if g is None else g.asnumpy() for g in (found if isinstance(found, tuple) else (found,))]


def trials_of(
    names: Sequence[str], construct: Callable, bprop: Callable, calls: Sequence[Sequence[np.ndarray]], seed: int = 0
) -> dict[str, list[Trial]]:
    """The trials of each input that has a gradient: `calls` has the numbers of each call, each with a random dout."""
    found: dict[str, list[Trial]] = {}
    for k, given in enumerate(calls):
        rng = np.random.default_rng([seed, k])
        xs = [Tensor(g) for g in given]
        floats = tuple(j for j, g in enumerate(given) if g.dtype.kind == 'f')
        out = construct(*xs)
        dout = rng.standard_normal(out.shape)

        def true(d: np.ndarray, xs: Any = xs, floats: Any = floats) -> dict[int, Any]:
            gradients = ms.grad(lambda *a: (construct(*a) * Tensor(d)).sum(), floats)(*xs)
            return dict(zip(floats, arrays(gradients), strict=True))

        def at(j: int, changed: dict[str, np.ndarray], true: Any = true, dout: Any = dout, given: Any = given) -> Any:
            xs = [Tensor(changed.get(n, x)) for n, x in zip(names, given, strict=True)]
            with contextlib.suppress(Exception):
                return true(changed.get('dout', dout), xs)[j]

        due = true(dout)
        yours, again, twice = (arrays(bprop(*xs, out, Tensor(d))) for d in (dout, dout, 2 * dout))
        construct(*(Tensor(g[::-1] * 1 if g.ndim else g + 1) for g in given))
        after = arrays(bprop(*xs, out, Tensor(dout)))
        values = dict(zip(names, given, strict=True)) | {'out': out.asnumpy(), 'dout': dout}
        for j in (j for j in floats if yours[j] is not None):
            others = {names[m]: g for m, g in due.items() if m != j}
            room = 1e-11 * (np.abs(due[j]) + np.abs(due[j]).mean())
            each = (yours[j], due[j], values, others, room, partial(at, j), twice[j], again[j], after[j])
            found.setdefault(names[j], []).append(Trial(names[j], *each))
    return found


def tried(layer: Layer, seed: int = 0) -> dict[str, list[Trial]]:
    """The trials of a bprop, with numbers of their own for each seed."""
    calls = []
    for k, shapes in enumerate(layer.shapes):
        rng = np.random.default_rng([1, seed, k])
        calls.append([numbers(n, s, shapes[0][0], rng) for n, s in zip(layer.names, shapes, strict=False)])
    return trials_of(layer.names, layer.construct, layer.bprop, calls, seed)


def wrong(trial: Trial) -> np.ndarray | bool:
    """Where a trial's gradient is wrong."""
    return trial.yours.shape != trial.due.shape or np.abs(trial.yours - trial.due) > trial.room
