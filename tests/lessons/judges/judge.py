"""What judges a mutant: the definition of what an exercise asks for, on inputs that no checker uses.

A judge knows nothing of the checkers. It runs an answer, notes what it does, part by part, and compares that with what
is due: a formula in NumPy, central differences of it, or what the exercise says in words.
"""

import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from minicell.errors import MinicellWarning

LINES = 200_000  # that an answer may run before it counts as endless; those of the solutions run some hundreds
Parts = Iterator[tuple[str, Any]]  # what an answer does, part by part
CODE = ('<exercise', '<string')  # where the code of answers stands, and what it executes itself


class Endless(BaseException):
    """Raised in an answer that runs on and on. No check catches it."""


@contextmanager
def bounded() -> Iterator[None]:
    """Count the lines that answers run, not seconds: a slow machine changes nothing."""
    left, before = LINES, sys.gettrace()

    def line(frame: Any, event: str, arg: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Endless
        return line

    sys.settrace(lambda frame, event, arg: line if frame.f_code.co_filename.startswith(CODE) else None)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def noted(did: dict[str, Any], part: str) -> Iterator[None]:
    """Where an answer stops here, its error is what it does in this part."""
    try:
        yield
    except Exception as error:
        did[part] = type(error).__name__


class Judge(NamedTuple):
    """What an exercise asks for. `due`: part -> its value, or a function that says whether a value is right."""

    due: dict[str, Any]
    look: Callable[[dict[str, Any], Any], dict[str, Any]]  # of a namespace, and the answer in it: what it does
    # the parts that the hint of a stored mistake speaks of, where it speaks of some alone
    speaks_of: dict[str, list[str]] = {}  # noqa: RUF012

    def does(self, code: str, name: str) -> dict[str, Any]:
        """What an answer does; where it stops, the error."""
        space: dict[str, Any] = {'__name__': '__main__'}
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            for kind in (MinicellWarning, RuntimeWarning, SyntaxWarning):
                warnings.simplefilter('ignore', kind)
            try:
                exec(compile(code, f'<exercise of {name}>', 'exec'), space)
                return self.look(space, space[name])
            except (Exception, SystemExit) as error:
                return {'stops': type(error).__name__}

    def right(self, did: dict[str, Any]) -> bool:
        """Whether this is what is due."""
        return 'stops' not in did and all(
            part in did and (due(did[part]) if callable(due) else alike(did[part], due))
            for part, due in self.due.items()
        )

    def explained(self, mistake: str, does: dict[str, Any], did: dict[str, Any], named: str) -> bool:
        """Whether an answer does what a stored mistake does: in the part that is named, or in all that it speaks of."""
        keys = did.keys() | does.keys()
        spoken = [named] if named else self.speaks_of.get(mistake, [])
        if spoken:
            keys = {key for key in keys if key in spoken or any(names(each, key.split(' · ')[0]) for each in spoken)}
        return bool(keys) and all(key in did and key in does and alike(did[key], does[key]) for key in keys)


def by_cases(
    cases: Mapping[Any, tuple],
    look: Callable[..., Parts],
    due: Callable[..., dict[str, Any]],
    speaks_of: dict[str, list[str]] | None = None,
    make: Callable = lambda answer: answer,
) -> Judge:
    """A judge that looks at what is made of an answer in several cases: `look` yields parts, `due` says what is due.

    Where an answer stops in a case, the parts before are kept, and the others are missing.
    """

    def seen(space: dict[str, Any], answer: Any) -> dict[str, Any]:
        did: dict[str, Any] = {}
        answer = make(answer)
        for name, case in cases.items():
            with noted(did, f'stopped · {name}'):
                for part, found in look(answer, *case):
                    did[f'{part} · {name}'] = found
        return did

    return Judge(
        {f'{part} · {name}': each for name, case in cases.items() for part, each in due(*case).items()},
        seen,
        speaks_of or {},
    )


def names(said: str, part: str) -> bool:
    """Whether a part is named in some words."""
    return ' · ' not in said and bool(re.search(rf'(?<!\w){re.escape(part)}(?!\w)', said))


def alike(a: Any, b: Any) -> bool:
    """Whether two values are the same, up to rounding."""
    if isinstance(a, np.ndarray | float) and isinstance(b, np.ndarray | float):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        return a.shape == b.shape and np.allclose(a, b, rtol=2e-4, atol=2e-6, equal_nan=True)
    return type(a) is type(b) and repr(a) == repr(b)


def near(due: Any, rtol: float = 1e-3, atol: float = 1e-4) -> Callable[[Any], bool]:
    """Whether numbers, or one of them, are these, as nearly as float32 or differences tell."""
    return lambda found: (
        isinstance(found, float | np.ndarray)
        and np.shape(found) == np.shape(due)
        and np.allclose(found, due, rtol=rtol, atol=atol)
    )


def slopes(f: Callable[..., float], *given: Any, eps: float = 1e-6) -> list[np.ndarray]:
    """The slopes of a number with respect to each array that is given, by central differences."""
    found = []
    for k, array in enumerate(given):
        if not isinstance(array, np.ndarray):
            continue
        slope = np.zeros(array.shape)
        for place in np.ndindex(array.shape):
            step = np.zeros(array.shape)
            step[place] = eps
            above, below = (f(*given[:k], array + sign * step, *given[k + 1 :]) for sign in (1, -1))
            slope[place] = (above - below) / (2 * eps)
        found.append(slope)
    return found


def numbers(*shape: int, seed: int) -> np.ndarray:
    """Numbers of both signs, a zero among them."""
    found = np.random.default_rng(1000 + seed).uniform(0.4, 2.2, shape) * np.resize([-1.0, 1.0, 1.0, -1.0], shape)
    if found.size > 2:
        found.flat[2] = 0.0
    return found.round(3)
