"""Nobody uses the second output, so its dout is nothing to me.

To return `e` is a good idea: `bprop` finds it in `out`, and it keeps its place. But then your own first gradient uses
it! At second order a `dout` for `e` arrives, and `bprop` drops it. Add `e * de` to `dx`.
"""

# ruff: noqa: D101
import minicell.nn as nn
import minicell.ops as ops


class Sinh(nn.Cell):
    def construct(self, x):
        e = ops.exp(x)
        return (e - 1 / e) / 2, e

    def bprop(self, x, out, dout):
        _, e = out
        dy, _ = dout
        dx = (e + 1 / e) / 2 * dy
        return (dx,)
