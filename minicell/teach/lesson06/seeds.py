"""How each suspect of lesson 06 trains with five seeds: 45 runs, made once and stored.

    python -m minicell.teach.lesson06.seeds

makes them again, with the cells of the lesson, and prints what stands below as SEEDS.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from minicell.teach.source import path_of, read

from .suspects import LETTERS, MatMul, suspect

CELLS = ('data', 'product', 'network')


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


def cells() -> dict[str, Any]:
    """What the first cells of the lesson define."""
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(None):
        for cell in read(path_of('06')):
            if cell.name in CELLS:
                exec(cell.code, space)
    return space


def main() -> None:
    """Make the table again, and print it as it stands here."""
    space = cells()
    found = measure(*(space[name] for name in ('Net', 'train', 'accuracy', 'moons')))
    print('SEEDS = {')
    for name, runs in found.items():
        print(f'    {name!r}: [')
        for run in runs:
            print(f'        Run{tuple(run)!r},')
        print('    ],')
    print('}')


SEEDS = {
    'right': [
        Run(0.0732, 0.0812, 0.985, (-2.9744, 1.9997)),
        Run(0.1108, 0.1216, 0.96, (-3.0617, 1.9851)),
        Run(0.092, 0.1054, 0.98, (-2.8775, 2.9282)),
        Run(0.0525, 0.057, 0.985, (-3.0407, 3.5754)),
        Run(0.0623, 0.0686, 0.985, (-3.1075, 2.2866)),
    ],
    'A': [
        Run(0.0113, 0.0125, 1.0, (-5.0856, 4.5761)),
        Run(0.0045, 0.0052, 1.0, (-4.4395, 4.5099)),
        Run(0.0073, 0.0082, 1.0, (-4.5034, 5.4187)),
        Run(0.0054, 0.006, 1.0, (-4.1328, 5.23)),
        Run(0.0041, 0.0047, 1.0, (-4.9603, 3.4715)),
    ],
    'B': [
        Run(260341.9366, 237253.0844, 0.485, (-17283.2742, -8432.3973)),
        Run(236961.4867, 219525.2307, 0.5, (-16911.066, -8395.6022)),
        Run(254857.9761, 229491.0935, 0.49, (-19679.1163, -9353.2519)),
        Run(256537.2725, 232415.9113, 0.49, (-17743.7385, -8914.2995)),
        Run(251319.9875, 227386.4032, 0.48, (-19220.7736, -9483.867)),
    ],
    'C': [
        Run(0.2812, 0.2824, 0.89, (-2.325, 1.3665)),
        Run(0.2241, 0.2243, 0.91, (-2.7112, 2.1178)),
        Run(0.2921, 0.293, 0.87, (-2.4415, 2.0567)),
        Run(0.1879, 0.1894, 0.93, (-2.5557, 3.323)),
        Run(0.189, 0.191, 0.91, (-2.1181, 2.2527)),
    ],
    'D': [
        Run(113.2905, 103.4819, 0.785, (-31.1965, 33.4884)),
        Run(351.2496, 325.0573, 0.56, (-125.7681, 122.5569)),
        Run(123.0869, 112.0331, 0.775, (-35.2151, 33.0537)),
        Run(346.4433, 316.815, 0.54, (-102.1792, 131.2995)),
        Run(96.4942, 88.0616, 0.805, (-20.5482, 22.1201)),
    ],
    'E': [
        Run(0.0884, 0.0981, 0.985, (-3.2697, 2.2721)),
        Run(0.0938, 0.1037, 0.96, (-2.5528, 3.1706)),
        Run(0.0926, 0.1028, 0.98, (-2.7048, 2.8338)),
        Run(0.06, 0.0654, 0.98, (-2.9299, 3.6939)),
        Run(0.0531, 0.0573, 0.985, (-2.5465, 3.2993)),
    ],
    'F': [
        Run(0.6931, 0.6931, 0.5, (-1.0, -1.0)),
        Run(0.6931, 0.6931, 0.5, (-1.0, -1.0)),
        Run(0.6931, 0.6931, 0.5, (-1.0, -1.0)),
        Run(0.6931, 0.6931, 0.5, (-1.0, -1.0)),
        Run(0.6931, 0.6931, 0.5, (-1.0, -1.0)),
    ],
    'G': [
        Run(0.3571, 0.3601, 0.89, (-2.3242, 1.3693)),
        Run(0.4149, 0.4223, 0.84, (-2.7044, 2.1206)),
        Run(0.4629, 0.4691, 0.83, (-2.4395, 2.0774)),
        Run(0.3421, 0.3473, 0.89, (-2.5546, 3.3261)),
        Run(0.3495, 0.3565, 0.855, (-2.1141, 2.2525)),
    ],
    'H': [
        Run(0.343, 0.2964, 0.92, (-18.1884, 22.1346)),
        Run(0.5008, 0.3989, 0.915, (-27.1819, 24.3178)),
        Run(0.365, 0.4339, 0.855, (-15.4713, 8.588)),
        Run(0.2688, 0.2765, 0.92, (-22.1757, 21.9187)),
        Run(0.1106, 0.1125, 0.97, (-21.3437, 22.2591)),
    ],
}


if __name__ == '__main__':
    main()
