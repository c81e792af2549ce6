"""Move the whole input, and every slope comes out.

`x + eps` moves all numbers at once: you get the sum of all slopes, the same one in each place. Move one number, and
leave the others where they are.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = (f(x + eps) - f(x - eps)) / (2 * eps)
    return found
