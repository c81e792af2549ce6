"""Numbers: a gradient holds NaN or infinity; or jvp differentiates a bprop by its dout, in which it is not linear.

    def f(x):
        return ops.select(x > 0, ops.sqrt(x), x)        # at x = 0 the rule of Sqrt divides by 0,
    ms.grad(f)(ms.Tensor(0.0))                          # and 0 times infinity is NaN

NotANumberWarning names the op that first made one, or the bprop and its line.

    class Clip(nn.Cell):
        def construct(self, x): ...
        def bprop(self, x, out, dout):
            return (ops.relu(dout),)        # a gradient is linear in dout, and this is none
    ms.jvp(Clip(), x, v)                    # as MindSpore has it, at dout = 1

NotLinearWarning says so: whatever the dout, its product with the derivative along v must be that of v with the
gradient. Where these differ by no more than rounding does in the terms that were added up, the bprop is linear: of
softmax(x).sum(), which is 1 for each x, rounding is all that is left of both.

A gradient pays np.errstate, 1.3 µs, and a dot product of each of its results with itself: NumPy calls `bad_number` at
the first invalid operation on the way back. Where a bprop took over, jvp and jacfwd pay two more walks back, and two
more where its terms cancel.
"""

import sys
from collections.abc import Callable

import numpy as np

from ..core import differentiate, tape
from ..core.cell import addresses_by_class
from ..core.errors import HOME, Where, where_is
from ..core.tensor import tensors_in, wrap
from ..core.trap import Trap
from ..errors import NotANumberWarning, NotLinearWarning

UNMADE = 'No division by zero or other invalid operation on the way back made it: it came'
if sys.platform == 'emscripten':  # WebAssembly has no flags from which NumPy could know
    UNMADE = 'An operation on the way back made it (in a browser NumPy cannot say which), or it came'
READERS = {differentiate.read_once.__code__, differentiate.read_back.__code__}


def say_not_linear(gradient, fn, back, us: tuple, along: tuple, slopes: list) -> None:
    """jvp has differentiated back(*us) along these directions."""
    if gradient is None or tape.gradients or tape.looking:
        return
    cells = sorted({type(y).__name__ for rule, _, y, *_ in gradient.entries if rule.name == 'Takeover'})
    if cells and not is_linear(back, us, along, slopes):
        who = differentiate.name_of(fn)
        NotLinearWarning.warn(
            f'jvp of {who} goes through the bprop of {", ".join(cells)}, which is not linear in dout: the '
            f'derivative is that at dout = 1, as in MindSpore. Write it so that twice the dout gives twice the '
            f'gradient: a gradient is linear in dout.',
        )


@np.errstate(all='ignore')
def is_linear(back: Callable, us: tuple, along: tuple, slopes: list) -> bool:
    """Whether J v times u is v times J.T u for other cotangents u, of both signs, small and large ones."""
    some = 1.5 * (np.arange(1, 1 + sum(u.size for u in us)) * 0.618 % 1) - 0.55
    some = np.split(some, np.cumsum([u.size for u in us])[:-1])
    for times in 1, -64 if all(t.array.itemsize > 2 for t in (*us, *along)) else -2:  # (a Float16 is soon infinite)
        at = [wrap((times * a).reshape(u.shape).astype(u.array.dtype)) for a, u in zip(some, us, strict=True)]
        terms = [s.array * u.array.astype(float) for s, u in zip(slopes, at, strict=True)]
        terms += [-v.array * g.array.astype(float) for v, g in zip(along, back(*at), strict=True)]
        off, size = abs(sum(t.sum() for t in terms)), sum(np.abs(t).sum() for t in terms)
        if off > 1e-3 * size and off > 64 * rounding(back, at, along):
            return False
    return True


def rounding(back: Callable, us: list, along: tuple) -> float:
    """How far rounding moves the sum of back(*us) times these directions: each number there, and each term of it."""
    gradient = differentiate.Gradient(back, tuple(us), {}, tuple(range(len(us))), ())

    def walk() -> list:
        gradient.run_forward()
        tape.record_from(tape.NOWHERE)
        cts = [None] * (gradient.end - gradient.begin)
        for t, v in zip(gradient.outputs, along, strict=True):
            if t.at >= gradient.offset:
                k = t.at - gradient.offset
                cts[k] = v.array if cts[k] is None else cts[k] + v.array
        differentiate.read_back(gradient, cts)
        return cts

    total, cts = 0.0, gradient.while_open(walk)
    for (rule, x, y, out, *_), c in zip(gradient.entries[gradient.begin : gradient.end], cts, strict=True):
        if isinstance(c, np.ndarray):
            terms = [t.array for t in tensors_in((out, rule.tensors(x, y))) if t.at >= gradient.offset]
            of, largest = np.finfo(out.array.dtype), max(float(np.abs(a).max(initial=0)) for a in terms)
            total += np.abs(c).sum(dtype=float) * (float(of.eps) * largest + float(of.smallest_subnormal))
    return total


class Numbers(Trap):
    """Notes where a NaN or an infinity is made, and tells of it if one arrives."""

    def bad_number(self, kind: str, flag: int) -> None:
        """NumPy divided by zero or computed something invalid on the way back: remember at which entry and line."""
        frame, where = sys._getframe(1), None
        while frame is not None and frame.f_code not in READERS:
            if where is None and not frame.f_code.co_filename.startswith(HOME):
                where = Where(frame.f_code, frame.f_lasti)
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
        line = f' ({where_is(where.file, where.line)}: {where.text})' if where.code and not where.ours else ''
        who = f'{type(y).__name__}.bprop' if rule.name == 'Takeover' else f'the backward of {rule.name}'
        NotANumberWarning.warn(
            f'A gradient holds NaN or infinity. It was first made by {who}{line}, by '
            f'{kind.replace("value", "operation")}. If a select was to keep that away: backward multiplies by 0 there, '
            f'and 0 times infinity is NaN. Put the select before the op, so that the op never sees the bad value.',
        )


trap = Numbers()
