"""What a Tape hears beside ops: hooks and what they return, bprop_debug, and numbers that leave a takeover's ops."""

from collections.abc import Callable
from types import SimpleNamespace

from .core import tape
from .core.rules import Marker
from .core.trap import Trap, join


class Hook(SimpleNamespace):
    """An event of a Tape: a hook is called. kind: 'backward_pre' or 'backward' (of a Cell), 'tensor' or 'op'."""


class Hooked(SimpleNamespace):
    """It has returned: the gradient in place of what it was given, a tuple of them, or None."""


class Asked(SimpleNamespace):
    """Inside a takeover, Python or NumPy sees a Tensor's numbers; chooses: only to choose what to compute."""


class Report(SimpleNamespace):
    """What a Cell with bprop_debug says of one call of its bprop."""


CALLED, RETURNED, ASKED, REPORT = map(Marker, ('hook', 'hooked', 'asked', 'report'))
CALLED.event = lambda at, x, y, out, *_: Hook(at=at, function=x, owner=y[0], kind=y[1], gradients=out)
RETURNED.event = lambda at, x, y, out, *_: Hooked(at=at, function=x, returned=y)
REPORT.event = lambda at, x, y, out, *_: Report(at=at, cell=x, said=y)
ASKED.event = lambda at, x, y, out, *_: Asked(at=at, tensor=x, how=y, chooses=out)


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


class Hears(Trap):
    """What construct computes outside of ops is no event, but that it has the numbers for it is one."""

    def numbers_asked(self, tensor: object, how: str, chooses: bool) -> None:
        if tape.looking and tape.hidden_address:
            tape.note(ASKED, tensor, how, chooses, None)


join(Hears())
