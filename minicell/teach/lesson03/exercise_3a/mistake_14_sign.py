"""A gradient points downhill.

The numbers are right, with the wrong sign. A gradient points uphill; it is the optimizer that walks against it.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class MatMul(nn.Cell):
    def __init__(self):
        super().__init__()
        self.matmul = ops.MatMul()

    def construct(self, x, y):
        return self.matmul(x, y)

    def bprop(self, x, y, out, dout):
        dx = -ops.matmul(dout, y.T)
        dy = -ops.matmul(x.T, dout)
        return dx, dy
