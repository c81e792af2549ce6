"""I may write into x, it is only moved a little.

`x += step` changes the array of the caller, and each further number starts from where the last one left it. Your
slopes are nearly right, and the data are not what they were. Make a new array: `x + step`.
"""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        below = f(x - step)
        x += step
        found[i] = (f(x) - below) / (2 * eps)
    return found
