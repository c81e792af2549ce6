"""`construct` hands out `(mask, y)`, so `out` and `dout` come in that order: the mask is the first of `out`, the
gradient of `y` is the second of `dout`.

A dropped row had no say: the mask makes its gradient 0. A kept row was multiplied by `scale`, so its gradient is,
too. With a `keep_prob` of 0 no row is kept, and `scale` is 0: nothing is divided.
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
        dx = dy * mask * self.scale
        return (dx,)
