"""The lessons, as their Markdown tells them: what stands on the map of the course, and all that a lesson asks.

How it answers comes from the Python of its figures and trials, too.
"""

import ast
import importlib
import re
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minicell as ms

from . import texts
from .card import START
from .exercise import Exercise, run
from .progress import STATES, Kept
from .question import Question
from .source import Cell, definitions, opened, parse, paths, read

OPENS = re.compile(r'<!-- cell title: (\d+) minutes -->\n# (?:Lesson \d\d · )?(.+)\n\n\*\*(.+)\*\*\n')


class Stop(NamedTuple):
    """A lesson on the map. `asks` are the names of its questions, `tries` those of its exercises."""

    number: str
    title: str
    question: str
    minutes: int
    stem: str
    asks: list[str]
    tries: list[str]

    def done(self, states: dict[str, str]) -> int:
        """How many questions are answered, rightly or not, and how many exercises are passed."""
        return sum(name in states for name in self.asks) + sum(states.get(name) == 'passed' for name in self.tries)

    def stands(self) -> str:
        """How far a learner has come in it."""
        if self.number == START:
            return 'this page'
        kept = Kept(self.number, {*self.asks, *self.tries})
        return STATES[2 if self.done(kept.states) == len(self.asks + self.tries) else bool(kept.told)]


@cache
def stops() -> list[Stop]:
    """All lessons in their order, as their sources tell it."""
    found = []
    for number, path in paths().items():
        source = opened(path)
        minutes, title, question = OPENS.match(source.text).groups()
        asks = [cell.asks for cell in parse(source) if cell.kind in ('predict', 'recall')]
        tries = sorted(each.stem for each in path.with_suffix('').glob('*.md'))
        found.append(Stop(number, title, question, int(minutes), path.stem, asks, tries))
    return found


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
    if path is None or number == START:
        raise ValueError(f'there is no lesson {number!r}; a lesson is named by two digits, such as 03')
    source = opened(path)
    title = re.search(r'^# Lesson \d\d · (.+)$', source.text, re.M)
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


def defined(lesson: str, names: str, beside: str = '', answer: str = '') -> list[Any]:
    """What the code cells of a lesson define under these names; nothing else of them runs.

    `beside`: what that stands on. The last definition counts: of what is an exercise, that of its solution, `answer`.
    """
    path, space = paths()[lesson], {'np': np, 'ms': ms, 'nn': ms.nn, 'ops': ms.ops, 'Parameter': ms.Parameter}
    codes = [cell.code for cell in read(path)]
    if answer:
        codes.append(texts.exercise(path.with_suffix('') / f'{answer}.md', None).solution)
    wanted, nodes = {*names.split(), *beside.split()}, {}
    for code in codes:
        nodes |= {name: node for name, node in definitions(code).items() if name in wanted}
    for node in dict.fromkeys(nodes.values()):
        exec(compile(ast.Module([node], []), opened(path).file, 'exec'), space)
    return [space[name] for name in names.split()]
