"""k is only a number, it does not matter for the others.

It multiplies everything, so it multiplies their gradients. No gradient goes to `k`; it is part of the way to `x` and
`y`.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Blend(nn.Cell):
    def construct(self, x, y, k):
        return k * (x * y).mean(0)

    def bprop(self, x, y, k, out, dout):
        dx = (dout * y).mean(0)
        dy = ops.broadcast_to(dout * x / y.shape[0], y.shape)
        return dx, dy, None
