"""float32 is precise enough.

You made the step in float32, and took the values in float32. They have seven digits, and the minus takes most of them
away. Compute differences in float64.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    x = x.astype(np.float32)
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = (np.float32(f(x + step)) - np.float32(f(x - step))) / (2 * eps)
    return found
