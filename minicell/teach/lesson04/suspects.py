"""The four Cells of exercise 4b, and what the checks say of each. The lesson shows the classes as they stand here."""

import minicell as ms
import minicell.nn as nn
import minicell.ops as ops


class A(nn.Cell):
    """Sigmoid."""

    def construct(self, x):
        return ops.sigmoid(x)

    def bprop(self, x, out, dout):
        return (out * (1 - out) * dout,)


class B(nn.Cell):
    """A bowl: the square root of 1 + x * x."""

    def construct(self, x):
        return ops.sqrt(1 + x * x)

    def bprop(self, x, out, dout):
        return (x * out * dout,)


class C(nn.Cell):
    """Exp."""

    def construct(self, x):
        return ops.exp(x)

    def bprop(self, x, out, dout):
        return (ops.stop_gradient(out) * dout,)


class D(nn.Cell):
    """A ramp that leaks: a tenth of x below 0."""

    def construct(self, x):
        return ops.select(x > 0, x, 0.1 * x)

    def bprop(self, x, out, dout):
        return (ops.select(x > 0, dout, 0.1 * dout),)


SUSPECTS = {'A': A, 'B': B, 'C': C, 'D': D}
HERE = (-1.0, 0.0, 0.5, 2.0)  # 0 is among them: a kink shows only where it is


def classify(kind: type[nn.Cell]) -> tuple[str, str]:
    """The word that fits a Cell, by its checks of first and second order at HERE, and what they said."""
    (first,), (second,) = (ms.check_bprop(kind(), ms.Tensor(HERE), order=order).rows for order in (1, 2))
    if not first.ok:
        return 'wrong', f'first order is off by up to {first.off:.2g}'
    if not second.ok:
        return 'wrong at second order', f'first order agrees; second order is off by up to {second.off:.2g}'
    if first.verdict == 'kink':
        return 'right, with a kink', 'both orders agree, and first order has a kink: ' + first.why
    return 'right', 'first and second order agree'
