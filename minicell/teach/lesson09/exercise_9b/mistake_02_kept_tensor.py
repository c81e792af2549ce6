"""If I keep the Tensor instead of its numbers, it is on the tape.

It was born in `construct`, and there the tape does not write. minicell notices at second order, and stops rather than
lose a gradient. Besides, `self` has room for one `e`, and the Cell may be called twice.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Sinh(nn.Cell):
    def construct(self, x):
        e = ops.exp(x)
        self.kept = e
        return (e - 1 / e) / 2

    def bprop(self, x, out, dout):
        e = self.kept
        dx = (e + 1 / e) / 2 * dout
        return (dx,)
