"""I have out, so I divide instead of computing the sine again.

The idea is good: `out / x` is `sin(y)`, and rules do use `out` to save work. But where `x` is 0 there is nothing to
divide by, and the slope there is `sin(y)` as everywhere else.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = dout * out / x
        dy = dout * x * ops.cos(y)
        return dx, dy
