"""Where to jump to in a tape: the next takeover, the largest gradient, the first NaN, the first wrong gradient.

Each takes the frames (or their Record) and the current step, and returns the step to go to, or None where there is
none. A widget makes a button of each row of JUMPS.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from .model import Frame, Record, Value

Told = Sequence[Frame] | Record


def record_of(told: Told) -> Record:
    """The Record behind some frames."""
    return told if isinstance(told, Record) else told[0].record


def takeover(told: Told, step: int) -> int | None:
    """The next step in which backward calls a bprop of the user's; behind the last one, the first again."""
    record = record_of(told)
    found = [
        i
        for i, s in enumerate(record.steps)
        if s.kind == 'reach' and s.entry is not None and record.entries[s.entry].kind == 'call'
    ]
    return next((i for i in found if i > step), found[0] if found else None)


def largest(told: Told, step: int) -> int | None:
    """The step that hands out the gradient with the largest finite magnitude."""
    best, where = 0.0, None
    for at, values in handed(record_of(told)):
        for value in values:
            most = magnitude(value)
            if most > best:
                best, where = most, at
    return where


def first_nan(told: Told, step: int) -> int | None:
    """The first step that shows a NaN, forward or backward."""
    record = record_of(told)
    for at, s in enumerate(record.steps):
        if any(has_nan(value) for value in shown(record, at)) or (s.value is not None and has_nan(s.value)):
            return at
    return None


def first_wrong(told: Told, step: int) -> int | None:
    """The first step in which a bprop of the user's hands out a gradient that is not the true one."""
    record = record_of(told)
    for at, s in enumerate(record.steps):
        if s.kind == 'give' and any(g.ok is False for g in record.readings[s.reading].gradients):
            return at
    return None


def nearest(told: Sequence[Frame], at: int) -> int:
    """The step of some frames that stands nearest to the time `at` (a `Frame.at`): to stay there when the zoom changes.

    Of several steps at one time, the first; a time between two steps belongs to the earlier one.
    """
    times = [s.at for s in record_of(told).steps]
    before = [i for i, t in enumerate(times) if t <= at]
    latest = times[before[-1]] if before else 0
    return next((i for i in before if times[i] == latest), 0)


JUMPS: tuple[tuple[str, str, Callable[[Told, int], int | None]], ...] = (
    ('Takeover', 'Go to the next call of a bprop of your own', takeover),
    ('Largest', 'Go to the largest gradient', largest),
    ('NaN', 'Go to the first NaN', first_nan),
    ('Wrong', 'Go to the first gradient that is not the true one', first_wrong),
)


def handed(record: Record) -> Iterable[tuple[int, list[Value]]]:
    """Each step that hands out gradients, with these."""
    for at, s in enumerate(record.steps):
        if s.kind == 'give':
            yield at, [g.value for g in record.readings[s.reading].gradients if g.value is not None]


def shown(record: Record, at: int) -> list[Value]:
    """The values that a step brings."""
    s = record.steps[at]
    if s.kind == 'write' and s.entry is not None:
        return [*record.entries[s.entry].inputs, *record.entries[s.entry].outputs]
    if s.kind == 'start' and s.run is not None:
        return list(record.passes[s.run].seeds)
    if s.kind == 'give':
        return [g.value for g in record.readings[s.reading].gradients if g.value is not None]
    return []


def magnitude(value: Value) -> float:
    """The largest finite magnitude in a value; 0 where there is none."""
    if value.data is None or not value.data.size or value.data.dtype.kind not in 'fiu':
        return 0.0
    sizes = np.abs(value.data.astype(np.float64))
    finite = sizes[np.isfinite(sizes)]
    return float(finite.max()) if finite.size else 0.0


def has_nan(value: Value) -> bool:
    """Whether a value has a NaN in it."""
    return value.data is not None and value.data.dtype.kind == 'f' and bool(np.isnan(value.data).any())
