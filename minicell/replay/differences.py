"""Slopes by differences: what a function says of itself, with no rule in between.

A difference (f(x + h v) - f(x - h v)) / 2h errs by h² (its curvature) and by rounding / h. So it is taken over a ladder
of steps, each in proportion to the numbers; what two neighbours on the ladder agree on is the slope, and how far they
are apart says how sure it is (Ridders 1982, doi.org/10.1016/S0141-1195(82)80057-0, without the extrapolation).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

FINEST = 1e-9  # of the terms that a number is made of: what counts as rounding in Float64
LADDER = tuple(10.0**-k for k in range(2, 8))
Function = Callable[[np.ndarray], Sequence[np.ndarray]]


class Slope(NamedTuple):
    """A slope along a direction, and on each side of the point; how far these may be off."""

    middle: float
    below: float
    above: float
    room: float
    doubt: float  # of those on the sides
    size: float  # of the terms of the function itself

    @property
    def kink(self) -> bool:
        """Whether there is no derivative: the slopes on the two sides are not the same."""
        return abs(self.above - self.below) > 8 * self.doubt + 1e-6 * max(abs(self.above), abs(self.below))

    def between(self, number: float, room: float) -> bool:
        """Whether a number lies between the slopes on the two sides."""
        low, high = sorted((self.below, self.above))
        return low - self.doubt - room <= number <= high + self.doubt + room


def scale(x: np.ndarray) -> np.ndarray:
    """How large a step is for each number: as it; for 0, as the others are, or 1 where all are 0."""
    size = np.abs(np.where(np.isfinite(x), x, 0.0))
    return np.where(size > 0, size, typical(x))


def typical(x: np.ndarray) -> float:
    """How large the numbers are that are not 0; 1 where there are none."""
    size = np.abs(x[np.isfinite(x) & (x != 0)])
    return float(np.sqrt(np.mean(size**2))) if size.size else 1.0


def slope(function: Function, x: np.ndarray, v: np.ndarray, came: Sequence[np.ndarray | None], eps: float) -> Slope:
    """The slope of sum(came · function) at x along v; eps: the rounding of what the function returns."""
    here, terms = function(x), 0.0
    size = sum(float(np.sum(np.abs(g * a))) for a, g in zip(here, came, strict=True) if g is not None)

    def change(t: float) -> float:
        nonlocal terms
        there = function(x + t * v)
        parts = [g * (b - a) for a, b, g in zip(here, there, came, strict=True) if g is not None]
        terms = max(terms, sum(float(np.sum(np.abs(p))) for p in parts) / abs(t))
        return sum(float(np.sum(p)) for p in parts)

    rungs = []
    for h in LADDER:
        up, down = change(h) / h, change(-h) / -h
        rungs.append((0.5 * (up + down), down, up))
    table, noise = np.array(rungs), eps * size / np.array(LADDER)
    gaps = np.where(np.isfinite(gaps := np.abs(np.diff(table, axis=0))), gaps, np.inf) + noise[1:, None]
    at, side = int(np.argmin(gaps[:, 0])), int(np.argmin(gaps[:, 1:].max(1)))
    (middle, _, _), (_, below, above) = table[at + 1].tolist(), table[side + 1].tolist()
    room = max(gaps[max(at - 1, 0), 0] / 100, gaps[at, 0], gaps[min(at + 1, len(gaps) - 1), 0] / 10)  # (no lucky gap)
    return Slope(middle, below, above, float(room) + FINEST * terms, float(gaps[side, 1:].max()), size)


def jumps(function: Function, x: np.ndarray, among: np.ndarray) -> bool:
    """Whether the function jumps near x where these numbers change: between two places where it differs, what is left
    of the difference on ever shorter ways is a jump."""
    rng, size, here = np.random.default_rng(0), scale(x) * among, function(x)
    for reach in (0.1, 1.0, 10.0, 100.0):
        for _ in range(3):
            v = reach * size * rng.normal(size=x.shape)
            first, last, low, high = here, function(x + v), 0.0, 1.0
            whole = gap(first, last)
            while whole and gap(first, last) > 1e-3 * whole:
                middle = 0.5 * (low + high)
                if middle in (low, high) or high - low < 1e-12:
                    return True
                value = function(x + middle * v)
                if gap(first, value) > gap(value, last):
                    high, last = middle, value
                else:
                    low, first = middle, value
    return False


def gap(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> float:
    """The largest difference between two lists of arrays."""
    return max((float(np.max(np.abs(p - q), initial=0.0)) for p, q in zip(a, b, strict=True)), default=0.0)


def groups(given: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """Which numbers are tried together: those whose parts of a slope are about as large, so that none hides another."""
    size = np.abs(given) * scale(x)
    top = np.max(size, initial=0.0, where=np.isfinite(size))
    with np.errstate(all='ignore'):
        decade = np.where(size > 0, np.clip(np.floor(np.log10(top / size) / 2), 0, 5), 6)
    return [mask for k in range(7) if (mask := decade == k).any()]


class Tried(NamedTuple):
    """What a gradient says of the slope along a direction, beside the slope itself."""

    way: np.ndarray
    slope: Slope
    said: float
    room: float

    @property
    def sure(self) -> bool:
        """Whether differences can tell: what they are not sure of is small beside the slope, or beside the function."""
        there = max(abs(self.said), abs(self.slope.middle))
        return 4 * self.slope.room <= max(0.02 * there, 1e-6 * self.slope.size) or not there

    @property
    def agrees(self) -> bool:
        """Whether they agree."""
        return abs(self.slope.middle - self.said) <= self.room and not (self.sure and self.slope.kink)


class Trying:
    """A function of one input, and cotangents of what it returns; eps: its rounding, and that of the gradients."""

    def __init__(self, function: Function, x: np.ndarray, came: Sequence, eps: tuple[float, float]) -> None:
        self.function, self.x, self.came, self.eps = function, x, came, eps

    def along(self, given: np.ndarray, v: np.ndarray) -> Tried:
        """What a gradient says along a direction."""
        parts, measured = given * v, slope(self.function, self.x, v, self.came, self.eps[0])
        room = 4 * measured.room + 64 * self.eps[1] * float(np.sqrt(np.sum(parts**2)))
        return Tried(v, measured, float(np.sum(parts)), room + FINEST * float(np.sum(np.abs(parts))))

    def all(self, given: np.ndarray) -> list[Tried]:
        """The same along random directions, each for numbers that matter about as much."""
        rng, found = np.random.default_rng(0), []
        for mask in groups(given, self.x):
            for _ in range(2 if mask.sum() > 1 else 1):
                v = mask * scale(self.x) * rng.uniform(0.5, 1, self.x.shape) * rng.choice([-1.0, 1.0], self.x.shape)
                found.append(self.along(given, v))
        return found

    def holds(self, given: np.ndarray | None) -> bool:
        """Whether differences agree with a gradient, as far as they are sure of anything."""
        if given is None or not np.isfinite(given).all():
            return False
        tried = self.all(given)
        return all(t.agrees for t in tried) and (any(t.sure for t in tried) or not tried)


def directions(
    xs: Sequence[np.ndarray], rng: np.random.Generator, place: int, towards: np.ndarray | None = None
) -> list[np.ndarray | None]:
    """A direction for each input, in proportion to its numbers; for one of them, it may lead towards something."""
    v = [
        rng.uniform(0.5, 1, x.shape) * rng.choice([-1.0, 1.0], x.shape) * scale(x) if x.dtype.kind == 'f' else None
        for x in xs
    ]
    if towards is not None:
        v[place] = np.where(towards, np.sign(towards), 1e-3) * np.abs(v[place])
    return v


def moved(xs: Sequence[np.ndarray], v: list[np.ndarray | None], radius: float) -> list[list[np.ndarray]]:
    """Inputs on both sides of a point."""
    pairs = list(zip(xs, v, strict=True))
    return [[x if d is None else x + sign * radius * d for x, d in pairs] for sign in (1, -1)]
