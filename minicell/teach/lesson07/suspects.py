"""Cells that drop rows, right or with one of three bugs: what exercise 7c tries a learner's function on."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import nn

WORDS = ('right', 'new mask', 'stale mask', 'scaled twice')


class Right(nn.Cell):
    """Each row is kept with probability keep_prob, and divided by it."""

    def __init__(self, keep_prob: float) -> None:
        super().__init__()
        self.keep_prob, self.scale = keep_prob, 1 / keep_prob

    def drawn(self, x: Any) -> Any:
        """A mask, one throw a row."""
        return ms.Tensor(np.random.random((x.shape[0], 1)) < self.keep_prob)

    def construct(self, x: Any) -> Any:
        """The mask, and what it leaves of x."""
        mask = self.drawn(x)
        return mask, x * mask * self.scale

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """The gradient with respect to x."""
        return (dout[1] * out[0] * self.scale,)


class New(Right):
    """bprop throws again."""

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """As if forward had thrown now."""
        return (dout[1] * self.drawn(x) * self.scale,)


class Stale(Right):
    """The mask of the last call, whichever call is asked about."""

    def construct(self, x: Any) -> Any:
        """Keeps the mask on self as well."""
        self.mask, y = super().construct(x)
        return self.mask, y

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """Takes it from there."""
        return (dout[1] * self.mask * self.scale,)


class Twice(Right):
    """The factor in bprop comes in twice."""

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """Scales what is scaled."""
        return (super().bprop(x, out, dout)[0] * self.scale,)


class TwiceByMask(Right):
    """The mask that is handed out has the factor in it, and bprop multiplies once more."""

    def construct(self, x: Any) -> Any:
        """Hands out a mask of 0 and 1 / keep_prob."""
        mask, y = super().construct(x)
        return mask * self.scale, y


HIDDEN = (
    (Right, 0.8, 'right'),
    (New, 0.8, 'new mask'),
    (TwiceByMask, 0.5, 'scaled twice'),
    (Stale, 0.5, 'stale mask'),
    (Right, 0.5, 'right'),
    (Twice, 0.8, 'scaled twice'),
    (Stale, 0.8, 'stale mask'),
    (New, 0.5, 'new mask'),
)
