"""What a wrong gradient may be made of: tables of guesses for `diagnose`, each made of the numbers of one case.

A case `c` has `values` (inputs, out and dout by name), `yours`, `due` and `room`, as arrays of Float64.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

NTH = 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'


def wide(array: Any) -> np.ndarray:
    """Numbers in Float64; what is no number is NaN."""
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind in 'fiub' else np.full(array.shape, np.nan)


def near(a: Any, b: Any, room: Any) -> np.ndarray:
    """Where two numbers agree."""
    return (np.abs(a - b) <= room) | (a == b)


def fitted(a: np.ndarray, shape: tuple[int, ...], adds: bool = True) -> np.ndarray | None:
    """Numbers as they meet a gradient of this shape: broadcast, or added up where forward broadcast, or None."""
    ahead = a.ndim - len(shape)
    if a.shape == shape or (ahead <= 0 and all(n in (1, m) for n, m in zip(a.shape[::-1], shape[::-1], strict=False))):
        return a if a.shape == shape else np.broadcast_to(a, shape)
    if ahead < 0 or not adds or any(m not in (1, n) for n, m in zip(a.shape[ahead:], shape, strict=True)):
        return None
    return a.sum((*range(ahead), *(ahead + k for k, m in enumerate(shape) if m == 1))).reshape(shape)


def lengths(c: Any) -> dict[str, float]:
    """What a mean divides by, or a root of it: the lengths of axes, and how many numbers there are."""
    axes = {f'the length of axis {k} of {n}': m for n, v in c.values.items() for k, m in enumerate(v.shape) if m}
    plain = axes | {f'how many numbers {n} has': v.size for n, v in c.values.items() if v.size}
    found = plain | {f'the root of {n}': m**0.5 for n, m in plain.items()}
    found |= {f'n / (n − 1), where n is {n}': m / max(m - 1, 0.5) for n, m in plain.items()}
    return found | {f'{n} divided by {o}': m / k for (n, m), (o, k) in combinations(axes.items(), 2)}


def atoms(c: Any) -> dict[str, np.ndarray]:
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


def forms(c: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What a gradient may be made of, in the shape of the input, and how large the terms are that it is made of."""
    named, shape, single = dict(list(c.values.items())[-6:]), c.yours.shape, atoms(c)
    found = {n[1:-1] if n[0] == '(' else n: (v, np.abs(v)) for n, v in single.items() if v.shape == shape}
    for d, g in ((n, v) for n, v in named.items() if 'out' in n):
        for n, a in {'': np.ones(()), **single, f'({d} > 0)': g > 0}.items():
            if g.shape[g.ndim - a.ndim :] != a.shape:
                continue
            text, every = f'{d} · {n}' if n else d, g * a
            if (made := fitted(every, shape)) is not None:
                added = made.size < every.size
                found[f'the sum of {text}' if added else text] = made, fitted(np.abs(every), shape)
            if every.ndim > len(shape) and every.shape[1:] == shape and len(every):
                found |= {f'row {k} of {text}': (every[k], np.abs(every[k])) for k in (0, -1)}
    flat = {n: v for n, v in named.items() if v.ndim == len(shape) > 1}
    flat |= {f'{n}.T': v.swapaxes(-1, -2) for n, v in flat.items()}
    for (m, a), (n, b) in product(flat.items(), repeat=2):
        if a.shape[-1] == b.shape[-2] and a.shape[:-2] == b.shape[:-2] and (*a.shape[:-1], b.shape[-1]) == shape:
            found[f'{m} @ {n}'] = a @ b, np.abs(a) @ np.abs(b)
    return found


def conditions(c: Any) -> dict[str, np.ndarray]:
    """Where a gradient may be another than elsewhere."""
    named = {n: b for n, a in c.values.items() if (b := fitted(a, c.due.shape, False)) is not None}
    found = {'where 0 is due': np.abs(c.due) <= c.room}
    for n, v in named.items():
        found |= {f'where {n} is 0': v == 0, f'where {n} is negative': v < 0, f'where {n} is positive': v > 0}
    for (m, a), (n, b) in combinations(named.items(), 2):
        found |= {f'where {m} is above {n}': a > b, f'where {m} is below {n}': a < b}
        found |= {f'where {m} and {n} differ in sign': a * b < 0}
    for k, index in enumerate(np.indices(c.due.shape)):
        last = c.due.shape[k] - 1
        for n in {*range(min(last, len(NTH))), last}:
            word = NTH[n] if n < min(last, len(NTH)) or not n else 'last'
            found |= {f'in the {word} place along axis {k}': index == n}
            found |= {f'in all but the {word} place along axis {k}': index != n}
    return found | {'only where 0 is due': found['where 0 is due']}


def terms(c: Any) -> dict[str, np.ndarray]:
    """What a gradient may be, or be off by, times a number that stays the same along an axis."""
    named = {n: b for n, a in c.values.items() if (b := fitted(a, c.due.shape, False)) is not None}
    named |= {f'exp({n})': np.exp(v) for n, v in named.items() if 'out' in n and 'd' not in n}
    found = {'a multiple of what is due': c.due, 'off by the same number': np.ones(c.due.shape)}
    return found | {f'off by a multiple of {n}': v for n, v in named.items()}


def made_of(c: Any, base: np.ndarray, axes: tuple[int, ...]) -> int | None:
    """If yours, or what it is off by, is made of this: how many numbers say so where it is wrong; else None."""
    if c.due.ndim <= max((0, *axes)) or not np.isfinite(base).all() or not c.due.size:
        return None
    goal, lines = c.yours if base is c.due else c.yours - c.due, {'axis': axes or None, 'keepdims': True}
    fit = base * np.nan_to_num(np.sum(goal * base, **lines) / np.sum(base * base, **lines))
    size = np.max(np.abs(c.yours) + np.abs(c.due), **lines)
    good = (np.abs(fit - goal) <= 8 * c.room + c.eps * size).all()
    return int(max(0, np.sum((base != 0) * c.off.any(**lines)) - c.off.any(**lines).sum())) if good else None


def crossed(c: Any, base: np.ndarray) -> int | None:
    """The same for a matrix and a number for each row and for each column: with both, what is due is multiplied, or
    their sum is what the base is multiplied by."""
    some = (base != 0) if c.due.ndim == 2 else np.zeros((0, 0), bool)
    at = np.ix_(some.any(1), some.any(0))
    if not some[at].all() or not some.any() or (c.off & ~some).any():
        return None
    goal = c.yours if base is c.due else c.yours - c.due
    room = 8 * c.room + c.eps * (np.abs(c.yours) + np.abs(c.due))
    goal, base, room, factors = goal[at], base[at], room[at], base is c.due
    row, column = np.abs(base).min(1).argmax(), np.abs(base).min(0).argmax()
    of = lambda a: (a, a[row, column], a[:, column : column + 1], a[row : row + 1])
    here, corner, left, top = of(goal / base)
    if factors:
        gap, most = here * corner - left * top, np.abs(here * corner) * sum(of(room / np.abs(goal)))
    else:
        gap, most = here + corner - left - top, sum(of(room / np.abs(base)))
    return goal.size - sum(goal.shape) if (np.abs(gap) <= most).all() else None


def turns(ndim: int) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Ways to turn arrays, each of which undoes itself; an array of fewer axes stays as it is."""
    found = {}
    for k in range(ndim):
        found[f'flipped along axis {k}'] = lambda a, k=k: np.flip(a, k) if a.ndim > k else a
        found[f'flipped from axis {k} on'] = lambda a, k=k: np.flip(a, (*range(k, a.ndim),)) if a.ndim > k else a
    for j, k in combinations(range(ndim), 2):
        said = 'transposed' if ndim == 2 else f'turned, axis {j} for axis {k}'
        found[said] = lambda a, j=j, k=k: a.swapaxes(j, k) if a.ndim > k else a
    return found


def moved(c: Any) -> Iterator[tuple[str, Callable[[Any], np.ndarray | None]]]:
    """What a gradient is where numbers stand in the wrong places, and what makes that of any case."""
    inputs = [n for n in c.values if n.partition('[')[0] not in ('out', 'dout')]
    douts = [n for n in c.values if n.startswith('dout')]
    ways = turns(c.due.ndim)
    yield from ((f'is what is due, {said}', lambda c, turn=turn: turn(c.due)) for said, turn in ways.items())
    if c.due.ndim > 1:
        said = 'is what is due, with a reshape where a transpose belongs'
        yield said, lambda c: c.due.swapaxes(-1, -2).reshape(c.due.shape)
        yield said, lambda c: c.due.reshape(c.due.swapaxes(-1, -2).shape).swapaxes(-1, -2)
    for who, names in (('dout, and then the result, were', douts), ('the inputs, dout and then the result were', None)):
        for said, turn in ways.items():

            def back(c: Any, turn: Any = turn, names: Any = names) -> np.ndarray | None:
                found = c.t.due_at({n: turn(c.values[n]) for n in names or (*inputs, *douts)})
                return None if found is None else turn(found)

            yield f'would be right if {who} {said}', back
    for m in inputs:
        if 'out' in c.values and c.values['out'].shape == c.values[m].shape:
            yield f'is what is due at out in the place of {m}', lambda c, m=m: c.t.due_at({m: c.values['out']})
