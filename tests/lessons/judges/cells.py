"""Judges of Cells with a bprop: each gradient beside central differences of forward, which is written in NumPy."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minicell as ms
from tests.lessons.judges.judge import Judge, Parts, by_cases, numbers, slopes


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


def by_hand(cell: Any, given: Sequence[Any], dout: Any, names: Sequence[str]) -> Parts:
    """What bprop returns when it is called by hand: its form, and each gradient; and which inputs it has written."""
    inputs = tensors(given)
    out = cell.construct(*inputs)
    try:
        found = cell.bprop(*inputs, out, dout)
    except Exception as error:
        yield 'form', f'raised {type(error).__name__}'
        return
    listed = isinstance(found, tuple | list)
    yield 'form', len(found) if listed else type(found).__name__
    pairs = ((a, b) for a, b in zip(inputs, given, strict=True) if isinstance(b, np.ndarray))
    yield 'written', [not np.array_equal(a.asnumpy(), b) for a, b in pairs]
    yield from zip(names, map(value, found if listed else ()), strict=False)


def dout_for(out: np.ndarray) -> np.ndarray:
    """A dout of both signs, no number of it 0 or 1."""
    return np.random.default_rng(77).uniform(0.6, 3.3, out.shape) * np.resize([-1.0, -1.0, 1.0], out.shape)


def two_calls(cell: Any, given: Sequence[Any], forward: Callable) -> list[np.ndarray]:
    """What backward hands out for a loss of two calls of the Cell, the second with other numbers."""
    douts = [dout_for(np.asarray(forward(*each))) for each in (given, moved(given))]

    def loss(*some: Any) -> Any:
        left = iter(some)
        inputs = [next(left) if isinstance(each, np.ndarray) else each for each in given]
        first, second = cell(*inputs), cell(*moved(inputs))
        return (first * ms.Tensor(douts[0])).sum() + (second * ms.Tensor(-2 * douts[1])).sum()

    arrays = [each for each in given if isinstance(each, np.ndarray)]
    found = ms.grad(loss, tuple(range(len(arrays))))(*tensors(arrays))
    return [value(each) for each in (found if isinstance(found, tuple) else (found,))]


def moved(given: Sequence[Any]) -> list[Any]:
    """The inputs of the second call."""
    return [each + 1.5 if isinstance(each, np.ndarray | ms.Tensor) else each for each in given]


def due_of_two(given: Sequence[Any], forward: Callable) -> list[np.ndarray]:
    """The same by differences of forward."""
    douts = [dout_for(np.asarray(forward(*each))) for each in (given, moved(given))]
    return slopes(
        lambda *each: float((douts[0] * forward(*each)).sum() - 2 * (douts[1] * forward(*moved(each))).sum()), *given
    )


def of_arrays(names: Sequence[str], given: Sequence[Any]) -> list[str]:
    """The names of the inputs that are arrays."""
    return [name for name, each in zip(names, given, strict=True) if isinstance(each, np.ndarray)]


def cell_does(cell: Any, names: Sequence[str], forward: Callable, given: Sequence[Any]) -> Parts:
    """What a Cell computes, and its gradients: of bprop by hand, and of two calls."""
    if cell.bprop is None:
        yield 'form', 'no bprop'
        return
    yield 'out', value(cell.construct(*tensors(given)))
    yield from by_hand(cell, given, ms.Tensor(dout_for(np.asarray(forward(*given)))), names)
    found = zip(of_arrays(names, given), two_calls(cell, given, forward), strict=True)
    yield from ((f'{name} of two calls', g) for name, g in found)


def cell_due(names: Sequence[str], forward: Callable, given: Sequence[Any]) -> dict[str, Any]:
    """The same by differences of forward. An input that is no array has no gradient: None, or 0, which is the same."""
    arrays = of_arrays(names, given)
    due = {'out': np.asarray(forward(*given), np.float64), 'written': lambda found: not any(found)}
    due |= {f'{name} of two calls': g for name, g in zip(arrays, due_of_two(given, forward), strict=True)}
    return due | {name: None for name in names if name not in arrays}


def of_cell(names: Sequence[str], forward: Callable, *cases: Sequence[Any]) -> Judge:
    """A judge of a Cell that computes `forward`; `names` are those of its gradients, one per input."""
    return by_cases({k: (names, forward, each) for k, each in enumerate(cases)}, cell_does, cell_due, make=made)


def repaired() -> Judge:
    """A judge of three Cells, each of them right."""
    x, w = (numbers(6, 2, seed=61), numbers(2, seed=62))
    cases = {
        'Scale': (0, ('dx', 'dw'), lambda x, w: x * w, (x, w)),
        'Shift': (1, ('dx', 'db'), lambda x, b: x + b, (x, w)),
        'Bend': (2, ('dx',), lambda x: x / (1 + abs(x)), (x,)),
    }
    take = lambda answer: [made(cell) for cell, _ in zip(answer, cases, strict=True)]
    return by_cases(
        cases, lambda cells, k, *case: cell_does(cells[k], *case), lambda k, *case: cell_due(*case), make=take
    )


def judges() -> dict[str, Judge]:
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
