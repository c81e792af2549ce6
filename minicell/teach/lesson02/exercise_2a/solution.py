"""Hold one input still at a time. By `x` the slope is `sin(y)`; by `y` it is `x * cos(y)`. Each is multiplied by what
comes from behind, `dout`.

One gradient an input, each in the shape of its input. Nothing is added up here: backward does that.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = dout * ops.sin(y)
        dy = dout * x * ops.cos(y)
        return dx, dy
