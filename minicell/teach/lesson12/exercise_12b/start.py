"""The unfinished answer: a learner begins here."""

# ruff: noqa: D101, F401
import minicell.nn as nn
import minicell.ops as ops


class Mine(nn.Surrogate):
    def slope(self, x):
        return ...
