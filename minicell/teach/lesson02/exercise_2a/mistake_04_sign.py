"""The derivative of sin is -cos.

It is the other way round: the slope of `cos` is `-sin`, the slope of `sin` is plain `cos`. At 0 the sine goes up, and
`cos(0)` is 1.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = dout * ops.sin(y)
        dy = -dout * x * ops.cos(y)
        return dx, dy
