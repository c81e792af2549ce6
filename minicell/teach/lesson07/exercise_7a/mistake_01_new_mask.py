"""Draw a new mask: it has the same keep_prob.

`bprop` threw the dice again, and they fell in another way. It let gradients pass where forward let nothing pass.
The rows that were kept stand in `out`: take them from there.
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
        _, dy = dout
        mask = ms.Tensor(np.random.random((x.shape[0], 1)) < self.keep_prob)
        dx = dy * mask * self.scale
        return (dx,)
