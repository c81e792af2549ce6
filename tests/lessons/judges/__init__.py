"""The judges of the mutants, by the names of the exercises."""

from tests.lessons.judges import cells, engine, functions, hunts, layers, words

JUDGES = {**cells.JUDGES, **functions.JUDGES, **layers.JUDGES, **hunts.JUDGES, **engine.JUDGES, **words.JUDGES}
