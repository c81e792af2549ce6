"""What a Tape hears of hooks: each call of one, and what it returns."""

from collections.abc import Callable
from types import SimpleNamespace

from .core import tape
from .core.rules import Marker


class Hook(SimpleNamespace):
    """An event of a Tape: a hook is called. kind: 'backward_pre' or 'backward' (of a Cell), 'tensor' or 'op'."""


class Hooked(SimpleNamespace):
    """It has returned: the gradient in place of what it was given, a tuple of them, or None."""


CALLED, RETURNED = Marker('hook'), Marker('hooked')
CALLED.event = lambda at, x, y, out: Hook(at=at, function=x, owner=y[0], kind=y[1], gradients=out)
RETURNED.event = lambda at, x, y, out: Hooked(at=at, function=x, returned=y)


def heard(
    hook: Callable, arguments: tuple, owner: object, kind: str, gradients: tuple, settle: Callable
) -> object:  # fmt: skip
    """What a hook returns, as `settle` passes it on, unless it is None; a Tape hears of the call."""
    if tape.looking:
        tape.note(CALLED, hook, (owner, kind), gradients, None)
    returned = hook(*arguments)
    returned = None if returned is None else settle(returned)
    if tape.looking:
        tape.note(RETURNED, hook, returned, None, None)
    return returned
