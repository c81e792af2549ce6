"""Lesson 13: the learner's engine, the trials of its six steps, and a figure of its tape beside minicell's."""

from .engine import lines, own, so_far, stored, whole, with_names
from .figures import FIGURES
from .trials import TRIALS
