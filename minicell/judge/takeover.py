"""A takeover before the judge: what came in, what its bprop returned, what was asked for; and what is true of it.

The rules speak first, over the ops that construct ran. Where they do not see everything, and before anything is called
wrong, differences and slopes beside the point are taken; where nobody can know, the verdict says why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..core.errors import MinicellError
from ..core.tensor import is_float, tensors_in
from ..replay.again import Again
from ..replay.harmless import Harm
from ..replay.program import Arrays, Program, shaken, wide
from . import differences
from .verdict import KINK, NOT_ASKED, RIGHT, SURROGATE, UNKNOWN, WRONG, Verdict, apart, differs

FINEST = 1e-9  # what counts as rounding in Float64: constants are typed with ten digits
FEW, MANY = 4, 16  # how often all numbers are rounded at random: at first, and before something is called wrong
FAR = 1000  # times the rounding of its numbers: what is off by more is not rounded
NEARER = tuple(10.0**-k for k in range(1, 9))  # how near to a point a limit is looked for
ROUGH = 1 / 16  # more than this part of a number is no rounding
SINGLES = 256  # up to so many numbers, differences are taken one by one
BETWEEN = 'There is no derivative at this {}: yours lies between the slopes on both sides.'
JUMPS = 'its value jumps near here: yours may be a surrogate'


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
        self.rng, self.told = np.random.default_rng(0), {}

    def settled(self) -> 'Takeover':
        """Itself, with copies of all numbers: before what it was made of is put back."""
        _ = self.program and self.program.settled()
        return self

    # ---- what it is made of ----

    @cached_property
    def again(self) -> Again:
        """construct and bprop, to be called again. Raises Harm where that would do harm."""
        return self.ask()

    @cached_property
    def xs(self) -> list[np.ndarray]:
        """The inputs in Float64."""
        return [wide(x) for x in self.inputs]

    @cached_property
    def eps(self) -> float:
        """The rounding of the coarsest dtype that took part."""
        floats = [a.dtype for a in (*self.inputs, *(t.array for t in tensors_in(self.out))) if a.dtype.kind == 'f']
        for op in self.program.ops if self.program else ():
            floats += [t.array.dtype for t in tensors_in(op.out) if is_float(t)]
        return max([float(np.finfo(d).eps) for d in floats] + [FINEST])

    @cached_property
    def replay(self) -> Program:
        """The same call once more. Raises Harm where it cannot be had, or is another one: of a random Cell, say."""
        found = self.again.program(self.xs)
        outs = [wide(t) for t in tensors_in(self.out) if is_float(t)]
        for then, now in zip(outs, found.made, strict=True):
            fine = np.isfinite(then)  # (what overflowed may fit into Float64)
            near = 1e3 * self.eps * np.max(np.abs(then), initial=0.0, where=fine)
            if then.shape != now.shape or not np.allclose(then[fine], now[fine], 1e3 * self.eps, near):
                raise Harm('construct returns other numbers when it is called again: it is random, or keeps a state')
        return found

    def at(self, xs: Arrays) -> list[np.ndarray]:
        """The gradients by the rules on other inputs: of the ops that ran, or of construct, which may take another way."""
        if self.program is None or self.program.chosen:
            _ = self.replay
            return self.again.program(xs).read(self.came)
        return self.program.read(self.came, self.program.run(xs))

    def function(self, place: int) -> Callable[[np.ndarray], list[np.ndarray]]:
        """construct, as a function of one input."""
        _ = self.replay

        def of(x: np.ndarray) -> list[np.ndarray]:
            return self.again.program([*self.xs[:place], x, *self.xs[place + 1 :]]).made

        return of

    # ---- the rules ----

    @cached_property
    def due(self) -> list[np.ndarray]:
        """By the rules, with the numbers as they were."""
        return self.program.read(self.came)

    def rooms(self, place: int, times: int) -> np.ndarray:
        """How far a gradient may be off by rounding: what becomes of it where all numbers are rounded at random."""
        while len(self.shaken) < times:
            shake = shaken(self.eps, len(self.shaken) + 1)
            self.shaken.append(self.program.read(self.came, shake=shake))
        off = np.stack([g[place] - self.due[place] for g in self.shaken])
        return 8 * self.eps * np.abs(self.due[place]) + 16 * np.sqrt(np.mean(off**2, 0)) + self.tiny(place)

    @cached_property
    def shaken(self) -> list:
        """The gradients where all numbers are rounded at random."""
        return []

    def tiny(self, place: int) -> float:
        """The smallest number of the dtype of an input."""
        return float(np.finfo(self.inputs[place].dtype).smallest_subnormal)

    # ---- verdicts ----

    def verdicts(self) -> list[Verdict]:
        """One for each float input and Parameter, and for an integer input that something was returned for."""
        return [self.verdict(k) for k, _ in enumerate(self.inputs)]

    def verdict(self, place: int) -> Verdict:
        """The verdict on one input."""
        if place not in self.told:
            with np.errstate(all='ignore'):
                self.told[place] = self.made(place)
        return self.told[place]

    def made(self, place: int) -> Verdict:
        """The same, made."""
        yours = self.yours[place]
        told = Verdict(self.name, self.names[place], place, True, yours, None, '', UNKNOWN)
        if self.inputs[place].dtype.kind != 'f':
            whose = 'integers have' if self.inputs[place].dtype.kind in 'iub' else 'complex numbers have'
            return told._replace(asked=False, verdict=NOT_ASKED, why=f'{self.names[place]}: {whose} no gradient.')
        if not self.asked[place]:
            return told._replace(asked=False, verdict=NOT_ASKED, why=f'Nobody asked for the gradient of {told.name}.')
        given = np.zeros(self.inputs[place].shape) if yours is None else yours
        try:
            if self.program is None:
                self.program, self.blind = self.replay, self.replay.blind
            return (self.by_differences if self.blind else self.by_rules)(told, place, given)
        except Harm as harm:
            why = '; '.join(filter(None, (self.blind, str(harm))))
            return told._replace(why=f'{why[:1].upper()}{why[1:]}.')
        except MinicellError as error:  # an op without a rule
            return told._replace(why=' '.join(str(error).splitlines()[0].split()))

    def by_rules(self, told: Verdict, place: int, given: np.ndarray) -> Verdict:
        """The rules see everything."""
        due = self.due[place]
        told = told._replace(due=due, by='rules', room=8 * self.eps * np.abs(due) + self.tiny(place))
        known = np.isfinite(due).all()
        for times in (0, FEW, MANY):
            if times and known:
                told = told._replace(room=self.rooms(place, times))
            if known and times == FEW and (apart(given, due) > FAR * told.room).any():
                break  # no rounding
            if known and not differs(given, due, told.room).any():
                return self.confirmed(told._replace(verdict=RIGHT), place, given)
        values, slopes = self.program.leads(place, self.came)
        if values and not slopes:
            return self.stepped(told, given)
        if not known:
            told = self.limit(told, place)
        return self.doubted(told, place, given)

    def by_differences(self, told: Verdict, place: int, given: np.ndarray) -> Verdict:
        """The rules do not see everything: construct is called again. What the rules do see may still be all there is."""
        function, x = self.function(place), self.xs[place]
        for candidate in (self.due[place], given):
            finite = np.isfinite(candidate).all()
            if finite and all(map(differences.agrees, differences.tried(function, x, candidate, self.came, self.eps))):
                if candidate is given:
                    return told._replace(due=given.astype(np.float64), by='differences', verdict=RIGHT)
                return self.by_rules(told._replace(by='rules and differences'), place, given)
        due, room, kinks = self.one_by_one(function, x, given)
        told = told._replace(due=due, room=room + 64 * self.eps * np.abs(due) + self.tiny(place), by='differences')
        if differs(given, due, told.room).any() and not self.badly_rounded(told, place):
            return self.wrong(told, place, given)
        if np.isnan(due).any():
            return told._replace(why=f'{self.blind[:1].upper()}{self.blind[1:]}, and differences are not sure.')
        return told._replace(verdict=KINK, why=BETWEEN.format(told.name)) if kinks else told._replace(verdict=RIGHT)

    def one_by_one(self, function: Callable, x: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """The slope for each single number, or for those where a gradient is likely to be wrong; how far each may be
        off; and whether yours lies between two slopes somewhere. NaN where nobody is sure."""
        due, room, kinks = np.full(x.shape, np.nan), np.zeros(x.shape), False
        for at in self.suspects(function, x, given):
            for step in dict.fromkeys((float(differences.scale(x)[at]), differences.typical(x))):
                v = np.zeros(x.shape)
                v[at] = step
                found = differences.slope(function, x, v, self.came)
                if found.kink and found.between(given[at] * step, 0.0):
                    due[at], kinks = given[at], True
                elif found.room <= 1e-2 * abs(found.middle) or abs(found.middle - given[at] * step) > 16 * found.room:
                    due[at], room[at] = found.middle / step, 4 * found.room / step
                if not np.isnan(due[at]):
                    break
        return due, room, kinks

    def suspects(self, function: Callable, x: np.ndarray, given: np.ndarray) -> list[tuple]:
        """The places to look at one by one: all, or where halves of a direction lead that the gradient fails."""
        if x.size <= SINGLES:
            return [*np.ndindex(*x.shape)]
        for one in differences.tried(function, x, given, self.came, self.eps):
            mask = one[0] != 0
            while not differences.agrees(one) and mask.sum() > 1:
                places = np.argwhere(mask)
                half = np.zeros(x.shape, bool)
                half[tuple(places[: len(places) // 2].T)] = True
                first = differences.weighed(function, x, given, self.came, self.eps, one[0] * half)
                mask = half if not differences.agrees(first) else mask & ~half
                one = differences.weighed(function, x, given, self.came, self.eps, one[0] * mask)
            if mask.sum() == 1 and not differences.agrees(one):
                return [tuple(map(int, np.argwhere(mask)[0]))]
        return []

    def stepped(self, told: Verdict, given: np.ndarray) -> Verdict:
        """Every way leads through an op without a slope."""
        if not np.isfinite(given).all():
            return told._replace(verdict=WRONG, why=f'The gradient of {told.name} is NaN or infinite at some places.')
        why = f'Every way from {told.name} to the result leads through an operation without a slope'
        return told._replace(
            verdict=SURROGATE, why=f'{why}: the true gradient is 0, and yours is a slope in its place.'
        )

    def limit(self, told: Verdict, place: int) -> Verdict:
        """The rules gave NaN or infinity: in Float64, or nearer and nearer to the point, they may tend to a number."""
        due, bad = np.array(told.due), ~np.isfinite(told.due)
        room = np.where(bad, 0.0, told.room)
        found = self.at(self.xs)[place]
        due = np.where(bad & np.isfinite(found), found, due)
        if not np.isfinite(due).all():
            v = self.directions(place)
            sides = np.stack([[self.at(xs)[place] for xs in self.moved(v, r)] for r in NEARER])
            sides = np.where(np.isfinite(sides), sides, sides[:, ::-1])  # log and sqrt have one side
            means, spreads = sides.mean(1), np.abs(sides[:, 0] - sides[:, 1])
            gaps = np.where(np.isfinite(gaps := np.abs(np.diff(means, axis=0))), gaps, np.inf)
            at = np.argmin(gaps, 0)[None]
            mean, gap, before, after = (
                np.take_along_axis(a, at, 0)[0] for a in (means[1:], gaps, spreads[:-1], spreads[1:])
            )
            steady = (gap <= 1e-3 * np.abs(mean) + self.tiny(place)) & (
                (after <= 0.5 * before) | (after <= 1e-6 * np.abs(mean))
            )
            due = np.where(np.isfinite(due), due, np.where(steady, mean, np.nan))
            room = np.where(bad, 4 * gap, room)
        room = np.where(bad, np.nan_to_num(room) + 64 * self.eps * np.abs(np.nan_to_num(due)) + self.tiny(place), room)
        return told._replace(due=due, room=room, why='The rules give NaN or infinity here: this is the limit.')

    def doubted(self, told: Verdict, place: int, given: np.ndarray) -> Verdict:
        """Yours differs, or the truth is not known everywhere: it may be a kink, and yours may be rounded badly."""
        off = differs(given, told.due, told.room) | np.isnan(told.due)
        kinks, nearest = self.kinks(place, given)
        kinks, slack = kinks & off & np.isfinite(given), 1e-6 * np.abs(nearest) + np.nan_to_num(told.room)
        if kinks.any():  # the due number is the nearest of those between the slopes
            told = told._replace(due=np.where(kinks, nearest, told.due), room=np.where(kinks, slack, told.room))
        wrong = differs(given, told.due, told.room)
        unknown = np.isnan(told.due)
        if wrong.any() and self.badly_rounded(told, place):
            wrong = np.zeros_like(wrong)
        if wrong.any():
            return self.wrong(told, place, given)
        if unknown.any() and not (self.nowhere and np.isnan(given[unknown]).all()):
            return told._replace(verdict=UNKNOWN, why='The rules give NaN or infinity here, and so they do beside it.')
        if kinks.any():
            return told._replace(verdict=KINK, why=BETWEEN.format(told.name))
        return told._replace(verdict=RIGHT)

    @property
    def nowhere(self) -> bool:
        """Whether the function itself is not a number at this point."""
        outs = [wide(t) for t in tensors_in(self.out) if is_float(t)]
        return any(np.isnan(o).any() for o in outs)

    def wrong(self, told: Verdict, place: int, given: np.ndarray) -> Verdict:
        """A gradient that differs from the due one, in words."""
        told = told._replace(verdict=WRONG)
        off = told.differs
        chosen = self.program.chosen >> place & 1 and not self.program.leads(place, self.came)[1]
        if (self.blind or chosen) and not told.due[off].any():
            if differences.jumps(self.function(place), self.xs[place]):
                if not self.blind:
                    return self.stepped(told, given)
                return told._replace(verdict=UNKNOWN, why=f'{self.blind[:1].upper()}{self.blind[1:]}, and {JUMPS}.')
        at = told.worst
        where = f'd{told.name}{list(at) if at else ""}'
        if told.yours is None:
            return told._replace(why=f'None counts as zero, and {where} should be {told.due[at]:.4g}.')
        return told._replace(why=f'{where} is {given[at]:.4g}, and should be {told.due[at]:.4g}.')

    def confirmed(self, told: Verdict, place: int, given: np.ndarray) -> Verdict:
        """The rules say that it is right; where everything is tried, differences are asked as well."""
        if not self.thorough or told.by != 'rules':
            return told
        try:
            function, x = self.function(place), self.xs[place]
            tried = differences.tried(function, x, told.due, self.came, self.eps)
            if all(map(differences.agrees, tried)):
                return told._replace(by='rules and differences')
            if self.kinks(place, given)[0].any():
                return told._replace(verdict=KINK, why=BETWEEN.format(told.name))
        except Harm as harm:
            return told._replace(why=f'Differences were not tried: {harm}.')
        if not any(abs(m.middle - said) > 16 * room for _, m, said, room in tried):
            return told  # the differences are not sure
        self.blind = 'differences see what no rule does'
        return self.by_differences(told, place, given)

    # ---- beside the point ----

    def directions(self, place: int, towards: np.ndarray | None = None) -> list[np.ndarray | None]:
        """A direction for each input, in proportion to its numbers; for one of them, it may lead towards something."""
        v = [
            self.rng.uniform(0.5, 1, x.shape) * self.rng.choice([-1.0, 1.0], x.shape) * differences.scale(x)
            if x.dtype.kind == 'f' else None for x in self.xs
        ]  # fmt: skip
        if towards is not None:
            v[place] = np.where(towards, np.sign(towards), 1e-3) * np.abs(v[place])
        return v

    def moved(self, v: list[np.ndarray | None], radius: float) -> list[list[np.ndarray]]:
        """The inputs on both sides of the point."""
        pairs = list(zip(self.xs, v, strict=True))
        return [[x if d is None else x + sign * radius * d for x, d in pairs] for sign in (1, -1)]

    def hull(self, place: int, radius: float, given: np.ndarray, pairs: int = 3) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest number of a gradient around the point; one pair lies along yours − due."""
        ways = [given - np.nan_to_num(self.due[place]), *[None] * (pairs - 1)]
        found = [self.at(xs)[place] for way in ways for xs in self.moved(self.directions(place, way), radius)]
        return np.min(found, 0), np.max(found, 0)

    def kinks(self, place: int, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the slopes around the point do not meet, however near they are; and what is nearest to yours there."""
        far = np.subtract(*self.hull(place, 1e-6, given)[::-1])
        low, high = self.hull(place, 1e-9, given)
        near, size = high - low, np.maximum(np.abs(low), np.abs(high))
        return (near > 0.3 * far) & (near < 3 * far) & (near > 1e-6 * size), np.clip(given, low, high)

    def badly_rounded(self, told: Verdict, place: int) -> bool:
        """Whether the same bprop agrees in Float64, and what it is off by is rounding in its own dtype."""
        if told.yours is None or (apart(told.yours, told.due) > ROUGH * np.abs(told.due) + FAR * told.room).any():
            return False
        try:
            once = self.again.bprop(self.xs, self.out, self.replay.made, self.wide_came)[place]
            if once is None or differs(once, told.due, told.room + 64 * self.eps * np.abs(told.due)).any():
                return False
            floats, own = [t.array for t in tensors_in(self.out) if is_float(t)], []
            for seed in range(6):
                shake = shaken(self.eps, seed + 1)
                xs, outs = ([shake(wide(v), True).astype(v.dtype) for v in vs] for vs in (self.inputs, floats))
                came = [None if g is None else shake(wide(g), False).astype(g.dtype) for g in self.came]
                own.append(self.again.bprop(xs, self.out, outs, came)[place])
        except Harm:
            return False
        room = told.room + ROUGH * np.abs(told.due) + 32 * np.std(own, 0, dtype=np.float64)
        return not differs(told.yours, told.due, room).any()

    @cached_property
    def wide_came(self) -> list:
        """The cotangents in Float64."""
        return [None if g is None else wide(g) for g in self.came]
