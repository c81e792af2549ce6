"""What kind of mistake a wrong gradient is, in one sentence that holds wherever it was tried.

A hypothesis looks at all trials and yields the sentences that hold for every one of them. The first is said, so the most
telling hypotheses come first. What a few numbers could fit by accident is not said: see `many`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np


class Trial(NamedTuple):
    """One gradient as a bprop returned it, beside the true one, and what both were made of."""

    name: str  # of the input: 'x'
    yours: np.ndarray
    due: np.ndarray
    values: dict[str, np.ndarray]  # inputs and Parameters by name, 'out' (or 'out[0]' …), 'dout' (or 'dout[0]' …)
    others: dict[str, np.ndarray]  # the due gradients of the other inputs, by name
    room: np.ndarray | float  # how far yours may be off and still agree, number by number
    ones: np.ndarray | None = None  # due for a dout of ones in the same place
    twice: np.ndarray | None = None  # yours for twice the dout
    again: np.ndarray | None = None  # yours, asked the same once more at once
    after: np.ndarray | None = None  # yours, asked the same after another call of the Cell (with other inputs)
    wide: bool | None = None  # where yours is Float16 or Float32: whether the same is right in Float64
    order: int = 1


def diagnose(trials: Sequence[Trial]) -> str:
    """Name the mistake in one sentence that holds for every trial, with the numbers of one place; '' if none fits."""
    with np.errstate(all='ignore'):
        cases = [Case(t) for t in trials]
        wrong = [c for c in cases if c.off.any()]
        tried = (narrow, second, whole) if wrong else ()
        tried += (factor, instead, part, unsummed, along, alone) if many(wrong, 3) else ()
        said = (f'{said}{at(wrong)}' for hypothesis in tried for said in hypothesis(cases))
        return next(unlike(cases, 'again', *AGAIN), '') or next(said, '') or next(unlike(cases, 'after', *AFTER), '') or next(unlike(wrong, 'twice', *TWICE), '')


class Case:
    """A trial as numbers of Float64: where it is off, and where a number says something."""

    def __init__(self, t: Trial) -> None:
        self.t, self.yours, self.due = t, wide(t.yours), wide(t.due)
        self.values = {n: wide(v) for n, v in t.values.items()}
        kinds = [np.asarray(v).dtype for v in (t.yours, *t.values.values())]
        self.eps = 32 * max((np.finfo(kind).eps for kind in kinds if kind.kind == 'f'), default=1e-15)
        self.same = self.yours.shape == self.due.shape
        self.room = np.broadcast_to(np.nan_to_num(wide(t.room)), self.due.shape) if self.same else wide(0.0)
        self.known = ~np.isnan(self.due) if self.same else np.ones(self.yours.shape, bool)
        self.off = self.known & ~near(self.yours, self.due, self.room) if self.same else self.known
        self.live = self.known & ((self.yours != 0) | (np.abs(self.due) > self.room)) if self.same else self.known

    def is_(self, made: Any, scale: Any = 1.0, terms: Any = 0.0, only: Any = True) -> bool:
        """Whether yours is this: as near as `scale` times due is known, and as terms of this size can be added."""
        if made is None or np.shape(made) != self.yours.shape or not self.known.any():
            return False
        room = 4 * self.room * (1 + np.abs(scale)) + self.eps * np.maximum(np.abs(made), terms)
        return bool((near(self.yours, made, room) | ~(self.known & only)).all())


def wide(array: Any) -> np.ndarray:
    """Numbers in Float64; what is no number is NaN."""
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind in 'fiub' else np.full(array.shape, np.nan)


def near(a: Any, b: Any, room: Any) -> np.ndarray:
    """Where two numbers agree."""
    return (np.abs(a - b) <= room) | (a == b)


def fitted(a: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """Numbers as they meet a gradient of this shape: broadcast, or added up where forward broadcast; None: they don't."""
    ahead = a.ndim - len(shape)
    if ahead < 0 or any(n != m != 1 for n, m in zip(a.shape[ahead:], shape, strict=True)):
        fits = ahead <= 0 and all(n in (1, m) for n, m in zip(a.shape, shape[-ahead:], strict=True))
        return np.broadcast_to(a, shape) if fits else None
    return a.sum((*range(ahead), *(ahead + k for k, m in enumerate(shape) if m == 1))).reshape(shape)


def many(cases: Sequence[Case], least: int, right: bool = False) -> bool:
    """Whether so many different numbers, wrong or right ones, say the same: copies of a number are one."""
    masks = [(c, c.live & ~c.off if right else c.off) for c in cases]
    pairs = [zip(c.yours[m][:99], (c.due if c.same else c.yours)[m][:99], strict=True) for c, m in masks]
    return len({f'{a:.6g}, {b:.6g}' for each in pairs for a, b in each}) >= least


def shared(cases: Sequence[Case], of: Callable[[Case], dict[str, Any]]) -> dict[str, list[Any]]:
    """What a table of each case has in all of them: name -> the entry of each."""
    tables = [of(c) for c in cases]
    return {n: [t[n] for t in tables] for n in tables[0] if all(n in t for t in tables)}


def at(cases: Sequence[Case], field: str = 'due', said: str = 'it is {}, and {} is due') -> str:
    """The numbers of the place where yours and another field of a trial differ most."""
    for c in cases:
        other = wide(getattr(c.t, field))
        if c.yours.shape != other.shape:
            return f': its shape is {c.yours.shape}, and {other.shape} is due.'
        gap = np.nan_to_num(np.abs(c.yours - other), nan=1e300) * ~(near(c.yours, other, c.room) | np.isnan(other))
        if gap.any():
            place = np.unravel_index(int(gap.argmax()), gap.shape)
            a, b = c.yours[place], other[place]
            digits = next((k for k in range(4, 18) if f'{a:.{k}g}' != f'{b:.{k}g}'), 17)
            where = f'at [{", ".join(map(str, place))}] ' if place else ''
            return f': {where}{said.format(shown(a, digits), shown(b, digits))}.'
    return '.'


def shown(number: float, digits: int = 4) -> str:
    """A number as a text shows it."""
    text = f'{number + 0.0:.{digits}g}'.replace('nan', 'NaN').replace('inf', 'infinity')
    return (text + '.0' if text.lstrip('-').isdigit() else text).replace('-', '−')


# ---- what is asked apart from the numbers of one call --------------------------------------------------------------

AGAIN = 'Asked the same twice, it answers differently', 'it is {}, and then {}'
AFTER = 'Another call of the Cell, before backward begins, changes it', 'it is {}, and after that call {}'
TWICE = 'It is not linear in dout', 'it is {}, and for twice the dout {}'


def unlike(cases: Sequence[Case], field: str, said: str, numbers: str) -> Iterator[str]:
    """Asked once more, the answer is another than it should be."""
    asked = [(c, wide(getattr(c.t, field))) for c in cases if getattr(c.t, field) is not None]
    times = 2 if field == 'twice' else 1
    found = [c for c, other in asked if c.same and not c.is_(other / times) and np.isfinite(c.yours).all()]
    if found and (times == 1 or len(found) == len(cases)):
        yield said + at(found, field, numbers)


def narrow(cases: Sequence[Case]) -> Iterator[str]:
    wrong = [c for c in cases if c.off.any()]
    if all(c.t.wide for c in wrong):
        yield f'It is right in Float64, and wrong in Float{8 * np.asarray(wrong[0].t.yours).dtype.itemsize}'


def second(cases: Sequence[Case]) -> Iterator[str]:
    again = [c for c in cases if c.t.order > 1]
    if len(again) < len(cases) and not any(c.off.any() for c in cases if c.t.order == 1):
        what = '0 everywhere' if all(c.is_(0 * c.yours) for c in again) else 'wrong'
        yield f'It is right, but its own derivative (second order) is {what}'


# ---- one statement about all numbers -------------------------------------------------------------------------------


def whole(cases: Sequence[Case]) -> Iterator[str]:
    """It is 0, the negative, the gradient of another, in other places, a multiple of what is due."""
    ways: dict[str, Callable[[Case], Any]] = {
        'It is 0 everywhere': lambda c: 0 * c.yours,
        'It has the opposite sign': lambda c: -c.due,
        'It is the gradient for a dout of ones: dout is missing': lambda c: c.t.ones,
        **{f'It is the gradient of {n}': lambda c, n=n: c.t.others.get(n) for n in cases[0].t.others},
        'It is what is due, transposed': lambda c: c.due.swapaxes(-1, -2) if c.due.ndim > 1 else None,
    }
    flip = lambda k: lambda c: np.flip(c.due, k) if c.due.ndim > k else None
    ways |= {f'It is what is due, turned around along axis {k}': flip(k) for k in range(4)}
    for k, (said, made) in enumerate(ways.items()):
        if many(cases, 3 if k else 2) and all(c.is_(made(c)) for c in cases):
            yield said
    if many(cases, 3):
        yield from constant([c for c in cases if c.live.any()])
    if many(cases, 4) and all(c.known.all() and near(np.sort(c.yours, None), np.sort(c.due, None), 0 * c.eps).all() for c in cases if c.yours.size == c.due.size):
        yield 'It has the numbers that are due, in other places'


def ratio(c: Case) -> float:
    """The one number that due is multiplied by; NaN if there is none."""
    if not c.same:
        return np.nan
    best = np.nan_to_num(np.abs(c.due), posinf=0).argmax()
    found = c.yours.flat[best] / c.due.flat[best]
    return float(found) if c.is_(found * c.due, found) else np.nan


def constant(cases: Sequence[Case]) -> Iterator[str]:
    """One factor: the same in every call, a length of that call, or another one in each."""
    found = np.array([ratio(c) for c in cases])
    if not np.isfinite(found).all():
        return
    fits = lambda due: bool(near(found, np.array(due), 99 * max(c.eps for c in cases) * np.abs(found)).all())
    if fits(found[0]):
        yield f'It is {shown(found[0])} times what is due'
    for word, due in shared(cases, lengths).items():
        for said in ['large'] * fits(due) + ['small'] * fits(1 / np.array(due)):
            yield f'It is too {said} by a factor, {word}'
    if all(c.live.sum() > 1 for c in cases):
        yield f'It is a multiple of what is due, another one in each call ({shown(found[0])} times in one)'


def lengths(c: Case) -> dict[str, float]:
    """What a mean divides by, or a root of it: the lengths of axes, and how many numbers there are."""
    axes = {f'the length of axis {k} of {n}': m for n, v in c.values.items() for k, m in enumerate(v.shape) if m}
    plain = axes | {f'how many numbers {n} has': v.size for n, v in c.values.items() if v.size}
    found = plain | {f'the root of {n}': m**0.5 for n, m in plain.items()}
    found |= {f'n / (n − 1), where n is {n}': m / max(m - 1, 0.5) for n, m in plain.items()}
    return found | {f'{n} divided by {o}': m / k for (n, m), (o, k) in combinations(axes.items(), 2)}


# ---- factors, and what it is instead -------------------------------------------------------------------------------

TIMES = {1: ('', ''), -1: ('−', '−'), 2: ('2 · ', '½ · '), 0.5: ('½ · ', '2 · '), -2: ('−2 · ', '−½ · ')}


def atoms(c: Case) -> dict[str, np.ndarray]:
    """What a factor may be made of."""
    named = dict(list(c.values.items())[-6:])
    found = dict(named)
    for n, v in named.items():
        up = 1 / (1 + np.exp(-v))
        found |= {f'(1 − {n})': 1 - v, f'(1 + {n})': 1 + v, f'{n}²': v * v, f'(1 − {n}²)': 1 - v * v, f'√{n}': v**0.5}
        found |= {f'{n} · (1 − {n})': v * (1 - v), f'exp({n})': np.exp(v), f'cos({n})': np.cos(v)}
        found |= {f'sin({n})': np.sin(v), f'sigmoid({n})': up, f'(1 − sigmoid({n}))': 1 - up}
    for (m, a), (n, b) in combinations(named.items(), 2):
        found |= {f'{m} · {n}': a * b, f'({m} − {n})': a - b} if a.shape == b.shape else {}
    return found


def factor(cases: Sequence[Case]) -> Iterator[str]:
    """A factor is missing, there once too often, or in another's place: yours times f is due times k times g."""
    if not all(c.same for c in cases):
        return
    join = lambda each: np.concatenate([a[c.live][:60] for c, a in zip(cases, each, strict=True)])
    met = lambda c: {n: b for n, a in atoms(c).items() if a.size <= c.due.size and (b := fitted(a, c.due.shape)) is not None}
    table = {'': join([np.ones(c.due.shape) for c in cases])} | {n: join(each) for n, each in shared(cases, met).items()}
    yours, due, room, off = (join([getattr(c, field) for c in cases]) for field in ('yours', 'due', 'room', 'off'))
    names, F, eps = list(table), np.stack(list(table.values())), max(c.eps for c in cases)
    left, right = (yours * F)[:, None], (due * F)[None]
    rooms = 4 * room * (np.abs(F)[:, None] + 2 * np.abs(F)[None]) + eps * np.abs(left)
    good = np.stack([near(left, k * right, rooms).all(-1) for k in TIMES])
    for k, f, g in sorted(np.argwhere(good).tolist(), key=lambda kfg: (min(kfg[1:]) > 0, kfg[0], sum(kfg[1:]))):
        ratios = (F[g] / F[f])[off]
        if len({f'{v:.5g}' for v in ratios[np.isfinite(ratios)]}) >= 3 + (min(f, g) > 0):
            extra, missing = list(TIMES.values())[k]
            instead_of = f'in the place of {names[f]}' if f else 'once too often'
            yield f'It has the factor {extra}{names[g]} {instead_of}' if g else f'The factor {missing}{names[f]} is missing'


def forms(c: Case) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What a gradient may be made of, in the shape of the input, and how large the terms are that it is made of."""
    named, shape, found = dict(list(c.values.items())[-6:]), c.yours.shape, {}
    for d, g in ((n, v) for n, v in named.items() if 'out' in n):
        for n, a in {'': np.ones(()), **atoms(c)}.items():
            if g.shape[g.ndim - a.ndim :] == a.shape and (made := fitted(g * a, shape)) is not None:
                text = f'{d} · {n}' if n else d
                found[text if made.size == g.size else f'the sum of {text}'] = made, fitted(np.abs(g * a), shape)
        found |= {f'{d}[{k}]': (g[k], np.abs(g[k])) for k in (0, -1) if g.ndim and len(g) and g[k].shape == shape}
    found |= {n: (v, np.abs(v)) for n, v in atoms(c).items() if v.shape == shape}
    flat = {n: v for n, v in named.items() if v.ndim == 2}
    flat |= {f'{n}.T': v.T for n, v in flat.items()}
    for (m, a), (n, b) in ((p, q) for p in flat.items() for q in flat.items()):
        if (*a.shape, b.shape[1]) == (shape[0] if shape else 0, len(b), shape[-1] if shape else 0):
            found[f'{m} @ {n}'] = a @ b, np.abs(a) @ np.abs(b)
    return found


def instead(cases: Sequence[Case]) -> Iterator[str]:
    """It is one form, and another is due; or it does not change with dout."""
    table = shared(cases, forms) if many(cases, 4) else {}
    known = lambda c, made, terms: c.same and bool(near(c.due, made, 4 * c.room + c.eps * terms).all())
    due = next((n for n, each in table.items() if all(known(c, *e) for c, e in zip(cases, each, strict=True))), '')
    yield from (f'{said[:-1]}, and {due} is due' for said in alone(cases) if due)
    if all(c.t.twice is not None and c.is_(wide(c.t.twice)) for c in cases):
        yield 'It ignores dout: for twice the dout it is the same'


def alone(cases: Sequence[Case]) -> Iterator[str]:
    """It is something else, whatever is due."""
    for n, each in (shared(cases, forms) if many(cases, 4) else {}).items():
        if all(c.is_(made, 0, terms) for c, (made, terms) in zip(cases, each, strict=True)):
            yield f'It is {n}'
