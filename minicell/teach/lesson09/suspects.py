"""Cells with a bprop that is right, or wrong at first or at second order: what exercise 9c tries a function on."""

from collections.abc import Callable
from typing import Any

import minicell as ms
from minicell import nn, ops

WORDS = ('right', 'first order', 'slope', 'dout')

# each function with its slope
FUNCTIONS: dict[str, tuple[Callable, Callable]] = {
    'sin': (ops.sin, ops.cos),
    'exp': (ops.exp, ops.exp),
    'cube': (lambda x: x * x * x, lambda x: 3 * x * x),
}
# what bprop makes of the slope and of dout
RULES: dict[str, Callable] = {
    'right': lambda slope, dout: slope * dout,
    'scaled': lambda slope, dout: 2 * slope * dout,
    'deaf': lambda slope, dout: slope,
    'stopped': lambda slope, dout: ops.stop_gradient(slope) * dout,
    'numpy': lambda slope, dout: ms.Tensor(slope.asnumpy()) * dout,
    'dout stopped': lambda slope, dout: slope * ops.stop_gradient(dout),
}
HIDDEN = (
    ('sin', 'right', 'right'),
    ('exp', 'stopped', 'slope'),
    ('sin', 'scaled', 'first order'),
    ('cube', 'dout stopped', 'dout'),
    ('cube', 'numpy', 'slope'),
    ('exp', 'right', 'right'),
    ('sin', 'deaf', 'first order'),
    ('exp', 'dout stopped', 'dout'),
)


class Suspect(nn.Cell):
    """One of the functions, with one of the rules for its bprop."""

    def __init__(self, function: str, rule: str) -> None:
        super().__init__()
        self.function, self.slope = FUNCTIONS[function]
        self.rule = RULES[rule]

    def construct(self, x: Any) -> Any:
        """The function."""
        return self.function(x)

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """The slope of the function, and what the rule makes of it."""
        return (self.rule(self.slope(x), dout),)
