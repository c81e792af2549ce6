"""Judges of Cells, functions and neurons: the trials of the lessons, on other inputs."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach import (
    lesson01,
    lesson02,
    lesson03,
    lesson04,
    lesson05,
    lesson06,
    lesson07,
    lesson08,
    lesson09,
    lesson10,
    lesson11,
    lesson12,
    lesson13,
    lesson14,
    lesson15,
)
from minicell.teach.lesson13.engine import STEPS, solution
from minicell.teach.trials import Trial, points
from tests.lessons.judges.judge import Judge, numbers


def wandering(x: Any, y: Any) -> Any:
    """Two values with several uses, entries that lead nowhere, and a use of x behind them."""
    a = ops.sin(x) * y
    ops.exp(a)
    b = a * a + x
    ops.log(b * b + 5)
    return b * a + y * a


PROGRAMS: dict[str, tuple[Callable, tuple[float, ...]]] = {
    'wandering': (wandering, (0.8, -1.3)),
    'chain': (lambda x: ops.exp(ops.sin(ops.sin(x))), (2.4,)),
    'sums': (lambda x, y: x + y + x, (0.4, 1.0)),
    'alone': (lambda x: x, (2.0,)),
    'flat': (lambda x, y: ops.sin(ops.exp(x)) * y, (0.3, 0.0)),
    'unused': (lambda x, y: ops.sin(x) + x, (1.1, 0.2)),
    'small': (lambda x: 7e-10 * ops.exp(x), (0.3,)),
}
PRODUCTS: dict[str, Callable] = {
    'square': lambda x: x * x,
    'inner': lambda x: ops.exp(ops.sin(x) * (x * x)),
    'mixed': lambda x: ops.exp(x) * ops.sin(x) + x * x,
    'fourth': lambda x: (x * x) * x * x,
}
RISES: dict[str, tuple[Callable, float]] = {
    'staircase': (lambda w: np.clip(3 * np.floor(w / 3) + 1, -4, 5), 3.0),
    'smooth': (lambda w: w**3 - w / 7, 0.8),
}
W = np.array([[2.5, -0.7, 5.1], [-3.3, 0.2, 8.8]])
CHECKED = np.array([-0.4, 0.0, 0.9, 1.7, -2.0, 0.3, -0.8, 1.2])  # where a check of 4c is asked
LAID_ON = np.array([0.0, -0.7, 1.3, 0.5])
TRACED = np.array([[0.5, 3.0, 1.5, 2.0, 0.1], [-0.5, 0.0, 1.0, -4.0, 0.2], [-1.5, 2.5, 0.7, -3.0, -0.2]])
ENDS = np.array([[1.0, -1.0, 0.0, 0.7, -0.3, 1.01, -1.01, 40.0], [0.6, -2.1, 3.3, 1.9, -0.7, 2.5, -1.4, 1.1]])
LONG = {1.0: [(6.0, -8.0), (0.1, 0.2), (0.0, 0.0)], 2.0: [(-1.5, 0.2), (-1.2, 1.6), (9.0, 1.0)]}
PARTS: dict[str, tuple] = {
    'product': (lambda x, w: ops.sin(x) @ w, (3, 2), (2, 2)),
    'each': (lambda x, w: ops.exp(x) * w * w, (4,), (4,)),
    'sums': (lambda x, w: x.sum() * w + x, (3,), (3,)),
}
THROWS = {
    'a part that drops': lambda x: x * ms.Tensor(2.0 * (np.random.random(x.shape) < 0.5)),
    'a part that mixes': lambda x: ops.tanh(x.sum() * x) * ms.Tensor(1 + np.random.random(x.shape)),
}
NEURON = np.stack([numbers(7, seed=1), numbers(7, seed=2)[::-1] - 0.3, numbers(7, seed=3) / 2, numbers(7, seed=4)])
WIDE = np.array([-4.0, -2.5, -1.2, -0.6, -0.2, -0.004, 0.0, 0.004, 0.2, 0.6, 1.2, 2.5, 4.0])
OF_KIND = 'needle', 'truth', 'minus', 'no-relu', 'above', 'below', 'triangle', 'loud', 'value'
# of an exercise and a mistake: the parts that its hint speaks of
SPEAKS_OF = {
    '4a': {'smaller': ['moved'], 'in-place': ['x'], 'float32': ['wide', 'narrow', 'mixed']},
    '4c': {'linear-only': ['moved']},
    '7b': {'shrink': ['keep_prob 0.65 mean', 'keep_prob 0.15 mean']},
    '9b': {'kept-x': ['first', 'second', 'two calls']},
    '10a': {'names': ['returned']},
    '12b': {name: ['kind'] for name in OF_KIND},
    '12e': {'little': ['ends'], 'much': ['ends'], 'nothing': ['cost'], 'reward': ['cost']},
    '13c': {'starts-with-out': ['here']},
    '7a': {'one-an-output': ['returned']},
    '15b': {'new-dice': ['asked twice'], 'turned-back': ['generator']},
}
MOVED = 0.23  # by so much the numbers of lesson 13's programs


def step(number: int) -> Callable[[Any], Trial]:
    """The trial of a step of lesson 13, and those of the later ones, once their solutions have run."""

    def trial(answer: Any) -> Trial:
        tried = [lesson13.TRIALS[name]._replace(moved=MOVED) for name in STEPS[number - 1 :]]
        found = tried[0](answer)
        space = lesson13.space_of(answer, lesson13.LAST[number - 1])
        did, passed = {'here': found.did}, found.passed
        for k, later in enumerate(tried[1:], number):
            if isinstance(space, dict) and found.attempted:
                exec(solution(STEPS[k]), space)
                found = later(space[lesson13.LAST[k]])
                did[f'step {k + 1}'], passed = found.did, passed and found.passed
        return Trial(found.attempted, passed, did, found.said)

    return trial


def matrices(*shapes: tuple[int, int, int]) -> dict[str, list[ms.Tensor]]:
    """Pairs of matrices that can be multiplied."""
    return {f'{n} {k} {m}': points((n, k), (k, m), seed=n + m) for n, k, m in shapes}


@cache
def accuracy(slopes: bytes, *settings: float) -> float:
    """That of a network with a frozen readout, through a surrogate that has these slopes; each is trained once."""
    return FROZEN(TRAINED[slopes], *settings)


TRAINED: dict[bytes, Any] = {}
FROZEN = lesson12.frozen  # which the tests replace by `once`


def once(cell: Any, v_threshold: float = 1.0, learning_rate: float = 0.01, epochs: int = 5, seed: int = 0) -> float:
    """As lesson 12 trains, but the check and the judge share the run, and so do mutants with the same slopes."""
    slopes = np.asarray(cell.slope(ms.Tensor(np.linspace(-6, 6, 1203))).asnumpy(), np.float64).tobytes()
    TRAINED.setdefault(slopes, cell)
    return accuracy(slopes, v_threshold, learning_rate, epochs, seed)


def judges() -> dict[str, Judge]:
    rows = {f'{n} rows': lesson05.inputs(n, m, k, seed=9) for n, m, k in ((4, 3, -1.7), (5, 2, 0.6))}
    cells = {
        '2a': partial(lesson02.trial, seed=21),
        '3a': lesson03.matmul._replace(
            cases=matrices((2, 4, 3), (3, 3, 3), (1, 2, 3)), by_hand=points((3, 3), (3, 3), seed=8)
        ),
        '5b': lesson05.blend._replace(cases=rows, by_hand=()),
        '6c': partial(lesson06.repaired, rows=(6, 3, 8)),
        '7a': lesson07.backward(0.6, 0.15, 1.0, 0.0, seed=70),
        '7b': partial(lesson07.forward, keeps=(0.65, 0.15, 1.0, 0.0)),
        '8b': partial(lesson08.shrink, ts=(0.75, 1.5), at=np.array([-3.0, -1.2, -1.0, -0.4, 0.0, 0.7, 1.0, 1.2, 2.5])),
        '9a': lesson09.TRIALS['9a']._replace(cases=lesson09.at(LAID_ON)),
        '9b': lesson09.TRIALS['9b']._replace(cases=lesson09.at(LAID_ON)),
        '10a': lesson10.affine._replace(cases=lesson10.batches(3, 1, 5, seed=20)),
        '11a': partial(lesson11.leaky, rows=TRACED),
        '14b': partial(lesson14.sign, signed=ENDS),
        '14c': partial(lesson14.clip, long=LONG),
        '15a': partial(lesson15.checkpoint, parts=PARTS, seed=150),
        '15b': lesson15.keeper(THROWS, 153),
        '1b': partial(lesson01.loop, programs=PROGRAMS),
        '1c': partial(lesson01.rule, products=PRODUCTS, at=(-1.7, 0.6, 1.0, 0.0)),
        '5c': partial(lesson05.one_number, seed=43),
        '10c': partial(lesson10.measured, moved=0.17),
        '14a': partial(lesson14.trend, w0=W, rises=RISES),
        '12a': partial(lesson12.neuron, rows=NEURON),
        '12b': partial(lesson12.own, wide=WIDE),
        '12e': partial(lesson12.thrifty, seed=7),
    } | {name: step(k) for k, name in enumerate(STEPS, 1)}
    checks = partial(lesson04.slopes, row=np.array([-0.9, 0.0, 1.2, 0.4, -1.6]), few=np.array([0.6, -1.1, 0.8]))
    cells |= {'4a': checks, '4c': partial(lesson04.agrees, row=CHECKED)}
    return {name: Judge(trial, SPEAKS_OF.get(name, {})) for name, trial in cells.items()}
