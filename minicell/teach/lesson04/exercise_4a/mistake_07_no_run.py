"""The difference is the slope.

You have the rise. It shrinks with eps, and a slope should not: divide by the run.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = f(x + step) - f(x - step)
    return found
