"""Lesson 10: a figure of a weight that is used often, and the trials of its owners."""

from .figures import FIGURES
from .trials import TRIALS
