"""Arithmetic with the settings that MindSpore has on some of its names."""

import sys
from collections.abc import Callable

from ..core.arithmetic import add, div, floor_div, sub, trunc
from ..core.errors import users_line
from ..core.primitives import apply, cast_to, named
from ..core.tensor import Tensor
from ..errors import SettingError
from .activation import RELU


def divide(input: Tensor | float, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; rounding_mode 'floor' rounds down, 'trunc' towards 0, and both end the gradient.

    Raises ValueError for another mode.

    >>> from minicell import Tensor, ops
    >>> print(ops.div(Tensor([3, -3]), 2), ops.div(Tensor([3, -3]), 2, rounding_mode='trunc'))
    [ 1.5 -1.5] [ 1 -1]
    """
    if rounding_mode not in (None, 'floor', 'trunc'):
        raise SettingError(f"div: rounding_mode is None, 'floor' or 'trunc', but got {rounding_mode!r}.{users_line()}")
    if rounding_mode == 'floor':
        return floor_div(input, other, 2)
    out = div(input, other, 2)
    if rounding_mode is None:
        return out
    return cast_to(trunc(out), floor_div(input, other, 2).array.dtype, sys._getframe(1))


def _scaled(op: Callable) -> Callable:
    return named(lambda input, other, *, alpha=1: op(input, other if alpha == 1 else other * alpha, 2), op.rule)


# The second operand counts alpha times.
add_scaled, subtract = _scaled(add), _scaled(sub)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0). Raises ValueError for inplace=True: a Tensor is not written, but made anew."""
    if inplace:
        raise SettingError(f'relu: inplace is False here, because a gradient may need the input.{users_line()}')
    return apply(RELU, input, (), sys._getframe(1))


divide.rule, relu.rule = div.rule, RELU
