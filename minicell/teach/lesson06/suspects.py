"""The suspects: eight matrix products, each with a bprop that is wrong in its own way, and makes no sound."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops

# what may be wrong -> how a learner reads it, in the order in which a list of them is shown
BUGS = {
    'scaled': 'both gradients are too large, by one factor',
    'flipped': 'both gradients have the wrong sign',
    'sign only': 'both gradients have the right signs, and every size is 1',
    'dout forgotten': 'both gradients are those for a dout of ones',
    'plus one': 'the gradients are x + 1 and w + 1',
    'dx dropped': 'dx is zero',
    'random dx': 'dx is made with random numbers in place of w',
    'mean, not sum': 'dw is averaged over the batch where it should be summed',
}
# in another order than BUGS, and easy ones between hard ones
LETTERS = {
    'A': 'scaled',
    'B': 'dout forgotten',
    'C': 'dx dropped',
    'D': 'flipped',
    'E': 'random dx',
    'F': 'plus one',
    'G': 'mean, not sum',
    'H': 'sign only',
}


class MatMul(nn.Cell):
    """x @ w, with the right bprop. A suspect has another."""

    def construct(self, x: Any, w: Any) -> Any:
        """The product of x (n, k) and w (k, m)."""
        return ops.matmul(x, w)

    def bprop(self, x: Any, w: Any, out: Any, dout: Any) -> tuple:
        """The gradients by x and w."""
        return ops.matmul(dout, w.T), ops.matmul(x.T, dout)


def suspect(bug: str, factor: float = 5.0, seed: int = 5) -> nn.Cell:
    """A product with this bug, or with that of this letter.

    `factor` is that of 'scaled', `seed` that of 'random dx': 5 is the one of the lesson.
    """

    @cache  # it is asked at each step
    def noise(shape: tuple[int, ...]) -> ms.Tensor:
        return ms.Tensor(np.random.default_rng(seed).standard_normal(shape))

    right = MatMul()
    wrong: dict[str, Callable[..., tuple]] = {
        'scaled': lambda x, w, out, dout: tuple(factor * g for g in right.bprop(x, w, out, dout)),
        'flipped': lambda x, w, out, dout: tuple(-g for g in right.bprop(x, w, out, dout)),
        'sign only': lambda x, w, out, dout: tuple(ops.sign(g) for g in right.bprop(x, w, out, dout)),
        'dout forgotten': lambda x, w, out, dout: right.bprop(x, w, out, ops.ones_like(dout)),
        'plus one': lambda x, w, out, dout: (x + 1, w + 1),
        'dx dropped': lambda x, w, out, dout: (ops.zeros_like(x), ops.matmul(x.T, dout)),
        'random dx': lambda x, w, out, dout: (ops.matmul(dout, noise(w.shape).T), ops.matmul(x.T, dout)),
        'mean, not sum': lambda x, w, out, dout: (ops.matmul(dout, w.T), ops.matmul(x.T, dout) / x.shape[0]),
    }
    back = wrong[LETTERS.get(bug, bug)]
    return type('Suspect', (MatMul,), {'bprop': lambda self, *given: back(*given)})()
