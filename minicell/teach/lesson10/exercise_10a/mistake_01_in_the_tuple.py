"""The gradients of the weights go into the tuple, behind those of the inputs.

The tuple has one place for each input of `construct`, and a weight is none. With `internal_params` a dict stands beside
it: `return (dx,), {self.w: dw, self.b: db}`. (MindSpore takes this flat tuple. Without `internal_params` it drops what
is too many.)
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
        dw = (x * dout).sum(0)
        db = dout.sum(0)
        return dx, dw, db
