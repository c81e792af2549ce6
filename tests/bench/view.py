"""How long the frames of a long tape take: all of them to be ready, and each to be drawn, in time of the processor.

python tests/bench/view.py
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
import minicell as ms
from minicell import nn, view
from minicell.view import story

READY = 0.300  # seconds, for the frames of 1,000 entries
DRAWN = 0.030  # seconds a frame


class Leak(nn.Cell):
    """A step of a loop, with a bprop of its own."""

    def construct(self, v, x):
        return v * 0.5 + x

    def bprop(self, v, x, out, dout):
        return dout * 0.5, dout


def plain(entries):
    """A chain of ops, no two neighbours alike."""

    def f(x):
        h = x
        for i in range(entries // 2):
            h = ms.ops.tanh(h) if i % 3 else ms.ops.sin(h)
            h = h + x
        return h

    return f


def loop(entries):
    """A recurrent cell, half of whose entries are takeovers."""
    leak = Leak()

    def f(x):
        v = x
        for _ in range(entries // 2):
            v = leak(v, x)
            v = v * 1.01
        return v

    return f


def tape_of(function, shape):
    """The tape of a gradient."""
    x = ms.Tensor(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape))
    with ms.Tape() as tape:
        ms.grad(lambda x: function(x).sum())(x)
    tape.events  # noqa: B018 (the tape's own reading is not the view's)
    return tape


PROGRAMS = {
    'ops': lambda n: tape_of(plain(n), (3,)),
    'ops, 32 × 32': lambda n: tape_of(plain(n), (32, 32)),
    'takeovers': lambda n: tape_of(loop(n), (3,)),
}


def measure(tape, zoom='ops', most=40):
    """Seconds until the frames are ready, seconds for each of some frames, and how many frames there are."""
    start = time.process_time()
    frames = view.frames(tape, zoom=zoom)
    view.svg(frames[0])  # the first one pays for the layout
    ready = time.process_time() - start
    drawn = []
    for i in np.unique(np.linspace(0, len(frames) - 1, most).astype(int)).tolist():
        start = time.process_time()
        view.svg(frames[i])
        drawn.append(time.process_time() - start)
    return ready, drawn, len(frames)


def main(entries=1000):
    """Print a row for each program and zoom."""
    print(f'{entries} entries; limits {READY * 1000:.0f} ms ready, {DRAWN * 1000:.0f} ms a frame')
    for name, make in PROGRAMS.items():
        tape = make(entries)
        for zoom in story.ZOOMS:
            ready, drawn, count = measure(tape, zoom)
            median, worst = statistics.median(drawn) * 1000, max(drawn) * 1000
            print(
                f'{name:14} {zoom:7} {count:5} frames ready in {ready * 1000:4.0f} ms, '
                f'each drawn in {median:4.1f} ms (most {worst:.1f})'
            )


if __name__ == '__main__':
    main(*map(int, sys.argv[1:]))
