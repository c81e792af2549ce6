"""Lesson 09: a figure of first and second order, and the trials of both."""

from .figures import FIGURES
from .trials import TRIALS
