"""Is this gradient right? The true one beside it, the largest difference, and a yes or no."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..story.record import Arrival, Gradient
from .again import Unknown, without_bprops

# How far off, relative to the largest true number (or 1), a gradient of this dtype may be and still agree.
TOLERANCE = {'Float16': 1e-2, 'Float32': 1e-4, 'Float64': 1e-7}


def judged(tape: Any, pull: Any) -> Callable[[tuple[Gradient, ...]], tuple[Gradient, ...]]:
    """What judges the gradients of one Pull, when someone asks."""

    def judge_all(gave: tuple[Gradient, ...]) -> tuple[Gradient, ...]:
        return tuple(judge(g, true) for g, true in zip(gave, truth(tape, pull, len(gave)), strict=True))

    return judge_all


def judged_again(tape: Any, key: object, arrivals: tuple[Arrival, ...]) -> tuple[Gradient, ...]:
    """A gradient of a gradient beside the one without any bprop."""
    given = tuple(Gradient(a.name, a.of, a.total, a.why) for a in arrivals)
    try:
        found = without_bprops(tape, key)
    except Unknown as error:
        return tuple(g._replace(why=str(error)) for g in given)
    return tuple(judge(g, true) for g, true in zip(given, found, strict=True))


def truth(tape: Any, pull: Any, count: int) -> tuple:
    """The true gradients for one Pull, each an array or the reason why there is none."""
    from minicell import check

    with np.errstate(all='ignore'):  # the numbers are shown as they are: NaN and infinity have glyphs
        found = tuple(check.truth(tape, pull))
    return (*found, *(None,) * count)[:count]


def apart(yours: np.ndarray, true: np.ndarray) -> np.ndarray:
    """How far each number is from the true one; 0 where both are the same infinity, or both NaN."""
    with np.errstate(all='ignore'):
        difference = np.abs(yours.astype(np.float64) - true)
        return np.where((yours == true) | ((yours != yours) & (true != true)), 0, difference)


def judge(gradient: Gradient, true: Any) -> Gradient:
    """The gradient with its verdict beside it."""
    why = gradient.why
    if true is None:
        return gradient
    if isinstance(true, BaseException):
        return gradient._replace(why=why or f'no true gradient to compare it with: {" ".join(str(true).split())}')
    true = np.asarray(true)
    yours = gradient.value.data if gradient.value else np.zeros_like(true)
    if yours.shape != true.shape:
        return gradient._replace(why=f'shape {yours.shape}, due {true.shape}', true=true, ok=False)
    with np.errstate(all='ignore'):
        difference = apart(yours, true)
        error = float(difference.max()) if difference.size else 0.0
        sizes = np.abs(true[np.isfinite(true)]) if true.dtype.kind == 'f' else np.abs(true)
        largest = float(sizes.max()) if sizes.size else 0.0
        relative = error / largest if largest else None
        room = TOLERANCE.get(gradient.value.dtype if gradient.value else '', 1e-4)
        ok = error <= room * max(1.0, largest)
    return gradient._replace(why=why, true=true, error=error, relative=relative, ok=bool(ok))
