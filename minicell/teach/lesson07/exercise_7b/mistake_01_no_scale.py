"""Dropping is all there is to it.

Then `y` is smaller than `x` on average, and the layer behind learns from smaller numbers than it gets when nothing
is dropped any more. Kept rows are multiplied by one over `keep_prob`, to make up for the others.
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
        thrown = ms.Tensor(np.random.random((x.shape[0], 1)), x.dtype)
        mask = thrown < self.keep_prob
        y = x * mask
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        return (dy * mask * self.scale,)
