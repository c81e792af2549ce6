"""Parameters that a takeover swallows: construct used them, and its bprop returns nothing for them."""

from ..core.errors import SwallowedParameterWarning, warn

weights: set = set()  # ids of the Parameters that open gradients have marked
touched: list = []  # those of them that were used inside the takeover that is running


def say(cell, inputs: list, frame) -> None:
    """A Parameter that construct used and that bprop will return nothing for."""
    mine = {id(p) for p in (*(cell.internal_params or ()), *inputs)}
    names = {p.name for p in touched if id(p) not in mine}
    touched.clear()
    for name in sorted(names):
        warn(
            f'The Parameter {name} is used inside {type(cell).__name__}, whose own bprop returns no gradient for it: '
            f'its gradient is 0 from here, and it will not train. Name it in self.internal_params, and let bprop '
            f'return (gradients of the inputs), {{parameter: its gradient}}.',
            SwallowedParameterWarning,
            frame,
        )
