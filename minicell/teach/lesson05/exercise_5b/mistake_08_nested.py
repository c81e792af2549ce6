"""The gradients of the Tensors go into a tuple of their own.

One place an input, all in a row: `return dx, dy, None`. Yours has two places for three inputs.
"""

# ruff: noqa: D101, F401
import minicell.nn as nn
import minicell.ops as ops


class Blend(nn.Cell):
    def construct(self, x, y, k):
        return k * (x * y).mean(0)

    def bprop(self, x, y, k, out, dout):
        dx = k * dout * y
        dy = k * dout * x
        return (dx, dy), None
