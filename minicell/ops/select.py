"""Comparison, logic, and choosing between two Tensors by a mask."""

import sys

import numpy as np

from ..dtype import BY_NUMPY
from ..errors import DTypeError, users_line
from ..tensor import Tensor
from .rules import Many, agree, apply_many, on_both, operand, plain

equal = plain('Equal', np.equal, 2)
not_equal = plain('NotEqual', np.not_equal, 2)
greater = plain('Greater', np.greater, 2)
greater_equal = plain('GreaterEqual', np.greater_equal, 2)
less = plain('Less', np.less, 2)
less_equal = plain('LessEqual', np.less_equal, 2)
logical_and = plain('LogicalAnd', np.logical_and, 2)
logical_or = plain('LogicalOr', np.logical_or, 2)
logical_xor = plain('LogicalXor', np.logical_xor, 2)
logical_not = plain('LogicalNot', np.logical_not, 1)
isnan = plain('IsNan', np.isnan, 1)
isinf = plain('IsInf', np.isinf, 1)
isfinite = plain('IsFinite', np.isfinite, 1)

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
    frame = sys._getframe(1)
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
