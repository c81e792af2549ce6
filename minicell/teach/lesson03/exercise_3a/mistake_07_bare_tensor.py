"""One gradient at a time: a Tensor will do.

`bprop` returned a bare Tensor. It is called once, for all inputs: return a tuple with one gradient per input, as in
`return dx, dy`; for a single input, `return (dx,)`.
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
        return dx
