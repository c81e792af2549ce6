"""Lesson 15: a figure of memory and time, and the trials of two checkpoints and of a hunt."""

from .figures import FIGURES
from .trials import TRIALS
