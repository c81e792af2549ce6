"""A mask is a mask: NumPy's will do.

The values are right, and the gradient is 0 everywhere. `asnumpy()` leaves the tape: what NumPy makes of the numbers
is a constant, and nothing leads from it back to `x`. Use `ops.select` on the Tensors themselves.
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
        import numpy as np

        data = x.asnumpy()
        y = ms.Tensor(np.where(data > self.t, data - self.t, np.where(data < -self.t, data + self.t, 0.0)))
        return y
