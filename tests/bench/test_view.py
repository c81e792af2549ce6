"""The picture of a tape of any length is ready soon enough, and small enough to be displayed.

A busy machine may slow down a measurement: the best counts, each by the pace of its own moment.
"""

import time

import numpy as np
import pytest

import minicell as ms
from minicell import nn, ops
from minicell.judge import judged_before
from minicell.view.picture import Picture
from tests.bench.pace import best
from tests.view import gallery

pytestmark = pytest.mark.nightly


class Leak(nn.Cell):
    """A step of a loop, with a bprop of its own."""

    def construct(self, v, x):
        return v * 0.5 + x

    def bprop(self, v, x, out, dout):
        return dout * 0.5, dout


def chain(entries, *shape):
    """A chain of ops, no two neighbours alike."""

    def f(x):
        h = x
        for i in range(entries // 2):
            h = (ops.tanh if i % 3 else ops.sin)(h) + x
        return h.sum()

    return taped(f, np.linspace(-1, 1, np.prod(shape, dtype=int)).reshape(shape))


def loop(entries):
    """A recurrent cell, half of whose entries are takeovers."""
    leak = Leak()

    def f(x):
        v = x
        for _ in range(entries // 2):
            v = leak(v, x) * 1.01
        return v.sum()

    return taped(f, np.linspace(-1, 1, 3))


def moments(count=50):
    """A recurrent network over so many moments: six entries each."""
    w, u, b = (ms.Parameter(np.full(shape, 0.3, np.float32)) for shape in ((4, 4), (3, 4), 4))

    def loss(x):
        h = ms.Tensor(np.zeros((1, 4), np.float32))
        for t in range(count):
            h = ops.tanh(ops.matmul(h, w) + ops.matmul(x[t], u) + b)
        return (h * h).sum()

    return taped(loss, np.linspace(-1, 1, count * 3).reshape(count, 1, 3), [w, u, b])


def taped(function, x, weights=None):
    """The tape of a gradient; its own reading of its events is not the view's."""
    with ms.Tape() as tape:
        ms.grad(function, 0, weights)(ms.Tensor(x.astype(np.float32)))
    assert tape.events
    return tape


# a tape, the fewest entries of its picture, and seconds of CPU at the pace of a quiet machine
PROGRAMS = {
    'lesson 03': (lambda: gallery.run('matmul_loss'), 2, 0.3),
    '50 moments': (moments, 302, 1.0),
    'ops': (lambda: chain(1000, 3), 1000, 1.0),
    'ops on 32×32': (lambda: chain(1000, 32, 32), 1000, 1.0),
    'takeovers': (lambda: loop(1000), 1000, 1.0),
    '10,000 ops': (lambda: chain(10_000, 3), 10_000, 3.0),
}


@pytest.mark.parametrize('zoom', ['cells', 'ops'])
@pytest.mark.parametrize('name', PROGRAMS)
def test_it_is_shown_soon_and_small_enough(name, zoom):
    make, entries, limit = PROGRAMS[name]
    tape, shown = make(), {}

    def measure():
        judged_before.clear()  # as the first time
        start = time.process_time()
        picture = Picture(tape, zoom=zoom)
        shown.update(picture._repr_mimebundle_()[0], steps=len(picture.films[0].steps))
        return time.process_time() - start

    assert best(measure, limit) < limit
    assert sum(len(shown[form].encode()) for form in ('text/html', 'text/plain')) <= 1_000_000
    assert shown['steps'] > 5 and (zoom == 'cells' or len(Picture(tape).record.entries) >= entries)
