"""What judges a mutant: the trial of its exercise, on inputs that the check does not have.

So what an exercise asks for is written once. A check may have passed a wrong answer, or given a hint, because of the
numbers that it happens to try: with other numbers, the trial says so.
"""

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from minicell.errors import MinicellWarning
from minicell.teach.trials import Ended, Trial

LINES = 200_000  # that an answer may run before it counts as endless; those of the solutions run some hundreds
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


class Judge(NamedTuple):
    """A trial of an answer; and which parts the hint of a stored mistake speaks of, where it speaks of some alone."""

    trial: Callable[[Any], Trial]
    speaks_of: dict[str, list[str]] = {}  # noqa: RUF012

    def does(self, code: str, name: str) -> Trial:
        """What an answer does; where it stops, the error."""
        space: dict[str, Any] = {'__name__': '__main__'}
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            for kind in (MinicellWarning, RuntimeWarning, SyntaxWarning):
                warnings.simplefilter('ignore', kind)
            try:
                exec(compile(code, f'<exercise of {name}>', 'exec'), space)
                return self.trial(space[name])
            except Ended as ended:
                return ended.trial
            except (Exception, SystemExit) as error:
                return Trial(True, False, {'stops': type(error).__name__}, str(error))

    def explained(self, mistake: str, does: dict[str, Any], did: dict[str, Any], named: str) -> bool:
        """Whether an answer does what a stored mistake does: in the part that is named, or in all that it speaks of."""
        does, did = apart(does), apart(did)
        keys = did.keys() | does.keys()
        named = named if named in keys else named.rpartition(': ')[2]
        spoken = [named] if named else self.speaks_of.get(mistake, [])
        if named in keys:
            keys = {named}
        elif spoken:
            keys = {key for key in keys if any(re.search(rf'(?<!\w){re.escape(each)}(?!\w)', key) for each in spoken)}
        return bool(keys) and all(key in did and key in does and alike(did[key], does[key]) for key in keys)


def apart(did: dict[str, Any]) -> dict[str, Any]:
    """What was done, with each part of a tuple a part of its own; but no line of the answer."""
    return {
        f'{part} {k}' if isinstance(found, tuple) else part: each
        for part, found in did.items()
        if not part.endswith('stopped')
        for k, each in enumerate(found if isinstance(found, tuple) else [found])
    }


def alike(a: Any, b: Any) -> bool:
    """Whether two values are the same, up to rounding."""
    if isinstance(a, np.ndarray | float) and isinstance(b, np.ndarray | float):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        return a.shape == b.shape and np.allclose(a, b, rtol=2e-4, atol=2e-6, equal_nan=True)
    return type(a) is type(b) and repr(a) == repr(b)


def numbers(*shape: int, seed: int) -> np.ndarray:
    """Numbers of both signs, a zero among them."""
    found = np.random.default_rng(1000 + seed).uniform(0.4, 2.2, shape) * np.resize([-1.0, 1.0, 1.0, -1.0], shape)
    if found.size > 2:
        found.flat[2] = 0.0
    return found.round(3)
