"""Lesson 12: surrogates, the network that they train, its figure and its trials."""

from .figures import FIGURES
from .trials import TRIALS
