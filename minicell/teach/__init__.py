"""The lesson kit: predict, commit, reveal; exercises that check themselves and name the misconception.

    from minicell.teach import lesson
    L = lesson('03')

What a lesson asks, and what it answers, stands in one folder a lesson, not in the notebook: a learner who reads a cell
does not read the answer with it. A new lesson NN is

    lessons/source/NN_name.md    its text and cells (`source` tells how it is written, `build` makes the notebook)
    teach/lessonNN/__init__.py   TITLE, SEED, QUESTIONS, SENTENCES, EXERCISES, FIGURES
    teach/lessonNN/exercise_NNx  one package an exercise (`exercise` and `order` tell what is in it)
"""

from .lesson import Lesson, lesson
from .self_test import self_test

__all__ = ['Lesson', 'lesson', 'self_test']
