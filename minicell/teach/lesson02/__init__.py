"""Lesson 02: a figure of what dout scales, and the trial of a product with a sine."""

from .figures import FIGURES
from .trials import TRIALS
