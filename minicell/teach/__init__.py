"""The lesson kit: predict, commit, reveal; exercises that check themselves and name the misconception.

    from minicell.teach import lesson
    L = lesson('03')

What a lesson asks, and what it answers, stands in Markdown beside the lesson, not in the notebook: a learner who reads
a cell does not read the answer with it. A lesson NN is

    lessons/source/NN_name.md        its text, cells and questions (`source` and `texts` tell how)
    lessons/source/NN_name/NNa.md    an exercise: hints, solution and mistakes (`texts` tells how)
    teach/lessonNN                   Python: FIGURES by name, and TRIALS, which try the answers (`figure` and `trials`)

lessons/WRITING.md leads through a new one.
"""

from .lesson import Lesson, lesson
from .lesson00 import Map, self_test

__all__ = ['Lesson', 'Map', 'lesson', 'self_test']
