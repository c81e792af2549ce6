"""Lesson 02: its figure of what dout scales, and the trials of a product with a sine and of a hunt."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.trials import ERRORS, Trial, called, cell_of, hunted, points

from .figures import FIGURES

NAMES = ('dx', 'dy')
SHAPES = ((), (3,), (2, 3))


def trial(answer: Any) -> Trial:
    """Try a Cell that computes x · sin(y)."""
    cell = cell_of(answer, 'XSinY')
    x, y, dout = data((3,))
    did = called(cell, (x, y), dout, NAMES)
    lines = [f'{"✓" if ok else "✗"} {said}' for ok, said in checks(cell, did)]
    return Trial(True, all(line[0] == '✓' for line in lines), did, '\n'.join(lines))


def data(shape: tuple[int, ...]) -> list[ms.Tensor]:
    """x, y and dout of a shape, of both signs; one x is zero, where no slope may be looked for by dividing."""
    return points(shape, shape, shape, seed=3)


def checks(cell: Any, did: dict[str, Any]) -> list[tuple[bool, str]]:
    """Count, shape, linear in dout, right, and added up; what needs an earlier one is left out where that fails."""
    x, y, _ = data((3,))
    if not np.allclose(cell.construct(x, y).asnumpy(), x.asnumpy() * np.sin(y.asnumpy())):
        return [(False, 'construct no longer computes x * sin(y): leave it as it was')]
    two = did['returned'] == 'two gradients'
    found = [(two, f'count: two inputs, two gradients; bprop returned {did["returned"]}')]
    if not two:
        return found
    shapes = [did[name].shape if isinstance(did[name], np.ndarray) else did[name] for name in ('dx', 'dy')]
    fits = shapes == [(3,), (3,)]
    found.append((fits, f'shape: for inputs of shape (3,), dx has {shapes[0]} and dy has {shapes[1]}'))
    if not fits:
        return found
    return [*found, linear(cell), truth(cell), added(cell)]


def linear(cell: Any) -> tuple[bool, str]:
    """Twice the dout, twice the gradients; no dout, no gradients."""
    x, y, dout = data((3,))
    out = cell.construct(x, y)
    once, twice = cell.bprop(x, y, out, dout), cell.bprop(x, y, out, 2 * dout)
    ok = all(np.allclose(2 * a.asnumpy(), b.asnumpy(), equal_nan=True) for a, b in zip(once, twice, strict=True))
    return ok, f'linear in dout: twice the dout {"gives" if ok else "does not give"} twice the gradients'


def truth(cell: Any) -> tuple[bool, str]:
    """Each gradient beside autodiff of construct, for several shapes."""
    for shape in SHAPES:
        x, y, sens = data(shape)
        found = ms.check_bprop(cell, x, y, sens=sens)
        if found.error is not None:
            return False, f'right: {str(found.error).splitlines()[0]}'
        if not found.ok:
            off = [f'd{row.name} is wrong. {row.mistake or row.why}' for row in found.rows if not row.ok] or found.notes
            return False, f'right: for shape {shape}, {" ".join(off)}'
    return True, f'right: dx and dy are the true gradients, for shapes {listed(SHAPES)}'


def added(cell: Any) -> tuple[bool, str]:
    """The same value as x and as y: what bprop returns for both is added, and must be the slope of a · sin(a)."""
    a = ms.Tensor(0.5, ms.float64)
    got = float(ms.grad(lambda a: cell(a, a))(a))
    due = float(ms.grad(lambda a: a * ops.sin(a))(a))
    ok = bool(np.isclose(got, due))
    return ok, f'added: net(a, a) at a = 0.5 gets {got:.4f}, and the slope of a * sin(a) is {due:.4f}'


def listed(shapes: tuple[tuple[int, ...], ...]) -> str:
    """Shapes in a sentence."""
    return ', '.join(map(str, shapes))


# ---- 2b --------------------------------------------------------------------------------------------------------------

WORDS = ('right', 'wrong slope', 'deaf', 'not linear')


class Function(NamedTuple):
    """A function of x and y, and its two slopes."""

    value: Callable
    by_x: Callable
    by_y: Callable


SINE = Function(lambda x, y: x * ops.sin(y), lambda x, y: ops.sin(y), lambda x, y: x * ops.cos(y))
SQUARE = Function(lambda x, y: -x * x * y, lambda x, y: -2 * x * y, lambda x, y: -x * x)  # it falls with y
# what a rule makes of the two slopes and of dout
RULES: dict[str, Callable] = {
    'right': lambda dx, dy, dout: (dx * dout, dy * dout),
    'exchanged': lambda dx, dy, dout: (dy * dout, dx * dout),
    'half': lambda dx, dy, dout: (dx * dout, 0.5 * dy * dout),
    'deaf': lambda dx, dy, dout: (dx, dy),
    'deaf for y': lambda dx, dy, dout: (dx * dout, dy),
    'squared': lambda dx, dy, dout: (dx * dout, dy * dout * dout),
    'unsigned': lambda dx, dy, dout: (dx * ops.abs(dout), dy * ops.abs(dout)),
}
HIDDEN = (
    (SINE, 'deaf', 'deaf'),
    (SQUARE, 'exchanged', 'wrong slope'),
    (SQUARE, 'right', 'right'),
    (SINE, 'unsigned', 'not linear'),
    (SQUARE, 'deaf for y', 'deaf'),
    (SINE, 'half', 'wrong slope'),
    (SQUARE, 'squared', 'not linear'),
    (SINE, 'right', 'right'),
)


class Suspect(nn.Cell):
    """One of the functions, with one of the rules for its bprop."""

    def __init__(self, function: Function, rule: str) -> None:
        super().__init__()
        self.function, self.rule = function, RULES[rule]

    def construct(self, x: Any, y: Any) -> Any:
        """The function."""
        return self.function.value(x, y)

    def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
        """Its slopes, and what the rule makes of them."""
        return self.rule(self.function.by_x(x, y), self.function.by_y(x, y), dout)


def hunt(answer: Any) -> Trial:
    """Ask a function about Cells that the learner has not seen."""
    told = lambda: [answer(Suspect(function, rule)) for function, rule, _ in HIDDEN]
    found = hunted(answer, told, [('', due) for *_, due in HIDDEN], WORDS)
    slope, due = measured(answer), -np.sin(1.5)
    if slope is None:
        return found
    close = isinstance(slope, np.ndarray) and np.allclose(slope, due, rtol=1e-2)
    said = '' if close else f'✗ Your slope of cos(x) at x = 1.5 is {slope}; expected {np.asarray(due)}.\n'
    # whoever measures wrongly calls everything wrong, and so do others
    return found._replace(did={'slope': slope, **found.did}, said=said + found.said)


def measured(answer: Any) -> Any:
    """The slope of cos at 1.5 as the learner's own function `slope` has it, or in words what it does instead."""
    function = answer.__globals__.get('slope') if hasattr(answer, '__globals__') else None
    if not callable(function):
        return None
    try:
        found = function(ops.cos, ms.Tensor(1.5, ms.float64))
        found = found.asnumpy() if isinstance(found, ms.Tensor) else found
        return np.asarray(np.asarray(found, np.float64).round(3))
    except (*ERRORS, LookupError) as error:
        return type(error).__name__


TRIALS = {'2a': trial, '2b': hunt}
