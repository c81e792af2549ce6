"""Keep the mask on self, then bprop need not unpack.

`self` belongs to the Cell, and the mask belongs to one call. When the Cell is called twice before backward, the
second mask is written over the first, and the first call gets the gradient of the second. `out` is kept for each
call.
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
        self.mask = mask
        y = x * mask * self.scale
        return mask, y

    def bprop(self, x, out, dout):
        _, dy = dout
        dx = dy * self.mask * self.scale
        return (dx,)
