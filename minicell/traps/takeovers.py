"""Takeovers: what construct of a Cell with its own bprop takes from outside, and what it keeps for outside.

    class Scale(nn.Cell):
        def construct(self, x):
            self.h = x * self.w     # a Parameter that is not in internal_params; and the product is kept
            return self.h
        def bprop(self, x, out, dout):
            return (dout * self.w,) # no gradient is returned for w: it will not train
    ms.grad(lambda x: scale(x) * scale.h)(x)        # the gradient through scale.h would be lost

SwallowedParameterWarning for such a Parameter; CapturedValueWarning for a Tensor that came by a closure or by self.
HiddenValueError where a gradient would be lost; HiddenValueWarning where another Cell's bprop reads a kept value.

While construct runs, its inputs bear the takeover's own hidden address, so that any other address on the tape is a
captured value: an op inside a takeover pays one comparison for each operand, 30 ns. A hidden value has an address from
NOWHERE up, which says inside which Cell it was made: free until it is used. A gradient inside construct records on the
tape what it computes: that stretch is the takeover's own, and what comes into it from before is captured.
"""

from bisect import bisect_right

from ..core import doors, tape
from ..core.cell import addresses_by_class
from ..core.differentiate import tell_if_hidden
from ..core.errors import Where, users_line, warn
from ..core.rules import Marker, Plain, leaf
from ..core.tensor import memory, tensors_in
from ..errors import CapturedValueWarning, HiddenValueError, HiddenValueWarning, SwallowedParameterWarning
from . import written
from .bypassed import in_bprop

# hidden address of a takeover -> where gradients inside it begin and end on the tape; of nested ones, the outermost
stretches: dict[int, tuple[list, list]] = {}
doors.reset.append(stretches.clear)


def is_own(address: int, takeover: int) -> bool:
    """Whether this address on the tape was given by a gradient inside the takeover."""
    begins, ends = stretches.get(takeover, ((), ()))
    k = bisect_right(begins, address) - 1
    return k >= 0 and address < ends[k]


def ran_inside(gradient) -> None:
    """A function was called for its gradient: was it in a construct? Then see what it took from outside."""
    if not gradient.enclosing:
        return
    begins, ends = stretches.setdefault(gradient.enclosing, ([], []))
    while begins and begins[-1] > gradient.offset:
        begins.pop(), ends.pop()
    begins.append(gradient.offset)
    ends.append(gradient.offset + gradient.end - gradient.begin)
    bound = gradient.restore.args[0]['recorded_from']
    used = []
    for rule, x, y, *_ in gradient.entries[gradient.begin : gradient.end]:
        if rule is not leaf and not isinstance(rule, (Marker, Plain)):
            used += [t for t in rule.tensors(x, y) if t.at < gradient.offset]
    gradient.captured += [t for t in used if bound <= t.at < tape.NOWHERE]


def say_captured(cell, captured: list, frame) -> None:
    """`construct` of this Cell has returned, and used these."""
    name, takeover = type(cell).__name__, addresses_by_class[type(cell)][0]
    captured = [t for t in captured if not (is_own(t.at, takeover) or is_severed(t, takeover, name, frame))]
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


def is_severed(t, takeover: int, name: str, frame) -> bool:
    """Whether this was a constant until it was written; say so, unless it is a moving average of construct's own."""
    write = written.severed.get(id(memory(t.array))) if t.at == tape.recorded_from else None
    if write and write[5] != takeover:
        written.say_severed(name, [t], Where(frame.f_code, frame.f_lasti))
    return write is not None


def look_at_write(tensor, what: str, frame, source: object, how: object) -> None:
    """`what` writes the value `source`."""
    for t in tensors_in(source) if tape.gradients else ():
        if not tape.hidden_address:
            tell_if_hidden(what, t)
        elif tape.recorded_from <= t.at < tape.NOWHERE:
            doors.captured.append(t)


def escaped(name: str, at: int, frame) -> int:
    """`name` uses a value that was hidden and kept: an error where a gradient should pass."""
    cell = next((kind.__name__ for kind, (address, *_) in addresses_by_class.items() if address == at & ~1), 'a Cell')
    advice = (
        f'Return it from construct as a further output (bprop then finds it in out), or compute it again in bprop '
        f'from its inputs.{users_line(frame)}'
    )
    if tape.recorded_from != tape.NOWHERE:
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


doors.say_captured = say_captured
doors.ran_forward.append(ran_inside)
doors.escaped = escaped
doors.writing.insert(0, look_at_write)
