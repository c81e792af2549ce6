"""Exercises that check themselves: passed, not attempted, or failed because of a misconception that has a name.

An exercise is a package, `lesson03/exercise_3a`. Its `__init__` has

    TASK     what is asked, in one sentence
    NAME     what the answer is called in the learner's code
    HINTS    three hints, each says more than the one before
    trial    a function: it tries an answer and returns a Trial

and beside it lie files of plain Python: `start.py` (unfinished), `solution.py`, and `mistake_*.py`, each with a
docstring: the misconception in its holder's words on the first line, then its hint. A new common mistake is a new file
and no code: an answer is told that it suffers from a misconception when it does what the stored mistake does.
"""

import ast
import importlib
import linecache
import textwrap
import warnings
from collections.abc import Callable
from functools import cached_property
from importlib.resources import files
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import MinicellWarning
from . import words

runs = count(1).__next__  # numbers pieces of code that are run, so that each keeps its own source lines


class Trial(NamedTuple):
    """What an answer did. `did`: part -> what came out there, for comparing one answer with another."""

    attempted: bool
    passed: bool
    did: dict[str, Any]
    said: str  # what was measured, for the learner


class Mistake(NamedTuple):
    """A stored wrong answer."""

    name: str
    misconception: str
    hint: str
    code: str


class Verdict:
    """What `check` says. It prints as text and shows as a page."""

    def __init__(self, state: str, head: str, said: str = '', mistake: Mistake | None = None) -> None:
        self.state = state  # 'open' (not attempted), 'passed', 'failed'
        self.head = head
        self.said = said
        self.mistake = mistake

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == 'passed'

    @property
    def misconception(self) -> str:
        """The name of the misconception, or ''."""
        return self.mistake.misconception if self.mistake else ''

    @property
    def hint(self) -> str:
        """The hint that belongs to it, or ''."""
        return self.mistake.hint if self.mistake else ''

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        parts = [f'{words.SIGNS[self.state]} {self.head}']
        if self.mistake:
            parts += [f'The belief behind it may be: “{self.misconception}”', self.hint]
        return words.plain('\n'.join(part for part in [*parts, self.said] if part))

    def page(self, height: int | None = None) -> str:
        """The verdict as HTML."""
        body = words.headline(self.state, self.head)
        if self.mistake:
            body += words.paragraphs(f'The belief behind it may be: **“{self.misconception}”**\n\n{self.hint}')
        if self.said:
            body += words.pre(self.said, wrap=True)
        return words.block(body, self.state, height)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {'text/plain': repr(self), 'text/html': self.page()}


def run(code: str, name: str, where: str) -> Any:
    """Run learners' code, and return what it calls `name`. Its lines can be looked up, as those of a cell can."""
    file = f'<{where}, {runs()}>'
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    space: dict[str, Any] = {'__name__': '__main__'}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)  # the check names the misconception, and says more
        exec(compile(code, file, 'exec'), space)
    if name not in space:
        raise NameError(f'the code defines no {name}')
    return space[name]


class Exercise:
    """One exercise of a lesson, from its package."""

    def __init__(self, name: str, package: str) -> None:
        self.name = name
        self.folder = files(package)
        about = importlib.import_module(package)
        self.task: str = about.TASK
        self.hints: tuple[str, ...] = about.HINTS
        self.set_up(about)

    def set_up(self, about: Any) -> None:
        """Take from the package what is particular to an answer in code."""
        self.answer_name: str = about.NAME
        self.trial: Callable[[Any], Trial] = about.trial

    def read(self, file: str) -> tuple[str, str]:
        """A file's docstring, and the code below it."""
        text = self.folder.joinpath(file).read_text(encoding='utf-8')
        tree = ast.parse(text)
        doc = ast.get_docstring(tree) or ''
        if not doc:
            return '', text
        # what is said to the linter is not for the learner
        below = [s for s in text.splitlines(keepends=True)[tree.body[0].end_lineno :] if not s.startswith('# ruff:')]
        return doc, ''.join(below).strip('\n') + '\n'

    @cached_property
    def solution(self) -> str:
        """The code of the solution."""
        return self.read('solution.py')[1]

    @cached_property
    def essence(self) -> str:
        """The lines of the solution that a learner does not have at the start."""
        given = self.start.splitlines()
        return textwrap.dedent('\n'.join(line for line in self.solution.splitlines() if line not in given))

    def printed(self, code: str) -> str:
        """A stored answer as a learner reads it."""
        return code

    @cached_property
    def why(self) -> str:
        """What the solution's docstring says about it."""
        return self.read('solution.py')[0]

    @cached_property
    def start(self) -> str:
        """The unfinished code that a learner begins with."""
        return self.read('start.py')[1]

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The stored mistakes, in the order of their files."""
        found = []
        for file in sorted(entry.name for entry in self.folder.iterdir() if entry.name.startswith('mistake_')):
            doc, code = self.read(file)
            first, _, rest = doc.partition('\n')
            hint = '\n\n'.join(' '.join(part.split()) for part in rest.strip().split('\n\n'))
            found.append(Mistake(file.removesuffix('.py'), first.strip('“”" '), hint, code))
        return tuple(found)

    @cached_property
    def known(self) -> list[tuple[Mistake, dict[str, Any]]]:
        """What each stored mistake does."""
        return [(m, self.trial(run(m.code, self.answer_name, m.name)).did) for m in self.mistakes]

    @cached_property
    def right(self) -> dict[str, Any]:
        """What the solution does."""
        return self.trial(run(self.solution, self.answer_name, 'solution')).did

    def check(self, answer: Any) -> Verdict:
        """Try an answer. Never raises: whatever goes wrong in the answer is what the verdict is about."""
        if answer is ...:
            return self.untouched()
        try:
            trial = self.trial(answer)
        except (Exception, SystemExit) as error:
            return self.stopped(error)
        if not trial.attempted:
            return self.untouched()
        if trial.passed:
            return Verdict('passed', f'Exercise {self.name}: passed', trial.said)
        return Verdict('failed', f'Exercise {self.name}: not yet', trial.said, self.diagnose(trial.did))

    def check_code(self, code: str) -> Verdict:
        """Check an answer that is text. Never raises."""
        try:
            answer = run(code, self.answer_name, f'exercise {self.name}')
        except (Exception, SystemExit) as error:
            return self.stopped(error)
        return self.check(answer)

    def stopped(self, error: BaseException) -> Verdict:
        """The verdict on an answer that raises."""
        return Verdict(
            'failed', f'Exercise {self.name}: your code stops with an error', f'{type(error).__name__}: {error}'
        )

    def untouched(self) -> Verdict:
        """The verdict on an exercise that nobody has begun."""
        return Verdict('open', f'Exercise {self.name}: not attempted yet. Put your code where the `...` are.')

    def diagnose(self, did: dict[str, Any]) -> Mistake | None:
        """The stored mistake that does the same: as a whole, or else in the first part that is wrong."""
        for mistake, known in self.known:
            if known.keys() == did.keys() and all(same(known[part], did[part]) for part in did):
                return mistake
        for part, value in did.items():
            if not same(value, self.right.get(part)):
                return next((m for m, known in self.known if part in known and same(known[part], value)), None)
        return None


def same(a: Any, b: Any) -> bool:
    """Whether two parts of what answers did are equal, up to rounding."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-8)
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True))
    return type(a) is type(b) and a == b
