"""A gradient is one number, as the loss is.

You summed over all places. A gradient has the shape of its input: each number of `x` and of `y` has a slope of its own.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = (dout * ops.sin(y)).sum()
        dy = (dout * x * ops.cos(y)).sum()
        return dx, dy
