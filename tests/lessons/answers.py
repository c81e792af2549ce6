"""What the exercises of all lessons have in common: other answers than the stored ones, and what a check makes of each.

Each function makes a test of a table. An answer is what `write` makes code of; without `write` it is a change of the
solution, (old, new) or several such pairs. What is said of it are facts, as `tells` takes them.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from minicell.teach.exercise import Exercise, Verdict
from tests.messages import tells

Test = Callable[..., None]
Write = Callable[[Any], str] | None


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


def mistake_of(verdict: Verdict) -> str | None:
    """The name of the stored mistake that an answer is told of."""
    return verdict.mistake.name if verdict.mistake else None


def written(exercise: Exercise, write: Write, answer: Any) -> str:
    """The code of an answer."""
    if write is not None:
        return write(answer)
    return changed(exercise.solution, *([answer] if isinstance(answer[0], str) else answer))


def facts(said: str | tuple[str, ...]) -> tuple[str, ...]:
    """What is said, as facts: a text is one, '' is none."""
    return (said,) if said and isinstance(said, str) else tuple(said)


def table(names: str, rows: Iterable[Any]) -> pytest.MarkDecorator:
    """Rows of a table, each called by the first words of its answer."""
    rows = list(rows)
    first = rows if ',' not in names else [row[0] for row in rows]
    return pytest.mark.parametrize(names, rows, ids=[re.sub(r'\W+', ' ', str(each)).strip()[:60] for each in first])


def right_answers(exercise: Exercise, rows: Iterable[Any], write: Write = None, *said: str) -> Test:
    """A test that each answer passes; and what is said then."""

    @table('answer', rows)
    def test_answer(answer: Any) -> None:
        verdict = exercise.check_code(written(exercise, write, answer))
        assert verdict.passed, verdict
        if said:
            tells(verdict.said, *said)

    return test_answer


def wrong_answers(exercise: Exercise, rows: Iterable[tuple[Any, ...]], write: Write = None) -> Test:
    """A test that each answer fails. A row: the answer, what is said (may be left out), and the mistake's name."""

    @table('answer, said, named', [row if len(row) == 3 else (row[0], '', row[1]) for row in rows])
    def test_answer(answer: Any, said: str | tuple[str, ...], named: str | None) -> None:
        verdict = exercise.check_code(written(exercise, write, answer))
        assert verdict.state == 'failed' and mistake_of(verdict) == named, verdict
        if said:
            tells(verdict.said, *facts(said))

    return test_answer


def open_answers(exercise: Exercise, rows: Iterable[Any], write: Write = None) -> Test:
    """A test that each answer is only begun."""

    @table('answer', rows)
    def test_answer(answer: Any) -> None:
        verdict = exercise.check_code(written(exercise, write, answer))
        assert verdict.state == 'open', verdict

    return test_answer


def words(exercise: Exercise, rows: Iterable[tuple[Any, ...]]) -> Test:
    """A test of an exercise that wants a dict of words.

    A row: what is written otherwise than in the right dict; what is said; and the name of the mistake that it is told
    of (... for any, or none), or a state other than failed.
    """

    @table('change, said, due', [(*row, None)[:3] for row in rows])
    def test_answer(change: dict, said: str | tuple[str, ...], due: Any) -> None:
        verdict = exercise.check(exercise.right | change)
        state = due if due in ('open', 'passed') else 'failed'
        named = mistake_of(verdict)
        assert verdict.state == state and due in (..., state, named), verdict
        if said:
            tells(verdict.said, *facts(said))

    return test_answer


def experiments(hunt: Exercise, rows: Iterable[tuple[str, str, Any]]) -> Test:
    """A test of what a hunt says of its solution with one place changed: another experiment than the stored one.

    A row: what stands in the solution, what takes its place, and what names the miss; '' for one that passes.
    """

    @table('old, new, said', rows)
    def test_experiment(old: str, new: str, said: str | tuple[str, ...]) -> None:
        verdict = hunt.check_code(changed(hunt.solution, (old, new)))
        assert verdict.passed == (not said), verdict
        if said:
            tells(verdict.said, *facts(said))

    return test_experiment
