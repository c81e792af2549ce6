"""An if works as soon as its condition is one number.

In eager mode it does. While a graph is made there are no numbers to look at, only nodes to come: `x.sum()` is one of
them. And for three numbers you would need three answers.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Leaky(nn.Cell):
    def construct(self, x):
        return ops.select(x > 0, x, 0.1 * x)

    def bprop(self, x, out, dout):
        # It was, for a single number, and in eager mode:
        # if x > 0:
        #     dx = dout
        # else:
        #     dx = 0.1 * dout
        if x.sum() > 0:
            dx = dout
        else:
            dx = 0.1 * dout
        return (dx,)
