"""What verdicts cost beside one walk over the same Tape, and that a Tape which nobody looks at pays nothing."""

import time

import numpy as np
import pytest

import minicell as ms
from minicell import Tensor, judge, nn, ops
from minicell.story.events import Walk

RNG = np.random.default_rng(0)


class Product(nn.Cell):
    def construct(self, x, y):
        return x @ y

    def bprop(self, x, y, out, dout):
        return x + 1, y + 1


class Leak(nn.Cell):
    def construct(self, v, x):
        return ops.tanh(0.9 * v + x)

    def bprop(self, v, x, out, dout):
        g = dout * (1 - out * out)
        return 0.9 * g, g


def through_time(x, cell=Leak()):  # noqa: B008
    v = 0 * x
    for _ in range(50):
        v = cell(v, x)
    return (v * v).sum()


def taped(f, *xs):
    with ms.Tape() as tape:
        ms.grad(f, tuple(range(len(xs))))(*xs)
    return tape


def best(work, times=5):
    """The least CPU time of a few runs."""
    found = []
    for _ in range(times):
        judge.judged_before.clear()
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


@pytest.mark.parametrize(
    ('f', 'xs', 'most'),
    [  # a wrong bprop is asked several times, a right one is read back once
        (Product(), (Tensor(RNG.random((2, 3)).astype('f')), Tensor(RNG.random((3, 4)).astype('f'))), 600),
        (through_time, (Tensor(RNG.random((8, 32)).astype('f')),), 100),
    ],
)
def test_verdicts_cost_so_many_walks(f, xs, most):
    tape = taped(f, *xs)
    assert best(tape.verdicts) < most * best(lambda: list(Walk(tape)))


def test_nobody_is_judged_before_someone_looks(monkeypatch):
    monkeypatch.setattr(judge, 'takeover', None)
    tape = taped(Product(), Tensor([[1.0]]), Tensor([[2.0]]))
    assert len(tape.events) > 5
    with pytest.raises(TypeError):
        tape.verdicts()
