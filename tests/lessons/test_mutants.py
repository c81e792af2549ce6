"""Mutants of each solution."""

import ast
from typing import Any, NamedTuple

from minicell.teach.exercise import Exercise
from tests.lessons.judges import JUDGES
from tests.lessons.judges.judge import Endless, bounded
from tests.lessons.mutants import mutants
from tests.lessons.notebooks import every_exercise

EXERCISES = {exercise.name: exercise for exercise in every_exercise()}


class Row(NamedTuple):
    mutants: int
    wrong: int
    passed: list[str]
    right: int
    refused: list[str]
    hints: int
    false: list[str]
    endless: int


def words_of(exercise: Exercise) -> list[str]:
    """The words that stand in an exercise's stored answers where a word is asked for."""
    found = set(getattr(exercise, 'lines', {}))
    for code in (exercise.solution, *(mistake.code for mistake in exercise.mistakes)):
        for node in ast.walk(ast.parse(code)):
            said = node.values if isinstance(node, ast.Dict) else [node.value] if isinstance(node, ast.Return) else []
            found |= {each.value for each in said if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return sorted(found)


def table_row(exercise: Exercise, most: int = 60) -> Row:
    judge = JUDGES[exercise.name]
    assert judge.right(judge.does(exercise.solution, exercise.answer_name)), [(k, judge.does(exercise.solution, exercise.answer_name).get(k), v) for k,v in judge.due.items() if not judge._replace(due={k:v}).right(judge.does(exercise.solution, exercise.answer_name))]
    mistakes = {mistake.name: judge.does(mistake.code, exercise.answer_name) for mistake in exercise.mistakes}
    assert not any(map(judge.right, mistakes.values())), [k for k,v in mistakes.items() if judge.right(v)]
    wrong = right = hints = endless = total = 0
    passed, refused, false = [], [], []
    for mutant in mutants(exercise.solution, exercise.start, words_of(exercise), most=most):
        total += 1
        try:
            with bounded():
                did = judge.does(mutant.code, exercise.answer_name)
                verdict = exercise.check_code(mutant.code)
        except Endless:
            endless += 1
            continue
        about = f'{mutant.kind}: {changed(exercise.solution, mutant.code)}'
        if judge.right(did):
            right += 1
            if not verdict.passed:
                refused.append(f'{about} -> {verdict.said}')
        else:
            wrong += 1
            if verdict.passed:
                passed.append(about)
        if verdict.mistake:
            hints += 1
            if not judge.explained(verdict.mistake.name, mistakes[verdict.mistake.name], did, verdict.gradient):
                false.append(f'{about} -> {verdict.mistake.name}, {verdict.gradient!r}')
    return Row(total, wrong, passed, right, refused, hints, false, endless)


def changed(solution: str, code: str) -> str:
    """The lines of a mutant that the solution does not have."""
    lines = ast.unparse(ast.parse(solution)).splitlines()
    return ' | '.join(line.strip() for line in code.splitlines() if line not in lines) or '(lines left out or moved)'


def trial_of(): ...
