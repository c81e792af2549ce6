"""dout is 1, so I can leave it out.

Both slopes are right, but a rule is one factor in a row of factors. Whatever the loss does behind this Cell reaches it
only through `dout`: multiply each slope by it.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class XSinY(nn.Cell):
    def construct(self, x, y):
        return x * ops.sin(y)

    def bprop(self, x, y, out, dout):
        dx = ops.sin(y)
        dy = x * ops.cos(y)
        return dx, dy
