"""Judges of Cells with a bprop: each gradient beside central differences of forward, which is written in NumPy."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minicell as ms
from tests.lessons.judges.judge import Judge, noted, numbers, slopes


def tensors(given: Sequence[Any]) -> list[Any]:
    """Arrays as Tensors of their own; what is no array as it is."""
    return [ms.Tensor(each.copy()) if isinstance(each, np.ndarray) else each for each in given]


def made(answer: Any) -> Any:
    """The Cell that an answer is, or whose class it is."""
    return answer() if isinstance(answer, type) else answer


def value(gradient: Any) -> Any:
    """A gradient as something to compare."""
    if isinstance(gradient, ms.Tensor):
        return gradient.asnumpy().astype(np.float64)
    return None if gradient is None or (type(gradient) in (int, float) and gradient == 0) else type(gradient).__name__


def shape_of(found: Any) -> Any:
    """A structure, with Tensors as their shapes and Parameters as their names."""
    if isinstance(found, tuple | list):
        return tuple(map(shape_of, found))
    if isinstance(found, dict):
        return {
            key if isinstance(key, str) else getattr(key, 'name', '?'): shape_of(each) for key, each in found.items()
        }
    return found.shape if isinstance(found, ms.Tensor) else type(found).__name__


def by_hand(cell: Any, given: Sequence[Any], dout: Any, names: Sequence[str], where: str) -> dict[str, Any]:
    """What bprop returns when it is called by hand: its form, and each gradient."""
    inputs = tensors(given)
    out = cell.construct(*inputs)
    try:
        found = cell.bprop(*inputs, out, dout)
    except Exception as error:
        return {f'form · {where}': f'raised {type(error).__name__}'}
    form = len(found) if isinstance(found, tuple | list) else type(found).__name__
    did = {f'form · {where}': form, f'written · {where}': written(inputs, given)}
    if isinstance(found, tuple | list):
        did |= {f'{name} · {where}': value(each) for name, each in zip(names, found, strict=False)}
    return did


def written(inputs: Sequence[Any], given: Sequence[Any]) -> list[bool]:
    """Which inputs have other numbers now."""
    pairs = ((a, b) for a, b in zip(inputs, given, strict=True) if isinstance(b, np.ndarray))
    return [not np.array_equal(a.asnumpy(), b) for a, b in pairs]


def dout_for(out: np.ndarray) -> np.ndarray:
    """A dout of both signs, no number of it 0 or 1."""
    return np.random.default_rng(77).uniform(0.6, 3.3, out.shape) * np.resize([-1.0, -1.0, 1.0], out.shape)


def two_calls(cell: Any, given: Sequence[Any], forward: Callable) -> list[np.ndarray]:
    """What backward hands out for a loss of two calls of the Cell, the second with other numbers."""
    douts = [dout_for(np.asarray(forward(*each))) for each in (given, moved(given))]
    at = [k for k, each in enumerate(given) if isinstance(each, np.ndarray)]

    def loss(*some: Any) -> Any:
        inputs = list(given)
        for k, tensor in zip(at, some, strict=True):
            inputs[k] = tensor
        others = [each + 1.5 if k in at else each for k, each in enumerate(inputs)]
        first, second = cell(*inputs), cell(*others)
        return (first * ms.Tensor(douts[0])).sum() + (second * ms.Tensor(-2 * douts[1])).sum()

    found = ms.grad(loss, tuple(range(len(at))))(*tensors([given[k] for k in at]))
    return [value(each) for each in (found if isinstance(found, tuple) else (found,))]


def moved(given: Sequence[Any]) -> list[Any]:
    """The inputs of the second call."""
    return [each + 1.5 if isinstance(each, np.ndarray) else each for each in given]


def due_of_two(given: Sequence[Any], forward: Callable) -> list[np.ndarray]:
    """The same by differences of forward."""
    douts = [dout_for(np.asarray(forward(*each))) for each in (given, moved(given))]
    return slopes(
        lambda *each: float((douts[0] * forward(*each)).sum() - 2 * (douts[1] * forward(*moved(each))).sum()), *given
    )


def of_cell(names: Sequence[str], forward: Callable, *cases: Sequence[Any], make: Callable = made) -> Judge:
    """A judge of a Cell that computes `forward`; `names` are those of its gradients, one per input.

    An input that is no array has no gradient: None in its place, or 0, which is the same.
    """
    due: dict[str, Any] = {}
    for k, given in enumerate(cases):
        due |= {f'out · {k}': np.asarray(forward(*given), np.float64), f'written · {k}': lambda found: not any(found)}
        arrays = [name for name, each in zip(names, given, strict=True) if isinstance(each, np.ndarray)]
        due |= {f'{name} of two calls · {k}': g for name, g in zip(arrays, due_of_two(given, forward), strict=True)}
        due |= {f'{name} · {k}': None for name in names if name not in arrays}

    def look(space: dict[str, Any], answer: Any) -> dict[str, Any]:
        cell, did = make(answer), {}
        if cell.bprop is None:
            return {'form · 0': 'no bprop'}
        for k, given in enumerate(cases):
            did[f'out · {k}'] = value(cell.construct(*tensors(given)))
            did |= by_hand(cell, given, ms.Tensor(dout_for(np.asarray(forward(*given)))), names, str(k))
            with noted(did, f'two calls · {k}'):
                arrays = [name for name, each in zip(names, given, strict=True) if isinstance(each, np.ndarray)]
                found = two_calls(cell, given, forward)
                did |= {f'{name} of two calls · {k}': g for name, g in zip(arrays, found, strict=True)}
        return did

    return Judge(due, look)


def repaired() -> Judge:
    """6c: three Cells, each of them right."""
    x, w = (numbers(6, 2, seed=61), numbers(2, seed=62))
    parts = {
        'Scale': of_cell(('dx', 'dw'), lambda x, w: x * w, (x, w)),
        'Shift': of_cell(('dx', 'db'), lambda x, b: x + b, (x, w)),
        'Bend': of_cell(('dx',), lambda x: x / (1 + abs(x)), (x,)),
    }

    def look(space: dict[str, Any], answer: Any) -> dict[str, Any]:
        cells = dict(zip(parts, answer, strict=True))
        return {
            f'{name} {part}': found
            for name, cell in cells.items()
            for part, found in parts[name].look({}, cell).items()
        }

    return Judge({f'{name} {part}': due for name, judge in parts.items() for part, due in judge.due.items()}, look)


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '2a': of_cell(
            ('dx', 'dy'),
            lambda x, y: x * np.sin(y),
            (numbers(4, seed=1), numbers(4, seed=2)),
            (numbers(2, 3, seed=3), numbers(2, 3, seed=4)),
        ),
        '3a': of_cell(
            ('dx', 'dy'),
            lambda x, y: x @ y,
            (numbers(3, 3, seed=5), numbers(3, 3, seed=6)),
            (numbers(2, 4, seed=7), numbers(4, 3, seed=8)),
        ),
        '5b': of_cell(
            ('dx', 'dy', 'dk'),
            lambda x, y, k: k * (x * y).mean(0),
            (numbers(3, seed=9), numbers(4, 3, seed=10), -1.7),
            (numbers(2, seed=11), numbers(5, 2, seed=12), 0.6),
        ),
        '6c': repaired(),
    }
