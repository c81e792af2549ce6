"""What the exercises of all lessons have in common: other answers than the stored ones, and what is said of each."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minicell as ms
from minicell.teach.exercise import Exercise, Verdict
from tests.messages import tells

Test = Callable[..., None]
Facts = str | tuple[str, ...]  # what is said: a text is one fact, '' is none


def changed(code: str, *edits: tuple[str, str]) -> str:
    """Some code with some of its places written otherwise."""
    for old, new in edits:
        if old not in code:
            raise LookupError(f'{old!r} does not stand in:\n{code}')
        code = code.replace(old, new)
    return code


def indented(lines: str, by: int = 8) -> str:
    """Lines of a body, as far to the right as they stand in a class or in a function."""
    return '\n'.join(' ' * by + line for line in lines.splitlines())


def filled(exercise: Exercise, place: str = '        dx = ...', head: str = '') -> Callable[[str], str]:
    """What makes code of the last lines of an answer: they stand where this place of its start is, and all below."""
    before, found, _ = exercise.start.partition(place)
    if not found:
        raise LookupError(f'{place!r} does not stand in:\n{before}')
    by = len(place) - len(place.lstrip())
    return lambda lines: f'{head}{before}{indented(lines, by)}\n'


def shaken(kind: type) -> Any:
    """A Cell of this class, with gradients that are another in the sixteenth digit, as sums in another order are."""
    rng = np.random.default_rng(0)
    shaken = [1 + 4e-16 * rng.standard_normal(10_000) for _ in range(8)]  # (a bprop that moves a generator is told)
    shake = lambda g: ms.Tensor(g.asnumpy() * shaken[g.size % 8][: g.size].reshape(g.shape))
    return type('Shaken', (kind,), {'bprop': lambda self, *given: tuple(map(shake, kind.bprop(self, *given)))})


def mistake_of(verdict: Verdict) -> str | None:
    """The name of the stored mistake that an answer is told of."""
    return verdict.mistake.name if verdict.mistake else None


def facts(said: Facts) -> tuple[str, ...]:
    """The facts of what is said."""
    return (said,) if said and isinstance(said, str) else tuple(said)


def table(names: str, *rows: Any) -> pytest.MarkDecorator:
    """Rows of a table, each called by its first words."""
    return pytest.mark.parametrize(names, rows, ids=[re.sub(r'\W+', ' ', str(row)).strip()[:80] for row in rows])


def says(verdict: Verdict, said: Facts) -> None:
    """Hold what a check says to its facts."""
    if said:
        tells(verdict.said, *facts(said))


class Answers:
    """Answers to an exercise; each method makes a test of a table of them.

    An answer is what `write` makes code of; without `write` it is a change of the solution, (old, new) or several.
    """

    def __init__(self, exercise: Exercise, write: Callable[[Any], str] | None = None) -> None:
        self.exercise, self.write = exercise, write

    def check(self, answer: Any) -> Verdict:
        """What the check makes of an answer."""
        if self.write is not None:
            return self.exercise.check_code(self.write(answer))
        edits = [answer] if isinstance(answer[0], str) else answer
        return self.exercise.check_code(changed(self.exercise.solution, *edits))

    def passing(self, *rows: Any, said: Facts = '') -> Test:
        """Each of them passes, and this is said."""

        @table('answer', *rows)
        def test_answer(answer: Any) -> None:
            verdict = self.check(answer)
            assert verdict.passed, verdict
            says(verdict, said)

        return test_answer

    def failing(self, *rows: tuple[Any, ...]) -> Test:
        """Each of them fails. A row: the answer, what is said (may be left out), and the name of its mistake."""

        @table('answer, said, named', *(row if len(row) == 3 else (row[0], '', row[1]) for row in rows))
        def test_answer(answer: Any, said: Facts, named: str | None) -> None:
            verdict = self.check(answer)
            assert verdict.state == 'failed' and mistake_of(verdict) == named, verdict
            says(verdict, said)

        return test_answer

    def begun(self, *rows: Any) -> Test:
        """Each of them is only begun."""

        @table('answer', *rows)
        def test_answer(answer: Any) -> None:
            verdict = self.check(answer)
            assert verdict.state == 'open', verdict

        return test_answer

    def words(self, *rows: tuple[Any, ...]) -> Test:
        """Dicts of words. A row: what differs from the right one; what is said; how it ends.

        That is the name of its mistake (... for any, or none), or a state other than failed.
        """

        @table('change, said, due', *((*row, None)[:3] for row in rows))
        def test_answer(change: dict, said: Facts, due: Any) -> None:
            verdict = self.exercise.check(self.exercise.due.did | change)
            state = due if due in ('open', 'passed') else 'failed'
            named = mistake_of(verdict)
            assert verdict.state == state and due in (..., state, named), verdict
            says(verdict, said)

        return test_answer

    def experiments(self, *rows: tuple[str, str, Facts]) -> Test:
        """Other experiments of a hunt. A row: a place of the solution, what takes it, what names the miss, if any.

        In each hunt, a word that is none of those asked for is told so.
        """
        right = "return 'right'"
        asked = right in self.exercise.solution
        strange = [(right, f'return {word}', (word, 'none of')) for word in ('None', "'odd'") if asked]

        @table('old, new, said', *rows, *strange)
        def test_experiment(old: str, new: str, said: Facts) -> None:
            verdict = self.check((old, new))
            assert verdict.passed == (not said), verdict
            says(verdict, said)

        return test_experiment
