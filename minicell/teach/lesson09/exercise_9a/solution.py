"""The slope of `x * x * x` is `3 * x * x`, and `dout` multiplies it. Nothing more is needed: the lines leave products
on the second tape, and their rules give `6 * x`, and at third order 6.

What you must not do is to take `x`, `out` or `dout` off the tape on the way.
"""

# ruff: noqa: D101
import minicell.nn as nn


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        dx = 3 * x * x * dout
        return (dx,)
