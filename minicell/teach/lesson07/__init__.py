"""Lesson 07: a figure of masks, and the trials of a Cell that drops rows."""

from .figures import FIGURES
from .trials import TRIALS
