"""Numbers: a gradient holds NaN or infinity.

    def f(x):
        return ops.select(x > 0, ops.sqrt(x), x)        # at x = 0 the rule of Sqrt divides by 0,
    ms.grad(f)(ms.Tensor(0.0))                          # and 0 times infinity is NaN

NotANumberWarning names the op that first made one, or the bprop and its line.

A gradient pays np.errstate, 1.3 µs, and a dot product of each of its results with itself: NumPy calls `bad_number` at
the first invalid operation on the way back.
"""

import sys

import numpy as np

from ..core import differentiate
from ..core.cell import addresses_by_class
from ..core.errors import HOME, Where
from ..core.trap import Trap
from ..errors import NotANumberWarning

UNMADE = 'No division by zero or other invalid operation on the way back made it: it came'
if sys.platform == 'emscripten':  # WebAssembly has no flags from which NumPy could know
    UNMADE = 'An operation on the way back made it (in a browser NumPy cannot say which), or it came'
READERS = {differentiate.read_once.__code__, differentiate.read_back.__code__}


class Numbers(Trap):
    """Notes where a NaN or an infinity is made, and tells of it if one arrives."""

    def bad_number(self, kind: str, flag: int) -> None:
        """NumPy divided by zero or computed something invalid on the way back: remember at which entry and line."""
        frame, where = sys._getframe(1), None
        while frame is not None and frame.f_code not in READERS:
            if where is None and not frame.f_code.co_filename.startswith(HOME):
                where = Where.of(frame)
            frame = frame.f_back
        if frame is not None and frame.f_locals['gradient'].first_bad is None:
            at = frame.f_locals
            frame.f_locals['gradient'].first_bad = kind, at['rule'], at['y'], where or Where(at['code'], at['lasti'])

    def finished(self, gradient, gradients: list, unreached: list, finite: bool) -> None:
        if finite or all(np.isfinite(t.array).all() for t in gradients):
            return
        if gradient.first_bad is None:
            cells = ', '.join(sorted(kind.__name__ for kind in addresses_by_class))
            NotANumberWarning.warn(
                f'A gradient holds NaN or infinity. {UNMADE} with a number, an input, a value computed forward, sens'
                + (f', or what the bprop of {cells} returned.' if cells else '.'),
            )
            return
        kind, rule, y, where = gradient.first_bad
        line = f' ({where.said})' if where.f_code and not where.ours else ''
        who = f'{type(y).__name__}.bprop' if rule.name == 'Takeover' else f'the backward of {rule.name}'
        NotANumberWarning.warn(
            f'A gradient holds NaN or infinity. It was first made by {who}{line}, by '
            f'{kind.replace("value", "operation")}. If a select was to keep that away: backward multiplies by 0 there, '
            f'and 0 times infinity is NaN. Put the select before the op, so that the op never sees the bad value.',
        )


trap = Numbers()
