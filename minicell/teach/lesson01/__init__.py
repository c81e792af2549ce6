"""Lesson 01: a figure of entries that come and go, and the order of backward."""

from .figures import FIGURES
from .trials import TRIALS
