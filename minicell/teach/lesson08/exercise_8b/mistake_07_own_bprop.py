"""What chooses needs a bprop.

Your `bprop` is right, and it is one more thing that can be wrong. `select` has a rule, and so has `-`. Leave it
out: nothing is lost.
"""

# ruff: noqa: D101, F401
import minicell as ms
import minicell.nn as nn
import minicell.ops as ops


class Shrink(nn.Cell):
    def __init__(self, t):
        super().__init__()
        self.t = t

    def construct(self, x):
        y = ops.select(x > self.t, x - self.t, ops.select(x < -self.t, x + self.t, 0.0))
        return y

    def bprop(self, x, out, dout):
        passed = ops.logical_or(x > self.t, x < -self.t)
        return (dout * passed,)
