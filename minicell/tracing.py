"""Graph mode, as far as the eager floors need to know of it."""

from collections.abc import Callable

graph_mode: Callable | None = None  # what calls a Cell in graph mode: set and reset by set_context
tracer: object = None  # while a function is traced into a graph: who notes what it may not do


def trace_with(by: object) -> None:
    """A function is being traced from here on; None: no longer."""
    global tracer
    tracer = by
