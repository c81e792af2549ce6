"""What is above the threshold passes as it is.

So it does in `Threshold`. `Shrink` moves it towards 0 by `t` as well. The gradients do not show it: a shift by a
constant has no part in them. The values do.
"""

# ruff: noqa: D101, F401
import minicell as ms
import minicell.nn as nn
import minicell.ops as ops


class Shrink(nn.Cell):
    def __init__(self, t):
        super().__init__()
        self.t = t

    def construct(self, x):
        y = ops.select(x > self.t, x, ops.select(x < -self.t, x, 0.0))
        return y
