"""The unfinished answer: a learner begins here."""

# ruff: noqa: D101, F401
import minicell.nn as nn
import minicell.ops as ops


class Blend(nn.Cell):
    def construct(self, x, y, k):
        return k * (x * y).mean(0)

    def bprop(self, x, y, k, out, dout):
        # It was: return k * dout * y, k * dout * x
        dx = ...
        dy = ...
        return dx, dy
