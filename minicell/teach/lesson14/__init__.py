"""Lesson 14: a figure of a quantizer and its two masks, and the trials of two lies and of a hunt."""

from .figures import FIGURES
from .trials import TRIALS
