"""Judges of neurons and of surrogates: a moment forward and backward in NumPy, or a training run."""

from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn
from minicell.teach.lesson12 import OWN_ENOUGH, frozen
from tests.lessons.judges.cells import shape_of, value
from tests.lessons.judges.judge import Judge, numbers

SENT_6 = np.array([-1.5, 2.5, 0.7, -3.0, -0.2, 1.1])
CURRENT, MEMBRANE = numbers(6, seed=120) / 2, numbers(6, seed=121)


def fires(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The slope of the surrogate; a moment forward; and backward, with the reset in the graph and without it."""
    did: dict[str, Any] = {}
    step, x = answer().surrogate, ms.Tensor(MEMBRANE.copy())
    out = step.construct(x)
    did['step'] = out.asnumpy().astype(float)
    did['form'] = shape_of(step.bprop(x, out, ms.Tensor(SENT_6)))
    did['slope'] = value(step.bprop(x, out, ms.Tensor(SENT_6))[0])
    for height in (1.0, 0.4):
        for detached in (False, True):
            cell = answer(v_threshold=height, detached=detached)
            where = f'{height} {"detached" if detached else "in the graph"}'
            spike, after = cell(ms.Tensor(CURRENT), ms.Tensor(MEMBRANE))
            did |= {f'spike · {where}': spike.asnumpy(), f'membrane · {where}': after.asnumpy()}

            def loss(x: Any, v: Any, cell: Any = cell) -> Any:
                spike, after = cell(x, v)
                return (2.0 * spike + ms.Tensor(SENT_6) * after).sum()

            back = ms.grad(loss, (0, 1))(ms.Tensor(CURRENT), ms.Tensor(MEMBRANE))
            did[f'reset {"detached" if detached else "in the graph"} · {height}'] = np.stack([value(g) for g in back])
    return did


def sigmoid_slope(x: np.ndarray) -> np.ndarray:
    """The slope of sigmoid(5 x)."""
    s = 1 / (1 + np.exp(-5 * x))
    return 5 * s * (1 - s)


def fires_due() -> dict[str, Any]:
    """The document's neuron."""
    due = {'step': (MEMBRANE > 0) * 1.0, 'slope': SENT_6 * sigmoid_slope(MEMBRANE), 'form': ((6,),)}
    for height in (1.0, 0.4):
        v = MEMBRANE + CURRENT
        spike, slope = (v > height) * height, height * sigmoid_slope(v - height)
        for name, kept in (('detached', 0), ('in the graph', slope)):
            due |= {f'spike · {height} {name}': spike, f'membrane · {height} {name}': v - spike}
            back = 2.0 * slope + SENT_6 * (1 - kept)
            due[f'reset {name} · {height}'] = np.stack([back, back])
    return due


GRID = np.array([-4.0, -2.5, -1.2, -0.6, -0.2, -0.02, -0.004, 0.004, 0.02, 0.2, 0.6, 1.2, 2.5, 4.0])


@cache
def accuracy(slopes: bytes, *settings: float) -> float:
    """That of a network with a frozen readout, through a surrogate that has these slopes; each is trained once."""
    return frozen(TRAINED[slopes], *settings)


TRAINED: dict[bytes, Any] = {}


def once(cell: Any, v_threshold: float = 1.0, learning_rate: float = 0.01, steps: int = 300) -> float:
    """As lesson 12 trains, but the check and the judge share the run, and so do mutants with the same slopes."""
    slopes = np.asarray(cell.slope(ms.Tensor(np.linspace(-6, 6, 1203))).asnumpy(), np.float64).tobytes()
    TRAINED.setdefault(slopes, cell)
    return accuracy(slopes, v_threshold, learning_rate, steps)


def trains(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The slope at some places, what is to be said of it, and the accuracy that the exercise asks for."""
    cell = answer()
    if not isinstance(cell, nn.Surrogate):
        return {'slope': 'no Surrogate'}
    slope = cell.slope(ms.Tensor(GRID))
    if not isinstance(slope, ms.Tensor) or slope.shape != GRID.shape or not np.isfinite(slope.asnumpy()).all():
        return {'slope': 'no slope'}
    at = slope.asnumpy().astype(float)
    near, left, right = at[abs(GRID) < 0.3], at[GRID < 0], at[GRID > 0]
    return {
        'slope': at,
        'narrow': bool(
            (at >= 0).all() and at.max() > 0 and at[abs(GRID) > 0.5].max() < 0.1 * max(near.max(), at.max())
        ),
        'truth': bool((at == 0).all()),
        'minus': bool(((near < 0).any() and not (right < 0).all()) or ((at <= 0).all() and at.any())),
        'no-relu': bool((near > 0).all() and (at[abs(GRID) > 2] < 0).any()),
        'above': bool((left == 0).all() and (right > 0).any()),
        'below': bool((right == 0).all() and (left > 0).any()),
        'triangle': bool((left >= 0).all() and (right < 0).any()),
        'loud': bool(at.max() > 1.9),
        'value': bool((np.diff(at) >= 0).all() and at[-1] > at[0]),
        'accuracy': once(cell, learning_rate=0.02, steps=150),
    }


SAYS = ('narrow', 'truth', 'minus', 'no-relu', 'above', 'below', 'triangle', 'loud', 'value')


def leaks(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """One moment and two, and the gradients of the second."""
    cell = answer()
    x, v = ms.Tensor(CURRENT), ms.Tensor(MEMBRANE)
    twice = lambda x, v: (ms.Tensor(SENT_6) * cell.charge(x, cell.charge(x, v))).sum()
    did = {'once': cell.charge(x, v).asnumpy(), 'twice': cell.charge(x, cell.charge(x, v)).asnumpy()}
    return did | {'gradients': np.stack([value(g) for g in ms.grad(twice, (0, 1))(x, v)])}


def judges() -> dict[str, Judge]:
    return {
        '12a': Judge(fires_due(), fires),
        '12b': Judge({'accuracy': lambda found: found >= OWN_ENOUGH}, trains, {name: [name] for name in SAYS}),
        '12e': Judge(
            {
                'once': 0.9 * MEMBRANE + CURRENT,
                'twice': 0.81 * MEMBRANE + 1.9 * CURRENT,
                'gradients': np.stack([1.9 * SENT_6, 0.81 * SENT_6]),
            },
            leaks,
        ),
    }
