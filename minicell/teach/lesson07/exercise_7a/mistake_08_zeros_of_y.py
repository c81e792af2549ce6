"""Where y is 0, the row was dropped.

Most often that is so. But a number of `x` may be 0 in a row that was kept: then `y` is 0, too, and its gradient is
not. The mask knows the difference.
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
        _, y = out
        _, dy = dout
        dx = dy * (y != 0) * self.scale
        return (dx,)
