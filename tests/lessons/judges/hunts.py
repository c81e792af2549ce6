"""Judges of hunts: the function that a learner writes is asked about suspects that no checker has.

They are the lessons' own kinds of Cells with other numbers, functions and rules; and where an answer has a helper that
measures a slope, it is asked for another one: a hint may blame it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach import (
    lesson01,
    lesson02,
    lesson03,
    lesson07,
    lesson08,
    lesson09,
    lesson10,
    lesson13,
    lesson14,
    lesson15,
)
from minicell.teach.lesson01.entries import engine, read_by, total, with_rule
from minicell.teach.lesson11.hunt import CODE, HUNT, NAMED, changes
from minicell.teach.lesson11.hunt import hunt as of_graphs
from minicell.teach.lesson11.hunt import space as stored
from tests.lessons.judges.judge import Judge


def with_each(hidden: Sequence[tuple], *values: Any) -> list[tuple]:
    """The suspects of a lesson, (kind, value, word), each kind with each of some other values."""
    kinds = dict.fromkeys((kind, word) for kind, _, word in hidden)
    return [(kind, value, word) for value in values for kind, word in kinds]


ENGINES = (
    (engine, 'right'),
    (with_rule(Sin=lambda x, out, dout: (-math.cos(x) * dout,)), 'wrong rule'),
    (read_by(total, lambda dout: 1.0), 'no dout'),
    (with_rule(Exp=lambda x, out, dout: (x * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now), 'no sum'),
    (with_rule(Sin=lambda x, out, dout: (abs(math.cos(x)) * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now if before is None else before), 'no sum'),
    (with_rule(Exp=lambda x, out, dout: ((1 + out) * dout,)), 'wrong rule'),
    (with_rule(Sin=lambda x, out, dout: (min(math.cos(x), 0.8 * math.cos(x)) * dout,)), 'wrong rule'),
)

HYPERBOLA = lesson02.Function(lambda x, y: -x / (y * y), lambda x, y: -1 / (y * y), lambda x, y: 2 * x / (y * y * y))
WAVE = lesson02.Function(lambda x, y: ops.cos(x) * y, lambda x, y: -ops.sin(x) * y, lambda x, y: ops.cos(x))
# of each word: what stands for the gradient of x, and what for that of y
SIDES: dict[str, tuple[Callable, Callable]] = {
    'right': (lambda x, y, d: d @ y.T * 1.0, lambda x, y, d: x.T @ d),
    'order': (lambda x, y, d: y.T @ d, lambda x, y, d: d @ x.T),
    'no transpose': (lambda x, y, d: d @ y, lambda x, y, d: x @ d),
    'deaf': (lambda x, y, d: ops.ones_like(d) @ y.T, lambda x, y, d: y + 1),
}
RIGHT = SIDES['right']
PRODUCTS = [(*of, word) for word, (dx, dy) in SIDES.items() for of in ((dx, dy), (dx, RIGHT[1]), (RIGHT[0], dy))]


def outside(x: Any, curve: Any) -> Any:
    """A curve on the bounds and between them, and a constant outside."""
    return ops.select(ops.abs(x) <= 1, curve, ops.sign(x))


LAYERS: tuple[tuple[Callable, str], ...] = (
    (lambda x: outside(x, ops.sin(x)), 'right'),
    (lambda x: ops.select(ops.abs(x) < 1, x, ops.sign(x)), 'edge'),
    (lambda x: ops.select(ops.abs(x) <= 1, x * 2, 2 * x / ops.sqrt(x * x)), 'nan'),
    (lambda x: outside(x, ms.Tensor(x.asnumpy())), 'gap'),
    (lambda x: outside(x, x * x), 'right'),
    (lambda x: ops.select(x >= 0, ops.minimum(x, 1.0), ms.Tensor(np.maximum(x.asnumpy(), -1.0))), 'gap'),
    (lambda x: ops.select(x <= 0, ops.maximum(x, -1.0), ms.Tensor(np.minimum(x.asnumpy(), 1.0))), 'gap'),
    (lambda x: ops.select(x > -1, ops.select(x > 1, 1.0, x), -1.0), 'edge'),
    (lambda x: outside(x, x + ms.Tensor(0.3 * x.asnumpy())), 'gap'),
    (lambda x: outside(x, x + 0.3 * x * x - ms.Tensor(0.3 * x.asnumpy() ** 2)), 'gap'),
    (lambda x: -outside(x, 2 * ms.Tensor(x.asnumpy()) - x), 'gap'),
    (lambda x: ops.select(ops.abs(x) <= 1, x, ops.abs(x) / x), 'nan'),
    (lambda x: ops.minimum(ops.maximum(x, -1.0), 1.0), 'right'),
    (lambda x: ops.select(x < 1, ops.select(x < -1, -1.0, x), 1.0), 'edge'),
    (lambda x: outside(x, x * ms.Tensor(1 + 0.3 * np.minimum(x.asnumpy(), 0) ** 2)), 'gap'),
    (lambda x: outside(x, x * ms.Tensor(1 + 0.3 * np.maximum(x.asnumpy(), 0) ** 2)), 'gap'),
    (lambda x: -outside(x, x + ms.Tensor(np.sin(np.pi * x.asnumpy()) / 4)), 'gap'),
    (lambda x: outside(x, 2 * ops.sqrt(1.02 - x * x)), 'nan'),
    (lambda x: outside(x, x * x * (3 - 2 * ops.abs(x))), 'right'),
)

CURVES = {
    'falling': (lambda x: -ops.tanh(x), lambda x: ops.tanh(x) * ops.tanh(x) - 1),
    'fourth': (lambda x: x * x * x * x, lambda x: 4 * x * x * x),
    'cos': (lambda x: ops.cos(x) / 5, lambda x: -ops.sin(x) / 5),
}
ONE, TWO = ((0.4, -3.0, 1.1), (2.0, -0.6, 0.1)), ((5.0, 0.2, -1.4), (0.0, 0.0, 1.0))
# the same kinds of Cells with other numbers and other counts
OTHERS = CODE.replace('FIRST, SECOND = 2.0, 5.0', 'FIRST, SECOND = 3.0, 7.0').replace('> 3 else', '> 5 else')
OTHERS = OTHERS.replace('x <= 0, 2 * x', 'x <= 0, -x').replace('x > 0, 2 * x', 'x > 0, x')


def frozen(answer: Any) -> Any:
    """As the trial of 11c, with a file to write."""
    space: dict[str, Any] = {'__name__': '__main__'}
    exec(compile(OTHERS, '<exercise 11c, other Cells>', 'exec'), space)

    @contextmanager
    def within() -> Iterator[None]:
        with changes():
            space['file'] = stored['file']
            yield

    given = {'file': space['change_file'], 'global': space['change_global']}
    hidden = [(space[name], word) for name, word in NAMED]
    return of_graphs(answer, HUNT._replace(hidden=hidden, make=lambda kind: (kind, given), within=within))


SUM = 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx'
CHANGES = (
    (SUM, 'arrived[x.at] = arrived.get(x.at, dx)', 'no sum'),
    ('if any(x.at >= 0 for x in inputs):', 'if any(x.at >= 1 for x in inputs):', 'first'),
    (SUM, 'arrived[x.at] = Tensor((arrived[x.at].array + dx.array)) if x.at in arrived else dx', 'off the tape'),
    ('if x.at >= 0:', 'if x.at != -1:', 'right'),
    ('lambda dout, out, x: (dout,), (x,), x.array', 'lambda dout, out: (), (), x.array', 'leaf'),
    ('if x.at >= 0:', 'if x.at > 0:', 'first'),
    (SUM, 'arrived[x.at] = dx', 'no sum'),
    (SUM, 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx + 0.0', 'right'),
)


def judges() -> dict[str, Judge]:
    cube = lambda x: x * x * x
    float64 = lambda x: ms.Tensor(x, ms.float64)
    rules = [(f, rule, word) for _, rule, word in lesson02.HIDDEN for f in (WAVE, HYPERBOLA)]
    curves = [(name, rule, word) for _, rule, word in lesson09.HUNT.hidden for name in CURVES]
    bits = [(many, passes, word) for _, passes, word in lesson14.HIDDEN for many in (1, 2, 3, 4)]
    square = 'x * x', (*lesson08.layer(lambda x: x * x), np.array([0.5, -2.0])), np.array([1.0, -4.0])
    hunts = {
        '1d': lesson01.HUNT._replace(hidden=ENGINES, slope=('exp', (ops.exp, 0.7), math.exp(0.7))),
        '2b': lesson02.TRIALS['2b']._replace(hidden=rules, slope=('a cube', (cube, float64(1.3)), 3 * 1.3**2)),
        '3b': lesson03.TRIALS['3b']._replace(hidden=PRODUCTS),
        '7c': lesson07.HUNT._replace(hidden=with_each(lesson07.HIDDEN, 0.7, 0.4, 0.9)),
        '8c': lesson08.TRIALS['8c']._replace(hidden=LAYERS, slope=square),
        '9c': lesson09.HUNT._replace(hidden=curves, make=partial(lesson09.suspect, functions=CURVES)),
        '10d': lesson10.HUNT._replace(hidden=with_each(lesson10.zoo.HIDDEN, ONE, TWO)),
        '13g': lesson13.TRIALS['13g']._replace(hidden=CHANGES, slope=('a cube', (cube, 0.9), 3 * 0.9**2)),
        '14d': partial(lesson14.hunt, hunted=lesson14.HUNT._replace(hidden=bits)),
        '15c': lesson15.HUNT._replace(hidden=with_each(lesson15.HIDDEN, 0.6, 0.3)),
    }
    late = [name for name, _ in NAMED].index('Late')  # the hint speaks of no other
    return {name: Judge(trial) for name, trial in hunts.items()} | {
        '11c': Judge(frozen, {'five-calls': [f'told {late}']})
    }
