"""Captured: construct of a Cell with its own bprop uses a differentiated value that is none of its inputs.

    class Scale(nn.Cell):
        def construct(self, x):
            return x * self.w           # a Parameter that is not in internal_params
        def bprop(self, x, out, dout):
            return (dout * self.w,)     # and that no gradient is returned for: it will not train

SwallowedParameterWarning for a Parameter; CapturedValueWarning for a Tensor that came by a closure or by self.

While construct runs, its inputs bear the takeover's own hidden address, so that any other address on the tape is such a
value: an op inside a takeover pays one comparison for each operand, 30 ns.
"""

from ..core import doors
from ..core.errors import MinicellWarning, warn


class SwallowedParameterWarning(MinicellWarning):
    """A Parameter inside a Cell with its own bprop, which returns no gradient for it."""


class CapturedValueWarning(MinicellWarning):
    """A differentiated Tensor inside a Cell with its own bprop that is none of its inputs."""


def say(cell, captured: list, frame) -> None:
    """`construct` of this Cell has returned, and used these."""
    name = type(cell).__name__
    for parameter in sorted({t.name for t in captured if hasattr(t, 'requires_grad')}):
        warn(
            f'The Parameter {parameter} is used inside {name}, whose own bprop returns no gradient for it: '
            f'its gradient is 0 from here, and it will not train. Name it in self.internal_params, and let bprop '
            f'return (gradients of the inputs), {{parameter: its gradient}}.',
            SwallowedParameterWarning,
            frame,
        )
    shapes = sorted({str(t.shape) for t in captured if not hasattr(t, 'requires_grad')})
    if shapes:
        warn(
            f'construct of {name} uses a Tensor of shape {shapes[0]} that is being differentiated and is none of its '
            f'inputs: it came by a closure, a global or self. The bprop of {name} returns no gradient for it, so that '
            f'its part of the gradient is silently 0. Make it an input, and return its gradient too; or write '
            f'ops.stop_gradient(...) where that is meant.',
            CapturedValueWarning,
            frame,
        )


doors.say_captured = say
