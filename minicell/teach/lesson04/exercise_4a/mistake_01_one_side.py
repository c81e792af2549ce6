"""One side is enough.

You go from `x` to `x + step`. That is a slope, but its error shrinks like eps. The two sides together cancel the bend
of the curve, and what is left shrinks like eps²: a hundred times smaller for a step ten times smaller.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = (f(x + step) - f(x)) / eps
    return found
