"""My bprop is called twice: the second time it has to return the second derivative.

It runs once for each first derivative that is asked for, and always as a first derivative. The second order comes from
the entries that its lines have left. With a counter it answers the wrong question every other time.
"""

# ruff: noqa: D101
import minicell.nn as nn


class Cube(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        self.calls += 1
        if self.calls % 2 == 1:
            dx = 3 * x * x * dout
        else:
            dx = 6 * x * dout
        return (dx,)
