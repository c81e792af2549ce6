"""The nine surrogates of the table of lesson 12, and the five suspects of exercise 12d."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops

AT = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])


class Triangular(nn.Surrogate):
    """The slope of a triangle: it rises up to the threshold, and falls above it. snnTorch has one that does so."""

    def slope(self, x):
        return ops.select(x < 0, ops.ones_like(x), -ops.ones_like(x))


class FastSigmoid(nn.Surrogate):
    """Narrower at its peak than the slope of sigmoid(100 x), but its tails are long. See arXiv:1705.11146."""

    def slope(self, x):
        return 1 / (1 + 100 * ops.abs(x)) ** 2


class Lowered(nn.relusigmoid):
    """relusigmoid(100), as narrow as it is, and with a height of 1 instead of 25."""

    def __init__(self):
        super().__init__(100)

    def slope(self, x):
        return super().slope(x) / 25


surrogates = {f'a = {a}': nn.relusigmoid(a) for a in (1, 5, 25, 100)}
surrogates |= {'a = 100, height 1': Lowered(), 'fast sigmoid': FastSigmoid()}
surrogates |= {'straight through': nn.straight_through(), 'triangular': Triangular()}
surrogates |= {'true derivative': nn.true_derivative()}


class OffCentre(nn.relusigmoid):
    """relusigmoid(5), with its peak one and a half beside the threshold."""

    def slope(self, x):
        return super().slope(x - 1.5)


class Deaf(nn.relusigmoid):
    """relusigmoid(5) that ignores dout."""

    def bprop(self, x, out, dout):
        return (self.slope(x),)


class Damped(nn.triangular):
    """A triangle of area 0.3, as in Bellec et al., arXiv:1803.09574."""

    def slope(self, x):
        return 0.3 * super().slope(x)


# what may be wrong -> how a learner reads it
FAULTS = {
    'fine': 'nothing is wrong',
    'sign': 'it has the wrong sign somewhere',
    'dead': 'it is zero everywhere',
    'off centre': 'it is largest somewhere else than at the threshold',
    'deaf': 'it ignores dout',
}
KINDS = (Damped, OffCentre, Triangular, nn.true_derivative, Deaf)
# each under its letter: a name such as Deaf, which Python shows, would tell what is to be found
SUSPECTS = {letter: type(letter, (kind,), {}) for letter, kind in zip('ABCDE', KINDS, strict=True)}


def ask(cell: Any, dout: float = 1.0) -> np.ndarray:
    """What a surrogate's bprop says at seven places."""
    x = ms.Tensor(AT)
    cell = cell() if isinstance(cell, type) else cell
    return ms.grad(lambda x: (dout * cell(x)).sum())(x).asnumpy()
