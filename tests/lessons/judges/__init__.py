"""The judges of the mutants, by the names of the exercises."""

import warnings

from minicell.core.errors import MinicellWarning

with warnings.catch_warnings():  # of Cells that are wrong on purpose: what they do is worked out here
    warnings.simplefilter('ignore', MinicellWarning)
    from tests.lessons.judges import cells, choices, engine, functions, hunts, neurons, orders, throws, words

SUBJECTS = cells, choices, engine, functions, hunts, neurons, orders, throws, words
JUDGES = {name: judge for subject in SUBJECTS for name, judge in subject.JUDGES.items()}
