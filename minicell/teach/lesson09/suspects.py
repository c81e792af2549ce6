"""Cells with a bprop that is right, or wrong at first or at second order: what exercise 9c tries a function on."""

from collections.abc import Callable

import minicell as ms
from minicell import nn, ops
from minicell.teach.trials import Hunt, cell

WORDS = ('right', 'first order', 'slope', 'dout')

# each function with its slope
FUNCTIONS: dict[str, tuple[Callable, Callable]] = {
    'sin': (ops.sin, ops.cos),
    'exp': (ops.exp, ops.exp),
    'cube': (lambda x: x * x * x, lambda x: 3 * x * x),
}
# of each: the function, what bprop makes of its slope and of dout, and the word that is due
HIDDEN: tuple[tuple[str, Callable, str], ...] = (
    ('sin', lambda slope, dout: slope * dout, 'right'),
    ('exp', lambda slope, dout: ops.stop_gradient(slope) * dout, 'slope'),
    ('sin', lambda slope, dout: ops.abs(slope) * dout, 'first order'),  # wrong where the sine falls
    ('cube', lambda slope, dout: slope * ops.stop_gradient(dout), 'dout'),
    ('cube', lambda slope, dout: ms.Tensor(slope.asnumpy()) * dout, 'slope'),
    ('exp', lambda slope, dout: slope * dout, 'right'),
    ('sin', lambda slope, dout: slope, 'first order'),
    ('exp', lambda slope, dout: slope * ops.stop_gradient(dout), 'dout'),
)


def suspect(name: str, rule: Callable, functions: dict = FUNCTIONS) -> tuple[nn.Cell, Callable]:
    """A Cell that computes a function, with this rule for its bprop; and the function."""
    function, slope = functions[name]
    return cell(lambda _, x: function(x), lambda _, x, out, dout: (rule(slope(x), dout),)), function


HUNT = Hunt(WORDS, HIDDEN, suspect, lambda name, _: name)
