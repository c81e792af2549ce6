"""Central differences, for those who have written them in exercise 4a and go on from there."""

from collections.abc import Callable

import numpy as np


def slopes(f: Callable[[np.ndarray], float], x: np.ndarray, eps: float) -> np.ndarray:
    """The slope of f with respect to each number of the row x."""
    steps = eps * np.eye(x.size)
    return np.array([(f(x + step) - f(x - step)) / (2 * eps) for step in steps])
