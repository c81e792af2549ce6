"""Not linear: jvp differentiates a bprop by its dout, and this one is not linear in it.

    class Clip(nn.Cell):
        def construct(self, x): ...
        def bprop(self, x, out, dout):
            return (ops.relu(dout),)        # a gradient is linear in dout, and this is none
    ms.jvp(Clip(), x, v)                    # as MindSpore has it, at dout = 1

NotLinearWarning says so: twice the dout must give twice the gradient, and minus dout its opposite.

Only jvp and jacfwd pay, and only where a bprop took over: two more walks back.
"""

import numpy as np

from ..core import doors, tape
from ..core.differentiate import name_of
from ..core.errors import MinicellWarning, warn_user
from ..core.tensor import wrap


class NotLinearWarning(MinicellWarning):
    """jvp through a bprop that is not linear in dout."""


def say(gradient, fn, back, us: tuple, along: tuple, slopes: list) -> None:
    """jvp has differentiated back(*us) along these directions."""
    if gradient is None or tape.gradients or tape.looking:
        return
    cells = sorted({type(y).__name__ for rule, _, y, *_ in gradient.entries if rule.name == 'Takeover'})
    if not cells:
        return
    plus = back(*us)
    minus = back(*[wrap(-u.array) for u in us])
    scale = sum(float(np.abs(g.array).sum()) for g in plus) + 1e-6
    odd = sum(float(np.abs(p.array + m.array).sum()) for p, m in zip(plus, minus, strict=True))
    # for a linear one, Euler: its derivative at u in the direction u is itself
    euler = sum(float((g.array * v.array).sum()) for g, v in zip(plus, along, strict=True))
    euler -= sum(float(s.array.sum()) for s in slopes)
    size = scale * max([float(np.abs(v.array).max(initial=0)) for v in along], default=0) + 1e-6
    if not (odd <= 1e-3 * scale and abs(euler) <= 1e-3 * size):
        warn_user(
            f'jvp of {name_of(fn)} goes through the bprop of {", ".join(cells)}, which is not linear in dout: the '
            f'derivative is that at dout = 1, as in MindSpore. Write it so that twice the dout gives twice the '
            f'gradient: a gradient is linear in dout.',
            NotLinearWarning,
        )


doors.pushed.append(say)
