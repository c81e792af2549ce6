"""Lesson 03: a figure of a scaled loss, and the trial of a matrix product."""

from .figures import FIGURES
from .trials import TRIALS
