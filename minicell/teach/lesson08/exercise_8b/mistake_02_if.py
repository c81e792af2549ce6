"""if asks each number by itself.

`x > self.t` is a whole Tensor of answers, and `if` wants one. Python does not go through the numbers for you.
`ops.select` asks for each place by itself.
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
        if x > self.t:
            y = x - self.t
        elif x < -self.t:
            y = x + self.t
        else:
            y = 0.0
        return y
