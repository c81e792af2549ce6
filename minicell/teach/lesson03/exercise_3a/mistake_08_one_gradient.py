"""Only x is data, so only x needs a gradient.

There are two inputs, so two gradients are due. The Cell cannot know which of them somebody will ask for: here `y` may
well be the weight.
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
        return (dx,)
