"""The unfinished answer: a learner begins here."""

# ruff: noqa: D101, F841
import numpy as np

import minicell as ms
import minicell.nn as nn


class DropRows(nn.Cell):
    def __init__(self, keep_prob):
        super().__init__()
        self.keep_prob = keep_prob
        self.scale = 1 / keep_prob if keep_prob != 0 else 0.0

    def construct(self, x):
        thrown = ms.Tensor(np.random.random((x.shape[0], 1)), x.dtype)
        mask = ...
        y = ...
        return mask, y

    def bprop(self, x, out, dout):
        mask, _ = out
        _, dy = dout
        return (dy * mask * self.scale,)
