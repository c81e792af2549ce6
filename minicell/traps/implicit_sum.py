"""Implicit sum: a function with several outputs is differentiated as if they had been added.

    def f(x):
        return x * 2, x * 3
    ms.grad(f)(x)           # 5: the gradient of the sum, as MindSpore has it

ImplicitSumWarning says so. `has_aux=True`, or a sens for each output, says which one is meant.

A gradient that falls into nothing pays one comparison.
"""

from ..core import doors
from ..core.differentiate import name_of
from ..core.errors import MinicellWarning, warn_user


class ImplicitSumWarning(MinicellWarning):
    """Several outputs, differentiated as if summed."""


def say(gradient) -> None:
    """A gradient was read back."""
    if gradient.summed and not getattr(gradient.function, 'replayed', False):
        warn_user(
            f'{name_of(gradient.function)} has {len(gradient.float_outputs)} float outputs, and ones were used as the '
            f'cotangent of each: what you get is the gradient of their sum. Return or pick the one you mean, or give '
            f'sens.',
            ImplicitSumWarning,
        )


doors.finished.append(say)
