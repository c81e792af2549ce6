"""One throw decides for all rows.

You took the first throw for all of them. Then a call keeps everything or nothing: the average is right, and no row
is ever dropped alone. Each row has a throw of its own.
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
        mask = (thrown[0:1] < self.keep_prob).broadcast_to(thrown.shape)
        y = x * mask * self.scale
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        return (dy * mask * self.scale,)
