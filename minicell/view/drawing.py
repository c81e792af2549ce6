"""A traced function's graph as a drawing: the `graphviz` package's object, for a notebook, a file, or more of DOT."""

from typing import Any

import graphviz

NO_DOT = 'There is no `dot` program here to draw it (Debian: apt install graphviz; conda: graphviz). In words:'


class Drawing(graphviz.Source):
    """A graph in DOT; where `dot` is missing, a notebook shows the graph in words instead."""

    def __init__(self, source: str, words: str) -> None:
        super().__init__(source)
        self.words = words

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **options: Any) -> dict[str, str]:
        try:
            bundle = super()._repr_mimebundle_(include, exclude, **options)
        except graphviz.ExecutableNotFound:
            return {'text/plain': f'{NO_DOT}\n{self.words}'}
        return {**bundle, 'text/plain': self.words}


def draw(graph: Any) -> Drawing:
    """The drawing of a `minicell.graph.ir.Graph`, such as `f.graphs[0]` of a jitted f."""
    return Drawing(graph.dot(), str(graph))
