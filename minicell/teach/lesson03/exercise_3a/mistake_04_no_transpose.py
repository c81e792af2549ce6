"""Backward is the same product with dout in it: no transpose needed.

Look at the shapes. `dout` has the columns of `y`; to get back to the columns of `x` you need `y` transposed.
On square matrices nothing complains: only the numbers are wrong.
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
        dx = ops.matmul(dout, y)
        dy = ops.matmul(x, dout)
        return dx, dy
