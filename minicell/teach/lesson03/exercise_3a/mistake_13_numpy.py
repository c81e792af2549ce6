"""A gradient is numbers, so a NumPy array will do.

`bprop` returned a NumPy array. Gradients are Tensors: made by ops, they can be looked at and differentiated again.
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
        dx = dout.asnumpy() @ y.asnumpy().T
        dy = x.asnumpy().T @ dout.asnumpy()
        return dx, dy
