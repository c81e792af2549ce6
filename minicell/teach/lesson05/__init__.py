"""Lesson 05: the malformed bprops, their figure, and how answers about them are tried."""

from .figures import FIGURES
from .specimens import here, in_mindspore, silent
from .trials import TRIALS
