"""Each number of `out` is a sum of products `x[i, k] * y[k, j]`. Going back, `x[i, k]` collects `dout[i, j] * y[k, j]`
over all `j`: that is `dout` times `y` transposed.

`dy` is the mirror image: `x` transposed stands on the left, as `x` did forward.
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
