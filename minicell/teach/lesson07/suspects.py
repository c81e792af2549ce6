"""Cells that drop rows, right or with one of three bugs: what exercise 7c tries a learner's function on."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import nn
from minicell.teach.trials import variant

WORDS = ('right', 'new mask', 'stale mask', 'scaled twice')


class Suspect(nn.Cell):
    """Each row is kept with probability keep_prob, and divided by it. This one is right."""

    def __init__(self, keep_prob: float) -> None:
        super().__init__()
        self.keep_prob, self.scale = keep_prob, 1 / keep_prob

    def share(self, rows: int) -> np.ndarray:
        """Which rows are kept: one throw a row."""
        return np.random.random(rows) < self.keep_prob

    def drawn(self, x: Any) -> Any:
        """A mask; the last one is kept as well."""
        self.last = ms.Tensor(self.share(x.shape[0])[:, None])
        return self.last

    def construct(self, x: Any) -> Any:
        """The mask, and what it leaves of x."""
        mask = self.drawn(x)
        return mask, x * mask * self.scale

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """The gradient with respect to x."""
        _, dy = dout
        return (dy * self.factor(x, out[0]),)

    def factor(self, x: Any, mask: Any) -> Any:
        """What the gradient of y is multiplied by."""
        return mask * self.scale


New = variant(Suspect, factor=lambda self, x, mask: self.drawn(x) * self.scale)
Stale = variant(Suspect, factor=lambda self, x, mask: self.last * self.scale)


def as_many(kind: type) -> type:
    """The same, with as many rows in each call: to count them tells nothing."""
    return variant(kind, share=lambda self, rows: np.random.permutation(rows) < round(rows * self.keep_prob))


Twice = variant(Suspect, factor=lambda self, x, mask: mask * self.scale * self.scale)
# the factor is in the mask that is handed out, and comes in once more in bprop
TwiceByMask = variant(
    Suspect, construct=lambda self, x: (lambda mask, y: (mask * self.scale, y))(*Suspect.construct(self, x))
)

HIDDEN = (
    (Suspect, 0.95, 'right'),
    (New, 0.95, 'new mask'),
    (TwiceByMask, 0.5, 'scaled twice'),
    (as_many(Stale), 0.5, 'stale mask'),
    (as_many(Suspect), 0.5, 'right'),
    (Twice, 0.95, 'scaled twice'),
    (Stale, 0.95, 'stale mask'),
    (as_many(New), 0.5, 'new mask'),
)
