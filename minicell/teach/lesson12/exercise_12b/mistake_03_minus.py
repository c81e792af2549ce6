"""The sign does not matter, the optimizer finds its way.

The optimizer believes what it is told. Told that more membrane means fewer spikes, it walks uphill.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Mine(nn.Surrogate):
    def slope(self, x):
        return -(ops.abs(x) < 1).astype(x.dtype)
