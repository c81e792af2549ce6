"""Lists the lessons' stored mistakes that are a bprop of the due form whose numbers differ, and what is said of each.

    python tests/judge/stored.py [LESSON]

The numbers are those that the exercise's own check puts to the bprop, each with a random dout. Left out are exercises
whose solution has another gradient than autodiff on purpose, and Cells whose construct is random.
"""

import inspect
import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).absolute().parents[2]))

import minicell as ms
from minicell.judge.diagnose import Trial, diagnose
from minicell.teach.exercise import Exercise
from tests.judge.mistakes import trials_of, wrong
from tests.lessons.notebooks import NUMBERS, exercises

FRESH = 4  # calls with other numbers, for each call of a check


def called(exercise: Exercise, code: str) -> dict[str, list[tuple]]:
    """The Cells with a bprop that an answer defines, each with the inputs that the check calls its bprop with."""
    space: dict[str, Any] = {'__name__': '__main__'}
    exec(compile(code, f'<exercise of {exercise.name}>', 'exec'), space)
    found: dict[str, list[tuple]] = {}
    for name, kind in space.items():
        if isinstance(kind, type) and issubclass(kind, ms.nn.Cell) and 'bprop' in vars(kind) and kind.bprop:

            def spy(self: Any, *given: Any, name: str = name, bprop: Any = kind.bprop) -> Any:
                found.setdefault(name, []).append((self, bprop.__get__(self), given[:-2]))
                return bprop(self, *given)

            kind.bprop = spy
    exercise.check(space[exercise.answer_name])
    return found


class Asked:
    """A bprop that a check has called, asked again: with the same shapes, and other numbers where `fresh` says so."""

    def __init__(self, made: Any, bprop: Any, given: tuple, fresh: int) -> None:
        self.made, self.bprop, self.given, self.fresh = made, bprop, given, fresh
        self.tensors = [k for k, x in enumerate(given) if isinstance(x, ms.Tensor)]
        names = list(inspect.signature(made.construct).parameters)
        self.names = [names[k] for k in self.tensors]

    def inputs(self, xs: Any) -> list[Any]:
        new = dict(zip(self.tensors, xs, strict=True))
        return [new.get(k, x) for k, x in enumerate(self.given)]

    def outputs(self, *xs: Any) -> tuple:
        np.random.seed(7)  # the same throws each time
        out = self.made.construct(*self.inputs(xs))
        return out if isinstance(out, tuple) else (out,)

    def forward(self, *xs: Any) -> Any:
        """The first output that has a gradient: the only one whose dout is not 0."""
        return next(o for o in self.outputs(*xs) if o.asnumpy().dtype.kind == 'f')

    def backward(self, *xs: Any) -> tuple:
        *xs, out, dout = xs
        several = self.outputs(*xs)
        if len(several) > 1:
            at = next(k for k, o in enumerate(several) if o.asnumpy().dtype.kind == 'f')
            out, dout = several, tuple(dout if k == at else ms.ops.zeros_like(o) for k, o in enumerate(several))
        found = self.bprop(*self.inputs(xs), out, dout)
        if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict):
            found = found[0]  # (beside them are those of Parameters)
        pairs = [(x, g) for x, g in zip(self.inputs(xs), found, strict=True) if isinstance(x, ms.Tensor)]
        if not isinstance(found, tuple) or any(g is not None and g.shape != x.shape for x, g in pairs):
            raise TypeError('not of the due form')
        return tuple(g for _, g in pairs)

    def trials(self, seed: int) -> dict[str, list[Trial]]:
        rng, arrays = np.random.default_rng(seed), [self.given[k].asnumpy() for k in self.tensors]
        other = lambda a: rng.standard_normal(a.shape) if self.fresh else a.astype(np.float64)
        arrays = [other(a) if a.dtype.kind == 'f' else a for a in arrays]
        return trials_of(self.names, self.forward, self.backward, [arrays], seed)


def trials_for(exercise: Exercise, code: str) -> Iterator[tuple[str, list[Trial]]]:
    """The trials of each gradient of an answer that is of the due form, and wrong."""
    for cell, calls in called(exercise, code).items():
        by_shape = {repr([np.shape(x) for x in given]): (made, bprop, given) for made, bprop, given in calls}
        trials: dict[str, list[Trial]] = {}
        for seed, (call, fresh) in enumerate(product(by_shape.values(), range(FRESH + 1))):
            try:
                found = Asked(*call, fresh).trials(seed)
            except Exception:  # it raises, or it is not of the due form
                continue
            for name, more in found.items():
                trials.setdefault(name, []).extend(more)
        for name, each in trials.items():
            if any(np.any(wrong(t)) for t in each):
                yield f'{cell}.{name}', each


def listed(lessons: Sequence[str]) -> Iterator[tuple[str, str, list[Trial]]]:
    """Exercise and mistake, the gradient, and its trials."""
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        for exercise in (each for number in lessons for each in exercises(number)):
            if called(exercise, exercise.solution) and not list(trials_for(exercise, exercise.solution)):
                for mistake in exercise.mistakes:
                    for name, trials in trials_for(exercise, mistake.code):
                        yield f'{exercise.name} {mistake.name}', name, trials


if __name__ == '__main__':
    rows = [(mistake, name, diagnose(trials)) for mistake, name, trials in listed(sys.argv[1:] or NUMBERS)]
    for mistake, name, text in rows:
        print(f'{" " if text else "✗"} {mistake:28} {name:16} {text}')
    mistakes = {m for m, _, _ in rows}
    named = mistakes - {m for m, _, text in rows if not text}
    print(f'{len(named)} of {len(mistakes)} mistakes are named')
