"""No error, so no mistake.

You have followed the errors to the end, and both gradients are as many times too large as `y` has rows. Errors speak of
form. The share that comes from the mean is maths.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Blend(nn.Cell):
    def construct(self, x, y, k):
        return k * (x * y).mean(0)

    def bprop(self, x, y, k, out, dout):
        dx = k * (dout * y).sum(0)
        dy = ops.broadcast_to(k * dout * x, y.shape)
        return dx, dy, None
