"""Slopes by differences: what a function says of itself, with no rule in between.

A difference (f(x + h v) - f(x - h v)) / 2h errs by h² (its curvature) and by rounding / h. So it is taken over a ladder
of steps, each in proportion to the numbers; what two neighbours on the ladder agree on is the slope, and how far they
are apart says how sure it is (Ridders 1982, doi.org/10.1016/S0141-1195(82)80057-0, without the extrapolation).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ..ink.numbers import largest

FINEST = 1e-9  # of the terms that a number is made of: what counts as rounding in Float64
SINGLES = 64  # up to so many numbers, slopes are taken one by one
LADDER, FINER = (tuple(10.0**-k for k in range(*ends)) for ends in ((2, 8), (8, 12)))  # the second where need be
Function = Callable[[np.ndarray], Sequence[np.ndarray]]


class Slope(NamedTuple):
    """A slope along a direction, and on each side of the point; how far these may be off."""

    middle: float
    below: float
    above: float
    room: float
    doubt: float  # of those on the sides
    size: float  # of the terms of the function itself that change
    first: float  # what the largest step said

    @property
    def kink(self) -> bool:
        """Whether there is no derivative: the slopes on the two sides are not the same."""
        return abs(self.above - self.below) > 8 * self.doubt + 1e-6 * max(abs(self.above), abs(self.below))


def scale(x: np.ndarray) -> np.ndarray:
    """How large a step is for each number: as it; for 0, as the others are, or 1 where all are 0."""
    size = np.abs(np.where(np.isfinite(x), x, 0.0))
    return np.where(size > 0, size, typical(x))


def somewhere(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A direction, in proportion to the numbers."""
    return rng.uniform(0.5, 1, x.shape) * rng.choice([-1.0, 1.0], x.shape) * scale(x)


def typical(x: np.ndarray) -> float:
    """How large the numbers are that are not 0; 1 where there are none."""
    size = np.abs(x[np.isfinite(x) & (x != 0)])
    return float(np.sqrt(np.mean(size**2))) if size.size else 1.0


def slope(function: Function, x: np.ndarray, v: np.ndarray, came: Sequence[np.ndarray | None], eps: float) -> Slope:
    """The slope of sum(came · function) at x along v; eps: the rounding of what the function returns."""
    here = [*function(x)]
    if not all(np.isfinite(a).all() for a in here):
        beside = function(x + FINER[-1] * v)
        here = [np.where(np.isfinite(a), a, b) for a, b in zip(here, beside, strict=True)]
    weights = [np.abs(g * a) if g is not None else None for a, g in zip(here, came, strict=True)]
    moves, terms, quantum, rungs = [np.zeros(a.shape, bool) for a in here], 0.0, np.inf, []

    def change(t: float) -> float:
        nonlocal terms, quantum
        there, parts = function(x + t * v), []
        for a, b, g, moved in zip(here, there, came, moves, strict=True):
            moved |= a != b
            parts.append(0.0 * a if g is None else g * (b - a))
        size = sum(float(np.sum(np.abs(p))) for p in parts)
        terms, quantum = np.fmax(terms, size / abs(t)), min(quantum, size or np.inf)
        return sum(float(np.sum(p)) for p in parts)

    def shown(t: float) -> int:  # how many numbers of the function change when all of x does
        return sum(int(np.sum(a != b)) for a, b in zip(here, function(x + t * scale(x)), strict=True))

    far = max(1.0, typical(x) / np.max(np.abs(v), initial=0.0, where=v != 0)) if v.any() else 1.0
    beyond = max(100 * far, max([largest(a) for a in here]) / np.max(np.abs(v), initial=1e-300))  # past a huge number
    _ = change(beyond), change(-beyond)
    hidden = sum(float(np.sum(w * ~m)) for w, m in zip(weights, moves, strict=True) if w is not None)  # by rounding
    reach, terms = 0.0, 0.0
    for steps in (LADDER, FINER):
        for h in steps:
            up, down = change(h) / h, change(-h) / -h
            up, down = (down if up != up else up), (up if down != down else down)  # log and sqrt have one side
            rungs.append((0.5 * (up + down), down, up))
        table = np.array(rungs)
        if not table.any():
            reach, terms = max([there for t in (far, -far) if (there := abs(change(t))) < np.inf], default=0.0), 0.0
        moved = sum(float(np.sum(w * m)) for w, m in zip(weights, moves, strict=True) if w is not None)
        coarse = 0.0 if table.any(1).all() or not table.any() else quantum  # the steps are too small to be seen
        noise = max(eps * moved, coarse) / np.array((*LADDER, *FINER))[1 : len(rungs), None]
        gaps, parts = np.abs(np.diff(table, axis=0)) + noise, np.abs(table[1:])
        lost = (parts == 0) & (table != 0).any(0)
        if lost.any():  # it is 0 near by, or the step is too small to be seen
            most = shown(LADDER[0])
            lost &= [[2 * shown(t) < most] for t in (*LADDER, *FINER)[1 : len(rungs)]]
        gaps = steady(np.where(lost, np.inf, gaps))
        (at, near), (side, _) = settled(gaps[:, :1], parts[:, :1]), settled(gaps[:, 1:], parts[:, 1:])
        doubt = float(gaps[side, 1:].max())
        (middle, _, _), (both, below, above) = table[at + 1].tolist(), table[side + 1].tolist()
        across = abs(middle - both) > 8 * doubt  # a kink near x: on both sides of it, and not at x
        if near <= 1e-3 and not across:
            break
    middle, room = (both, doubt) if across else (middle, float(gaps[at, 0]))
    if not table.any():  # it is flat, or changes by less than its rounding shows
        room += eps * (reach / LADDER[0] + hidden / beyond)
    if near > 1e-3 and (end := limit(table[:, 0])) is not None:
        middle, below, above = end, end, end
        room = doubt = float(abs(table[-1, 0] - table[-2, 0])) / 1000
    return Slope(middle, below, above, room + FINEST * terms, doubt, moved, float(table[0, 0]))


def limit(rungs: np.ndarray) -> float | None:
    """Where the slopes of a power of the distance tend to, as at the edge of where a root is: it may be infinity. From
    step to step, those of the power p grow by 10^(1 - p); a jump is the power 0, and has no slope."""
    gaps = np.diff(rungs)[-6:]
    ratios = gaps[1:] / gaps[:-1]
    ratio = ratios[-1]
    if not (np.abs(ratios - ratio) < 0.1 * ratio).all() or ratio > 9.9:
        return None
    return float(rungs[-1] + gaps[-1] * ratio / (1 - ratio) if ratio < 0.95 else np.inf * gaps[-1])


def steady(gaps: np.ndarray) -> np.ndarray:
    """The gaps between neighbours, with those before and after in mind: two may agree by luck."""
    gaps = np.where(np.isfinite(gaps), gaps, np.inf)
    known = np.where(np.isfinite(gaps), gaps, 0.0)
    return np.maximum(gaps, np.maximum(known[[0, *range(len(gaps) - 1)]] / 100, known[[*range(1, len(gaps)), -1]] / 10))


def settled(gaps: np.ndarray, parts: np.ndarray) -> tuple[int, float]:
    """Where neighbours on the ladder are nearest to each other in proportion, and how near; where they tend to 0, at
    the smallest of them."""
    with np.errstate(all='ignore'):
        near = np.nan_to_num(gaps / parts, nan=0.0, posinf=np.inf).max(1)
    at = int(np.argmin(near))
    return (at, float(near[at])) if near[at] < 0.1 else (int(np.argmin(gaps.max(1))), float(near[at]))


def groups(given: np.ndarray, x: np.ndarray, decades: int) -> list[np.ndarray]:
    """Which numbers are tried together: those whose parts of a slope are about as large, so that none hides another."""
    size = np.abs(given) * scale(x)
    top = np.max(size, initial=0.0, where=np.isfinite(size))
    with np.errstate(all='ignore'):
        decade = np.where(size > 0, np.clip(np.floor(np.log10(top / size) / decades), 0, 5), 6)
    return [mask for k in range(7) if (mask := decade == k).any()]


def halves(mask: np.ndarray, size: np.ndarray) -> list[np.ndarray]:
    """The smaller and the larger numbers of a mask."""
    order = np.argsort(np.where(mask, size, np.inf), axis=None, kind='stable')[: mask.sum()]
    return [np.isin(np.arange(mask.size), half).reshape(mask.shape) for half in np.array_split(order, 2)]


class Tried(NamedTuple):
    """What a gradient says of the slope along a direction, beside the slope itself."""

    way: np.ndarray
    slope: Slope
    said: float
    room: float
    rounding: float
    least: float  # part of a number

    def nothing(self, rounding: float) -> bool:
        """Whether both are nothing beside the function."""
        size, first = self.slope.size, abs(self.slope.first)
        small = 4 * self.slope.room <= 1e-6 * size or abs(self.slope.middle) <= 1e-6 * first
        flat = not self.slope.middle and abs(self.said) <= self.slope.room
        return flat or (small and abs(self.said) <= rounding * max(size, first))

    @property
    def sure(self) -> bool:
        """Whether differences can tell: what they are not sure of is small beside the slope; or both are nothing, but
        for rounding."""
        there = np.maximum(abs(self.said), abs(self.slope.middle))  # (NaN stays NaN)
        part = 0.02 if self.slope.middle else 1.0  # (of what is flat, a slope is surely not)
        return 4 * self.slope.room <= part * there or self.nothing(self.rounding) or not there

    @property
    def tells(self) -> bool:
        """Whether they tell of each number: the smallest of them is more than what they are not sure of."""
        alone = np.sum(self.way != 0) == 1
        return alone or self.room <= 0.05 * self.least or self.nothing(64 * FINEST) or not self.slope.size

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
        size, rounding = np.abs(parts), 64 * self.eps[1]
        room = 4 * measured.room + rounding * float(np.sqrt(np.sum(parts**2))) + FINEST * float(np.sum(size))
        return Tried(v, measured, float(np.sum(parts)), room, rounding, float(np.min(size[v != 0], initial=np.inf)))

    def among(self, given: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> Tried:
        """The same along a random direction among these numbers; where they are too tiny to be seen, a longer one."""
        tried = self.along(given, mask * somewhere(self.x, rng))
        if tried.nothing(tried.rounding) and np.max(np.abs(tried.way)) < 1e-4 * typical(self.x):
            longer = self.along(given, np.sign(tried.way) * rng.uniform(0.5, 1, mask.shape) * typical(self.x))
            tried = longer if longer.sure and not longer.slope.kink else tried
        return tried

    def tries(self, given: np.ndarray, often: int = 2) -> Iterator[Tried]:
        """The same along random directions, each for numbers that matter about as much, and for so few of them that
        none is lost in the rounding of all, if that takes no more than a few directions; often: how many for each."""
        coarse = self.eps[0] > FINEST or self.eps[1] > 1e-4  # so that a single number alone is not lost
        few = 2 * SINGLES if given.size <= SINGLES or not coarse else 0
        rng, todo = np.random.default_rng(0), groups(given, self.x, 2 if coarse else 4)
        while todo:
            mask = todo.pop()
            tried = [self.among(given, mask, rng) for _ in range(often if mask.sum() > 1 else 1)]
            if few > 0 and all(t.agrees for t in tried) and not all(t.tells for t in tried):
                todo += halves(mask, np.abs(given) * scale(self.x))
            else:
                yield from tried
            few -= len(tried)

    def holds(self, given: np.ndarray | None) -> bool:
        """Whether differences are sure that a gradient is right, each number of it."""
        known = given is not None and bool(np.isfinite(given).all())
        return known and all(t.agrees and t.sure and t.tells for t in self.tries(given))

    def flat(self) -> bool:
        """Whether the slope is 0: the function does not change, or it jumps."""
        return self.holds(np.zeros(self.x.shape)) or self.steps()

    def steps(self) -> bool:
        """Whether the function changes by jumps alone: it does change, but by no tiny step, here or anywhere around."""
        rng, eps, moves, slopes = np.random.default_rng(0), 8 * self.eps[0], False, 0
        here, size, tiny = self.function(self.x), scale(self.x), max(FINEST, 8 * eps)
        for reach in (0.0, 0.0) + max(8, SINGLES // max(1, self.x.size)) * (1.5, 4.0, 100.0):
            x = self.x + reach * rng.uniform(-1, 1, self.x.shape) * size
            tiny = -tiny  # a jump at x itself is on one side alone
            beside = self.function(x + tiny * rng.uniform(0.5, 1, self.x.shape) * (size + np.abs(x)))
            for g, a, b, c in zip(self.came, here, self.function(x), beside, strict=True):
                asked = g is not None and g.any()
                moves |= asked and bool((np.abs(tiny * (b - a)) > eps * np.abs(a)).any())  # visibly
                slopes += asked and bool((np.abs(c - b) > eps * np.abs(b)).any())
            if slopes > 1:
                return False
        return moves

    def leaves_open(self, off: np.ndarray, size: np.ndarray) -> bool:
        """Whether a gradient of this size may be off by so much, because the function ends a search at a tolerance, and
        jumps. In differences of order 8 all that is smooth vanishes on a finer grid, a kink gets smaller, and a jump
        stays: how large it is, and how far away, says what a slope is uncertain by."""
        rng, pairs = np.random.default_rng(0), lambda x: zip(self.came, self.function(x), strict=True)
        said = lambda x: sum(float(np.sum(g * a)) for g, a in pairs(x) if g is not None)
        terms = sum(float(np.sum(np.abs(g * a))) for g, a in pairs(self.x) if g is not None)
        for reach, where in product((1.0, -1.0, 4.0, -4.0, 100.0, -100.0), (off != 0, 1.0)):
            v, low, width, jump = reach * where * somewhere(self.x, rng), 0.0, 1.0, 0.0
            for _ in range(3):
                values = [said(self.x + t * v) for t in low + width * np.linspace(0, 1, 33)]
                rough = np.abs(np.diff(values, 8)) / 35
                if rough.max() <= max(FINEST * terms, 64 * self.eps[0] * terms, 0.5 * jump):
                    break
                low, width, jump = low + width * int(rough.argmax()) / 32, width / 4, float(rough.max())
            else:
                if np.linalg.norm(off * v) <= 2 * jump / max(low, 0.2) <= np.linalg.norm(size * v) / 64:
                    return True
        return False

    def one_by_one(self, given: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """The slope for each single number that may be wrong, NaN for the others; how far each may be off; and whether
        what is given lies between two slopes somewhere."""
        due, room, kinks = np.full(given.shape, np.nan), np.zeros(given.shape), False
        odd, given = ~np.isfinite(given), np.nan_to_num(given, posinf=0.0, neginf=0.0)
        for at in dict.fromkeys([*self.suspects(given), *map(tuple, np.argwhere(odd)[:SINGLES].tolist())]):
            for step in dict.fromkeys((float(scale(self.x)[at]), typical(self.x))):
                v = np.zeros(given.shape)
                v[at] = step
                found = self.along(given, v)
                low, high = sorted((found.slope.below, found.slope.above))
                edge = found.slope.doubt + found.rounding * abs(found.said)
                if found.sure and found.slope.kink and low - edge <= found.said <= high + edge:
                    due[at], kinks = given[at], True
                elif found.sure:
                    room[at] = 4 * found.slope.room / step
                    due[at] = found.slope.middle / step * (abs(found.slope.middle) > 4 * found.slope.room)
                if found.sure and not found.nothing(found.rounding):
                    break
        return due, room, kinks

    def suspects(self, given: np.ndarray) -> list[tuple]:
        """The places to look at one by one: all, or where halves of a direction lead that the gradient fails."""
        if given.size <= SINGLES:
            return [*np.ndindex(*given.shape)]
        for one in self.tries(given):
            mask = one.way != 0
            while not one.agrees and mask.sum() > 1:
                half, other = halves(mask, np.zeros(given.shape))
                mask = other if self.along(given, one.way * half).agrees else half
                one = self.along(given, one.way * mask)
            if mask.sum() == 1 and not one.agrees:
                return [tuple(map(int, np.argwhere(mask)[0]))]
        return []
