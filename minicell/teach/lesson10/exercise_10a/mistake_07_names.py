"""The keys are the names of the Parameters.

The key is the Parameter itself: `self.w`, without quotes. Names can change, or stand twice. (MindSpore takes any key,
as it never reads them, and goes by the order.)
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
        return (dx,), {'w': dw, 'b': db}
