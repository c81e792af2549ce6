"""The gradient of y has nothing to do with x.

`dx` is right. For `y`, hold `x` still: then `x * sin(y)` is `x` times as steep as `sin(y)` alone.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = dout * ops.sin(y)
        dy = dout * ops.cos(y)
        return dx, dy
