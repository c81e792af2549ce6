"""The lesson kit: predict, commit, reveal; exercises that check themselves and name the misconception.

    from minicell.teach import lesson
    L = lesson('03')

What a lesson asks, and what it answers, stands in one folder a lesson (`lesson03`), not in the notebook: a learner who
reads a cell does not read the answer with it.
"""

from .lesson import Lesson, lesson

__all__ = ['Lesson', 'lesson']
