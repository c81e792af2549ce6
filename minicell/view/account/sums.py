"""Sums of rows: running, of the largest few, of numbers that may be NaN."""

from typing import Any

import numpy as np

from .. import style
from .row import Row

MANY, KEPT = style.ROWS_MANY, style.ROWS_KEPT


def running(rows: list[Row]) -> list[Row]:
    """The rows with their running sum."""
    total, out = 0.0, []
    for r in rows:
        total += r.product
        out.append(r._replace(total=total))
    return out


def size(value: Any) -> float:
    """The magnitude of what is finite."""
    return abs(value) if np.isfinite(value) else 0.0


def weight(value: Any) -> float:
    """How much a part matters: what is not finite does most."""
    return abs(value) if np.isfinite(value) else np.inf


def largest(rows: list[Row]) -> list[Row]:
    """The few that matter most, in their order."""
    kept = {id(r) for r in sorted(rows, key=lambda r: -weight(r.product))[:KEPT]}
    return [r for r in rows if id(r) in kept]


def odd(value: Any) -> bool:
    """Whether this is NaN or infinite."""
    return not np.isfinite(value)


def near(got: Any, due: Any, room: float) -> bool:
    """Whether two numbers are the same, but for so much; of what is not finite, one is as good as another."""
    if odd(got) or odd(due):
        return odd(got) and odd(due)
    return abs(got - due) <= room + 1e-300
