"""x was moved by eps, so divide by eps.

From `x - step` to `x + step` the run is two eps. Each of your slopes is twice too large.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = (f(x + step) - f(x - step)) / eps
    return found
