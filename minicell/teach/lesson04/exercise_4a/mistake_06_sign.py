"""Before minus after.

Rise is upper minus lower: `f(x + step)` comes first. Yours has every sign turned around.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = (f(x - step) - f(x + step)) / (2 * eps)
    return found
