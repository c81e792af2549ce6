"""Nobody sets keep_prob to 0.

With 0 nothing is kept, and nothing need be divided. But `1 / 0` is worked out first, and stops with an error.
`self.scale` has looked at that.
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
        y = x * mask * (1 / self.keep_prob)
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        return (dy * mask * self.scale,)
