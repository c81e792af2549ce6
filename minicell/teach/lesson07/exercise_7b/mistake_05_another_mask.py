"""Any mask with the same keep_prob will do.

You handed out a mask that had no part in `y`. Your `bprop` is a right rule, for another function: it lets gradients
pass in rows that were dropped. Hand out the very mask that you used.
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
        y = x * (thrown < self.keep_prob) * self.scale
        mask = ms.Tensor(np.random.random((x.shape[0], 1)) < self.keep_prob)
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        return (dy * mask * self.scale,)
