"""What I have kept is what I need: a gradient is made of values.

The first order is made of values, and it is right. For the second order, how `e` came out of `x` is just as important,
and NumPy numbers do not know. Where could `e` come from in `bprop`?
"""

# ruff: noqa: D101
import minicell as ms
import minicell.nn as nn
import minicell.ops as ops


class Sinh(nn.Cell):
    def construct(self, x):
        e = ops.exp(x)
        self.kept = e.asnumpy()
        return (e - 1 / e) / 2

    def bprop(self, x, out, dout):
        e = ms.Tensor(self.kept)
        dx = (e + 1 / e) / 2 * dout
        return (dx,)
