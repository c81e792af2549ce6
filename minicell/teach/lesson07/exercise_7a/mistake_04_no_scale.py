"""The mask is all that forward did.

Forward also multiplied the kept rows by `scale`, one over `keep_prob`. A number that is multiplied forward has its
gradient multiplied backward, by the same factor.
"""

# ruff: noqa: D101
import numpy as np

import minicell as ms
import minicell.nn as nn


class DropRows(nn.Cell):
    def __init__(self, keep_prob):
        super().__init__()
        self.keep_prob = keep_prob
        self.scale = 1 / keep_prob if keep_prob != 0 else 0.0

    def construct(self, x):
        mask = ms.Tensor(np.random.random((x.shape[0], 1)) < self.keep_prob)
        y = x * mask * self.scale
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        dx = dy * mask
        return (dx,)
