"""What a Tape hears of hooks: each call of one, and what it returns."""

from collections.abc import Callable
from typing import NamedTuple

from .core import tape
from .core.rules import Marker


class Hook(NamedTuple):
    """An event of a Tape: a hook is called. kind: 'backward_pre' or 'backward' (of a Cell), 'tensor' or 'op'."""

    at: int
    function: Callable
    owner: object
    kind: str
    gradients: tuple


class Hooked(NamedTuple):
    """It has returned: the gradient in place of what it was given, a tuple of them, or None."""

    at: int
    function: Callable
    returned: object


CALLED, RETURNED = Marker('hook'), Marker('hooked')
CALLED.event = lambda at, x, y, out: Hook(at, x, *y, out)
RETURNED.event = lambda at, x, y, out: Hooked(at, x, y)


def heard(hook: Callable, arguments: tuple, owner: object, kind: str, gradients: tuple) -> object:
    """What a hook returns; a Tape hears of the call."""
    if not tape.looking:
        return hook(*arguments)
    tape.note(CALLED, hook, (owner, kind), gradients, None)
    returned = hook(*arguments)
    tape.note(RETURNED, hook, returned, None, None)
    return returned
