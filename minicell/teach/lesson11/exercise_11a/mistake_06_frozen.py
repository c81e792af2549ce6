"""It was traced with positive numbers, so the first branch will do.

It will, until the first number below 0 comes. That is just what a frozen `if` would have done, and why minicell does
not freeze one on a value: it would be wrong without a word.
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
        dx = dout
        return (dx,)
