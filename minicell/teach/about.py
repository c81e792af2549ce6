"""All that a lesson asks, and how it answers: read from its Markdown, and from the Python of its figures and trials."""

import importlib
import re
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from . import texts
from .exercise import Exercise, run
from .question import Question
from .source import Cell, definitions, opened, parse, paths

TITLE = re.compile(r'^# Lesson \d\d · (.+)$', re.M)


class About(NamedTuple):
    """A lesson.

    made: each name that its cells make -> the heading above the first that does; python: its module, FIGURES and TRIALS
    by name, and whatever else its text calls for.
    """

    number: str
    title: str
    questions: dict[str, Question]
    sentences: dict[str, tuple[str, str]]
    exercises: dict[str, Exercise]
    made: dict[str, str]
    python: ModuleType


@cache
def about(number: str) -> About:
    """Read a lesson; ValueError where there is none, SourceError where its Markdown cannot be read."""
    path = paths().get(number)
    if path is None or number == '00':
        raise ValueError(f'there is no lesson {number!r}; a lesson is named by two digits, such as 03')
    source = opened(path)
    title = TITLE.search(source.text)
    if title is None:
        raise source.wrong(f'the first heading is `# Lesson {number} · what it is called`.')
    cells = parse(source)
    python = importlib.import_module(f'{__package__}.lesson{number}')
    exercises = {}
    for written in sorted(path.with_suffix('').glob('*.md')):
        if written.stem not in python.TRIALS:
            raise opened(written).wrong(f'{python.__name__} has no trial for it: put one into TRIALS.')
        exercises[written.stem] = texts.exercise(written, python.TRIALS[written.stem])
    questions, sentences = texts.questions(cells), texts.sentences(cells)
    return About(number, title[1], questions, sentences, exercises, made(cells), python)


def exercise(name: str) -> Exercise:
    """An exercise by its name, such as 3a or 12c."""
    return about(name[:-1].zfill(2)).exercises[name]


def yours(name: str, answer: Any, what: str) -> Any:
    """A learner's answer if it passes; until then the stored solution, so that the lesson goes on. Says which."""
    asked = exercise(name)
    if asked.check(answer).passed:
        print(f'From here on {what} is yours.')
        return answer
    print(
        f'Exercise {name} has not passed yet in a cell of this notebook: from here on {what} is that of its solution.'
    )
    return run(asked.solution, asked.answer_name, f'the solution of {name}')


def made(cells: list[Cell]) -> dict[str, str]:
    """Where each name is made first: under which heading."""
    found, heading = {}, ''
    for cell in cells:
        if cell.kind == 'markdown':
            said = re.sub(r'```.*?```', '', cell.text, flags=re.S)
            heading = [heading, *re.findall(r'^#+ (.+)$', said, re.M)][-1]
        elif cell.kind == 'code':
            found |= {name: heading for name in definitions(cell.text) if name not in found}
    return found
