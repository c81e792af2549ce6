"""All that a lesson asks, and how it answers: read from its Markdown, and from the Python of its figures and trials."""

import importlib
import re
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from . import exercise_text, question_text
from .exercise_text import ExerciseText
from .question import Question
from .source import SourceError, parse, path_of, said_of

TITLE = re.compile(r'^# Lesson \d\d · (.+)$', re.M)


class About(NamedTuple):
    """A lesson. `python` is its module: FIGURES and TRIALS by name, and whatever else its text calls for."""

    number: str
    title: str
    questions: dict[str, Question]
    sentences: dict[str, tuple[str, str]]
    exercises: dict[str, ExerciseText]
    python: ModuleType

    @property
    def seed(self) -> int:
        """The seed of its random numbers."""
        return int(self.number)

    @property
    def figures(self) -> dict[str, Callable[..., Any]]:
        """The functions that make its figures."""
        return self.python.FIGURES

    def trial(self, name: str) -> Callable[..., Any]:
        """How an exercise is tried; of an ordering, the function that works out the order."""
        return self.python.TRIALS[name]


@cache
def about(number: str) -> About:
    """Read a lesson; ValueError where there is none, SourceError where its Markdown cannot be read."""
    path = path_of(number) if re.fullmatch(r'\d\d', number) else None
    if path is None or number == '00':
        raise ValueError(f'there is no lesson {number!r}; a lesson is named by two digits, such as 03')
    text, file = path.read_text(encoding='utf-8'), said_of(path)
    title = TITLE.search(text)
    if title is None:
        raise SourceError(file, 1, f'the first heading is `# Lesson {number} · what it is called`.')
    cells = parse(text, file)
    python = importlib.import_module(f'{__package__}.lesson{number}')
    exercises = {}
    for written in sorted(path.with_suffix('').glob('*.md')):
        exercises[written.stem] = exercise_text.read(written)
        if written.stem not in python.TRIALS:
            raise SourceError(said_of(written), 1, f'{python.__name__} has no trial for it: put one into TRIALS.')
    questions = question_text.questions(cells, number, file)
    return About(number, title[1], questions, question_text.sentences(cells, file), exercises, python)
