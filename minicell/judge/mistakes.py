"""The mistake of a wrong gradient: what `diagnose` says of a takeover, or of several trials of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import MinicellError
from ..core.tensor import is_float, tensors_in
from ..harmless import Harm
from .diagnose import Trial, diagnose
from .program import wide
from .takeover import Takeover
from .verdict import WRONG, Verdict


def of(trials: Sequence[Takeover], place: int, repeated: dict[str, list] | None = None) -> str:
    """In one sentence, or ''; repeated: what bprop returned when it was asked the same again, and after another call."""
    found = [one for t in trials if (one := trial(t, place, repeated if t is trials[0] else None)) is not None]
    return diagnose(found) if found else ''


def named(t: Takeover, told: Verdict) -> Verdict:
    """A verdict with the mistake named: bprop is asked for other cotangents, so that nothing fits by accident."""
    if told.verdict != WRONG:
        return told
    return told._replace(mistake=of([t, *more(t)], told.place))


def more(t: Takeover) -> list[Takeover]:
    """The same takeover for some random cotangents, in Float64; none where its bprop cannot be asked again."""
    rng, found = np.random.default_rng(3), []
    try:
        replay = t.replay
        for _ in range(2):
            came = [None if g is None else rng.standard_normal(g.shape) for g in t.came]
            yours = t.again.bprop(t.xs, t.out, replay.made, came)
            found.append(Takeover(t.name, t.names, t.xs, yours, came, t.asked, t.out, replay, t.ask))
    except Harm:
        pass
    return found


def trial(t: Takeover, place: int, repeated: dict[str, list] | None) -> Trial | None:
    """A trial as `diagnose` takes it; None where nobody knows what is due."""
    try:
        told = t.verdict(place)
    except (Harm, MinicellError):
        return None
    if told.due is None or told.given is None:
        return None
    outs = [wide(o) for o in tensors_in(t.out) if is_float(o)] if t.program is None else t.program.made
    values = {n: wide(x) for n, x in zip(t.names, t.xs, strict=True) if x.dtype.kind == 'f'}
    for name, given in (('out', outs), ('dout', [None if g is None else wide(g) for g in t.came])):
        values |= {name if len(given) == 1 else f'{name}[{k}]': g for k, g in enumerate(given) if g is not None}
    visible = t.program is not None and not t.blind
    ones = [None if g is None else np.ones_like(g) for g in t.came]
    again = {what: answers[-1][place] for what, answers in (repeated or {}).items() if answers}
    return Trial(
        told.name, told.given, told.due, values,
        {n: d for k, (n, d) in enumerate(zip(t.names, t.due, strict=True)) if k != place} if visible else {},
        told.room, t.program.read(ones)[place] if visible else None,
        twice(t, place), **{k: wide(v) for k, v in again.items() if v is not None},
    )  # fmt: skip


def twice(t: Takeover, place: int) -> Any:
    """What bprop returns for twice the cotangents."""
    try:
        outs = [o.array for o in tensors_in(t.out) if is_float(o)]
        came = [None if g is None else g * g.dtype.type(2) for g in t.came]
        return t.again.bprop(t.inputs, t.out, outs, came)[place]
    except Harm:
        return None
