"""bprop returns one gradient for each order.

It returns one gradient for each **input**, and `construct` has one. The second order is nothing that you return: it is
worked out from the lines that computed the first.
"""

# ruff: noqa: D101
import minicell.nn as nn


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        dx = 3 * x * x * dout
        ddx = 6 * x * dout
        return dx, ddx
