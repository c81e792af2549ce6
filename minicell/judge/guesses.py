"""What a wrong gradient may be made of: tables of guesses for `diagnose`, each made of the numbers of one case.

A case `c` has `values` (inputs, out and dout by name), `yours`, `due` and `room`, as arrays of Float64.
"""

from itertools import combinations, product
from typing import Any

import numpy as np


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
    flat = {n: v for n, v in named.items() if v.ndim == 2}
    flat |= {f'{n}.T': v.T for n, v in flat.items()}
    for (m, a), (n, b) in product(flat.items(), repeat=2):
        if a.shape[1] == len(b) and (len(a), b.shape[1]) == shape:
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
        for word, end in (('first', index == 0), ('last', index == c.due.shape[k] - 1)):
            found |= {f'in the {word} place along axis {k}': end, f'in all but the {word} place along axis {k}': ~end}
    return found


def terms(c: Any) -> dict[str, np.ndarray]:
    """What a gradient may be, or be off by, times a number that stays the same along an axis."""
    named = {n: b for n, a in c.values.items() if (b := fitted(a, c.due.shape, False)) is not None}
    named |= {f'exp({n})': np.exp(v) for n, v in named.items() if 'out' in n and 'd' not in n}
    found = {'a multiple of what is due': c.due, 'off by the same number': np.ones(c.due.shape)}
    return found | {f'off by a multiple of {n}': v for n, v in named.items()}


def made_of(c: Any, base: np.ndarray, axes: tuple[int, ...]) -> int:
    """If yours, or what it is off by, is made of this: how many numbers more than factors there are; else 0."""
    if c.due.ndim <= max((0, *axes)) or not np.isfinite(base).all() or not c.due.size:
        return 0
    goal, lines = c.yours if base is c.due else c.yours - c.due, {'axis': axes or None, 'keepdims': True}
    fit = base * np.nan_to_num(np.sum(goal * base, **lines) / np.sum(base * base, **lines))
    size = np.max(np.abs(c.yours) + np.abs(c.due), **lines)
    good = (np.abs(fit - goal) <= 8 * c.room + c.eps * size).all()
    return (goal.size - size.size) * int(good)
