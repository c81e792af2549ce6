"""The account of one number of one gradient: a row for everything that was added up to make it."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...core.watch import Tape
from . import slopes, table
from .ask import asked


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


@dataclass(frozen=True, eq=False)
class Account:
    """How one number of a gradient was made. `print` shows it as a table, and so does a notebook."""

    title: str
    rows: tuple[Row, ...]
    total: str  # the number, as it is written
    number: float
    note: str = ''
    true: float | None = None  # what the built-in rules would have added up, where a bprop took part
    true_heading: str = ''
    true_rows: tuple[Row, ...] = ()
    verdict: str = ''
    name: str = ''
    index: tuple[int, ...] = ()
    tape: Tape | None = field(default=None, repr=False)

    def deeper(self, row: int = 0) -> 'Account':
        """The account of the cotangent that a row came from. Raises ValueError where the row has none."""
        if self.rows[row].of is None:
            raise ValueError(f'Row {row} of this account comes from no single number of a cotangent.')
        return why(self.tape, *self.rows[row].of)

    def __str__(self) -> str:
        return table.text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table.html(self)


def why(tape: Tape, gradient: object, index: Any = ()) -> Account:
    """See `Tape.why`."""
    from .maker import Maker

    book, handed, index = asked(tape, gradient, index)
    with slopes.quietly():
        return Maker(tape, book, handed, index).account()
