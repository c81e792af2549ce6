"""What all hunts have in common: other experiments than the stored one. Some find every bug, and some miss one."""

from collections.abc import Callable, Iterable

import pytest

from minicell.teach.exercise import Exercise


def experiments(hunt: Exercise, cases: Iterable[tuple[str, str, str]]) -> Callable[..., None]:
    """A test of what the hunt says of its solution with one place changed.

    cases: what stands in the solution, what takes its place, and what the check says then: '' for an experiment that
    passes, else a part of the sentence that names the miss.
    """

    @pytest.mark.parametrize(('old', 'new', 'said'), cases)
    def test(old: str, new: str, said: str) -> None:
        assert old in hunt.solution, f'{old!r} does not stand in the solution of {hunt.name}'
        verdict = hunt.check_code(hunt.solution.replace(old, new))
        assert verdict.passed == (not said) and said in verdict.said, verdict

    return test
