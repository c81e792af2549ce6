"""The slope of a function is one number.

By one number it is. `x` has several, and each has a slope of its own: return an array of the shape of `x`.
"""

# ruff: noqa: D103


def slopes(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)
