"""Beliefs that a lesson sets out to shake are among the choices of its questions and the mistakes of its exercises."""

import re

import numpy as np
import pytest

from minicell import nn
from minicell.teach import (
    lesson01,
    lesson02,
    lesson03,
    lesson05,
    lesson07,
    lesson08,
    lesson09,
    lesson10,
    lesson14,
    lesson15,
)
from minicell.teach.about import about
from minicell.teach.lesson11.hunt import HUNT as GRAPHS
from minicell.teach.source import paths, read
from minicell.teach.trials import Hunt
from tests.lessons.notebooks import NUMBERS, every_exercise, exercises
from tests.messages import tells

CHOICES = {
    '01': ('reads my source',),
    '02': ('dout is 1', 'gradients overwrite'),
    '03': ('added to automatic', 'checks my maths'),
    '04': ('smaller eps', 'a falling loss'),
    '07': ('a new mask', 'looks like x'),
    '08': ('comparisons kill', 'threshold is subtracted'),
    '09': ('called twice', 'second order', 'free and right'),
    '10': ('found by itself', 'in the tuple'),
    '13': ('accuracy shows', 'only inputs', 'reads my source'),
    '14': ('wrong gradient', 'never helps'),
    '15': ('the same numbers',),
}
HIDDEN = {
    '1d': len(lesson01.HIDDEN),
    '5c': len(lesson05.HIDDEN),
    '11c': len(GRAPHS.hidden),
    '14d': len(lesson14.HIDDEN),
}  # of trials that have more to do than their hunt
MISTAKES = {'04': ('Smaller eps',), '05': ('It will broadcast.', 'It will complain.')}


@pytest.mark.parametrize('number', NUMBERS)
def test_the_beliefs_of_a_lesson(number):
    choices = [choice.misconception for question in about(number).questions.values() for choice in question.choices]
    mistakes = [mistake.misconception for exercise in exercises(number) for mistake in exercise.mistakes]
    for said, due in ((choices, CHOICES), (mistakes, MISTAKES)):
        tells('\n'.join(filter(None, said)), *due.get(number, ('',)))


class Strange(nn.Cell):
    def construct(self, x, y):
        return x @ y

    def bprop(self, x, y, out, dout):
        raise KeyError('<b>strange</b>')


@pytest.mark.parametrize('given', [Strange, Strange(), nn.Dense, nn.Dense(2, 2), np.ones(3)], ids=range(5))
@pytest.mark.parametrize('exercise', every_exercise(), ids=lambda exercise: exercise.name)
def test_a_check_of_any_cell_or_array_says_that_it_fails(exercise, given):
    verdict = exercise.check(given)
    assert verdict.state == 'failed' and repr(verdict)


SUSPECTS = re.compile(r'\b(eight|nine|ten|eleven|twelve) (?:Cells|engines|layers|checkpoints)\b', re.IGNORECASE)


@pytest.mark.parametrize('exercise', every_exercise(), ids=lambda exercise: exercise.name)
def test_a_text_counts_the_suspects_that_are_hidden_in_the_check(exercise):
    cells = read(paths()[exercise.name[:-1].zfill(2)])
    at = next(k for k, cell in enumerate(cells) if f"L.check('{exercise.name}'" in cell.text)
    trial = getattr(exercise.trial, 'keywords', {}).get('hunted', exercise.trial)
    many = len(trial.hidden) if isinstance(trial, Hunt) else HIDDEN.get(exercise.name)
    for said in SUSPECTS.findall(f'{exercise.task}\n{cells[at - 1].text}'):
        assert many == 8 + ('eight', 'nine', 'ten', 'eleven', 'twelve').index(said.lower())


TRIALS = [trial for lesson in (lesson02, lesson03, lesson08) for trial in lesson.TRIALS.values()]
HUNTS = [trial for trial in TRIALS if isinstance(trial, Hunt)]
HUNTS += [GRAPHS, *(lesson.HUNT for lesson in (lesson07, lesson09, lesson10, lesson14, lesson15))]


@pytest.mark.parametrize('hunt', HUNTS, ids=range(len(HUNTS)))
def test_what_a_suspect_is_called_does_not_say_what_is_wrong_with_it(hunt):
    made = [hunt.make(*suspect)[0] for *suspect, _ in hunt.hidden if hunt is not GRAPHS] or [
        kind for kind, _ in GRAPHS.hidden
    ]
    assert len({each.__qualname__ if isinstance(each, type) else type(each).__qualname__ for each in made}) == 1
    assert {due for *_, due in hunt.hidden} == set(hunt.words)
