"""The closer to the true derivative, the better.

Narrow and high: that is what a step looks like to somebody who differentiates it. But hardly any membrane is ever that
close to its threshold, and the few that are hear a shout.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Mine(nn.Surrogate):
    def slope(self, x):
        return 50 * (ops.abs(x) < 0.01).astype(x.dtype)
