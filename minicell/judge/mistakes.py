"""The mistake of a wrong gradient: what `diagnose` says of a takeover, or of several trials of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.tensor import is_float, tensors_in
from ..replay.harmless import Harm
from ..replay.program import wide
from .diagnose import Trial, diagnose
from .takeover import FEW, Takeover
from .verdict import WRONG, Verdict


def named(
    told: Sequence[Verdict], trials: Sequence[Takeover], repeated: dict[str, list] | None = None
) -> list[Verdict]:
    """Verdicts with the mistakes named; a few further trials are made, so that nothing fits by accident.

    repeated: what bprop returned when it was asked the same again, and after another call.
    """
    if all(v.verdict != WRONG for v in told):
        return list(told)
    every = [*trials, *more(trials[0])]
    return [v if v.verdict != WRONG else v._replace(mistake=of(every, v.place, repeated)) for v in told]


def of(trials: Sequence[Takeover], place: int, repeated: dict[str, list] | None) -> str:
    """The mistake in one sentence, or ''."""
    found = [one for t in trials if (one := trial(t, place, repeated if t is trials[0] else None)) is not None]
    return diagnose(found) if found else ''


def more(t: Takeover) -> list[Takeover]:
    """The same takeover for other cotangents, and on other inputs of the same signs; none where that would do harm."""
    rng, found = np.random.default_rng(3), []
    try:
        for reach in (0.0, 0.5, 0.5):
            xs = [x if x.dtype.kind != 'f' else x * rng.uniform(1 - reach, 1 + reach, x.shape) for x in t.xs]
            program = t.again.program(xs) if reach else t.replay
            came = [None if g is None else rng.standard_normal(g.shape) for g in t.came]
            yours = t.again.bprop(xs, t.out, program.made, came)
            found.append(Takeover(t.name, t.names, xs, yours, came, t.asked, t.out, program, t.ask))
    except Harm:
        pass
    return found


def trial(t: Takeover, place: int, repeated: dict[str, list] | None) -> Trial | None:
    """A trial as `diagnose` takes it; None where nobody knows what is due."""
    visible = t.program is not None and not t.blind
    told = t.told.get(place)
    if told is None and visible:
        yours, due = t.yours[place], t.due[place]
        told = Verdict(t.name, t.names[place], place, True, yours, due, '', '', room=t.rooms(place, FEW))
    if told is None or told.due is None or told.given is None:
        return None
    outs = [wide(o) for o in tensors_in(t.out) if is_float(o)] if t.program is None else t.program.made
    values = {n: wide(x) for n, x in zip(t.names, t.xs, strict=True) if x.dtype.kind == 'f'}
    for name, given in (('out', outs), ('dout', [None if g is None else wide(g) for g in t.came])):
        values |= {name if len(given) == 1 else f'{name}[{k}]': g for k, g in enumerate(given) if g is not None}
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
