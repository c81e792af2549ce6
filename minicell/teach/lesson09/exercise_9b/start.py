"""The unfinished answer: a learner begins here."""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Sinh(nn.Cell):
    def construct(self, x):
        e = ops.exp(x)
        self.kept = e.asnumpy()
        return (e - 1 / e) / 2

    def bprop(self, x, out, dout):
        e = ...
        dx = (e + 1 / e) / 2 * dout
        return (dx,)
