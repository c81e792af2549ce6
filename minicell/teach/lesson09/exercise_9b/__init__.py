"""Exercise 9b: the sinh that keeps an intermediate value, mended for second order."""

from typing import Any

import minicell.ops as ops
from minicell.teach.exercise import Trial
from minicell.teach.lesson09.trials import attempt

TASK = (
    'Make `Sinh` right at second order, too: give `bprop` an `e` that the second tape knows about. `construct` returns '
    'sinh, alone or as the first of a tuple.'
)
NAME = 'Sinh'
HINTS = (
    'What is kept beside the tape is a constant at second order. Which things does `bprop` have that are on the tape?',
    'It has `x`, `out` and `dout`. From one of them `e` can be worked out again, in one line.',
    'From `x`: `e` is `ops.exp` of it. Then you need not keep anything, and `construct` can be as short as before.',
)
ORDERS = 2


def sinh(x: Any) -> Any:
    """The twin without a bprop."""
    e = ops.exp(x)
    return (e - 1 / e) / 2


def trial(answer: Any) -> Trial:
    """Try a Cell at two orders."""
    return attempt(answer, NAME, sinh, ORDERS)
