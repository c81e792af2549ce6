"""A weight keeps its gradient in .grad, as in PyTorch.

Here a Parameter has no `.grad`. Gradients are returned: by `bprop` to backward, and by `ms.grad` to you. Put `dw` and
`db` into the dict.
"""

# ruff: noqa: D101
import minicell as ms
import minicell.nn as nn
from minicell import Parameter


class Affine(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(ms.Tensor([2.0, -1.0, 0.5]), name='w')
        self.b = Parameter(ms.Tensor([0.0, 1.0, 3.0]), name='b')
        self.internal_params = [self.w, self.b]

    def construct(self, x):
        return self.w * x + self.b

    def bprop(self, x, out, dout):
        dx = self.w * dout
        self.w.grad = (x * dout).sum(0)
        self.b.grad = dout.sum(0)
        return (dx,)
