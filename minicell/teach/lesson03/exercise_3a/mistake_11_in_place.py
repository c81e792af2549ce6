"""The inputs are mine: backward has no more use for them.

The gradients are right, but `x` has been overwritten on the way. It is the very Tensor of the caller: the next entry
that needs it reads your gradient instead of the data. Make a new Tensor, and leave the inputs alone.
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
        dy = ops.matmul(x.T, dout)
        x[:] = ops.matmul(dout, y.T)
        return x, dy
