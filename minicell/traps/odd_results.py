"""No Tensor: a result in which no gradient is followed, because it is no Tensor and no tuple, list or dict of Tensors.

    class Net(nn.Cell):
        def construct(self, x):
            yield x * 2                     # what comes out of a generator later goes past the bprop
        def bprop(self, x, out, dout): ...

ResultError for a Cell with its own bprop; for a differentiated function, NoPathWarning says what it returned.

One float Tensor costs nothing; any other result 0.3 µs for each of its parts.
"""

import numpy as np

from ..core import doors, tape
from ..core.differentiate import name_of
from ..core.dtype import DType
from ..core.errors import MinicellError, article, users_line, warn_user
from ..core.tensor import Tensor, tensors_in
from .unconnected import NoPathWarning

PLAIN = Tensor, bool, int, float, complex, str, bytes, np.ndarray, np.generic, DType, type, type(None)


class ResultError(MinicellError, TypeError):
    """A Cell with its own bprop returned something in which no gradient can be followed."""


def odd(value: object) -> object:
    """The first part of a result that may hide a Tensor, or None."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return next((part for part in map(odd, value) if part is not None), None)
    return None if isinstance(value, PLAIN) else value


def returned(cell, result: object, at: int, frame) -> None:
    """A Cell taken over at this address returned something other than one float Tensor."""
    part = odd(result) if at >= tape.start else None
    if part is not None:
        name = type(cell).__name__
        raise ResultError(
            f'construct of {name} returned {article(type(part).__name__)}. {name} has its own bprop, which answers for '
            f'Tensors: what comes out of anything else goes past it. Return a Tensor, or a tuple, list or dict of '
            f'Tensors.{users_line(frame)}'
        )


def say(gradient) -> None:
    """A function has returned: Tensors under differentiation that it hid beside others are lost."""
    part = None if type(gradient.result) is Tensor or gradient.aux else odd(gradient.result)
    if part is not None and gradient.outputs:
        inside = tensors_in(
            [*getattr(part, '__dict__', {}).values(), *(part if isinstance(part, (set, frozenset)) else ())]
        )
        if any(t.at >= gradient.mark for t in inside):
            warn_user(
                f'{name_of(gradient.function)} returned {article(type(part).__name__)} that holds a Tensor, beside '
                f'others: nobody looks into it, so that its part of the gradient is 0. Return the Tensor itself.',
                NoPathWarning,
            )


doors.returned = returned
doors.played.append(say)
