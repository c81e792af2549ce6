"""The verdicts on a gradient of a gradient: a bprop that is right may still have the wrong derivative."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.watch import Tape
from ..replay.nested import EPS, Unknown, without_bprops
from ..replay.program import GRADIENT
from .verdict import NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict

TIMES = 4  # how often its inputs are rounded at random


def verdicts(tape: Tape, run: Any, through: Sequence[Any]) -> list[Verdict]:
    """The verdicts on the results of a gradient of a gradient. through: the readings of bprops that it went through."""
    inner = [v for reading in through for v in reading.verdicts if v.verdict != NOT_ASKED]
    cell = inner[0].cell if inner else ''
    told = [
        Verdict(cell, a.of, k, True, None if a.total is None else a.total.data, None, '', UNKNOWN, a.why)
        for k, a in enumerate(run.arrivals)
    ]
    try:
        if unseen := next((v.unseen for v in inner if v.unseen not in ('', GRADIENT)), ''):
            raise Unknown(unseen)
        due, *rounded = without_bprops(tape, run.key, range(1 + TIMES))
    except Unknown as error:
        why = f'The gradient of a gradient is not known here: {str(error).rstrip(".")}.'
        return [v._replace(why=why) for v in told]
    same = 'The first derivative is right, the second is not: ' * (run.outermost and all(v.ok for v in inner))
    return [judged(v, d, [r[v.place] for r in rounded], inner, same) for v, d in zip(told, due, strict=True)]


def judged(told: Verdict, due: np.ndarray, rounded: list[np.ndarray], inner: list[Verdict], same: str) -> Verdict:
    """One of them."""
    with np.errstate(all='ignore'):
        own = float(np.finfo(told.yours.dtype if told.yours is not None else np.float32).eps)
        eps = max(EPS, own)
        room = 64 * eps * np.abs(due) + eps / EPS * 16 * np.sqrt(np.mean(np.square(np.subtract(rounded, due)), 0))
        first = [float(np.max(np.abs(v.yours), initial=0.0)) for v in inner if v.yours is not None]
        room = room + 8 * own * max(first, default=0.0)  # what is left of terms that cancel
        told = told._replace(due=due, by='rules', room=np.nan_to_num(room))
        if not np.isfinite(due).all():
            return told._replace(why='The rules give NaN or infinity here.')
        if not told.differs.any():
            return told._replace(verdict=RIGHT, why='')
    if any(v.verdict == SURROGATE for v in inner):
        return told._replace(verdict=SURROGATE, why='It goes through a surrogate, whose derivative is one, too.')
    return told._replace(verdict=WRONG, why=same + told.numbers)
