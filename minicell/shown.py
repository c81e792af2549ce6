"""How a Tape is shown: as text, as the tape view, as a graph. The view itself is loaded by the first who asks."""

from .core.watch import Tape
from .listing import listing


def show(self: Tape, **options: object) -> object:
    """The tape view: `tape.show(zoom='inside', compare=False, scale=1.6, step=-1)`.

    The options are those of `minicell.view.show`.
    """
    from . import view

    return view.show(self, **options)


def to_dot(self: Tape) -> object:
    """The tape as the graphviz package's own object: Cells are clusters, a takeover has a double border.

    Where there is no `dot` program, a notebook shows the tape's picture instead.
    """
    from . import view

    return view.to_dot(self)


def display(self: Tape) -> None:
    """What a notebook calls for a Tape on the last line of a cell."""
    from . import view

    view.display(self)


Tape.show, Tape.to_dot, Tape._ipython_display_, Tape.__str__ = show, to_dot, display, listing
