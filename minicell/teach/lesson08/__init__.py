"""Lesson 08: a figure of a threshold, and the trials of ties and of select."""

from .figures import FIGURES
from .trials import TRIALS
