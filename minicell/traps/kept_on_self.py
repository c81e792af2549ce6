"""Kept on self: construct of a Cell with its own bprop keeps a value for bprop, and the next call overwrites it.

    class Mask(nn.Cell):
        def construct(self, x):
            self.mask = x > 0               # right for one call
            return x * self.mask
        def bprop(self, x, out, dout):
            return (dout * self.mask,)      # after two calls: the second call's mask for both

KeptOnSelfWarning where construct keeps it: a gradient pays nothing, an attribute of a Cell 0.1 µs when it is set.
"""

from ..core import tape
from ..core.errors import MinicellWarning, warn_user
from ..core.tensor import tensors_in


class KeptOnSelfWarning(MinicellWarning):
    """A Tensor kept on self by the construct of a Cell with its own bprop: each call overwrites it."""


def look_at(cell, name: str, value: object) -> None:
    """An attribute of a Cell is set."""
    if tape.hidden_address and cell.bprop is not None and name not in cell._params and tensors_in(value):
        mine = type(cell).__name__
        warn_user(
            f'{mine}.construct keeps a Tensor in self.{name}, and {mine} has its own bprop. Each call overwrites '
            f"it, so that bprop finds the last call's value, whichever call it is asked about. Return it as a "
            f'further output, and bprop gets the right one in out.',
            KeptOnSelfWarning,
        )
