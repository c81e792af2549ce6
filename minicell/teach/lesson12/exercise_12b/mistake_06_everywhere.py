"""The more membranes hear, the better: 1 everywhere.

All of them hear, and those far from the threshold as loud as the others. But no small push makes those spike: it is
noise. The table calls it `straight through`. Let the slope become smaller the further it is from the threshold.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Mine(nn.Surrogate):
    def slope(self, x):
        return ops.ones_like(x)
