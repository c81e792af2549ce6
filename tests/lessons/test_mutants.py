"""Each solution is changed in at least 40 ways; judges say which of these are wrong, and hold the checks to it.

A mutant (see `mutants`) is right or wrong by what the exercise asks for (see `judges`), on inputs that no check uses.
Then

- a wrong mutant that the check passes is a fault, and so is a right one that it does not pass;
- a hint is false if the mutant, on the judge's inputs, does not do what the stored mistake does whose hint it gets:
  in the gradient or the word that the verdict names ("Look at `dx`"); if it names none, in the parts that the hint
  speaks of (`Judge.speaks_of`), where it speaks of some alone; and else in everything that the judge looks at.

A mutant that runs without an end is left out: no check can wait for it. The table is printed when the tests have run.
The answers that two reviews of the lessons have put to the checks are in `reviewed`, and go the same way. All of it is
done at night; by day, one lesson by turns.
"""

import ast
from typing import Any, NamedTuple

import pytest

from minicell.teach import lesson12
from minicell.teach.exercise import Exercise
from tests.lessons.judges import judges, others
from tests.lessons.judges.judge import Endless, bounded
from tests.lessons.judges.mutants import LEAST, Mutant, mutants
from tests.lessons.judges.reviewed import REVIEWED, answers
from tests.lessons.notebooks import NUMBERS, by_turns, every_exercise, exercises

EXERCISES = {exercise.name: exercise for exercise in every_exercise()}
TRAINS = ('12b', '12c', '12e')  # each answer is a training run
LESSON = by_turns(NUMBERS)
each = pytest.mark.parametrize('name', EXERCISES)
nightly = pytest.mark.nightly


@pytest.fixture(autouse=True)
def each_surrogate_is_trained_once(monkeypatch):
    """A training run takes long, and it is not what is judged here."""
    monkeypatch.setattr(lesson12, 'frozen', others.once)


class Row(NamedTuple):
    """What came of the mutants of an exercise; the lists say what went wrong."""

    mutants: int = 0
    wrong: int = 0
    passed: tuple[str, ...] = ()
    right: int = 0
    refused: tuple[str, ...] = ()
    hints: int = 0
    false: tuple[str, ...] = ()

    def line(self, name: str) -> str:
        """The row as text."""
        cells = (len(each) if isinstance(each, tuple) else each for each in self)
        return f'{name:8}' + ''.join(f'{cell:9}' for cell in cells)


HEADS = 'mutants', 'wrong', 'passed', 'right', 'refused', 'hints', 'false'
HEAD = f'{"exercise":8}' + ''.join(f'{head:>9}' for head in HEADS)


def words_of(exercise: Exercise) -> list[str]:
    """The words that stand in an exercise's stored answers where a word is asked for."""
    found = set(getattr(exercise, 'lines', {}))
    for code in (exercise.solution, *(mistake.code for mistake in exercise.mistakes)):
        for node in ast.walk(ast.parse(code)):
            said = node.values if isinstance(node, ast.Dict) else [node.value] if isinstance(node, ast.Return) else []
            found |= {each.value for each in said if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return sorted(found)


def judged(exercise: Exercise, made: list[Mutant]) -> Row:
    """The check of an exercise, held to its judge."""
    judge, name = judges()[exercise.name], exercise.answer_name
    mistakes = {mistake.name: judge.does(mistake.code, name) for mistake in exercise.mistakes}
    row = Row()
    for mutant in made:
        try:
            with bounded():
                did, verdict = judge.does(mutant.code, name), exercise.check_code(mutant.code)
        except Endless:
            continue
        about = (f'{mutant.kind}: {changed(exercise.solution, mutant.code)}\n{verdict}',)
        right = did.passed
        row = row._replace(mutants=row.mutants + 1, right=row.right + right, wrong=row.wrong + (not right))
        if right and not verdict.passed:
            row = row._replace(refused=row.refused + about)
        if verdict.passed and not right:
            row = row._replace(passed=row.passed + about)
        if verdict.mistake:
            true = judge.explained(verdict.mistake.name, mistakes[verdict.mistake.name].did, did.did, verdict.gradient)
            row = row._replace(hints=row.hints + 1, false=row.false + about * (not true))
    return row


def changed(solution: str, code: str) -> str:
    """The lines of a mutant that the solution does not have."""
    lines = ast.unparse(ast.parse(solution)).splitlines()
    return ' | '.join(line.strip() for line in code.splitlines() if line not in lines) or 'lines left out, or moved'


def held(row: Row) -> None:
    """Fail with what went wrong."""
    faults = {'wrong, and passed': row.passed, 'right, and refused': row.refused, 'a false hint': row.false}
    assert not any(faults.values()), '\n'.join(f'{said}: {each}' for said, found in faults.items() for each in found)


@nightly
@each
def test_the_judge_knows_the_solution_and_the_mistakes(name):
    """A judge that could not tell these apart would not be worth asking."""
    exercise, judge = EXERCISES[name], judges()[name]
    assert judge.does(exercise.solution, exercise.answer_name).passed
    taken = [each.name for each in exercise.mistakes if judge.does(each.code, exercise.answer_name).passed]
    assert not taken


@nightly
@each
def test_each_mutant_is_judged_as_it_is(name, record_property):
    """Every single change, and pairs of changes where there are few; of what trains, some."""
    exercise = EXERCISES[name]
    most = 60 if name in TRAINS else 1000
    row = judged(exercise, mutants(exercise.solution, exercise.start, words_of(exercise), most=most))
    record_property('mutants', row.line(name))
    assert row.mutants >= LEAST
    held(row)


@pytest.mark.slow
def test_some_mutants_of_one_lesson_by_turns():
    for exercise in (each for each in exercises(LESSON) if each.name not in TRAINS):
        held(judged(exercise, mutants(exercise.solution, exercise.start, words_of(exercise), most=LEAST)))


@nightly
@pytest.mark.parametrize('name', REVIEWED)
def test_the_answers_of_the_reviews(name, record_property):
    """What was wrong then is wrong for the judge now, and what was right is right; and so it is for the check."""
    exercise, judge = EXERCISES[name], judges()[name]
    given = answers(exercise)
    said = [judge.does(answer.code, exercise.answer_name).passed for answer, _ in given]
    due = [right for _, right in given]
    assert said == due, [answer.kind for (answer, right), found in zip(given, said, strict=True) if found != right]
    row = judged(exercise, [answer for answer, _ in given])
    record_property('mutants', row.line(f'{name} *'))
    held(row)


def test_mutants_are_the_same_each_time_and_differ():
    exercise = EXERCISES['2a']
    made = [mutants(exercise.solution, exercise.start) for _ in range(2)]
    assert made[0] == made[1] and len({mutant.code for mutant in made[0]}) == len(made[0])
    kinds = {mutant.kind for mutant in made[0]}
    assert {'sign', 'factor', 'order', 'stopped gradient', 'kept on self', 'abs', 'name'} <= kinds


def test_an_answer_without_an_end_is_left():
    with pytest.raises(Endless), bounded():
        EXERCISES['1b'].check_code('def read_back(entries, result):\n    while True:\n        pass')


def test_a_judge_tells_a_false_hint(monkeypatch):
    """Were a check to give the hint of another mistake, the table would show it."""
    exercise = EXERCISES['2a']
    other: Any = next(each for each in exercise.mistakes if each.name == 'swapped')
    monkeypatch.setattr(exercise, 'diagnose', lambda trial: (other, ''))
    with pytest.raises(AssertionError, match='a false hint'):
        held(judged(exercise, mutants(exercise.solution, exercise.start)))
