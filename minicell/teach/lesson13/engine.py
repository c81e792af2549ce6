"""The engine of lesson 13 as a module: the stored one, or the learner's own.

What the steps are is written in the exercises alone, `lessons/source/13_build_the_engine/13a.md` to `13f.md`.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from minicell.core import tape
from minicell.teach.words import folded, pre

STEPS = ('13a', '13b', '13c', '13d', '13e', '13f')
BEGINS = 'exec(so_far('  # the line of a start above which it only fetches the steps before


def solution(name: str) -> str:
    """What the stored solution of a step defines, without the line that fetches the steps before."""
    from minicell.teach.about import about  # which imports the lessons

    lines = about('13').exercises[name].solution.splitlines()
    fetched = [k + 1 for k, line in enumerate(lines) if line.startswith(BEGINS)]
    return '\n'.join(lines[max(fetched, default=0) :]).strip('\n') + '\n'


@cache
def so_far(steps: int) -> str:
    """The stored solutions of the steps 1 to `steps`, as code: `exec(so_far(3))` defines what they define."""
    return '\n\n'.join(solution(name) for name in STEPS[:steps])


def entries_now() -> list[str]:
    """minicell's own tape while a gradient is being taken: a line for each entry."""
    first, lines = tape.first_address, []
    for rule, *operands, made, _, _ in tape.entries:
        origin = [each.at - first for each in operands if each is not None and each.at >= first]
        lines.append(f'{made.at - first} {rule.name} from {origin} gave {made}')
    return lines


def typed() -> int:
    """How many lines of the engine a learner types: those that no step has at its start."""
    from minicell.teach.about import exercise  # which imports the lessons

    asked = [exercise(name) for name in STEPS]
    given = {each.name: each.start.splitlines() for each in asked}
    return sum(
        bool(line.strip()) and line not in given[each.name] for each in asked for line in each.solution.splitlines()
    )


class Folded:
    """Code under a line that opens by a click."""

    def __init__(self, summary: str, code: str) -> None:
        self.summary, self.code = summary, code

    def __repr__(self) -> str:
        return self.code

    def _repr_html_(self) -> str:
        return folded(self.summary, pre(self.code))


def whole() -> Folded:
    """All six stored solutions, one after the other."""
    return Folded('The whole engine, as in the solutions', so_far(len(STEPS)))


def module(name: str, space: dict[str, Any]) -> ModuleType:
    """A module with what a namespace defines."""
    made = ModuleType(name)
    made.__dict__.update({key: value for key, value in space.items() if not key.startswith('__')})
    return made


def stored(steps: int = len(STEPS)) -> ModuleType:
    """The stored engine after so many steps, as a module with a tape of its own."""
    space: dict[str, Any] = {}
    exec(compile(so_far(steps), f'the stored engine, steps 1 to {steps}', 'exec'), space)
    return module('engine', space)


def own(space: dict[str, Any]) -> ModuleType:
    """The engine that a notebook defines, `own(globals())`; where a step does not pass, the stored one. Says which."""
    from minicell.teach.trials import quiet

    from . import LAST, TRIALS

    for number, (name, last) in enumerate(zip(STEPS, LAST, strict=True), 1):
        with quiet():
            trial = TRIALS[name](space.get(last))
        if not trial.passed:
            state = 'does not pass its check yet' if trial.attempted else 'still has its dots'
            print(f'Step {number} of yours {state}. So the stored engine runs here.')
            return stored()
    print('All six steps are yours, and so is the engine that runs here.')
    return module('mine', space)


def with_names(m: ModuleType) -> ModuleType:
    """The same engine with what the document's listing asks for besides: three names, and how a Tensor is printed."""

    class GradOperation:
        def __init__(self, get_all: bool = False) -> None:
            self.get_all = get_all

        def __call__(self, f: Callable) -> Callable:
            return m.gradients(f) if self.get_all else m.grad(f)

    def as_text(tensor: Any) -> str:
        numbers = np.array2string(tensor.array, separator=', ', formatter={'float': '{:15.8e}'.format})
        return f'Tensor(shape={list(tensor.array.shape)}, dtype=Float32, value=\n{numbers})'

    m.__dict__.update(MatMul=lambda: m.matmul, GradOperation=GradOperation, float32=np.float32)
    m.Tensor.__repr__ = as_text
    return m
