"""Takeovers: what construct of a Cell with its own bprop takes from outside, and what it keeps for outside.

    class Scale(nn.Cell):
        def construct(self, x):
            self.h = x * self.w     # a Parameter that is not in internal_params; and the product is kept
            return self.h
        def bprop(self, x, out, dout):
            return (dout * self.w,) # no gradient is returned for w: it will not train
    ms.grad(lambda x: scale(x) * scale.h)(x)        # the gradient through scale.h would be lost

SwallowedParameterWarning for such a Parameter; CapturedValueWarning for a Tensor that came by a closure or by self,
also for one that another construct has hidden.
HiddenValueError where a gradient would be lost; HiddenValueWarning where another Cell's bprop reads a kept value.

While construct runs, its inputs bear the takeover's own hidden address, so that any other address on the tape is a
captured value: an op inside a takeover pays one comparison for each operand, 30 ns. A hidden value has an address from
NOWHERE up, which says inside which Cell it was made: free until it is used. A gradient inside construct records on the
tape what it computes: that stretch is the takeover's own, and what comes into it from before is captured.
"""

from bisect import bisect_right

from ..core import tape
from ..core.cell import addresses_by_class
from ..core.errors import users_line
from ..core.rules import Marker, Plain, leaf
from ..core.tensor import memory, tensors_in
from ..core.trap import Trap
from ..errors import CapturedValueWarning, HiddenValueError, HiddenValueWarning, SwallowedParameterWarning
from .bypassed import in_bprop
from .written import CONSTANT
from .written import trap as written


def is_severed(t, takeover: int, name: str, frame) -> bool:
    """Whether this was a constant until it was written; say so, unless it is a moving average of construct's own."""
    write = written.severed.since(memory(t.array)) if t.at == tape.recorded_from else CONSTANT
    if write[3] and write[4] != takeover:
        written.say_severed(name, [t], frame)
    return write is not CONSTANT


class Takeovers(Trap):
    """Knows which stretches of the tape belong to a takeover."""

    def __init__(self) -> None:
        # hidden address of a takeover -> where gradients inside it (of nested ones, the outermost) begin and end
        self.stretches: dict[int, tuple[list, list]] = {}
        self.books = (self.stretches,)

    def ran_forward(self, gradient) -> None:
        """Was it in a construct? Then see what its function took from outside."""
        if not gradient.enclosing:
            return
        begins, ends = self.stretches.setdefault(gradient.enclosing, ([], []))
        while begins and begins[-1] > gradient.offset:
            begins.pop(), ends.pop()
        begins.append(gradient.offset)
        ends.append(gradient.offset + gradient.end - gradient.begin)
        bound = gradient.restore.args[0]['recorded_from']
        used = []
        for rule, x, y, *_ in gradient.entries[gradient.begin : gradient.end]:
            if rule is not leaf and not isinstance(rule, (Marker, Plain)):
                reads = getattr(y, '_reads', None)  # of a Cell with a bprop: that is called later
                found = [*rule.tensors(x, y), *(tensors_in(reads.values(y)) if reads else ())]
                used += [t for t in found if t.at < gradient.offset]
        gradient.captured += [t for t in used if bound <= t.at < tape.NOWHERE]

    def uses(self, cell, used: list, frame) -> None:
        name, takeover = type(cell).__name__, addresses_by_class[type(cell)][0]
        used = [t for t in used if not (self.is_own(t.at, takeover) or is_severed(t, takeover, name, frame))]
        ours = tape.enclosing_addresses()  # (and a Parameter that another construct has written is a moving average)
        used = [t for t in used if t.at < tape.NOWHERE or not (t.at in ours or hasattr(t, 'requires_grad'))]
        for parameter in sorted({t.name for t in used if hasattr(t, 'requires_grad')}):
            SwallowedParameterWarning.warn(
                f'The Parameter {parameter} is used inside {name}, whose own bprop returns no gradient for it: '
                f'its gradient is 0 from here, and it will not train. Name it in self.internal_params, and let bprop '
                f'return (gradients of the inputs), {{parameter: its gradient}}.',
                frame,
            )
        shapes = sorted({str(t.shape) for t in used if not hasattr(t, 'requires_grad')})
        if shapes:
            CapturedValueWarning.warn(
                f'construct of {name} uses a Tensor of shape {shapes[0]} that is being differentiated and is none of '
                f'its inputs: it came by a closure, a global or self. The bprop of {name} returns no gradient for it, '
                f'so that its part of the gradient is silently 0. Make it an input, and return its gradient too; or '
                f'write ops.stop_gradient(...) where that is meant.',
                frame,
            )

    def escaped(self, name: str, at: int, frame) -> int:
        """An error where a gradient should pass."""
        names = {address: kind.__name__ for kind, (address, *_) in addresses_by_class.items()}
        cell = names.get(at & ~1, 'a Cell')
        advice = 'Return it from construct as a further output (bprop then finds it in out), or compute it again in'
        advice = f'{advice} bprop from its inputs.{users_line(frame)}'
        if tape.recorded_from != tape.NOWHERE:
            raise HiddenValueError(
                f'{name} uses a value that was computed inside construct of {cell}, which has its own bprop: '
                f'nothing there is recorded, so the gradient through this value would silently be lost. {advice}'
            )
        running = in_bprop()
        if running:
            HiddenValueWarning.warn(
                f'{type(running[0]).__name__}.bprop uses a value that construct of {cell} kept: if the Cell is called '
                f"twice, this is the last call's value, and the gradient of the first call is wrong. {advice}",
                frame,
            )
        return at

    def is_own(self, address: int, takeover: int) -> bool:
        """Whether this address on the tape was given by a gradient inside the takeover."""
        begins, ends = self.stretches.get(takeover, ((), ()))
        k = bisect_right(begins, address) - 1
        return k >= 0 and address < ends[k]


trap = Takeovers()
