"""The chain rule multiplies, and multiplying is *.

`*` multiplies element by element. In a matrix product every number of `out` is a sum over a row of `x` and a column of
`y`; going back, the sum runs the other way, and that is a matrix product again.
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
        dx = dout * y
        dy = dout * x
        return dx, dy
