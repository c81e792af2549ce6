"""Lesson 02: its figure of what dout scales, and the trials of a product with a sine and of a hunt."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.bprop_check import called
from minicell.teach.trials import Hunt, Trial, cell_of, points, variant

from .figures import FIGURES

NAMES = ('dx', 'dy')
SHAPES = ((), (3,), (2, 3))


def trial(answer: Any, seed: int = 3) -> Trial:
    """Try a Cell that computes x · sin(y)."""
    cell = cell_of(answer, 'XSinY')
    x, y, dout = data((3,), seed)
    did = called(cell, (x, y), dout, NAMES)
    lines = [f'{"✓" if ok else "✗"} {said}' for ok, said in checks(cell, did, seed)]
    return Trial(True, all(line[0] == '✓' for line in lines), did, '\n'.join(lines))


def data(shape: tuple[int, ...], seed: int) -> list[ms.Tensor]:
    """x, y and dout of a shape, of both signs; one x is zero, and one y: no slope may be looked for by dividing."""
    x, y, dout = points(shape, shape, shape, seed=seed)
    if shape:
        y[-1] = 0.0
    return [x, y, dout]


def checks(cell: Any, did: dict[str, Any], seed: int) -> list[tuple[bool, str]]:
    """Count, shape, linear in dout, right, and added up; what needs an earlier one is left out where that fails."""
    x, y, _ = data((3,), seed)
    if not np.allclose(cell.construct(x, y).asnumpy(), x.asnumpy() * np.sin(y.asnumpy())):
        return [(False, 'construct no longer computes x * sin(y): leave it as it was')]
    if 'stopped' in did:
        return [(False, f'count: {did["stopped"]}')]
    two = did['returned'] == 'two gradients'
    found = [(two, f'count: two inputs, two gradients; bprop returned {did["returned"]}')]
    if not two:
        return found
    shapes = [did[name].shape if isinstance(did[name], np.ndarray) else did[name] for name in ('dx', 'dy')]
    fits = shapes == [(3,), (3,)]
    found.append((fits, f'shape: for inputs of shape (3,), dx has {shapes[0]} and dy has {shapes[1]}'))
    if not fits:
        return found
    return [*found, linear(cell, seed), truth(cell, seed), added(cell)]


def linear(cell: Any, seed: int) -> tuple[bool, str]:
    """−2 times the dout, −2 times the gradients."""
    x, y, dout = data((3,), seed)
    out = cell.construct(x, y)
    once, twice = cell.bprop(x, y, out, dout), cell.bprop(x, y, out, -2 * dout)
    ok = all(np.allclose(-2 * a.asnumpy(), b.asnumpy(), equal_nan=True) for a, b in zip(once, twice, strict=True))
    return ok, f'linear in dout: −2 times the dout {"gives" if ok else "does not give"} −2 times the gradients'


def truth(cell: Any, seed: int) -> tuple[bool, str]:
    """Each gradient beside autodiff of construct, for several shapes."""
    for shape in SHAPES:
        x, y, sens = data(shape, seed)
        found = ms.check_bprop(cell, x, y, sens=sens)
        if found.error is not None:
            return False, f'right: {str(found.error).splitlines()[0]}'
        if not found.ok:
            off = [f'd{row.name} is wrong. {row.mistake or row.why}' for row in found.rows if not row.ok] or found.notes
            return False, f'right: for shape {shape}, {" ".join(off)}'
    return True, f'right: dx and dy are the true gradients, for shapes {", ".join(map(str, SHAPES))}'


def added(cell: Any) -> tuple[bool, str]:
    """The same value as x and as y: what bprop returns for both is added, and must be the slope of a · sin(a)."""
    a = ms.Tensor(0.5, ms.float64)
    got = float(ms.grad(lambda a: cell(a, a))(a))
    due = float(ms.grad(lambda a: a * ops.sin(a))(a))
    ok = bool(np.isclose(got, due))
    return ok, f'added: net(a, a) at a = 0.5 gets {got:.4f}, and the slope of a * sin(a) is {due:.4f}'


# ---- 2b --------------------------------------------------------------------------------------------------------------

WORDS = ('right', 'wrong slope', 'deaf', 'not linear')


class Function(NamedTuple):
    """A function of x and y, and its two slopes."""

    value: Callable
    by_x: Callable
    by_y: Callable


SINE = Function(lambda x, y: x * ops.sin(y), lambda x, y: ops.sin(y), lambda x, y: x * ops.cos(y))
SQUARE = Function(lambda x, y: -x * x * y, lambda x, y: -2 * x * y, lambda x, y: -x * x)  # it falls with y
# of each: the function, what its rule makes of the two slopes and of dout, and the word that is due
HIDDEN: tuple[tuple[Function, Callable, str], ...] = (
    (SINE, lambda dx, dy, dout: (dx, dy), 'deaf'),
    (SQUARE, lambda dx, dy, dout: (dy * dout, dx * dout), 'wrong slope'),
    (SQUARE, lambda dx, dy, dout: (dx * dout, dy * dout), 'right'),
    (SINE, lambda dx, dy, dout: (dx * ops.abs(dout), dy * ops.abs(dout)), 'not linear'),
    (SQUARE, lambda dx, dy, dout: (dx * dout, dy), 'deaf'),
    (SQUARE, lambda dx, dy, dout: (dx * dout, -dy * dout), 'wrong slope'),
    (SQUARE, lambda dx, dy, dout: (dx * dout, dy * dout * (0.95 + 0.05 * dout)), 'not linear'),  # nearly linear
    (SINE, lambda dx, dy, dout: (dx, dy * dout), 'deaf'),
    (SQUARE, lambda dx, dy, dout: (0.95 * dx * dout, dy * dout), 'wrong slope'),
    (SINE, lambda dx, dy, dout: (dx * dout, 0.95 * dy * dout), 'wrong slope'),
    (SINE, lambda dx, dy, dout: (dx * (dout + 1) / 2, dy * dout), 'not linear'),  # nor 0 for a dout of 0
    # off by amounts that add up to 0
    (SQUARE, lambda dx, dy, dout: ((dx - 1 + dout) * dout, (dy + 1 - dout) * dout), 'not linear'),
)


def suspect(function: Function, rule: Callable) -> tuple[nn.Cell]:
    """A Cell that computes the function, with this rule for its bprop."""

    def bprop(_: Any, x: Any, y: Any, out: Any, dout: Any) -> Any:
        return rule(function.by_x(x, y), function.by_y(x, y), dout)

    return (variant(nn.Cell, construct=lambda _, x, y: function.value(x, y), bprop=bprop)(),)


TRIALS = {'2a': trial, '2b': Hunt(WORDS, HIDDEN, suspect)}
