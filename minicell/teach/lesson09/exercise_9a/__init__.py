"""Exercise 9a: a cube whose bprop is right at every order."""

from typing import Any

from minicell.teach.exercise import Trial
from minicell.teach.lesson09.trials import attempt

TASK = (
    'Write the `bprop` of `x * x * x`, so that first, second and third order come right inside a loss whose `dout` '
    'depends on `x`.'
)
NAME = 'Cube'
HINTS = (
    'How many gradients does `construct` ask for? One input, one gradient: the first derivative of the cube.',
    'Do not write the second derivative anywhere. Write the first one with operations on `x` and `dout` that the '
    'second tape can record.',
    'The slope of `x * x * x` is `3 * x * x`, and every gradient is multiplied by `dout`.',
)
ORDERS = 3


def cube(x: Any) -> Any:
    """The twin without a bprop."""
    return x * x * x


def trial(answer: Any) -> Trial:
    """Try a Cell at three orders."""
    return attempt(answer, NAME, cube, ORDERS)
