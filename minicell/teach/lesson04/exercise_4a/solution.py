"""The rise from `x - step` to `x + step`, divided by the run, which is twice eps.

Both brackets matter: `/` binds more tightly than `-`, and `/ 2 * eps` divides by 2 and then multiplies by eps.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = (f(x + step) - f(x - step)) / (2 * eps)
    return found
