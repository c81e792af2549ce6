"""Judges of hunts: the function that a learner writes is asked about suspects that no checker has.

They are the lessons' own kinds of Cells with other numbers, functions and rules. Where an answer has a helper that
measures a slope, what that helper measures is noted too: a hint may blame it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach import lesson02, lesson03, lesson07, lesson08, lesson10, lesson14, lesson15
from minicell.teach.lesson01.entries import engine, read_by, total, with_rule
from minicell.teach.lesson07 import suspects as masks
from minicell.teach.lesson09 import suspects as orders
from minicell.teach.lesson10 import zoo
from minicell.teach.lesson11.hunt import CODE, changes
from minicell.teach.lesson11.hunt import space as stored
from minicell.teach.lesson13 import engine as engine_of
from tests.lessons.judges.judge import Judge, noted


def hunt(
    suspects: Sequence[tuple],
    make: Callable[..., tuple],
    helper: Callable[[dict], Any] | None = None,
    within: Callable[[], Any] = nullcontext,
) -> Judge:
    """A judge that makes each suspect anew, and compares what is said of it with its last part, the word."""

    def look(space: dict[str, Any], answer: Any) -> dict[str, Any]:
        did: dict[str, Any] = {}
        with within():
            for k, (*parts, _) in enumerate(suspects):
                np.random.seed(k)
                said = answer(*make(*parts))
                did[f'suspect {k}'] = said if isinstance(said, str) else type(said).__name__
        if helper is not None:
            with noted(did, 'slope'):
                did['slope'] = helper(space)
        return did

    return Judge({f'suspect {k}': word for k, (*_, word) in enumerate(suspects)}, look)


def each_with(kinds: Sequence[tuple[Any, str]], values: Sequence[Any]) -> tuple[tuple, ...]:
    """A suspect of each kind with each value, and its word."""
    return tuple((kind, value, word) for value in values for kind, word in kinds)


ENGINES = (
    (engine, 'right'),
    (with_rule(Sin=lambda x, out, dout: (-math.cos(x) * dout,)), 'wrong rule'),
    (read_by(total, lambda dout: 1.0), 'no dout'),
    (with_rule(Exp=lambda x, out, dout: (x * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now), 'no sum'),
    (with_rule(Sin=lambda x, out, dout: (abs(math.cos(x)) * dout,)), 'wrong rule'),
    (read_by(lambda before, now: now if before is None else before), 'no sum'),
    (with_rule(Exp=lambda x, out, dout: ((1 + out) * dout,)), 'wrong rule'),
)

HYPERBOLA = lesson02.Function(lambda x, y: -x / (y * y), lambda x, y: -1 / (y * y), lambda x, y: 2 * x / (y * y * y))
WAVE = lesson02.Function(lambda x, y: ops.cos(x) * y, lambda x, y: -ops.sin(x) * y, lambda x, y: ops.cos(x))
RULES = (
    (WAVE, lambda a, b, d: (a * d, b * d), 'right'),
    (WAVE, lambda a, b, d: (a * d, 1.1 * b * d), 'wrong slope'),
    (HYPERBOLA, lambda a, b, d: (a, b * d), 'deaf'),
    (HYPERBOLA, lambda a, b, d: (a * d, b * d * d), 'not linear'),
    (WAVE, lambda a, b, d: (-a * d, b * d), 'wrong slope'),
    (WAVE, lambda a, b, d: (a * ops.abs(d), b * ops.abs(d)), 'not linear'),
    (HYPERBOLA, lambda a, b, d: (a, b), 'deaf'),
    (HYPERBOLA, lambda a, b, d: (b * d, a * d), 'wrong slope'),
    (HYPERBOLA, lambda a, b, d: (a * d, b * d), 'right'),
)

RIGHT_X, RIGHT_Y = (lambda x, y, d: d @ y.T), (lambda x, y, d: x.T @ d)
PRODUCTS = (
    (RIGHT_X, lambda x, y, d: d @ x.T, 'order'),
    (RIGHT_X, RIGHT_Y, 'right'),
    (lambda x, y, d: d @ y, RIGHT_Y, 'no transpose'),
    (lambda x, y, d: ops.ones_like(d) @ y.T, RIGHT_Y, 'deaf'),
    (RIGHT_X, lambda x, y, d: x @ d, 'no transpose'),
    (lambda x, y, d: y.T @ d, RIGHT_Y, 'order'),
    (RIGHT_X, lambda x, y, d: y + 1, 'deaf'),
    (lambda x, y, d: d @ y, lambda x, y, d: x @ d, 'no transpose'),
    (lambda x, y, d: y.T @ d, lambda x, y, d: d @ x.T, 'order'),
    (lambda x, y, d: d @ y.T * 1.0, RIGHT_Y, 'right'),
)

MASKS = each_with(
    (
        (masks.Suspect, 'right'),
        (masks.Stale, 'stale mask'),
        (masks.StaleAsMany, 'stale mask'),
        (masks.Twice, 'scaled twice'),
        (masks.New, 'new mask'),
        (masks.TwiceByMask, 'scaled twice'),
    ),
    (0.7, 0.4, 0.9),
)


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
)

CURVES = {
    'tanh': (ops.tanh, lambda x: 1 - ops.tanh(x) * ops.tanh(x)),
    'fourth': (lambda x: x * x * x * x, lambda x: 4 * x * x * x),
    'cos': (ops.cos, lambda x: -ops.sin(x)),
}
BENT = (
    ('tanh', lambda s, d: ops.stop_gradient(s) * d, 'slope'),
    ('fourth', lambda s, d: s * d, 'right'),
    ('cos', lambda s, d: s * ops.stop_gradient(d), 'dout'),
    ('tanh', lambda s, d: -s * d, 'first order'),
    ('cos', lambda s, d: s, 'first order'),
    ('fourth', lambda s, d: ms.Tensor(s.asnumpy()) * d, 'slope'),
    ('tanh', lambda s, d: s * ms.Tensor(d.asnumpy()), 'dout'),
    ('cos', lambda s, d: d * s, 'right'),
    ('fourth', lambda s, d: 0.98 * s * d, 'first order'),
)

ONE, TWO = ((0.4, -3.0, 1.1), (2.0, -0.6, 0.1)), ((5.0, 0.2, -1.4), (0.0, 0.0, 1.0))
WEIGHTS = each_with(
    ((zoo.Suspect, 'right'), (zoo.Mean, 'mean'), (zoo.NoW, 'cut'), (zoo.NoB, 'cut'), (zoo.Swapped, 'swapped')),
    (ONE, TWO),
)

# the same kinds of Cells with other numbers and other counts
OTHERS = CODE.replace('FIRST, SECOND = 2.0, 5.0', 'FIRST, SECOND = 3.0, 7.0').replace('> 3 else', '> 5 else')
OTHERS = OTHERS.replace('x <= 0, 2 * x', 'x <= 0, -x').replace('x > 0, 2 * x', 'x > 0, x')
FROZEN = (
    ('File', 'file'),
    ('DigitsAbove', 'global'),
    ('Plain', 'right'),
    ('Early', 'count'),
    ('FileBelow', 'file'),
    ('Number', 'right'),
    ('Late', 'count'),
    ('Digits', 'global'),
)


def graph_hunt() -> Judge:
    """As the others, with a file to write."""
    space: dict[str, Any] = {'__name__': '__main__'}
    exec(compile(OTHERS, '<exercise 11c, other Cells>', 'exec'), space)

    @contextmanager
    def within() -> Iterator[None]:
        with changes():
            space['file'] = stored['file']
            yield

    given = {'file': space['change_file'], 'global': space['change_global']}
    return hunt(FROZEN, lambda name: (space[name], given), within=within)


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

QUANTIZERS = (
    (3, lambda at, most, d: d * (ops.abs(at) <= most), 'right'),
    (4, lambda at, most, d: d * ops.logical_and(at > -most, at <= most), 'edge'),
    (2, lambda at, most, d: d * (at <= most), 'leaky'),
    (1, lambda at, most, d: ops.sign(d) * (ops.abs(at) <= most), 'deaf'),
    (4, lambda at, most, d: ms.Tensor(d.asnumpy()) * (ops.abs(at) <= most), 'cut'),
    (3, lambda at, most, d: d * (ops.abs(at) < most), 'edge'),
    (1, lambda at, most, d: d * (ops.abs(at) <= most), 'right'),
    (3, lambda at, most, d: ops.ones_like(d) * (ops.abs(at) <= most), 'deaf'),
    (2, lambda at, most, d: d, 'leaky'),
    (1, lambda at, most, d: d * (at >= -most), 'leaky'),
    (4, lambda at, most, d: d * ops.logical_and(at >= -most, at < most), 'edge'),
    (2, lambda at, most, d: ops.stop_gradient(d) * (ops.abs(at) <= most), 'cut'),
)

DICE = each_with(
    (
        (lesson15.Suspect, 'right'),
        (lesson15.Stale, 'stale seed'),
        (lesson15.TurnedBack, 'reseeded'),
        (lesson15.New, 'new draw'),
    ),
    (0.6, 0.3),
)


def bends(curve: str, rule: Callable) -> tuple:
    """A suspect of lesson 09, and its function."""
    return orders.suspect(curve, rule, CURVES)


def judges() -> dict[str, Judge]:
    return {
        '1d': hunt(ENGINES, lambda each: (each,), lambda space: space['slope'](ops.exp, 0.7)),
        '2b': hunt(
            RULES,
            lesson02.suspect,
            lambda space: float(space['slope'](lambda x: x * x * x, ms.Tensor(1.3, ms.float64))),
        ),
        '3b': hunt(PRODUCTS, lesson03.suspect),
        '7c': hunt(MASKS, lesson07.HUNT.make),
        '8c': hunt(
            LAYERS,
            lesson08.layer,
            lambda space: np.asarray(space['slope'](*lesson08.layer(lambda x: x * x), np.array([0.5, -2.0]))),
        ),
        '9c': hunt(BENT, bends),
        '10d': hunt(WEIGHTS, lesson10.suspect),
        '11c': graph_hunt(),
        '13g': hunt(CHANGES, engine_of, lambda space: float(space['slope'](lambda x: x**3, 0.9))),
        '14d': hunt(QUANTIZERS, lesson14.quantizer),
        '15c': hunt(DICE, lesson15.HUNT.make),
    }
