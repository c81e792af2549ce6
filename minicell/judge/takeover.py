"""A takeover before the judge: what came in, what its bprop returned, what was asked for, and what it can be asked."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..core.tensor import is_float, tensors_in
from ..ink.numbers import largest
from ..replay.again import Again, another
from ..replay.differences import FINEST, SINGLES, Trying, scale, somewhere
from ..replay.harmless import Harm
from ..replay.program import Arrays, Program, shaken, wide
from .verdict import Verdict, differs

FEW, MANY = 4, 16  # how often all numbers are rounded at random: at first, and before something is called wrong
FAR = 1000  # times the rounding of its numbers: what is off by more is not rounded
EPS = float(np.finfo(np.float64).eps)


@dataclass(eq=False)
class Takeover:
    """One call of a bprop. Lists have an item for each Tensor of the inputs, and then for each of internal_params."""

    name: str
    names: Sequence[str]
    inputs: Sequence[np.ndarray]  # with their dtypes
    yours: Arrays
    came: Arrays  # for each float output
    asked: Sequence[bool]
    out: Any  # what construct returned
    program: Program | None  # what construct ran; None where nobody knows
    ask: Callable[[], Again]  # may raise Harm
    blind: str = ''  # why the rules do not see everything
    thorough: bool = False  # differences are taken always

    def __post_init__(self) -> None:
        self.blind = self.blind or ('' if self.program is None else self.program.blind)
        self.rng, self.shaken = np.random.default_rng(0), []
        self.xs = [wide(x) for x in self.inputs]  # in Float64
        self.outs = [t.array for t in tensors_in(self.out) if is_float(t)]  # of float

    @cached_property
    def eps(self) -> float:
        """The rounding of the coarsest dtype that took part."""
        kinds = [a.dtype for a in (*self.inputs, *self.outs) if a.dtype.kind == 'f']
        for op in self.program.ops if self.program else ():
            kinds += [t.array.dtype for t in tensors_in(op.out) if is_float(t)]
        kinds += [kind for yours in self.yours for kind in (np.float16, np.float32) if rounds_to(yours, kind)]
        return max([float(np.finfo(kind).eps) for kind in kinds] + [FINEST])

    def tiny(self, place: int) -> float:
        """What rounding comes to among the smallest numbers of the dtype of an input."""
        return float(8 * np.finfo(self.inputs[place].dtype).smallest_subnormal)

    # ---- by the rules ----

    @cached_property
    def due(self) -> list[np.ndarray]:
        """What the rules say, with the numbers as they were."""
        return self.program.read(self.came)

    @np.errstate(all='ignore')
    def rooms(self, place: int, times: int) -> np.ndarray:
        """How far a gradient may be off by rounding: what becomes of it where all numbers are rounded at random."""
        while len(self.shaken) < times:
            self.shaken.append([self.rounded(eps, len(self.shaken) + 1) for eps in (self.eps / 2, self.eps / 64)])
        due, exact = self.due[place], self.exact[place]
        off, less = (np.stack([each[k][place] - exact for each in self.shaken]) for k in (0, 1))
        off = np.where(np.abs(less) > 0.25 * np.abs(off), 0.0, off)  # a jump, as at a kink, is no rounding
        room = 2 * self.eps * np.abs(due) + 16 * np.sqrt(np.mean(off**2, 0)) + self.tiny(place)
        return room + np.where(np.abs(exact - due) <= 16 * room, np.abs(exact - due), 0.0)

    @cached_property
    def exact(self) -> list[np.ndarray]:
        """What the rules say where forward, too, computes in Float64."""
        return self.program.read(self.came, self.program.again(self.xs)[0])

    def rounded(self, eps: float, seed: int) -> list[np.ndarray]:
        """The same where all numbers are rounded at random, forward and on the way back."""
        shake = shaken(eps, seed)
        return self.program.read(self.came, self.program.again(self.xs, shake)[0], shake)

    # ---- called again ----

    @cached_property
    def again(self) -> Again:
        """construct and bprop, to be called again. Raises Harm where that would do harm."""
        return self.ask()

    @cached_property
    def replay(self) -> Program:
        """The same call once more. Raises Harm where it cannot be had, or is another one: of a random Cell, say."""
        now = self.again.program(self.inputs, look=False, narrow=True)
        if any(not np.array_equal(wide(a), b, equal_nan=True) for a, b in zip(self.outs, now, strict=True)):
            raise Harm('construct returns other numbers when it is called again: it is random, or keeps a state')
        found = self.again.program(self.xs)
        odd = not self.again.narrow and another(found.made, now)
        self.again.narrow |= odd
        return self.again.program(self.xs) if odd else found

    def function(self, place: int) -> Callable[[np.ndarray], list[np.ndarray]]:
        """construct, as a function of one input; NaN where it raises, as away from here it may."""
        here = self.replay.made

        def called(x: np.ndarray) -> list[np.ndarray]:
            with suppress(Harm):
                return self.again.program([*self.xs[:place], x, *self.xs[place + 1 :]], look=False)
            return [np.full(a.shape, np.nan) for a in here]

        return called

    def trying(self, place: int, rounding: float = 0.0, came: Arrays | None = None) -> Trying:
        """construct as a function of one input, which differences look at; rounding: of what it is compared with."""
        function, made = self.function(place), self.replay.outs
        eps = max([float(np.finfo(t.array.dtype).eps) for t in made], default=EPS)
        return Trying(function, self.xs[place], came or self.came, (eps, rounding or self.eps))

    def replaying(self, place: int) -> Trying:
        """The ops that ran as a function of one input, which differences look at without calling anything again."""
        function = lambda x: self.program.again([*self.xs[:place], x, *self.xs[place + 1 :]])[1]
        return Trying(function, self.xs[place], self.came, (EPS, self.eps))

    def answered(self, eps: float = 0.0, outs: Arrays | None = None) -> list:
        """What the same bprop returns in Float64 (for these numbers in out), None where that cannot be had; or how far
        it may be off where all numbers are rounded to eps."""
        came = [None if g is None else wide(g) for g in self.came]
        try:
            return self.again.bprop(self.xs, self.out, outs or self.replay.made, came, eps)
        except Harm:
            return [None] * len(self.inputs)

    def lost(self, eps: float, due: np.ndarray, place: int) -> np.ndarray:
        """What a difference may lose, as 1 - out does where out is nearly 1: rounding of terms as large as dout; if all
        that is due is smaller, as large as dout * out / x."""
        dout, out = (max([largest(a) for a in of if a is not None], default=0.0) for of in (self.came, self.outs))
        slope = out / np.maximum(np.abs(self.xs[place]), out or 1.0)
        return 64 * eps * (np.minimum(dout, np.maximum(largest(due), dout * slope)) + np.abs(due))

    def badly_rounded(self, told: Verdict) -> bool:
        """Whether the same bprop agrees in Float64, and what it is off by in its own dtype comes of rounding there."""
        if told.yours is None or not np.isfinite(told.yours).all():
            return False
        once, loses = self.answered()[told.place], self.answered(EPS)[told.place]
        if once is None:
            return not differs(told.yours, told.due, 8 * told.room).any()
        most = self.lost(EPS, told.due, told.place)  # what is left of terms so large is 0, or no less than they lose
        loses = np.minimum(np.where(once == 0, most, np.abs(once)) if loses is None else loses, most)
        dues = [told.due] if self.blind else [told.due, self.exact[told.place]]
        if all(differs(once, due, told.room + 1e-6 * np.abs(due) + loses).any() for due in dues):
            return False
        rounded = self.answered(outs=[*map(wide, self.outs)])[told.place]
        room = told.room + np.nan_to_num(np.abs(rounded - once)) + self.lost(self.eps, told.due, told.place)
        if (spread := self.answered(self.eps)[told.place]) is not None:  # (what loses all of it is a mistake)
            room = room + np.minimum(spread, np.abs(told.due) / 16)
        return not differs(told.yours, told.due, room).any()

    def at(self, xs: Arrays) -> list[np.ndarray]:
        """The gradients by the rules on other inputs: of the ops that ran, or of construct, which may choose others."""
        if self.program.chosen:
            _ = self.replay
            return self.again.program(xs).read(self.came)
        return self.program.read(self.came, self.program.again(xs)[0])

    def kinks(self, place: int, given: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the rules at the point and the slopes around it do not meet, however near those are; where the slopes
        meet each other all the same; and what is nearest to yours between them."""
        x, here, given = self.xs[place], self.exact[place], np.nan_to_num(given, posinf=0.0, neginf=0.0)
        towards = given - np.nan_to_num(here)  # where a slope that is yours is met
        ways = [somewhere(x, self.rng) for _ in range(3)]
        ways[0] = np.where(towards, np.sign(towards), 1e-3) * np.abs(ways[0])
        ways, gaps = np.stack([*ways, *(-way for way in ways)]), []
        for radius in (1e-7, 1e-12):
            slopes = np.stack([self.beside(place, radius * way) for way in ways])
            rules = np.where(np.isfinite(here), here, slopes[0])  # (the mean of several that are equal, say)
            gaps.append(np.maximum(slopes.max(0), rules) - np.minimum(slopes.min(0), rules))
        low, high, size = slopes.min(0), slopes.max(0), np.maximum(np.abs(slopes).max(0), np.abs(rules))
        kinks = (gaps[1] > 0.3 * gaps[0]) & (gaps[1] < 3 * gaps[0]) & (gaps[1] > 1e-6 * size)
        odd = kinks | (kinks.any() & (np.abs(given - rules) > 1e-6 * size))  # perhaps since all of x was moved at once
        odd &= (high - low <= 1e-6 * size) | (given < low - 1e-6 * size) | (given > high + 1e-6 * size)
        for k, at in enumerate(map(tuple, np.argwhere(odd))):
            step = np.zeros(x.shape)
            step[at] = 1e-12 * scale(x)[at]
            sides = [self.beside(place, side * step)[at] for side in (1, -1)] if k < SINGLES else [rules[at]]
            low[at], high[at] = min(low[at], *sides), max(high[at], *sides)
        meet = high - low <= 1e-6 * size
        kinks |= odd & ~meet
        if (kinks & ~meet).any() and not self.spanned(place, given, slopes):
            kinks &= meet
        return kinks, meet, np.clip(given, low, high)

    def beside(self, place: int, away: np.ndarray) -> np.ndarray:
        """The gradient that the rules give at a point this far from here."""
        return self.at([*self.xs[:place], self.xs[place] + away, *self.xs[place + 1 :]])[place]

    def spanned(self, place: int, given: np.ndarray, slopes: np.ndarray) -> bool:
        """Whether a gradient may be a mean of those around a kink that its numbers share: what none of them changes, it
        does not change either. Around a tie, the two slopes of max(x) add up to 1, and (1, 1) is no mean of theirs."""
        more = [self.beside(place, 1e-12 * somewhere(self.xs[place], self.rng)) for _ in range(8)]
        given, found = given.ravel(), np.stack([*slopes, *more]).reshape(-1, given.size)
        half, rest = (found[1::2] - found[0]).T, given - found[0]
        along = (
            rest - half @ np.linalg.lstsq(half, rest, rcond=None)[0]
        )  # the other half shows whether it is so by chance
        for to in (along, np.sign(given), np.ones(given.shape)):
            sums, size = found @ to, np.linalg.norm(to) * np.linalg.norm(found, axis=1).max()
            if np.ptp(sums) <= 1e-6 * size < 1e-3 * size < abs(given @ to - sums[0]):
                return False
        return True


def rounds_to(yours: np.ndarray | None, kind: type) -> bool:
    """Whether a bprop has rounded its numbers to a coarser dtype: each fits it, and a few fit no coarser one."""
    if yours is None or yours.dtype.itemsize <= np.dtype(kind).itemsize:
        return False
    parts = np.unique(yours[np.isfinite(yours)])
    fewer = np.ldexp(np.frexp(parts)[0], np.finfo(kind).nmant - 2)  # whole, if it needs three digits less than kind has
    return bool((parts.astype(kind) == parts).all() and np.sum(fewer % 1 != 0) > 2)
