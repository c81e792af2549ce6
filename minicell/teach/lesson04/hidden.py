"""The Cells on which a check that a learner has written is tried: right ones, and wrong ones of many kinds."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
import minicell.nn as nn
import minicell.ops as ops

from .differences import slopes

# Among them is a 0: there a slope may be 0, and a quotient NaN. The rest is of both signs.
ROW = np.array([-1.3, 0.0, 0.4, 2.1, 0.7, -0.2, -1.6, 1.1])
MIXED = ms.Tensor(np.random.default_rng(4).standard_normal((8, 3)))
NUMBERS = [ms.Tensor(row) for row in np.eye(8)]  # a 1 in each place


class Hidden(NamedTuple):
    """A Cell in two functions: forward of x, and its gradient of (x, out, dout)."""

    right: bool
    said: str  # what its bprop does, for a sentence
    forward: Callable[[Any], Any]
    gradient: Callable[[Any, Any, Any], Any]

    def cell(self, seen: list[np.ndarray], douts: list[np.ndarray]) -> nn.Cell:
        """A new Cell of this kind; it notes at which x it is called, and with which dout."""

        def construct(_: Any, x: Any) -> Any:
            seen.append(x.asnumpy())
            return self.forward(x)

        def bprop(_: Any, x: Any, out: Any, dout: Any) -> tuple:
            douts.append(dout.asnumpy())
            return (self.gradient(x, out, dout),)

        return type('Hidden', (nn.Cell,), {'construct': construct, 'bprop': bprop})()


def cube(x: Any) -> Any:
    """x * x * x."""
    return x * x * x


def measured(x: Any, out: Any, dout: Any) -> Any:
    """The gradient of sin, by the central differences of exercise 4a: it is equal to them in all digits."""
    return ms.Tensor(slopes(lambda x: (ops.sin(ms.Tensor(x)) * dout).sum().item(), x.asnumpy(), 1e-5))


NO_SIGN, CLIPS = 'takes the size of dout without its sign', 'cuts each number of dout off at 10 and −10'
SHRINKS, WRAPS = 'makes large numbers of dout a tenth smaller', 'changes the sign of large numbers of dout'
CANCELS, SMALL = 'is off by amounts that add up to 0', 'is small, and twice too large'
HIDDEN = {
    'tanh': Hidden(True, 'is right', ops.tanh, lambda x, out, dout: (1 - out * out) * dout),
    'flat': Hidden(True, 'is right, and 0 at 0', cube, lambda x, out, dout: 3 * x * x * dout),
    'steep': Hidden(True, 'is right, and steep', lambda x: 1000 * ops.exp(3 * x), lambda x, out, dout: 3 * out * dout),
    'mixing': Hidden(True, 'is right, for 3 outputs', lambda x: x * x @ MIXED, lambda x, out, d: 2 * x * (d @ MIXED.T)),
    'measured': Hidden(True, 'is right, and measured', ops.sin, measured),
    'no square': Hidden(False, 'has another slope than tanh', ops.tanh, lambda x, out, dout: (1 - out) * dout),
    'no dout': Hidden(False, 'forgets dout', lambda x: x * x, lambda x, out, dout: 2 * x),
    # too small, whatever dout is; the next one is too large
    'no sign, falling': Hidden(False, NO_SIGN, lambda x: -ops.exp(x), lambda x, out, dout: out * ops.abs(dout)),
    'no sign, rising': Hidden(False, NO_SIGN, ops.exp, lambda x, out, dout: out * ops.abs(dout)),
    'clipped': Hidden(False, CLIPS, ops.sin, lambda x, out, dout: ops.cos(x) * ops.clamp(dout, -10.0, 10.0)),
    'shrunk': Hidden(False, SHRINKS, ops.sin, lambda x, out, d: ops.cos(x) * (0.9 * d + ops.clamp(0.1 * d, -1.0, 1.0))),
    'wrapped': Hidden(False, WRAPS, ops.sin, lambda x, out, d: ops.cos(x) * ops.select(ops.abs(d) > 10, -d, d)),
    'per cent': Hidden(False, 'is off by one per cent', ops.sin, lambda x, out, dout: 1.01 * ops.cos(x) * dout),
    'twice': Hidden(False, 'is twice too large', ops.sin, lambda x, out, dout: 2 * ops.cos(x) * dout),
    'small': Hidden(False, SMALL, lambda x: 0.001 * ops.sin(x), lambda x, out, dout: 0.002 * ops.cos(x) * dout),
    'cancelling': Hidden(False, CANCELS, ops.exp, lambda x, out, dout: out * dout + dout - dout.mean()),
    **{  # who compares some of the numbers alone misses one
        f'number {k}': Hidden(False, f'is 0 in number {k} alone', ops.exp, lambda x, out, d, at=at: (1 - at) * out * d)
        for k, at in enumerate(NUMBERS)
    },
    'turned': Hidden(False, 'has its numbers in other places', ops.exp, lambda x, out, dout: (out * dout)[::-1]),
    'nan': Hidden(False, 'is NaN where x is 0', cube, lambda x, out, dout: 3 * out / x * dout),
}
