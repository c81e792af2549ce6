"""Work `e` out again from `x`, in `bprop`. Then `Exp` stands on the second tape, and the outer `grad` knows how `e`
depends on `x`. It costs one `exp`, and it cannot go stale.

`ops.sqrt(1 + out * out)` is the same slope, from `out`, and good as well. So is `e` as a second output, if `bprop`
answers for **its** `dout`, too: `e * de` is added to `dx`.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Sinh(nn.Cell):
    def construct(self, x):
        e = ops.exp(x)
        return (e - 1 / e) / 2

    def bprop(self, x, out, dout):
        e = ops.exp(x)  # once more: here it is recorded
        dx = (e + 1 / e) / 2 * dout
        return (dx,)
