"""The unfinished answer: a learner begins here."""

# ruff: noqa: D103
import numpy as np


def slopes(f, x, eps):
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        found[i] = ...
    return found
