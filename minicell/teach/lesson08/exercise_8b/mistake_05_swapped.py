"""select(condition, otherwise, then).

What is taken where the condition is **True** comes first, and the rest after it, as in `if` and `else`.
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
        y = ops.select(x > self.t, ops.select(x < -self.t, 0.0, x + self.t), x - self.t)
        return y
