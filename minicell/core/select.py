"""Comparison, logic, and choosing between two Tensors by a mask."""

import sys

import numpy as np

from .dtype import BY_NUMPY
from .errors import DTypeError, users_line
from .primitives import agree, apply_many, binary, on_both, operand, plain
from .rules import Many
from .tensor import Tensor

equal = binary('Equal', np.equal, None, None)
not_equal = binary('NotEqual', np.not_equal, None, None)
greater = binary('Greater', np.greater, None, None)
greater_equal = binary('GreaterEqual', np.greater_equal, None, None)
less = binary('Less', np.less, None, None)
less_equal = binary('LessEqual', np.less_equal, None, None)
logical_and = binary('LogicalAnd', np.logical_and, None, None)
logical_or = binary('LogicalOr', np.logical_or, None, None)
logical_xor = binary('LogicalXor', np.logical_xor, None, None)
logical_not = plain('LogicalNot', np.logical_not)
# of integers bit by bit, of Bools as the logical ones; these are the operators &, | and ^
bitwise_and = binary('BitwiseAnd', np.bitwise_and, None, None)
bitwise_or = binary('BitwiseOr', np.bitwise_or, None, None)
bitwise_xor = binary('BitwiseXor', np.bitwise_xor, None, None)
isnan = plain('IsNan', np.isnan)
isinf = plain('IsInf', np.isinf)
isfinite = plain('IsFinite', np.isfinite)

SELECT = Many(
    'Select',
    np.where,
    (None, lambda g, out, c, x, y: where(c, g, zero_like(g)), lambda g, out, c, x, y: where(c, zero_like(g), g)),
)


def select(condition: Tensor, input: Tensor | float, other: Tensor | float) -> Tensor:
    """input where condition is True, else other; the three are broadcast.

    Raises TypeError where condition is not Bool, ValueError where the shapes do not fit.

    >>> from minicell import Tensor, ops
    >>> print(ops.select(Tensor([True, False]), Tensor([1.0, 2.0]), 0.0))
    [1. 0.]
    """
    return choose(condition, input, other, sys._getframe(1))


def choose(condition: Tensor, input: Tensor | float, other: Tensor | float, frame) -> Tensor:
    """`select`, called at `frame`."""
    if not isinstance(condition, Tensor) or condition.array.dtype != np.bool_:
        got = BY_NUMPY[condition.array.dtype] if isinstance(condition, Tensor) else type(condition).__name__
        raise DTypeError(f'Select takes a Bool Tensor as its condition, but got {got}.{users_line(frame)}')
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = operand(SELECT, input)
    return apply_many(SELECT, (condition, *agree(SELECT, input, other)), (), frame)


# In formulas: the mask decides whether numbers or Tensors are meant.
where = on_both(select, np.where)


def zero_like(g: object) -> object:
    """A zero of g's dtype, for `where` on arrays or Tensors."""
    return 0.0 if isinstance(g, Tensor) else np.zeros((), g.dtype)
