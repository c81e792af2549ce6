"""Verdicts come soon enough for a page that shows them."""

import time

import numpy as np
import pytest

from minicell import Tensor, judge, nn, ops
from tests.bench.pace import best
from tests.judge.test_cost import taped, through_time
from tests.view import gallery

pytestmark = pytest.mark.nightly
RNG = np.random.default_rng(0)
random = lambda *shape: Tensor(RNG.standard_normal(shape).astype(np.float32))


class Layer(nn.Cell):
    """A layer with a bprop of its own; `off`: its error."""

    def __init__(self, off=1.0):
        super().__init__()
        self.off = off

    def construct(self, x, w, b):
        return ops.tanh(x @ w + b)

    def bprop(self, x, w, b, out, dout):
        d = dout * (1 - out * out) * self.off
        return d @ w.T, x.T @ d, d.sum(0)


class Spike(nn.Cell):
    def construct(self, v):
        return (v > 0.3).astype(v.dtype)

    def bprop(self, v, out, dout):
        return (dout / (1 + ops.abs(v)) ** 2,)


def step(x, u, b, w, c, layer):
    return (layer(layer(x, u, b), w, c) ** 2).mean()


def spiking(x, spike=Spike()):  # noqa: B008
    v = spikes = 0 * x
    for _ in range(50):
        v = 0.9 * v + x - spikes
        spikes = spike(v)
    return (v * v).sum()


MLP = random(32, 64), random(64, 32), random(32), random(32, 10), random(10)
PROGRAMS = {  # a tape, and seconds of CPU at the pace of a quiet machine
    'lesson 03': (lambda: gallery.run('matmul_loss'), 0.02),
    'a step of an MLP': (lambda: taped(lambda *xs: step(*xs, Layer()), *MLP), 0.06),
    'a wrong step of an MLP': (lambda: taped(lambda *xs: step(*xs, Layer(1.5)), *MLP), 0.06),
    '50 steps of a Cell': (lambda: taped(through_time, random(8, 32)), 0.5),
    '50 spikes': (lambda: taped(spiking, random(8, 32)), 0.5),
}


@pytest.mark.parametrize('name', PROGRAMS)
def test_verdicts_are_there_soon(name):
    make, limit = PROGRAMS[name]
    tape = make()

    def measure():
        judge.judged_before.clear()
        start = time.process_time()
        assert tape.verdicts()
        return time.process_time() - start

    assert best(measure, limit) < limit
