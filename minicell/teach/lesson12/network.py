"""What lesson 12 trains, and on what. The notebook's cells define the network, and the solution of 12a its neuron."""

import base64
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from minicell.teach.about import defined

FILE = Path(__file__).with_name('digits.txt')  # its first lines say where the digits are from, and their licence
Digits = tuple[np.ndarray, np.ndarray]  # (digits, pixels) from 0 to 1, and what each is
TRAINED = 1347  # of the 1797 handwritten digits; the others are for the test
ROWS = """
111 .1. 111 111 1.1 111 111 111 111 111
1.1 11. ..1 ..1 1.1 1.. 1.. ..1 1.1 1.1
1.1 .1. 111 111 111 111 111 .1. 111 111
1.1 .1. 1.. ..1 ..1 ..1 1.1 .1. 1.1 ..1
111 111 111 111 ..1 111 111 .1. 111 111
"""


@cache
def handwriting() -> tuple[Digits, Digits]:
    """The handwritten digits: those to learn from, and those to be tested with."""
    packed = FILE.read_text(encoding='ascii').partition('----\n')[2].replace('\n', '')
    rows = np.frombuffer(zlib.decompress(base64.b85decode(packed)), np.uint8).reshape(-1, 65)
    rows = np.random.default_rng(0).permutation(rows)
    x, t = rows[:, :64] / 16, rows[:, 64].astype(np.int32)
    return (x[:TRAINED], t[:TRAINED]), (x[TRAINED:], t[TRAINED:])


@cache
def bitmaps() -> Digits:
    """Ten digits of 3 × 5 pixels, each ten times."""
    lines = [row.split() for row in ROWS.split('\n') if row]
    clean = np.array([[pixel == '1' for row in lines for pixel in row[d]] for d in range(10)], float)
    return np.tile(clean, (10, 1)), np.tile(np.arange(10, dtype=np.int32), 10)


def flipped(x: np.ndarray, steps: int, rng: Any) -> np.ndarray:
    """At each time step every pixel shows the wrong thing with probability 0.2."""
    return abs(x - (rng.random((steps, *x.shape)) < 0.2))


NAMES = 'current poisson latency Net loss_of train answers accuracy gradient spikes'
current, poisson, latency, Net, loss_of, train, answers, accuracy, gradient, spikes = defined(
    '12', NAMES, 'exact relusigmoid Neuron', '12a'
)
small = {'hidden': 32, 'steps': 12}  # what a film has room for


@cache
def toy() -> Any:
    """A network of 32 neurons, trained on the 3 × 5 digits."""
    net = Net(pixels=15, encode=flipped, **small)
    list(train(net, *bitmaps(), epochs=100))
    return net
