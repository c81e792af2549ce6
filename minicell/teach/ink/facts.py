"""What there is to say about an array of numbers, counted once: a million of them are drawn at every step."""

import weakref
from typing import NamedTuple

import numpy as np

SMALL = 4  # numbers are written out up to 4×4
SAMPLE = 4096  # so many numbers tell what is usual
OUTLIER = 8  # so many times what is usual is out of range


class Facts(NamedTuple):
    """Range and counts."""

    low: float  # of what is finite; 0 where nothing is
    high: float
    most: float  # the magnitude at which the tint is full
    nan: int
    infinite: int
    zeros: int


known: dict[int, tuple[weakref.ref, Facts]] = {}  # by id, as long as the array lives


def facts(data: np.ndarray) -> Facts:
    """The facts of an array that nobody writes to: a Tape's values are read-only."""
    if data.size <= SMALL * SMALL:
        return count(data)
    found = known.get(id(data))
    if found is not None and found[0]() is data:
        return found[1]
    counted = count(data)
    key = id(data)
    known[key] = weakref.ref(data, lambda _: known.pop(key, None)), counted
    return counted


def count(data: np.ndarray) -> Facts:
    """The facts of an array."""
    if data.dtype.kind not in 'fiub' or not data.size:
        return Facts(0.0, 0.0, 0.0, 0, 0, 0)
    finite = data.ravel()
    nan = infinite = 0
    if data.dtype.kind == 'f':
        is_finite = np.isfinite(finite)
        if not is_finite.all():
            nan = int(np.isnan(finite).sum())
            finite = finite[is_finite]
            infinite = data.size - finite.size - nan
    if not finite.size:
        return Facts(0.0, 0.0, 0.0, nan, infinite, 0)
    low, high = float(finite.min()), float(finite.max())
    zeros = int(finite.size - np.count_nonzero(finite))
    return Facts(low, high, typical(finite, max(abs(low), abs(high))), nan, infinite, zeros)


def typical(finite: np.ndarray, largest: float) -> float:
    """The largest magnitude; in a heatmap without the few that would leave all others grey."""
    if finite.size <= SMALL * SMALL or not largest:
        return largest
    some = np.abs(finite[:: max(finite.size // SAMPLE, 1)].astype(np.float64))
    some = some[some > 0]
    most = float(np.quantile(some, 0.95)) if some.size else largest
    return most if largest > OUTLIER * most else largest
