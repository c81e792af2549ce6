"""Cells that several tests need, and short words for what tests do all the time."""

from contextlib import nullcontext

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, nn, ops

# `with look() as tape:` is a Tape in the second case, and nothing in the first
LOOK = pytest.mark.parametrize('look', [nullcontext, ms.Tape], ids=['plain', 'watched'])


def values(t):
    """A Tensor as a list, and what holds Tensors with each of them as one."""
    if isinstance(t, (tuple, list)):
        return type(t)(map(values, t))
    return t.asnumpy().tolist() if isinstance(t, Tensor) else t


def same(t: Tensor, due) -> None:
    np.testing.assert_array_equal(t.asnumpy(), due)


def close(t: Tensor, due, rtol=1e-7, atol=0.0) -> None:
    np.testing.assert_allclose(t.asnumpy(), due, rtol=rtol, atol=atol)


def of_kind(tape: ms.Tape, *kinds: type) -> list:
    """The events of these classes."""
    return [e for e in tape.events if isinstance(e, kinds)]


def made(construct, bprop=None, name='Mine', **more):
    """A Cell of these functions."""
    return type(name, (nn.Cell,), {'construct': construct} | ({'bprop': bprop} if bprop else {}) | more)()


def returning(value, inputs=1, construct=None, name='Bad'):
    """A Cell whose bprop returns what `value` (a function of inputs, out, dout) gives."""
    shapes = {1: lambda self, x: x * 2, 2: lambda self, x, y: x * y, 3: lambda self, x, y, z: x * y * z}
    return made(construct or shapes[inputs], lambda self, *args: value(*args), name)


class Cube(nn.Cell):
    """x³ with the right bprop."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (dout * 3 * x * x,)


class Product(nn.Cell):
    """x·y with a bprop that marks its gradients: times 10 and times 100."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y * 10, dout * x * 100


class Keeps(nn.Cell):
    """Keeps an intermediate on self in construct, and uses it in bprop: the trap of pytorch/pytorch#58509."""

    def construct(self, x):
        self.kept = ops.exp(x)
        return self.kept * x

    def bprop(self, x, out, dout):
        return (dout * (self.kept + out),)


class Split(nn.Cell):
    """Two outputs."""

    def construct(self, x):
        return x * 2, x * x

    def bprop(self, x, out, dout):
        self.seen = out, dout
        return (dout[0] * 2 + dout[1] * 2 * x,)


class Scale(nn.Cell):
    """A Parameter with internal_params."""

    def __init__(self, value=2.0):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(value), name='w')
        self.internal_params = [self.w]

    def construct(self, x):
        return self.w * x

    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: (dout * x).sum()}


class Spy(nn.Cell):
    """Keeps what its bprop was given; its gradients are marked by position."""

    def __init__(self):
        super().__init__()
        self.got = []

    def construct(self, x, y):
        return x - y

    def bprop(self, *args):
        self.got.append(args)
        return tuple(args[-1] * 10**k for k in range(1, len(args) - 1))
