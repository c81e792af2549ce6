"""Small integers: a bprop computes a gradient in Int8 or Int16, and the numbers wrap.

    def bprop(self, x, out, dout):
        return (x.astype(ms.int8) * 100,)       # 3 * 100 is 44 in Int8

SmallIntegerWarning when it is cast to the input's dtype, as MindSpore does without a word.

Only a gradient of another dtype than its input's pays.
"""

from ..core import doors
from ..core.errors import MinicellWarning, article, warn_user


class SmallIntegerWarning(MinicellWarning):
    """A bprop returned a gradient of integers so small that they may have wrapped."""


def say(cell, gradient, name: str) -> None:
    """bprop returned a gradient of another dtype than its input's."""
    kind = gradient.array.dtype
    if kind.kind in 'iu' and kind.itemsize < 4:
        warn_user(
            f'{type(cell).__name__}.bprop returned {article(gradient.dtype)} Tensor as the gradient of {name}: such '
            f'integers wrap above {2 ** (8 * kind.itemsize - (kind.kind == "i")) - 1}, and the gradient may be wrong. '
            f'Write .astype({name}.dtype) before computing with it.',
            SmallIntegerWarning,
        )


doors.cast_gradient.append(say)
