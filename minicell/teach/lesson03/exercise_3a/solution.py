"""Each gradient is linear in `dout` and has the shape of its input.

`x` met `y` in the product, so `y` carries `dout` back to `x`, transposed because the sum over its columns is undone.
`dy` is the mirror image: `x` transposed stands on the left, as it did forward.
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
        dx = ops.matmul(dout, y.T)
        dy = ops.matmul(x.T, dout)
        return dx, dy
