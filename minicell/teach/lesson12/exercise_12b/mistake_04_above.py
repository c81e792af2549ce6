"""Only a neuron that spikes has something to learn.

A neuron that never spikes then never hears anything, and stays silent for good. It is the silent ones just below their
threshold that have to be told to spike.
"""

# ruff: noqa: D101, F401
import minicell.nn as nn
import minicell.ops as ops


class Mine(nn.Surrogate):
    def slope(self, x):
        return (x > 0).astype(x.dtype) * 5
