"""What kind of mistake a wrong gradient is, in one sentence that holds wherever it was tried.

A hypothesis looks at all trials and yields the sentences that hold for every one of them. The first is said: the most
telling hypotheses come first. What a few numbers could fit by accident is not said: see `many`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain, product, takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .guesses import atoms, conditions, crossed, fitted, forms, lengths, made_of, moved, near, terms, wide
from .verdict import apart, written

ROUGH, MOST = 0.05, 128  # of the largest number, what an approximation may be off by; numbers of dout that are tried
HALF = 2.0**-10  # of a number: what Float16 rounds by


class Trial(NamedTuple):
    """One gradient as a bprop returned it, beside the true one, and what both were made of."""

    name: str  # of the input: 'x'
    yours: np.ndarray
    due: np.ndarray
    values: dict[str, np.ndarray]  # inputs and Parameters by name, 'out' (or 'out[0]' …), 'dout' (or 'dout[0]' …)
    others: dict[str, np.ndarray]  # the due gradients of the other inputs, by name
    room: np.ndarray | float  # how far yours may be off and still agree, number by number
    due_at: Callable[[dict], np.ndarray | None] = lambda changed: None  # what is due where some of `values` are others
    twice: np.ndarray | None = None  # yours for twice the dout
    again: np.ndarray | None = None  # yours, asked the same once more at once
    after: np.ndarray | None = None  # yours, asked the same after another call of the Cell (with other inputs)
    paths: Mapping[str, np.ndarray] = MappingProxyType({})  # 'path through s is': what is due if s, a value, is fixed
    wide: bool | None = None  # where yours is Float16 or Float32: whether the same is right in Float64


class Case:
    """A trial as numbers of Float64: where it is off, and where a number says something."""

    def __init__(self, t: Trial) -> None:
        self.t, self.yours, self.due = t, wide(t.yours), wide(t.due)
        self.values = {n: wide(v) for n, v in t.values.items()}
        kinds = [np.asarray(v).dtype for v in (t.yours, *t.values.values())]
        self.eps = 32 * max((np.finfo(kind).eps for kind in kinds if kind.kind == 'f'), default=1e-15)
        self.alike = self.yours.shape == self.due.shape
        self.room = np.broadcast_to(np.nan_to_num(wide(t.room)), self.due.shape) if self.alike else wide(0.0)
        self.known = ~np.isnan(self.due) if self.alike else np.ones(self.yours.shape, bool)
        self.off = self.known & ~near(self.yours, self.due, self.room) if self.alike else self.known
        self.live = self.known & ((self.yours != 0) | (np.abs(self.due) > self.room)) if self.alike else self.known

    def without(self, path: np.ndarray) -> 'Case':
        """What is left of it beside what is due without a path."""
        part = copy(self)
        part.yours, part.due, part.room = self.yours - path, self.due - path, self.room + self.eps * np.abs(self.yours)
        part.live = self.known & ((np.abs(part.yours) > part.room) | (np.abs(part.due) > part.room))
        return part

    def is_(self, made: Any, scale: Any = 1.0, terms: Any = 0.0) -> bool:
        """Whether yours is this: as near as `scale` times due is known, and as terms of this size can be added."""
        if made is None or np.shape(made) != self.yours.shape or not self.known.any():
            return False
        room = 4 * self.room * (1 + np.abs(scale)) + self.eps * np.maximum(np.abs(made), terms)
        return bool((near(self.yours, made, room) | ~self.known).all())


def diagnose(trials: Sequence[Trial]) -> str:
    """Name the mistake in one sentence that holds for every trial, with the numbers of one place; '' if none fits."""
    with np.errstate(all='ignore'):
        cases = [Case(t) for t in trials]
        return next(sentences(cases, [c for c in cases if c.off.any()]), '')


def sentences(cases: list[Case], wrong: list[Case]) -> Iterator[str]:
    """All that fits, the most telling first."""
    tried = (facts, whole, constant, factor, part, instead, along, through, misplaced, one_of)
    tried = tried if many(wrong, 3) else (facts, part) if wrong else ()
    yield from unlike(cases, 'again', 'Asked the same twice, it answers differently', 'it is {}, and then {}')
    yield from (said + at(wrong) for hypothesis in tried for said in hypothesis(cases))
    yield from unlike(cases, 'after', 'A call of the Cell in between changes it', 'it is {}, and after that call {}')
    yield from unlike(wrong, 'twice', 'It is not linear in dout', 'it is {}, and for twice the dout {}')
    yield from (said + at(wrong) for said in (roughly(wrong) if many(wrong, 3) else ()))


def many(cases: Sequence[Case], least: int, right: bool = False) -> bool:
    """Whether so many different numbers, wrong or right ones, say the same: copies of a number are one."""
    masks = [(c, c.live & ~c.off if right else c.off) for c in cases]
    pairs = [zip(c.yours[m][:99], (c.due if c.alike else c.yours)[m][:99], strict=True) for c, m in masks]
    return len({f'{a:.6g}, {b:.6g}' for each in pairs for a, b in each}) >= least


def shared(cases: Sequence[Case], table: Callable[[Case], dict[str, Any]]) -> dict[str, list[Any]]:
    """What a table of each case has in all of them: name -> the entry of each."""
    tables = [table(c) for c in cases]
    return {n: [t[n] for t in tables] for n in tables[0] if all(n in t for t in tables)}


def at(cases: Sequence[Case], field: str = 'due', said: str = 'it is {}, and {} is due') -> str:
    """The numbers of the place where yours and another field of a trial differ most."""
    c = cases[0]
    other = wide(getattr(c.t, field))
    if c.yours.shape != other.shape:
        return f': its shape is {c.yours.shape}, and {other.shape} is due.'
    off = apart(c.yours, other / (2 if field == 'twice' else 1))
    gap = np.nan_to_num(off, nan=1e300) * ~((off <= c.room) | np.isnan(other))
    place = np.unravel_index(int(gap.argmax()), gap.shape)
    where = f'at [{", ".join(map(str, place))}] ' if place else ''
    return f': {where}{said.format(*written(c.yours[place], other[place]))}.'


def unlike(cases: Sequence[Case], field: str, said: str, numbers: str) -> Iterator[str]:
    """Asked once more (or for twice the dout, in all cases), the answer is another than it should be."""
    times = 2 if field == 'twice' else 1
    asked = [(c, wide(getattr(c.t, field)) / times) for c in cases if getattr(c.t, field) is not None]
    if times == 2:  # what is proportional to dout but for rounding is wrong in another way
        asked = [(c, np.where(near(c.yours, other, HALF * np.abs(c.yours)), c.yours, other)) for c, other in asked]
    found = [c for c, other in asked if c.alike and c.known.any() and np.isfinite(c.yours).all() and not c.is_(other)]
    if found and (times == 1 or len(found) == len(asked)):
        yield said + at(found, field, numbers)


def facts(cases: Sequence[Case]) -> Iterator[str]:
    """It is NaN, or wrong only for want of digits."""
    wrong = [c for c in cases if c.off.any()]
    if all(np.isnan(c.t.yours).all() for c in wrong):
        yield 'It is NaN everywhere'
    if all(c.t.wide for c in wrong):
        yield f'It is right in Float64, and wrong in Float{8 * np.asarray(wrong[0].t.yours).dtype.itemsize}'


def whole(cases: Sequence[Case]) -> Iterator[str]:
    """It is 0, the negative, another gradient, without a path through construct, transposed, or not added up."""
    also = lambda n: lambda c: c.due + c.t.others[n] if np.shape(c.t.others.get(n)) == c.due.shape else None
    ways: dict[str, Callable[[Case], Any]] = {
        'It is 0 everywhere': lambda c: 0 * c.yours,
        'It has the opposite sign, as only a gradient reversal should': lambda c: -c.due,
        'It is the gradient for a dout of ones: dout is missing': ones,
        **{f'It is the gradient of {n}': lambda c, n=n: c.t.others.get(n) for n in cases[0].t.others},
        **{f'The gradient of {n} is added to it': also(n) for n in cases[0].t.others},
        **{f'The {n} missing': lambda c, n=n: c.t.paths.get(n) for n in cases[0].t.paths},
        **{f'Only the {n} there': lambda c, n=n: c.due - c.t.paths.get(n, np.nan) for n in cases[0].t.paths},
        'A sum over the axes that forward broadcast is missing': lambda c: c.yours if unsummed(c) else None,
    }
    yield from (said for said, made in ways.items() if all(c.is_(made(c)) for c in cases))


def ones(c: Case) -> np.ndarray | None:
    """What is due for a dout of ones."""
    return c.t.due_at({n: np.ones_like(v) for n, v in c.values.items() if n.startswith('dout')})


def unsummed(c: Case) -> bool:
    """Whether it would be right if it were added up."""
    if c.yours.size <= c.due.size or (total := fitted(c.yours, c.due.shape)) is None:
        return False
    return bool(near(total, c.due, 4 * wide(c.t.room) + c.eps * fitted(np.abs(c.yours), c.due.shape)).all())


def constant(cases: Sequence[Case]) -> Iterator[str]:
    """One factor: the same in every call, a length of that call, or another one in each."""
    cases = [c for c in cases if c.live.any()]
    found = np.array([multiple(c, c.yours, c.due) for c in cases])
    fits = lambda due: bool(near(found, np.array(due), 99 * max(c.eps for c in cases) * np.abs(found)).all())
    if fits(found[0]):
        yield f'It is {found[0]:.{4 if abs(found[0] - 1) > 1e-3 else 8}g} times what is due'.replace('-', '−')
    for word, due in shared(cases, lengths).items():
        for said in ['large'] * fits(due) + ['small'] * fits(1 / np.array(due)):
            yield f'It is too {said} by a factor, {word}'
    if np.isfinite(found).all() and all(c.live.sum() > 1 for c in cases):
        yield 'It is a multiple of what is due, another one in each call'


def multiple(c: Case, goal: np.ndarray, of: np.ndarray) -> float:
    """How often something is there, if yours is made of it and of what is there beside the goal; else NaN."""
    if goal.shape != of.shape or not of.size:
        return np.nan
    best = np.nan_to_num(np.abs(of), posinf=0).argmax()
    found = goal.flat[best] / of.flat[best]
    return found if c.is_(c.yours - goal + found * of, found) else np.nan


def through(cases: Sequence[Case]) -> Iterator[str]:
    """It is right but for a factor on one path through construct."""
    for n, paths in shared(cases, lambda c: c.t.paths).items():
        parts = [c.without(path) for c, path in zip(cases, paths, strict=True) if c.alike]
        if len(parts) == len(cases) and many(parts, 3):
            said = chain(constant(parts), factor(parts))
            yield from (f'On the {n.rpartition(" ")[0]}, {each[0].lower()}{each[1:]}' for each in said)


TIMES = {1: ('', ''), -1: ('−', '−'), 2: ('2 · ', '½ · '), 0.5: ('½ · ', '2 · '), -2: ('−2 · ', '−½ · ')}


def factor(cases: Sequence[Case]) -> Iterator[str]:
    """A factor is missing, there once too often, or in another's place: yours times f is due times k times g."""
    if not all(c.alike for c in cases):
        return
    met = lambda c: {n: b for n, a in atoms(c).items() if (b := fitted(a, c.due.shape, False)) is not None}
    table = {'': [np.ones(c.due.shape) for c in cases]} | shared(cases, met)

    def good(few: int, f: Any, g: Any, ks: np.ndarray) -> np.ndarray:
        cut = lambda each: np.concatenate([a[..., c.live][..., :few] for c, a in zip(cases, each, strict=True)], -1)
        yours, due, room = (cut([getattr(c, field) for c in cases]) for field in ('yours', 'due', 'room'))
        left, right = yours * cut(f)[:, None], ks * due * cut(g)
        rooms = 4 * room * (np.abs(cut(f))[:, None] + np.abs(ks * cut(g))) + max(c.eps for c in cases) * np.abs(left)
        return near(left, right, rooms).all(-1)

    least = 3 if many(cases, 8) else 4
    names, ks = list(table), np.array(list(TIMES))[:, None, None, None]
    F = [np.stack(each) for each in zip(*table.values(), strict=True)]
    fits = np.argwhere(good(2 + 24 // len(cases), F, F, ks)).tolist()
    for k, f, g in sorted(fits, key=lambda kfg: (min(kfg[1:]) > 0, kfg[0], sum(kfg[1:]))):
        ratios = np.concatenate([(a[g] / a[f])[c.off][:24] for c, a in zip(cases, F, strict=True)])
        some = len({f'{v:.5g}' for v in ratios[np.isfinite(ratios)]}) >= (least + 1 if min(f, g) else 3)
        if some and good(None, [a[f : f + 1] for a in F], [a[g : g + 1] for a in F], ks[k : k + 1]).all():
            extra, missing = list(TIMES.values())[k]
            where = f'in the place of {names[f]}' if f else 'once too often'
            yield f'It has the factor {extra}{names[g]} {where}' if g else f'The factor {missing}{names[f]} is missing'


def instead(cases: Sequence[Case]) -> Iterator[str]:
    """It is made of other numbers: in the place of those that are due, or the same whatever dout is."""
    table = shared(cases, forms) if many(cases, 4) else {}
    all_ = lambda test, each: all(test(c, *e) for c, e in zip(cases, each, strict=True))
    mine = [n for n, each in table.items() if all_(lambda c, made, terms: c.is_(made, 0, terms), each)]
    yield from (f'It is {m}' for m in mine[:1])
    asked = [c for c in cases if c.t.twice is not None]
    if asked and all(c.is_(wide(c.t.twice)) for c in asked):
        yield 'It is the same for twice the dout'


def part(cases: Sequence[Case]) -> Iterator[str]:
    """It is right but where a condition holds, and there it is wrong, perhaps in one way."""
    if not all(c.alike for c in cases):
        return
    if many(cases, 6) and all(((c.yours == 0) == (np.abs(c.due) > c.room))[c.known].all() for c in cases):
        yield 'It is 0 where something is due, and something where 0 is due'
    gone = all((~np.isfinite(c.yours) & np.isfinite(c.due) | ~c.off).all() for c in cases)
    k = share(cases, [c.off for c in cases])
    said = 'NaN or infinite' if gone else 'wrong' if k is None else times(k)
    enough = many(cases, 2 if gone else 3, right=True) and (gone or many(cases, 3))
    for text, masks in shared(cases, conditions).items():
        tried = {m.tobytes(): c.live.sum() for c, m in zip(cases, masks, strict=True)}  # a place counts once
        least = 16 if said == 'wrong' else 12
        sure = text.endswith(' is 0') if gone else sum(tried.values()) >= least
        here = [m & c.live for c, m in zip(cases, masks, strict=True)]
        if text == 'where 0 is due':  # in one call at least, everywhere
            sure = any((c.off == m & c.known).all() for c, m in zip(cases, masks, strict=True))
        if sure and enough and all((c.off == m).all() for c, m in zip(cases, here, strict=True)):
            yield f'It is {said} {text}, and right elsewhere'
        elif sure and (k := share(cases, masks)) is not None and (m := share(cases, [~m for m in masks])) is not None:
            yield f'It is {times(k)} {text}, and {times(m)} elsewhere'
    if enough and said != 'wrong':
        yield f'It is {said} in some places, and right elsewhere'


def share(cases: Sequence[Case], masks: Sequence[np.ndarray]) -> float | None:
    """What due is multiplied by in these places, if it is one number, and there are enough of them."""
    join = lambda field: np.concatenate([getattr(c, field)[m & c.live] for c, m in zip(cases, masks, strict=True)])
    yours, due, room = join('yours'), join('due'), join('room')
    k = (yours / due)[np.abs(due).argmax()] if len(due) > 2 else np.nan
    fits = near(yours, k * due, 4 * room * (1 + abs(k)) + max(c.eps for c in cases) * np.abs(yours)).all()
    return float(k) if fits and np.isfinite(k) else None


def times(k: float) -> str:
    """So many times what is due, in words."""
    said = {0: '0', 1: 'right', -1: 'of the opposite sign'}.get(round(k, 6))
    return said or f'{k:.4g} times what is due'.replace('-', '−')


def along(cases: Sequence[Case]) -> Iterator[str]:
    """But for a factor or a term that is the same along an axis, or one along each of two, it is right."""
    axes = {'everywhere': (), 'along the last axis': (-1,), 'along axis 0': (0,), 'along all axes but 1': (0, 2, 3)}
    ways = [(where, lambda c, base, axis=axis: made_of(c, base, axis)) for where, axis in axes.items()]
    both = 'with a number for each row and one for each column, as a sum along another axis leaves it'
    if all(c.alike and np.isfinite(c.yours - c.due).all() for c in cases):
        found = shared(cases, terms).items()
        for (said, each), (where, made) in chain(product(found, ways), product(found, [(both, crossed)])):
            tried = (made(c, base) for c, base in zip(cases, each, strict=True))
            counts = [*takewhile(lambda many: many is not None, tried)]
            if len(counts) == len(cases) and sum(counts) > 5:
                yield f'It is {said} {where}'


def misplaced(cases: Sequence[Case]) -> Iterator[str]:
    """It is due where numbers stand in other places, or others in theirs."""
    yield from (f'It {said}' for said, made in moved(cases[0]) if all(c.is_(made(c)) for c in cases))
    room = lambda c: 4 * c.room.max() + c.eps * np.abs(c.due).max()
    if all(c.alike and near(np.sort(c.yours, None), np.sort(c.due, None), room(c)).all() for c in cases):
        yield 'It has the numbers that are due, in other places'


def one_of(cases: Sequence[Case]) -> Iterator[str]:
    """Where several numbers of dout are due together, one is there, and always the same one."""
    kept = []
    for c in cases:
        dout = c.values.get('dout', wide(()))
        if not c.alike or not 1 < dout.size <= MOST:
            return
        each = [c.t.due_at({'dout': one * dout}) for one in np.eye(dout.size).reshape(-1, *dout.shape)]
        if any(a is None for a in each):
            return
        each = np.stack(each)
        here = near(each, c.yours, c.room + c.eps * np.abs(c.yours)) & ((each != 0) | (not dout.all()))
        kept.append(here | ~c.off)
    if len({here.shape for here in kept}) == 1 and np.logical_and.reduce(kept).any(0).all():
        yield 'Where several numbers of dout are due together, it is one of them'


def roughly(cases: Sequence[Case]) -> Iterator[str]:
    """It is no other thing, but has few digits."""
    if all(c.alike and c.off.sum() > c.live.sum() / 2 for c in cases):
        most = max(np.max(apart(c.yours, c.due)[c.known]) / np.max(np.abs(c.due[c.known])) for c in cases)
        if most < ROUGH:
            yield f'It is off by {100 * most:.2g} % of the largest number that is due, or less, as an approximation is'
