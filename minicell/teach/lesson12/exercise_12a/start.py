"""The unfinished answer: a learner begins here."""

# ruff: noqa: D101, F841
import minicell.nn as nn
import minicell.ops as ops


class relusigmoid(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sigmoid = ops.Sigmoid()
        self.greater = ops.Greater()

    def construct(self, x):
        spike = self.greater(x, 0)
        return spike.astype(x.dtype)

    def bprop(self, x, out, dout):
        sgax = self.sigmoid(x * 5.0)
        grad_x = ...
        return (grad_x,)
