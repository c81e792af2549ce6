"""dout comes from outside, so it is a constant for me.

It comes from outside, but it depends on `x` all the same: the loss behind the Cell has looked at `out`. The first order
does not notice. The second loses the way through `dout`.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        dx = 3 * x * x * ops.stop_gradient(dout)
        return (dx,)
