"""Lesson 06: the suspects, the tests, their figures, and the trials of a bug hunt."""

from .figures import FIGURES
from .trials import TRIALS
