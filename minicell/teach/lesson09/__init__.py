"""Lesson 09: its figure of first and second order; trials of two Cells up to an order, and of a hunt."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.bprop_check import BpropCheck
from minicell.teach.trials import Hunt, variant

from .figures import FIGURES

HERE = np.array([-1.2, 0.0, 0.4, 0.9, 2.0])  # 0 among them: a slope may not be looked for by dividing


def cube(x: Any) -> Any:
    """The twin of exercise 9a, without a bprop."""
    return x * x * x


def sinh(x: Any) -> Any:
    """The twin of exercise 9b."""
    e = ops.exp(x)
    return (e - 1 / e) / 2


def at(numbers: np.ndarray) -> dict[str, list[Any]]:
    """The one case of both exercises."""
    return {f'x of {numbers.size} numbers': [ms.Tensor(numbers)]}


# ---- 9c ------------------------------------------------------------------------------------------------------------

WORDS = ('right', 'first order', 'slope', 'dout')

# each function with its slope
FUNCTIONS: dict[str, tuple[Callable, Callable]] = {
    'a fifth of sin': (lambda x: ops.sin(x) / 5, lambda x: ops.cos(x) / 5),  # a wide tolerance takes it for anything
    'exp': (ops.exp, ops.exp),
    'cube': (lambda x: x * x * x, lambda x: 3 * x * x),
    'square': (lambda x: x * x, lambda x: 2 * x),
}
# of each: the function, what bprop makes of its slope and of dout, and the word that is due
HIDDEN: tuple[tuple[str, Callable, str], ...] = (
    ('a fifth of sin', lambda slope, dout: slope * dout, 'right'),
    ('exp', lambda slope, dout: ops.stop_gradient(slope) * dout, 'slope'),
    ('square', lambda slope, dout: ops.abs(slope) * dout, 'first order'),  # wrong where x is negative
    ('cube', lambda slope, dout: slope * ops.stop_gradient(dout), 'dout'),
    ('cube', lambda slope, dout: ms.Tensor(slope.asnumpy()) * dout, 'slope'),
    ('a fifth of sin', lambda slope, dout: ops.clamp(slope, -0.15, 0.15) * dout, 'first order'),  # where it is steep
    ('a fifth of sin', lambda slope, dout: slope, 'first order'),
    ('exp', lambda slope, dout: slope * ops.stop_gradient(dout), 'dout'),
)


def suspect(name: str, rule: Callable, functions: dict = FUNCTIONS) -> tuple[nn.Cell, Callable]:
    """A Cell that computes a function, with this rule for its bprop; and the function."""
    function, slope = functions[name]
    bprop = lambda _, x, out, dout: (rule(slope(x), dout),)
    return variant(nn.Cell, construct=lambda _, x: function(x), bprop=bprop)(), function


HUNT = Hunt(WORDS, HIDDEN, suspect, lambda name, _: name)
TRIALS = {
    '9a': BpropCheck('Cube', ['dx'], cube, 'the cube of x', at(HERE), order=3),
    '9b': BpropCheck('Sinh', ['dx'], sinh, 'the sinh of x', at(HERE), order=2),
    '9c': HUNT,
}
