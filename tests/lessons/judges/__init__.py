"""The judges of the mutants, by the names of the exercises."""

from tests.lessons.judges import cells, functions

JUDGES = {**cells.JUDGES, **functions.JUDGES}
