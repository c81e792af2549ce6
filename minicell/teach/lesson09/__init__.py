"""Lesson 09: its figure of first and second order; trials of a Cell at each order, beside a twin without bprop."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach.bprop_check import BpropCheck

from .figures import FIGURES
from .suspects import HUNT

HERE = np.array([-1.2, 0.0, 0.4, 0.9, 2.0])  # 0 among them: a slope may not be looked for by dividing


def cube(x: Any) -> Any:
    """The twin of exercise 9a, without a bprop."""
    return x * x * x


def sinh(x: Any) -> Any:
    """The twin of exercise 9b."""
    e = ops.exp(x)
    return (e - 1 / e) / 2


def at(numbers: np.ndarray) -> dict[str, list[Any]]:
    """The one case of both exercises."""
    return {f'x of {numbers.size} numbers': [ms.Tensor(numbers)]}


TRIALS = {
    '9a': BpropCheck('Cube', ['dx'], cube, 'the cube of x', at(HERE), order=3),
    '9b': BpropCheck('Sinh', ['dx'], sinh, 'the sinh of x', at(HERE), order=2),
    '9c': HUNT,
}
