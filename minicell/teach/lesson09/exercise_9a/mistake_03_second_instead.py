"""I need the second derivative, so that is what bprop returns.

`6 * x` is right, but not in this place. `bprop` returns the first derivative. Write the slope of the cube, and the
outer `grad` will find `6 * x` by itself.
"""

# ruff: noqa: D101
import minicell.nn as nn


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        dx = 6 * x * dout
        return (dx,)
