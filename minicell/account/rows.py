"""The rows of an account, and sums of numbers that may be NaN or infinite."""

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

MANY, KEPT = 8, 6  # over 8 rows of one kind, the largest 6 are kept, and the rest is one row


class Row(NamedTuple):
    """One part of a number: slope × cotangent = product, and what there is so far."""

    who: str  # `1 Mul`, `your bprop`, `your hook on z, then 1 Mul`
    line: str = ''  # the line and columns of the code that the entry stands for: `16:9–14`
    factor: float | None = None  # the slope: how much the number counts this element of the cotangent
    cotangent: float | None = None
    product: float = 0.0
    total: float = 0.0  # the running sum
    through: str = ''  # the element of the entry's output: `z[0,1]`, or `26 others`
    by: str = ''  # the value that the slope is, where it is one: `y[2,1]`
    formula: str = ''  # of a bprop
    kind: str = 'rule'  # 'rule', 'bprop', 'hook', 'start', 'others', 'rounding', 'unknown'
    yours: bool = False
    file: str = ''
    entry: int = -1  # the time of the entry
    of: tuple | None = None  # (gradient, index) of the cotangent: `tape.why(*row.of)` explains that


def running(rows: list[Row]) -> list[Row]:
    """The rows with their running sum."""
    totals = accumulate((r.product for r in rows), initial=0.0)
    return [r._replace(total=t) for r, t in zip(rows, [*totals][1:], strict=True)]


def size(value: Any) -> float:
    """The magnitude of what is finite."""
    return abs(value) if np.isfinite(value) else 0.0


def largest(products: Any) -> list[int]:
    """Which of many parts are told one by one: the few that matter most; what is not finite matters most of all."""
    sizes = np.abs(np.asarray(products))
    if len(sizes) <= MANY:
        return list(range(len(sizes)))
    return sorted(np.argsort(-np.where(np.isfinite(sizes), sizes, np.inf), kind='stable')[:KEPT].tolist())


def folded(rows: list[Row]) -> list[Row]:
    """The rows that matter most, and the rest as one."""
    told = [r for r in rows if r.through != 'none of it'] or rows  # a slice of other numbers, say
    kept = largest([r.product for r in told])
    rest = [r.product for k, r in enumerate(told) if k not in kept]
    return [told[k] for k in kept] + [Row(f'{len(rest)} others', product=sum(rest), kind='others')] * bool(rest)


def odd(value: Any) -> bool:
    """Whether this is NaN or infinite."""
    return not np.isfinite(value)


def near(got: Any, due: Any, room: float) -> bool:
    """Whether two numbers are the same, but for so much; of what is not finite, one is as good as another."""
    if odd(got) or odd(due):
        return odd(got) and odd(due)
    return abs(got - due) <= room + 1e-300
