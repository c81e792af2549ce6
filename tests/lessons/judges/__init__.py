"""The judges of the mutants, by the names of the exercises."""

import warnings
from functools import cache

from minicell.errors import MinicellWarning
from tests.lessons.judges import hunts, others, words
from tests.lessons.judges.judge import Judge


@cache
def judges() -> dict[str, Judge]:
    """All of them. What is due is worked out here, also of Cells that are wrong on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)
        return {name: judge for subject in (hunts, others, words) for name, judge in subject.judges().items()}
