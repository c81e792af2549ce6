"""Lesson 04: a figure of eps, and the trials of a gradient check."""

from .figures import FIGURES
from .trials import TRIALS
