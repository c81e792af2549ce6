"""Gradients find their input by name.

Both formulas are right, but they are handed out in the wrong order. Gradients go by position: the first one belongs to
the first input of `construct`, whatever you call it.
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
        return dy, dx
