"""A number between 0 and 1 is less than `keep_prob` with just that probability, so `thrown < keep_prob` keeps the
right share of the rows.

What is kept is multiplied by one over `keep_prob`. A row that arrives 8 times of 10, at 10/8 of its size, is itself
on average. That is why nothing need be changed after training, when every row is kept.
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
        y = x * mask * self.scale
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        return (dy * mask * self.scale,)
