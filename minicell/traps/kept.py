"""Kept: a value made inside a takeover is used where a gradient should pass through it.

    class Scale(nn.Cell):
        def construct(self, x):
            self.h = x * 2          # unrecorded, as everything inside a Cell with its own bprop
            return self.h
        def bprop(self, x, out, dout): ...
    ms.grad(lambda x: scale(x) * scale.h)(x)        # the gradient through scale.h would be lost

HiddenValueError where a gradient would be lost; HiddenValueWarning where another Cell's bprop reads such a value.

A hidden value has an address from NOWHERE up, which says inside which Cell it was made: free until it is used.
"""

from ..core import doors, tape
from ..core.cell import hidden_addresses
from ..core.errors import MinicellError, MinicellWarning, users_line, warn
from .bypassed import in_bprop


class HiddenValueError(MinicellError, RuntimeError):
    """A value made inside a Cell with its own bprop, used where a gradient would have to pass through it."""


class HiddenValueWarning(MinicellWarning):
    """A value kept by the construct of a Cell with its own bprop, read by a bprop: the last call's value."""


def escaped(name: str, at: int, frame) -> int:
    """`name` uses a value that was hidden and kept: an error where a gradient should pass."""
    cell = next((kind.__name__ for kind, (address, _) in hidden_addresses.items() if address == at & ~1), 'a Cell')
    advice = (
        f'Return it from construct as a further output (bprop then finds it in out), or compute it again in bprop '
        f'from its inputs.{users_line(frame)}'
    )
    if tape.start != tape.NOWHERE:
        raise HiddenValueError(
            f'{name} uses a value that was computed inside construct of {cell}, which has its own bprop: '
            f'nothing there is recorded, so the gradient through this value would silently be lost. {advice}'
        )
    running = in_bprop()
    if running:
        warn(
            f'{type(running[0]).__name__}.bprop uses a value that construct of {cell} kept: if the Cell is called '
            f"twice, this is the last call's value, and the gradient of the first call is wrong. {advice}",
            HiddenValueWarning,
            frame,
        )
    return at


doors.escaped = escaped
