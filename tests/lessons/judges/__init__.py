"""The judges of the mutants, by the names of the exercises."""

from tests.lessons.judges import cells, functions, hunts, layers

JUDGES = {**cells.JUDGES, **functions.JUDGES, **layers.JUDGES, **hunts.JUDGES}
