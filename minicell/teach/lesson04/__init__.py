"""Lesson 04: its figures, the trials of a gradient check, and central differences for a check of one's own."""

from .differences import slopes
from .figures import FIGURES
from .trials import TRIALS
