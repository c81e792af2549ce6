"""Not a number: a gradient holds NaN or infinity, and the question is which op first made one.

    def f(x):
        return ops.select(x > 0, ops.sqrt(x), x)        # at x = 0 the rule of Sqrt divides by 0,
    ms.grad(f)(ms.Tensor(0.0))                          # and 0 times infinity is NaN

NotANumberWarning names the op, or the bprop and its line.

A gradient pays np.errstate, 1.3 µs, and a dot product of each of its results with itself: NumPy calls `bad_number` at
the first invalid operation on the way back.
"""

import sys

import numpy as np

from ..core import differentiate, doors
from ..core.cell import hidden_addresses
from ..core.errors import HOME, MinicellWarning, Where, warn_user, where_is

READERS = {differentiate.read_once.__code__, differentiate.read_back.__code__}


class NotANumberWarning(MinicellWarning):
    """A gradient with NaN or infinity in it, and the op that first made one."""


def bad_number(kind: str, flag: int) -> None:
    """NumPy divided by zero or computed something invalid on the way back: remember at which entry and line."""
    frame, where = sys._getframe(1), None
    while frame is not None and frame.f_code not in READERS:
        if where is None and not frame.f_code.co_filename.startswith(HOME):
            where = Where(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    if frame is not None and frame.f_locals['gradient'].first_bad is None:
        at = frame.f_locals
        frame.f_locals['gradient'].first_bad = kind, at['rule'], at['y'], where or Where(at['code'], at['lasti'])


def say(gradient, gradients: list) -> None:
    """Some number among these may be NaN or infinite."""
    if all(np.isfinite(t.array).all() for t in gradients):
        return
    if gradient.first_bad is None:
        cells = ', '.join(sorted(kind.__name__ for kind in hidden_addresses))
        warn_user(
            'A gradient holds NaN or infinity. No division by zero or other invalid operation on the way back made '
            'it: it came with a number, an input, a value computed forward, sens'
            + (f', or what the bprop of {cells} returned.' if cells else '.'),
            NotANumberWarning,
        )
        return
    kind, rule, y, where = gradient.first_bad
    line = f' ({where_is(where.file, where.line)}: {where.text})' if where.code and not where.ours else ''
    who = f'{type(y).__name__}.bprop' if rule.name == 'Takeover' else f'the backward of {rule.name}'
    warn_user(
        f'A gradient holds NaN or infinity. It was first made by {who}{line}, by '
        f'{kind.replace("value", "operation")}. '
        f'If a select was to keep that away: backward multiplies by 0 there, and 0 times infinity is NaN. Put the '
        f'select before the op, so that the op never sees the bad value.',
        NotANumberWarning,
    )


doors.bad_number = bad_number
doors.not_finite.append(say)
