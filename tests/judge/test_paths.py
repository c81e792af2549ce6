"""A way through construct that is missing is named as the user's line names it, and what is said is so."""

import re

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, ops
from tests.core.cells import made
from tests.judge.asked import JUDGE, read, told, weighed

pytestmark = JUDGE
RNG = np.random.default_rng(5)
X, W = (Tensor(RNG.standard_normal(shape), ms.float32) for shape in ((4, 3), (3,)))


def normed(x, fixed=''):
    mean = x.mean(0)
    mean = ops.stop_gradient(mean) if 'mean' in fixed else mean
    std = ops.sqrt(((x - mean) ** 2).mean(0) + 1e-5)
    std = ops.stop_gradient(std) if 'std' in fixed else std
    return (x - mean) / std


def soft(x, fixed=''):
    top = x.amax(-1, keepdims=True)
    e = ops.exp(x - (ops.stop_gradient(top) if 'top' in fixed else top))
    total = e.sum(-1, keepdims=True)
    return e / (ops.stop_gradient(total) if 'total' in fixed else total)


def swish(x, fixed=''):
    s = ops.sigmoid(x)
    return x * (ops.stop_gradient(s) if 's' in fixed else s)


def steps(x, fixed=''):
    h = x[0] * 0
    for t in range(4):
        h = ops.tanh(W * (ops.stop_gradient(h) if 'h' in fixed else h) + x[t])
    return h


def unit(x, fixed=''):
    return x / (ops.stop_gradient(length(x)) if fixed else ops.sqrt((x * x).sum(-1, keepdims=True)))


length = lambda x: ops.sqrt((x * x).sum(-1, keepdims=True))
MISSING = [(normed, 'std'), (normed, 'mean and std'), (soft, 'top and total'), (swish, 's'), (steps, 'h')]
MISSING += [(unit, 'ops.sqrt((x * x).sum(-1, keepdims=True))')]


def mistakes(function, bprop):
    """What is said under a Tape, and by check_bprop."""
    cell = made(lambda self, x: function(x), bprop)
    rows = [*told(read(weighed(cell), X)), *ms.check_bprop(cell, X).rows]
    assert [row.verdict for row in rows] == ['wrong'] * 2
    return {re.sub(': at .*', '', row.mistake) for row in rows}


@pytest.mark.parametrize(('function', 'fixed'), MISSING, ids=[fixed for _, fixed in MISSING])
def test_a_path_that_is_missing_is_named(function, fixed):
    several = 's' * (' and ' in fixed), 'are' if ' and ' in fixed else 'is'
    bprop = lambda self, x, out, dout: ms.vjp(lambda x: function(x, fixed), x)[1](dout)
    assert mistakes(function, bprop) == {f'The path{several[0]} through {fixed} {several[1]} missing'}
    only = lambda self, x, out, dout: (ms.vjp(function, x)[1](dout)[0] - bprop(self, x, out, dout)[0],)
    assert mistakes(function, only) == {f'Only the path{several[0]} through {fixed} {several[1]} there'}
    right = made(lambda self, x: function(x), lambda self, x, out, dout: ms.vjp(function, x)[1](dout))
    assert ms.check_bprop(right, X)
