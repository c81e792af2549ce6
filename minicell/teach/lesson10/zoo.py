"""The network of exercise 10b. The lesson shows the classes as they stand here."""

import minicell as ms
import minicell.nn as nn
from minicell import Parameter


class Scale(nn.Cell):
    """Its own bprop says nothing of w."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(ms.Tensor([2.0]), name='w')

    def construct(self, x):
        return self.w * x

    def bprop(self, x, out, dout):
        dx = self.w * dout
        return (dx,)


class Zoo(nn.Cell):
    """Six Parameters that are owned in different ways."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(ms.Tensor([2.0]), name='w')
        self.fixed = Parameter(ms.Tensor([0.5]), name='fixed', requires_grad=False)
        self.listed = [Parameter(ms.Tensor([1.0]), name='listed')]
        self.norm = nn.BatchNorm1d(1)
        self.hidden = Scale()

    def construct(self, x):
        y = self.w * self.norm(x) + self.fixed + self.listed[0]
        return self.hidden(y)
