"""How each suspect of lesson 06 trains with five seeds: 45 runs, made once and stored.

    python -m minicell.teach.lesson06.seeds

makes them again, with the cells of the lesson, and writes `seeds.json` beside this file.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minicell.teach.about import defined

from .suspects import LETTERS, MatMul, suspect

FILE = Path(__file__).with_name('seeds.json')


class Run(NamedTuple):
    """What came of one training run: the loss at its end, its median over the last 100 steps, and the accuracy."""

    loss: float
    median: float
    accuracy: float
    weights: tuple[float, float]  # the smallest and the largest of the first layer


def measure(
    net: Callable[..., Any],
    train: Callable[..., Iterator[float]],
    accuracy: Callable[..., float],
    moons: Callable[..., tuple],
    seeds: Iterable[int] = range(5),
) -> dict[str, list[Run]]:
    """Train the right product and each suspect on a data set and from a beginning of each seed."""
    found: dict[str, list[Run]] = {}
    for name in ('right', *LETTERS):
        found[name] = []
        for seed in seeds:
            x, t = moons(100, np.random.default_rng(seed))
            network = net(MatMul() if name == 'right' else suspect(name), seed)
            losses = list(train(network, x=x, t=t))
            w = network.w1.asnumpy()
            numbers = losses[-1], np.median(losses[-100:]), accuracy(network, x, t), w.min(), w.max()
            loss, median, rate, low, high = (round(float(number), 4) for number in numbers)
            found[name].append(Run(loss, median, rate, (low, high)))
    return found


def main() -> None:
    """Make the table again, and write it."""
    found = measure(*defined('06', 'Net train accuracy moons', 'x t loss_of'))
    FILE.write_text(json.dumps(found).replace(']], ', ']],\n '), encoding='utf-8')  # a run a line


stored = json.loads(FILE.read_text(encoding='utf-8'))
SEEDS = {name: [Run(*numbers, (low, high)) for *numbers, (low, high) in runs] for name, runs in stored.items()}


if __name__ == '__main__':
    main()
