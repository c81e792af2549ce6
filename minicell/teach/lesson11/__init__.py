"""Lesson 11: a figure of runs and graphs, and the trials of both modes."""

from .figures import FIGURES
from .trials import TRIALS
