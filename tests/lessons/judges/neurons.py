"""Judges of neurons and of surrogates: a time step forward and backward in NumPy, or a training run."""

from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn
from minicell.teach.lesson12 import ENOUGH, SEEDS, frozen, spared
from tests.lessons.judges.cells import shape_of, value
from tests.lessons.judges.judge import Judge, numbers

SENT_6 = np.array([-1.5, 2.5, 0.7, -3.0, -0.2, 1.1])
LEAKS = ((1.0, 0.8), (0.4, 0.7))
CURRENT, MEMBRANE = numbers(6, seed=120) / 2, numbers(6, seed=121)


def fires(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The slope of the surrogate; a time step forward; and backward, with the reset in the graph and without it."""
    did: dict[str, Any] = {}
    step, x = answer().surrogate, ms.Tensor(MEMBRANE.copy())
    out = step.construct(x)
    did['step'] = out.asnumpy().astype(float)
    did['form'] = shape_of(step.bprop(x, out, ms.Tensor(SENT_6)))
    did['slope'] = value(step.bprop(x, out, ms.Tensor(SENT_6))[0])
    for height, beta in LEAKS:
        for detached in (False, True):
            cell = answer(v_threshold=height, beta=beta, detached=detached)
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
    """The leaky neuron, in NumPy."""
    due = {'step': (MEMBRANE > 0) * 1.0, 'slope': SENT_6 * sigmoid_slope(MEMBRANE), 'form': ((6,),)}
    for height, beta in LEAKS:
        v = beta * MEMBRANE + CURRENT
        spike, slope = (v > height) * height, height * sigmoid_slope(v - height)
        for name, kept in (('detached', 0), ('in the graph', slope)):
            due |= {f'spike · {height} {name}': spike, f'membrane · {height} {name}': v - spike}
            back = 2.0 * slope + SENT_6 * (1 - kept)
            due[f'reset {name} · {height}'] = np.stack([back, beta * back])
    return due


GRID = np.array([-4.0, -2.5, -1.2, -0.6, -0.2, -0.02, -0.004, 0.004, 0.02, 0.2, 0.6, 1.2, 2.5, 4.0])


@cache
def accuracy(slopes: bytes, *settings: float) -> float:
    """That of a network with a frozen readout, through a surrogate that has these slopes; each is trained once."""
    return frozen(TRAINED[slopes], *settings)


TRAINED: dict[bytes, Any] = {}


def once(cell: Any, v_threshold: float = 1.0, learning_rate: float = 0.01, epochs: int = 5, seed: int = 0) -> float:
    """As lesson 12 trains, but the check and the judge share the run, and so do mutants with the same slopes."""
    slopes = np.asarray(cell.slope(ms.Tensor(np.linspace(-6, 6, 1203))).asnumpy(), np.float64).tobytes()
    TRAINED.setdefault(slopes, cell)
    return accuracy(slopes, v_threshold, learning_rate, epochs, seed)


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
    largest = abs(at[abs(GRID) > 0.01]).max() <= 1.06 * abs(at[abs(GRID) < 0.01]).max()
    return {
        'slope': at,
        'needle': bool((at >= 0).all() and at.max() > 0 and at[abs(GRID) > 0.5].max() < 0.01 * at.max()),
        'truth': bool((at == 0).all()),
        'minus': bool((at <= 0).all() and at.any()),
        'no-relu': bool((near > 0).all() and (at[abs(GRID) > 2] < 0).any()),
        'above': bool((left == 0).all() and (right > 0).any()),
        'below': bool((right == 0).all() and (left > 0).any()),
        'triangle': bool((left >= 0).all() and (right < 0).any()),
        'loud': bool(at.max() > 2),
        'value': bool((np.diff(at) >= 0).all() and at[-1] > at[0]),
        'trains': bool(largest and np.mean([once(cell, seed=seed) for seed in range(SEEDS)]) >= ENOUGH),
    }


SAYS = ('needle', 'truth', 'minus', 'no-relu', 'above', 'below', 'triangle', 'loud', 'value')


def costs(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a cost does to the training of the network that the exercise names, and how it grows with the spikes."""
    count = ms.Tensor(np.array([[0.0, 2.0, 1.0, 4.0], [1.0, 0.0, 3.0, 2.0]]))
    found, more = answer(count), answer(3 * count)
    did = {'grows': 'not' if more.item() == found.item() else 'down' if more.item() < found.item() else 'up'}
    right, many, _ = spared(answer)
    did |= {'little': many >= 10, 'much': many < 10 and right < 0.95, 'shape': repr(found.shape)}
    return did | {'nothing': did['grows'] == 'not', 'reward': did['grows'] == 'down'}


def judges() -> dict[str, Judge]:
    return {
        '12a': Judge(fires_due(), fires),
        '12b': Judge({'trains': True}, trains, {name: [name] for name in SAYS}),
        '12e': Judge(
            {'little': False, 'much': False, 'shape': '()'},
            costs,
            {name: [name] for name in ('little', 'much', 'nothing', 'reward')},
        ),
    }
