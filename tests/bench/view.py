"""How long the picture of a long tape takes to be ready, in time of the processor, and how large it is.

python tests/bench/view.py
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
import minicell as ms
from minicell import nn
from minicell.view.picture import LARGEST, ZOOMS, Picture

READY = 1.0  # seconds, for the picture of 1,000 entries


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


def measure(tape, zoom='ops'):
    """Seconds until the picture is ready to be displayed, its characters, and its steps."""
    start = time.process_time()
    picture = Picture(tape, zoom=zoom)
    html = picture.html()
    return time.process_time() - start, len(html), len(picture.films[0].steps)


def main(entries=1000):
    """Print a row for each program and zoom."""
    print(f'{entries} entries; limits {READY * 1000:.0f} ms ready, {LARGEST} characters')
    for name, make in PROGRAMS.items():
        tape = make(entries)
        for zoom in ZOOMS:
            ready, size, steps = measure(tape, zoom)
            print(f'{name:14} {zoom:7} {steps:5} steps ready in {ready * 1000:4.0f} ms, {size:7} characters')


if __name__ == '__main__':
    main(*map(int, sys.argv[1:]))
