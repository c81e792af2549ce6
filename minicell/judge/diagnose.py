"""What kind of mistake a wrong gradient is, in one sentence that holds wherever it was tried."""

from collections.abc import Sequence
from typing import NamedTuple

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
    return ''
