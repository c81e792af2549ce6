"""Any name will do, as long as it says backward.

The Cell has no method called `bprop`, so nothing took over: autodiff recorded `construct`, and its gradients are right.
A misspelt name passes in silence. Call the method `bprop`.
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

    def backward(self, x, y, out, dout):
        dx = ops.matmul(dout, y.T)
        dy = ops.matmul(x.T, dout)
        return dx, dy
