"""dout is 1, so I can leave it out.

Your formula is the right one for a `dout` of ones. It is all ones only when the loss is the plain sum of the output.
Put `dout` where you have the ones, and the loss behind the Cell gets its say.
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
        ones = ops.ones_like(out)
        dx = ops.matmul(ones, y.T)
        dy = ops.matmul(x.T, ones)
        return dx, dy
