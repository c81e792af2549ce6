"""Graph mode, as far as eager code needs to know of it."""

from .core import doors
from .core.differentiate import name_of

tracer: object = None  # while a function is traced into a graph: who notes what it may not do


def trace_with(by: object) -> None:
    """A function is being traced from here on; None: no longer."""
    global tracer
    tracer, doors.stand_in = by, stand_in
    if opening not in doors.opening:
        doors.opening.append(opening)
    if asked not in doors.numbers_asked:
        doors.numbers_asked.insert(0, asked)  # a graph refuses what is a warning elsewhere


def stand_in(cell: object, by_position: int) -> object:
    """What a takeover's entry holds in place of the Cell, of whose inputs so many were given by position."""
    return cell if tracer is None else tracer.stand_in(cell, by_position)


def asked(tensor: object, how: str, chooses: bool) -> None:
    """Somebody is about to see the numbers of a Tensor."""
    if tracer is not None:
        tracer.refuse_value(tensor, how)


def opening(gradient: object) -> None:
    """A gradient begins: vjp's is read later, and a graph has no place for the function that does so."""
    if tracer is not None and gradient.read_later:
        tracer.refuse('vjp', name_of(gradient.function))
