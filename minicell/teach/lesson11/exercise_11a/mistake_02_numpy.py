"""NumPy can look, if the Tensor cannot.

`asnumpy()` is the same look at numbers that do not exist yet. If it passed, the mask of the first call would be a
constant of the graph, for ever.
"""

# ruff: noqa: D101
import numpy as np

import minicell.nn as nn
import minicell.ops as ops
from minicell import Tensor


class Leaky(nn.Cell):
    def construct(self, x):
        return ops.select(x > 0, x, 0.1 * x)

    def bprop(self, x, out, dout):
        # It was, for a single number, and in eager mode:
        # if x > 0:
        #     dx = dout
        # else:
        #     dx = 0.1 * dout
        mask = np.where(x.asnumpy() > 0, 1.0, 0.1)
        dx = Tensor(mask) * dout
        return (dx,)
