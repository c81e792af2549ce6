"""> is >=.

Look how well it hides: where `x` is `t`, `x - t` is 0, so all values are right. But the other branch was taken, and
its gradient is 1 where 0 is due.
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
        y = ops.select(x >= self.t, x - self.t, ops.select(x <= -self.t, x + self.t, 0.0))
        return y
