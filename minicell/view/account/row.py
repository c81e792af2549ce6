"""A row of an account."""

from typing import NamedTuple


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
