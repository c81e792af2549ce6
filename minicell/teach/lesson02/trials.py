"""The trial of exercise 2a, the bprop of x · sin(y): five checks, each with a tick or a cross."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.trials import BLANK, Trial, called, cell_of, points, unfinished

ops = ms.ops
NAMES = ('dx', 'dy')
SHAPES = ((), (3,), (2, 3))


def trial(answer: Any) -> Trial:
    """Try a Cell that computes x · sin(y)."""
    cell = cell_of(answer, 'XSinY')
    if isinstance(cell, Trial):
        return cell
    x, y, dout = data((3,))
    did = called(cell, (x, y), dout, NAMES)
    if unfinished(did):
        return BLANK
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
    with np.errstate(all='ignore'):
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
            off = [f'd{row.name} {apart(row.off)}' for row in found.rows if not row.ok] or found.notes
            return False, f'right: for shape {shape}, {" and ".join(off)}'
    return True, f'right: dx and dy agree with autodiff and with differences, for shapes {listed(SHAPES)}'


def apart(off: float) -> str:
    """How far a gradient is off, in words."""
    return f'is off by up to {off:.3g}' if np.isfinite(off) else 'has places that are no number'


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


TRIALS = {'2a': trial}
