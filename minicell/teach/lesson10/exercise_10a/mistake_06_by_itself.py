"""w is found by itself: trainable_params lists it.

The optimizer finds it there. Its gradient is another matter: what used `w` is hidden, and `bprop` says nothing about
it. So it is 0, and `w` stands still.
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
        self.internal_params = []

    def construct(self, x):
        return self.w * x + self.b

    def bprop(self, x, out, dout):
        dx = self.w * dout
        return (dx,)
