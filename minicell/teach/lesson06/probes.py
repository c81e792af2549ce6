"""Tests of a bprop for x @ w, from cheap to dear. Each tries random numbers and says True where nothing looks wrong.

They are what the lesson shows, and what exercise 6b runs on suspects that nobody has seen.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms

N, K, M = 4, 3, 5  # x is (N, K), w is (K, M)
STEP = 1e-4  # of the difference in `slope`: of a product, which has no curve, it is exact


def gradients(cell: Any, x: np.ndarray, w: np.ndarray, dout: np.ndarray) -> list[np.ndarray]:
    """What the bprop returns, called by hand: one call."""
    x, w, dout = ms.Tensor(x), ms.Tensor(w), ms.Tensor(dout)
    return [g.asnumpy() for g in cell.bprop(x, w, cell.construct(x, w), dout)]


def numbers(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, w and dout: random, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal(shape) for shape in ((N, K), (K, M), (N, M)))


def shapes(cell: Any, seed: int = 0) -> bool:
    """Has each gradient the shape of its input?"""
    x, w, dout = numbers(seed)
    dx, dw = gradients(cell, x, w, dout)
    return dx.shape == x.shape and dw.shape == w.shape


def zero(cell: Any, seed: int = 0) -> bool:
    """A dout of zeros: is every gradient zero?"""
    x, w, dout = numbers(seed)
    return not any(g.any() for g in gradients(cell, x, w, 0 * dout))


def one_hot(cell: Any, seed: int = 0) -> bool:
    """A dout with a single 1: does it fill one row of dx and one column of dw?"""
    x, w, dout = numbers(seed)
    dout[:] = 0
    dout[1, 2] = 1
    dx, dw = gradients(cell, x, w, dout)
    return list(dx.any(axis=1).nonzero()[0]) == [1] and list(dw.any(axis=0).nonzero()[0]) == [2]


def twice(cell: Any, seed: int = 0) -> bool:
    """Twice the dout: are the gradients twice as large?"""
    x, w, dout = numbers(seed)
    once, more = gradients(cell, x, w, dout), gradients(cell, x, w, 2 * dout)
    return all(np.allclose(2 * a, b) for a, b in zip(once, more, strict=True))


def batch(cell: Any, seed: int = 0) -> bool:
    """Every row of the batch twice: is dx repeated, and dw doubled?"""
    x, w, dout = numbers(seed)
    dx, dw = gradients(cell, x, w, dout)
    more_dx, more_dw = gradients(cell, np.concatenate([x, x]), w, np.concatenate([dout, dout]))
    return np.allclose(more_dx, np.concatenate([dx, dx])) and np.allclose(more_dw, 2 * dw)


def weights(cell: Any, seed: int = 0) -> bool:
    """Other weights: does dx change?"""
    x, w, dout = numbers(seed)
    other = numbers(seed + 1)[1]
    return not np.allclose(gradients(cell, x, w, dout)[0], gradients(cell, x, other, dout)[0])


def slope(cell: Any, seed: int = 0) -> bool | float:
    """A small step: does the loss fall by what the gradients promise?"""
    x, w, dout = numbers(seed)
    go_x, go_w, _ = numbers(seed + 1)
    dx, dw = gradients(cell, x, w, dout)

    def loss(step: float) -> float:
        out = cell.construct(ms.Tensor(x + step * go_x), ms.Tensor(w + step * go_w))
        return float(np.sum(out.asnumpy() * dout))

    promised = np.sum(dx * go_x) + np.sum(dw * go_w)
    ratio = promised / ((loss(STEP) - loss(-STEP)) / (2 * STEP))
    return True if np.isclose(ratio, 1, rtol=1e-4) else round(float(ratio), 2)


def check(cell: Any, seed: int = 0) -> bool:
    """ms.check_bprop: is each gradient the true one?"""
    x, w, dout = numbers(seed)
    return bool(ms.check_bprop(cell, ms.Tensor(x), ms.Tensor(w), sens=ms.Tensor(dout)))


class Probe(NamedTuple):
    """A test and what it costs: calls of construct or bprop, as if each were as dear as the other."""

    test: Callable[..., bool | float]
    calls: int


# The costs leave out the construct that a training step makes anyway, to have `out`. A test counts the calls.
PROBES = {
    'shapes': Probe(shapes, 1),
    'zero': Probe(zero, 1),
    'one_hot': Probe(one_hot, 1),
    'twice': Probe(twice, 2),
    'batch': Probe(batch, 2),
    'weights': Probe(weights, 2),
    'slope': Probe(slope, 3),
    'check': Probe(check, 55),  # of the right bprop; fewer where it is wrong, because then no differences are due
}
