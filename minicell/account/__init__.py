"""`tape.why`: the account of one number of one gradient, a row for everything that was added up to make it."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.watch import Tape, aside
from . import table
from .ask import asked
from .maker import Maker
from .rows import Row


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
    with aside(), warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        book, handed, index = asked(tape, gradient, index)
        return Account(**Maker(tape, book, handed, index).account(), tape=tape)
