"""out is what forward has worked out, so it is e.

`out` is what `construct` **returned**: sinh itself, not the `e` on the way. Already the first order is off. From `out`
alone the slope is `ops.sqrt(1 + out * out)`.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Sinh(nn.Cell):
    def construct(self, x):
        e = ops.exp(x)
        return (e - 1 / e) / 2

    def bprop(self, x, out, dout):
        e = out
        dx = (e + 1 / e) / 2 * dout
        return (dx,)
