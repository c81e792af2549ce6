"""A rule returns one gradient: that of its operation.

There are two inputs, so two gradients are due. There is no gradient of an operation: a slope is always by something
that can be pushed.
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
        return (dx + dy,)
