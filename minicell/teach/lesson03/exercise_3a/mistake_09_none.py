"""None means that the framework fills in the rest.

`None` says that this input has no gradient, and it is counted as zero. Nothing is filled in: with a `bprop` of your
own, autodiff does not look into `construct` any more.
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
        return dx, None
