"""The framework brings a gradient into the shape of its weight.

In `x * dout` each row of the batch still has its own gradient for `w`. They belong together, and to add them is your
work: `w` went to every row, so what comes back from every row is summed.
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
        dw = x * dout
        db = dout
        return (dx,), {self.w: dw, self.b: db}
