"""Exercises that check themselves: passed, not attempted, or failed because of a misconception that has a name.

An exercise is a Markdown file (see `exercise_text`) and a trial (see `trials`): a function that tries an answer. A new
common mistake is a few lines of text and no code: an answer is told that it suffers from a misconception when it does
what the stored mistake does.
"""

import linecache
import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from ..core.errors import MinicellWarning
from . import words
from .exercise_text import ExerciseText, Mistake
from .trials import Trial

runs = count(1).__next__  # numbers pieces of code that are run, so that each keeps its own source lines


class Verdict:
    """What `check` says: what the answer did, then the belief behind it. It prints as text and shows as a page."""

    def __init__(
        self, state: str, head: str, said: str = '', mistake: Mistake | None = None, gradient: str = ''
    ) -> None:
        self.state = state  # 'open' (not attempted), 'passed', 'failed'
        self.head = head
        self.said = said
        self.mistake = mistake
        self.gradient = (
            gradient  # the gradient, or the word, in which it does what the mistake does; '': in all it does
        )

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

    @property
    def belief(self) -> str:
        """The sentence that names the misconception, and the part that shows it where the others do not."""
        the = f'Look at `{self.gradient}`. The' if self.gradient else 'The'
        return f'{the} belief behind it may be: **“{self.misconception}”**'

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        parts = [f'{words.SIGNS[self.state]} {self.head}', self.said]
        if self.mistake:
            parts += [self.belief, self.hint]
        return words.plain('\n'.join(filter(None, parts)))

    def page(self, height: int | None = None) -> str:
        """The verdict as HTML."""
        body = words.headline(self.state, self.head)
        if self.said:
            body += words.pre(self.said, wrap=True)
        if self.mistake:
            body += words.paragraphs(f'{self.belief}\n\n{self.hint}')
        return words.block(body, self.state, height)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {'text/plain': repr(self), 'text/html': self.page()}


@contextmanager
def quiet() -> Iterator[None]:
    """Without minicell's own warnings: the check names the misconception, says more, and calls an answer many times."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)
        yield


def run(code: str, name: str, where: str) -> Any:
    """Run learners' code, and return what it calls `name`. Its lines can be looked up, as those of a cell can."""
    file = f'<{where}, {runs()}>'
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    space: dict[str, Any] = {'__name__': '__main__'}
    with quiet():
        exec(compile(code, file, 'exec'), space)
    if name not in space:
        raise NameError(f'the code defines no {name}')
    return space[name]


class Exercise:
    """One exercise: what is written of it, and how an answer is tried."""

    def __init__(self, text: ExerciseText, trial: Callable[[Any], Trial]) -> None:
        self.name, self.task, self.hints = text.name, text.task, text.hints
        self.start, self.solution, self.why = text.start, text.solution, text.why
        self.mistakes, self.answer_name = text.mistakes, text.answer_name
        self.trial = quiet()(trial)

    @cached_property
    def essence(self) -> str:
        """The lines of the solution that a learner does not have at the start."""
        given = self.start.splitlines()
        return textwrap.dedent('\n'.join(line for line in self.solution.splitlines() if line not in given))

    def printed(self, code: str) -> str:
        """A stored answer as a learner reads it."""
        return code

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
        return Verdict('failed', f'Exercise {self.name}: not yet', trial.said, *self.diagnose(trial))

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

    def diagnose(self, trial: Trial) -> tuple[Mistake | None, str]:
        """The stored mistake that does the same: as a whole, or else in the first part that is wrong.

        In that case the part, a gradient or a word, is named: the hint is not about the others. A part of another kind
        (how many were returned, say) counts only for a mistake that begins there. Where several mistakes do the same,
        it is the one that does least else.
        """
        did = trial.did
        for mistake, known in self.known:
            if known.keys() == did.keys() and all(same(known[part], did[part]) for part in did):
                return mistake, ''
        part = next(iter(self.wrong(did)), '')
        named = trial.words or isinstance(did.get(part), np.ndarray | type(None))
        like = [each for each in self.known if part in each[1] and same(each[1][part], did[part])]
        like = [each for each in like if named or self.wrong(each[1])[0] == part]
        if not like:
            return None, ''
        return min(like, key=lambda each: len(self.wrong(each[1])))[0], part if named else ''

    def wrong(self, did: dict[str, Any]) -> list[str]:
        """The parts in which an answer does not do what the solution does."""
        return [part for part, value in did.items() if not same(value, self.right.get(part))]


def same(a: Any, b: Any) -> bool:
    """Whether two parts of what answers did are equal, up to rounding."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True)
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True))
    return type(a) is type(b) and a == b
