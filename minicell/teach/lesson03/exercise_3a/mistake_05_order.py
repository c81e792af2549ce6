"""The order of the factors does not matter, as with numbers.

A matrix product does not commute. `y` stood on the right of `x`, so `y.T` stands on the right of `dout`; `x` stood on
the left, so `x.T` stands on the left.
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
        dx = ops.matmul(y.T, dout)
        dy = ops.matmul(dout, x.T)
        return dx, dy
