"""The true derivative is always the best one.

It is 0 where it is defined. The first layer does not move at all, and a frozen readout cannot make up for that: what
you see is the accuracy of random weights.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Mine(nn.Surrogate):
    def slope(self, x):
        return ops.zeros_like(x)
