"""Beliefs that a lesson sets out to shake are among the choices of its questions and the mistakes of its exercises."""

import numpy as np
import pytest

from minicell import nn
from minicell.teach.about import about
from tests.lessons.notebooks import NUMBERS, every_exercise, exercises
from tests.messages import tells

CHOICES = {
    '01': ('reads my source',),
    '02': ('dout is 1', 'gradients overwrite'),
    '03': ('added to automatic', 'checks my maths'),
    '04': ('smaller eps', 'a falling loss'),
    '07': ('a new mask', 'looks like x'),
    '08': ('comparisons kill', '> is >='),
    '09': ('called twice', 'second order', 'free and right'),
    '10': ('found by itself', 'in the tuple'),
    '13': ('accuracy shows', 'only inputs', 'reads my source'),
    '14': ('wrong gradient', 'never helps'),
    '15': ('the same numbers',),
}
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
