"""Graph mode, as far as eager code needs to know of it."""

from .core.differentiate import name_of
from .core.trap import Trap, join

tracer: object = None  # while a function is traced into a graph: who notes what it may not do


def trace_with(by: object) -> None:
    """A function is being traced from here on; None: no longer."""
    global tracer
    tracer = by
    join(trap, first=True)  # a graph refuses what is a warning elsewhere


class Tracing(Trap):
    """What a graph has no place for is refused while it is traced."""

    def stand_in(self, cell: object, by_position: int) -> object:
        return cell if tracer is None else tracer.stand_in(cell, by_position)

    def numbers_asked(self, tensor: object, how: str, chooses: bool) -> None:
        if tracer is not None:
            tracer.refuse_value(tensor, how)

    def opening(self, gradient: object) -> None:
        if tracer is not None and gradient.read_later:  # no function that reads a vjp later
            tracer.refuse('vjp', name_of(gradient.function))


trap = Tracing()
