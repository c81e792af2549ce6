"""Ops that change nothing forward and call a function on the way back."""

import sys
from collections.abc import Callable

from ..errors import HookError, article, users_line
from ..tensor import Tensor, wrap
from .make import operand, place
from .primitive import Primitive
from .rules import Rule


class _Hook(Rule):
    """The identity; `y` is called with the gradient (a Tensor), and may return another."""

    def vjp(self, g, mark, x, y, out):
        changed = y(g if isinstance(g, Tensor) else wrap(g))
        if changed is None:
            return ((x, g),)
        if not isinstance(changed, Tensor) or changed.shape != x.shape:
            got = (
                f'a Tensor of shape {changed.shape}' if isinstance(changed, Tensor) else article(type(changed).__name__)
            )
            raise HookError(
                f'{self.name}: the function returned {got}, but a gradient of shape {x.shape} is due, or None.'
            )
        return ((x, changed if isinstance(g, Tensor) else changed.array.astype(x.array.dtype)),)

    def attributes(self, y):
        return ()


class InsertGradientOf(Primitive):
    """An op that is the identity, and whose gradient is what `f` makes of it (None: unchanged).

    Raises TypeError where f cannot be called, or returns no gradient of the same shape.

    >>> import minicell as ms
    >>> clip = ms.ops.InsertGradientOf(lambda g: ms.ops.minimum(g, 1.0))
    >>> print(ms.grad(lambda x: clip(x) * 5)(ms.Tensor(3.0)))
    1.0
    """

    def __init__(self, f: Callable) -> None:
        if not callable(f):
            raise HookError(f'{self.name} takes a function, but got {article(type(f).__name__)}.{users_line()}')
        rule, called = _Hook(self.name, None), self.called_with(f)

        def through(x: Tensor) -> Tensor:
            x = operand(rule, x)
            return place(rule, x, called, wrap(x.array), x.at, sys._getframe(1))

        self.function = through

    def called_with(self, f: Callable) -> Callable:
        """How f gets the gradient."""
        return f


class HookBackward(InsertGradientOf):
    """As InsertGradientOf, but f gets the gradient in a tuple."""

    def called_with(self, f: Callable) -> Callable:
        """As a tuple, as MindSpore gives it."""

        def call(g: Tensor) -> object:
            changed = f((g,))
            return changed[0] if isinstance(changed, tuple) and len(changed) == 1 else changed

        return call
