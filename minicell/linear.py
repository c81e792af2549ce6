"""Not linear: jvp differentiates a bprop, a hook or a rule by its dout, and that is not linear in it.

    class Clip(nn.Cell):
        def construct(self, x): ...
        def bprop(self, x, out, dout):
            return (ops.relu(dout),)        # a gradient is linear in dout, and this is none
    ms.jvp(Clip(), x, v)                    # as MindSpore has it, at dout = 1

NotLinearWarning says so: whatever the dout, its product with the derivative along v must be that of v with the
gradient. Where these differ by no more than rounding does in the terms that were added up, the bprop is linear: of
softmax(x).sum(), which is 1 for each x, rounding is all that is left of both.

Where such code is called on the way back, jvp and jacfwd pay two more walks, and two more where terms cancel.
"""

from collections.abc import Callable

import numpy as np

from . import tracing
from .core import differentiate, tape
from .core.tensor import tensors_in, wrap
from .core.watch import aside
from .errors import NotLinearWarning
from .ops import hooks


def say_not_linear(gradient, fn, back, us: tuple, along: tuple, slopes: list) -> None:
    """jvp has differentiated back(*us) along these directions."""
    entries = gradient.entries[gradient.begin : gradient.end]
    said = {f'the bprop of {type(y).__name__}' for rule, _, y, *_ in entries if rule.name == 'Takeover'}
    said |= {f'the rule of {rule.name}' for rule, *_ in entries if hasattr(rule, 'owner')}
    said |= {'a hook' for rule, *_ in entries if isinstance(rule, (hooks.HookedRule, hooks.Passing))}
    said |= {'a hook' for t in (*gradient.leaves, *gradient.sources) if id(t) in hooks.of_leaves}
    with aside():  # of the gradients and Tapes that are open
        linear = not said or tracing.tracer is not None or is_linear(back, us, along, slopes)
    if not linear:
        NotLinearWarning.warn(
            f'jvp of {differentiate.name_of(fn)} goes through {", ".join(sorted(said))}, which is not linear in dout: '
            f'the derivative is that at dout = 1, as in MindSpore. Let twice the dout give twice the gradient.',
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
