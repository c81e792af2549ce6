"""A formula is read from left to right.

`/` binds more tightly than `-`: only the second value was divided. And `/ 2 * eps` divides by 2, then multiplies by
eps. Put brackets around the rise, and around the run.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = f(x + step) - f(x - step) / 2 * eps
    return found
