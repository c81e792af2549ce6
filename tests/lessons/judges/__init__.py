"""The judges of the mutants, by the names of the exercises."""

import warnings

from minicell.core.errors import MinicellWarning

with warnings.catch_warnings():  # of Cells that are wrong on purpose: what they do is worked out here
    warnings.simplefilter('ignore', MinicellWarning)
    from tests.lessons.judges import cells, engine, functions, hunts, layers, words

JUDGES = {
    name: judge
    for judges in (cells, engine, functions, hunts, layers, words)
    for name, judge in judges.JUDGES.items()
}
