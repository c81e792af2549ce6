"""Every exercise of every lesson, without a kernel: it can be passed, and each stored mistake is told by its name."""

from itertools import combinations

import pytest

from minicell.teach.about import about
from minicell.teach.exercise import same
from tests.lessons.notebooks import NUMBERS, answer_and_check, asks, every_exercise, read

EXERCISES = every_exercise()
BY_NAME = {exercise.name: exercise for exercise in EXERCISES}
TRAINS = dict.fromkeys(('12b', '12c', '12e'), pytest.mark.slow)  # each answer is a training run


def case(exercise, *more):
    """A case of a test, in the tier of its exercise."""
    id = '-'.join([exercise.name, *(mistake.name for mistake in more)])
    return pytest.param(exercise, *more, id=id, marks=TRAINS.get(exercise.name, ()))


each_exercise = pytest.mark.parametrize('exercise', [case(exercise) for exercise in EXERCISES])
each_mistake = pytest.mark.parametrize(
    ('exercise', 'mistake'), [case(exercise, mistake) for exercise in EXERCISES for mistake in exercise.mistakes]
)
of_each_kind = pytest.mark.parametrize('name', ['1a', '3a', '4a', '6a'])  # an order, a Cell, a function, words


@each_exercise
def test_not_attempted(exercise):
    for verdict in (exercise.check(...), exercise.check_code(exercise.start)):
        assert verdict.state == 'open' and 'fill in' in repr(verdict)


@each_exercise
def test_the_solution_passes_and_says_why(exercise):
    verdict = exercise.check_code(exercise.solution)
    assert verdict.passed, verdict
    assert verdict.said and len(exercise.why) > 40


@each_mistake
def test_a_mistake_gets_its_own_hint(exercise, mistake):
    verdict = exercise.check_code(mistake.code)
    assert verdict.state == 'failed'
    assert verdict.belief[1] == mistake.hint and mistake.misconception in verdict.belief[0]
    assert len(mistake.hint) > 40


@each_exercise
def test_mistakes_differ(exercise):
    assert len(exercise.mistakes) >= 3
    for part in ('misconception', 'hint', 'code'):
        assert len({getattr(mistake, part) for mistake in exercise.mistakes}) == len(exercise.mistakes)
    for (one, did), (other, does) in combinations(exercise.known, 2):
        alike = did.keys() == does.keys() and all(same(did[part], does[part]) for part in did)
        assert not alike, f'{one.name} and {other.name} do the same'


@each_exercise
def test_three_hints_say_more_and_more(exercise):
    assert len(set(exercise.hints)) == 3 and all(len(hint) > 30 for hint in exercise.hints)
    assert exercise.task.endswith(('.', '?'))


@of_each_kind
def test_check_never_raises(name):
    for given in (None, 3, -1.5, 'text', b'\x00', [], {}, (), int, object(), lambda *a: None, [...]):
        verdict = BY_NAME[name].check(given)
        assert not verdict.passed and repr(verdict), given


@of_each_kind
def test_checking_code_never_raises(name):
    for code in ('', 'x =', '1/0', 'import nothing_like_it', 'raise SystemExit', 'raise KeyboardInterrupt', '\x00'):
        verdict = BY_NAME[name].check_code(code)
        assert verdict.state == 'failed' and ': ,' not in verdict.said and '<module>' not in verdict.said, code


@pytest.mark.parametrize('number', NUMBERS)
def test_a_cell_begins_with_the_stored_start(number):
    """What a learner finds in the cell is what `L.insert` puts back."""
    notebook = read(number)
    for exercise in EXERCISES:
        cell = asks(notebook, exercise.name)
        if exercise.name in about(number).exercises and cell is not None:
            code, _ = answer_and_check(cell, exercise.name)
            assert exercise.start.rstrip().endswith(code.strip()), exercise.name
