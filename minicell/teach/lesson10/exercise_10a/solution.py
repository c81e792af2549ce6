"""`internal_params` names both, the tuple answers for the input, and the dict for the Parameters, with themselves as
keys.

Each number of `w` and of `b` is used once in every row, so the gradients of the rows are added: `.sum(0)`. What is left
has the shape `(3,)`, as the Parameters have.
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
        return (dx,), {self.w: dw, self.b: db}
