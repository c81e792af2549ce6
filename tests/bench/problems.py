"""The work that everybody does: the same bytes for all, from a seed.

Weights have MindSpore's layout: (out, in) for a dense layer, (out, in, height, width) for a convolution.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

THRESHOLD = np.float32(1)  # where a neuron of `Spikes` fires
SLOPE = np.float32(5)  # of the sigmoid whose derivative is the surrogate


@dataclass
class Chain:
    """y = tanh(y * gain + x) - shift, again and again: four ops a turn; then the sum. Wanted: d sum / dx."""

    title: str
    length: int
    x: np.ndarray
    gain: np.ndarray
    shift: np.ndarray


@dataclass
class Training:
    """One step of SGD: what the weights are after it. `along` is the direction of a Hessian-vector product."""

    title: str
    x: np.ndarray
    target: np.ndarray  # labels, or what should come out
    weights: list[np.ndarray]
    rate: float = 0.1
    along: list[np.ndarray] = field(default_factory=list)


@dataclass
class Spikes:
    """A layer of neurons that integrate and fire. Wanted: the slope of the error of the firing rate by the gain."""

    title: str
    current: np.ndarray  # (steps, batch, neurons)
    gain: np.ndarray
    target: np.ndarray


class Case(NamedTuple):
    """`name`: the function that does it in every way; `make(tiny)`: the problem."""

    key: str
    name: str
    make: Callable[[bool], object]


def draw(seed: int) -> Callable:
    """A function that draws normal float32 numbers: draw(*shape), divided by the root of `inputs`."""
    rng = np.random.default_rng(seed)
    return lambda *shape, inputs=1: (rng.standard_normal(shape) / np.sqrt(inputs)).astype(np.float32)


def chain(length: int, what: str = 'chain of {:,} ops on (4,)') -> Chain:
    """The numbers let the cotangent shrink slowly: numbers too small for float32 would be slow on some machines."""
    x = draw(11)(4, inputs=100)
    return Chain(what.format(length), length, x, np.linspace(0.98, 1.02, 4, dtype=np.float32), x * np.float32(0.9))


def layers(normal: Callable, sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Weights and biases of dense layers."""
    found = []
    for inputs, outputs in pairwise(sizes):
        found += [normal(outputs, inputs, inputs=inputs), normal(outputs, inputs=100)]
    return found


def mlp(
    tiny: bool,
    what: str = 'MLP {}, training step',
    sizes: tuple[int, ...] = (64, 128, 128, 10),
    batch: int = 64,
) -> Training:
    if tiny:
        sizes, batch = (3, 5, 5, 4), 6
    normal = draw(12)
    weights = layers(normal, sizes)
    labels = np.arange(batch, dtype=np.int32) * 7 % sizes[-1]
    title = what.format('-'.join(map(str, sizes)))
    return Training(title, normal(batch, sizes[0]), labels, weights, along=[normal(*w.shape) for w in weights])


def cnn(tiny: bool) -> Training:
    """Twice convolution 3×3, relu, pooling 2×2; then one dense layer."""
    side, batch, channels = (8, 2, (1, 2, 3)) if tiny else (28, 16, (1, 8, 16))
    normal = draw(13)
    weights = []
    for inputs, outputs in pairwise(channels):
        weights += [normal(outputs, inputs, 3, 3, inputs=9 * inputs), normal(outputs, inputs=100)]
    weights += layers(normal, (channels[-1] * (side // 4) ** 2, 10))
    labels = np.arange(batch, dtype=np.int32) * 7 % 10
    title = f'CNN {"-".join(map(str, channels))} channels on {side}×{side}, training step'
    return Training(title, normal(batch, channels[0], side, side), labels, weights)


def wide(tiny: bool) -> Training:
    """Twice convolution 3×3 and relu, as in the middle of a large network; the mean square distance to a target."""
    side, batch, channels = (6, 2, 3) if tiny else (32, 8, 64)
    normal = draw(14)
    weights = []
    for _ in range(2):
        weights += [normal(channels, channels, 3, 3, inputs=9 * channels), normal(channels, inputs=100)]
    shape = batch, channels, side, side
    title = f'two convolutions {channels}-{channels} on {side}×{side}, training step'
    return Training(title, normal(*shape), abs(normal(*shape)), weights, rate=1.0)


def snn(tiny: bool) -> Spikes:
    steps, batch, neurons = (6, 3, 5) if tiny else (100, 32, 128)
    normal = draw(15)
    current = abs(normal(steps, batch, neurons, inputs=4))
    target = np.linspace(0, 1, batch * neurons, dtype=np.float32).reshape(batch, neurons)
    title = f'SNN, {steps} steps, surrogate bprop'
    return Spikes(title, current, np.linspace(0.5, 1.5, neurons, dtype=np.float32), target)


def length(tiny: bool) -> int:
    return 16 if tiny else 1_000


CASES = (
    Case('a', 'chain', lambda tiny: chain(length(tiny))),
    Case('b', 'mlp', mlp),
    Case('c', 'snn', snn),
    Case('d', 'cnn', cnn),
    Case('e1', 'hvp', lambda tiny: mlp(tiny, 'Hessian-vector product of b')),
    Case('e2', 'twice', lambda tiny: chain(length(tiny), 'grad(grad) of a')),
    Case('h', 'customs', lambda tiny: chain(length(tiny), 'chain of {:,} custom bprops')),
    Case('m', 'mlp', lambda tiny: mlp(tiny, sizes=(1024, 1024, 1024, 10), batch=256)),
    Case('w', 'wide', wide),
)
