"""Lesson 13: the trials of the six steps, each of what a learner has defined so far; and that of the hunt.

A trial gets the last thing that a step defines, and finds the rest in the namespace of its code: the learner's
notebook, or the editor of a card. It tries on an empty tape, and puts the learner's own entries back.
"""

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from minicell.teach.trials import BLANK, Hunt, Trial, stopped

from . import probes
from .engine import STEPS, entries_now, module, own, so_far, stored, typed, whole, with_names
from .figures import FIGURES
from .programs import Wrong

# what each step defines for the others; the last one is what is checked
DEFINES = (
    ('Tensor', 'write', 'leaf'),
    ('op', 'record'),
    ('grad', 'walk_back', 'gradients'),
    ('walk_back',),
    ('Cell',),
    ('leaf',),
)
LAST = tuple(names[-1] for names in DEFINES)
MENDS = (4, 6)  # steps that define again what an earlier step has defined


def functions(answer: Any) -> list[FunctionType]:
    """A function, or the methods that stand in a class (not those that step 2 gives to Tensor)."""
    if not isinstance(answer, type):
        return [answer] if isinstance(answer, FunctionType) else []
    methods = [each for each in vars(answer).values() if isinstance(each, FunctionType)]
    return [each for each in methods if each.__qualname__.startswith(f'{answer.__qualname__}.')]


def space_of(answer: Any, name: str) -> dict[str, Any] | Trial:
    """The names beside an answer, or the Trial that says what it is instead."""
    kind = 'class' if name[0].isupper() else 'function'
    space = functions(answer)[0].__globals__ if functions(answer) else {}
    if space.get(name) is answer:
        return space
    said = f'Give check the {kind} {name}; it got {type(answer).__name__}.'
    return Trial(True, False, {'is': type(answer).__name__}, said)


@contextmanager
def borrowed(space: dict[str, Any]) -> Iterator[SimpleNamespace]:
    """The engine as a namespace, with an empty tape; afterwards the tape is as before."""
    entries = space.get('entries')
    if not isinstance(entries, list):
        raise Wrong('entries', type(entries).__name__, 'There is no list called `entries` beside it.')
    kept = entries[:]
    try:
        entries.clear()
        yield SimpleNamespace(**space)
    finally:
        entries[:] = kept


class Step(NamedTuple):
    """The trial of a step. A probe returns what is right, as a sentence, or raises Wrong.

    The numbers of its programs are moved by so much: with other numbers it says the same of a right answer.
    """

    number: int
    probes: Sequence[Callable[[SimpleNamespace], str]]
    moved: float = 0.0

    def __call__(self, answer: Any) -> Trial:
        """What the engine does of which this is the last definition."""
        space = space_of(answer, LAST[self.number - 1])
        if isinstance(space, Trial):
            return space
        said: list[str] = []
        did: dict[str, Any] = {}
        for probe in self.probes:
            try:
                with borrowed(space) as engine:
                    engine.moved = lambda given: np.asarray(given, np.float64) + self.moved
                    said.append(f'✓ {probe(engine)}')
            except Wrong as wrong:
                did[wrong.part] = wrong.found
                said.append(f'✗ {wrong}')
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1].name  # two faults may raise the same error
                did['stops'] = f'{probe.__name__}, {where}: {type(error).__name__}: {error}'
                said.append(f'✗ {probe.__doc__} {stopped(error)}')
                if 'ellipsis' in str(error):
                    did['dots'] = ...
            if 'stops' in did:
                break
        told = '\n'.join(sorted(said, key=lambda line: line[0] == '✓')).replace('`', '')  # what is wrong comes first
        if not did:
            return Trial(True, True, {}, told)
        if has_dots(answer):
            return BLANK
        seen = {'seen': '; '.join(f'{part}: {written(found)}' for part, found in did.items())}
        return missing_before(self.number, space) or (BLANK if 'dots' in did else Trial(True, False, seen, told))


def written(found: Any) -> str:
    """What a probe found, as text: an engine has one fault or another, and all that was seen tells which."""
    return str(np.round(found, 4).tolist() if isinstance(found, np.ndarray) else found)


def has_dots(answer: Any) -> bool:
    """Whether the dots still stand in some code."""
    return any(const is ... for each in functions(answer) for const in consts(each.__code__))


def consts(code: CodeType) -> Iterator[Any]:
    """The constants of some code, and of the functions in it."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from consts(const)
        else:
            yield const


def missing_before(number: int, space: dict[str, Any]) -> Trial | None:
    """The Trial that says which earlier step is not there yet, or None."""
    earlier = range(1, number)
    latest = {name: k for k in earlier for name in DEFINES[k - 1]}
    missing = [k for name, k in latest.items() if space.get(name, ...) is ... or has_dots(space[name])]
    if not missing and number not in MENDS:  # (what mends an earlier step may be what breaks it)
        missing = [k for k in earlier if not TRIALS[STEPS[k - 1]](space[LAST[k - 1]]).passed]
    if not missing:
        return None
    said = (
        f'This step stands on step {min(missing)}, which does not pass its check yet. To go on without it, run '
        f'these two lines, then this cell:\nfrom minicell.teach.lesson13 import so_far\nexec(so_far({number - 1}))'
    )
    return Trial(True, False, {'before': min(missing)}, said)


# ---- 13g: engines with one line changed ----------------------------------------------------------------------------

WORDS = ('right', 'first', 'no sum', 'leaf', 'off the tape')
IN_RECORD, IN_WALK = 'if any(x.at >= 0 for x in inputs):', 'if x.at >= 0:'
SUM = 'arrived[x.at] = arrived[x.at] + dx if x.at in arrived else dx'
LEAF = '(dout,), (x,), x.array'

# what stands in the stored engine, what stands there instead, and what that engine is
HIDDEN = (
    (SUM, 'arrived[x.at] = Tensor(arrived[x.at].array + dx.array) if x.at in arrived else dx', 'off the tape'),
    (IN_RECORD, 'if any(x.at > 0 for x in inputs):', 'first'),
    (IN_RECORD, 'if max(x.at for x in inputs) != -1:', 'right'),
    (SUM, 'arrived[x.at] = dx', 'no sum'),
    (LEAF, '(dout,), (Tensor(x.array),), x.array', 'leaf'),
    (IN_WALK, 'if x.at > 0:', 'first'),
    (SUM, 'arrived.setdefault(x.at, dx)', 'no sum'),
    (SUM, 'arrived[x.at] = dx + arrived[x.at] if x.at in arrived else dx', 'right'),
)


def changed(old: str, new: str) -> ModuleType:
    """The stored engine with another piece of code in one place, and an empty tape."""
    before, found, after = so_far(6).rpartition(old)  # the last one: a later step writes anew what an earlier one wrote
    if not found:
        raise ValueError(f'{old!r} does not stand in the stored engine')
    space: dict[str, Any] = {}
    exec(compile(f'{before}{new}{after}', 'an engine of exercise 13g', 'exec'), space)
    return module('engine', space)


def engine(old: str, new: str) -> tuple[ModuleType]:
    """A changed engine, with a tape that nobody has used."""
    return (changed(old, new),)


SLOPE = 'abs(x) - 3 * x at x = 0', (lambda x: abs(x) - 3 * x, 0.0), -3.0  # one side alone says -2 or -4
TRIALS = {name: Step(number, looks) for number, (name, looks) in enumerate(zip(STEPS, probes.STEPS, strict=True), 1)}
TRIALS['13g'] = Hunt(WORDS, HIDDEN, engine, noun='Engine', slope=SLOPE)
