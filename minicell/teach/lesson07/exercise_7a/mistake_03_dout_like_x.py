"""dout looks like x.

`dout` looks like the output, and the output is a tuple of two. So `dout` is a tuple as well: unpack it first, with
`_, dy = dout`.
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
        dx = dout * mask * self.scale
        return (dx,)
