"""out and dout are the same thing.

`out` is what forward computed. `dout` is how fast the loss grows with it. The slopes are multiplied by `dout`; this
rule needs no `out` at all.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = out * ops.sin(y)
        dy = out * x * ops.cos(y)
        return dx, dy
