"""Exercise 2a: the bprop of x · sin(y)."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

ops = ms.ops

TASK = (
    'Write the `bprop` of `x * ops.sin(y)`: the gradients by `x` and by `y`, from `x`, `y`, `out` and `dout`. '
    'The check counts them, looks at their shapes, doubles `dout`, compares them with the truth, '
    'and puts one value in both places.'
)
NAME = 'XSinY'
HINTS = (
    'Take one input at a time, and hold the other still. If `sin(y)` is just a number `c`, what is the slope of '
    '`x * c` by `x`? If `x` is just a number `c`, what is the slope of `c * sin(y)` by `y`?',
    'The slope of `sin` is `cos`. So the two slopes are `ops.sin(y)` and `x * ops.cos(y)`. One thing is still missing: '
    'what comes from behind.',
    'The rule is only one factor in a row of factors. What comes from behind is `dout`: multiply each slope by it.',
)
SEED = 2
SHAPES = ((), (3,), (2, 3))


def trial(answer: Any) -> Trial:
    """Try a Cell that computes x · sin(y): five checks, each with a tick or a cross."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Cell):
        said = f'check wants the class {NAME}, or a Cell made of it; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell'}, said)
    if cell.bprop is None:
        return Trial(True, False, {'returned': 'no bprop'}, f'{type(cell).__name__} has no bprop of its own.')
    did = called(cell)
    if did.get('dx') is ... or did.get('dy') is ...:
        return Trial(False, False, {}, '')
    lines = [f'{"✓" if ok else "✗"} {said}' for ok, said in checks(cell, did)]
    return Trial(True, all(line[0] == '✓' for line in lines), did, '\n'.join(lines))


def data(shape: tuple[int, ...]) -> tuple[ms.Tensor, ms.Tensor, ms.Tensor]:
    """x, y and dout of a shape; one x is zero, where no slope may be looked for by dividing."""
    rng = np.random.default_rng(SEED)
    x, y, dout = (rng.standard_normal(shape) for _ in range(3))
    if shape:
        x[..., 0] = 0.0
    return ms.Tensor(x), ms.Tensor(y), ms.Tensor(dout)


def called(cell: Any) -> dict[str, Any]:
    """What bprop returns for three numbers each, called by hand."""
    x, y, dout = data((3,))
    try:
        with np.errstate(all='ignore'):
            returned = cell.bprop(x, y, cell.construct(x, y), dout)
    except (ValueError, TypeError, ms.errors.MinicellError) as error:
        if 'ellipsis' in str(error):  # as in `... * dout`: half begun
            return {'dx': ...}
        return {'returned': f'raised {type(error).__name__}: {error}'}
    if returned is None:
        return {'returned': 'nothing'}
    if not isinstance(returned, tuple | list):
        return {'returned': 'a bare Tensor' if isinstance(returned, ms.Tensor) else type(returned).__name__}
    if len(returned) != 2:
        return {'returned': f'{len(returned)} gradient{"s" * (len(returned) != 1)}'}
    did: dict[str, Any] = {'returned': 'two gradients'}
    for name, gradient in zip(('dx', 'dy'), returned, strict=True):
        if not isinstance(gradient, ms.Tensor):
            did[name] = gradient if gradient is None or gradient is ... else type(gradient).__name__
            continue
        numbers = np.asarray(gradient.asnumpy(), np.float64)
        did[f'{name} is finite'] = bool(np.isfinite(numbers).all())
        did[name] = np.where(np.isfinite(numbers), numbers, 0.0)
    return did


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
            wrong = '\n'.join(line for line in str(found).splitlines() if '✗' in line and ':' in line)
            return False, f'right? Not for shape {shape}:\n{wrong}'
    return True, f'right: dx and dy agree with autodiff and with differences, for shapes {listed(SHAPES)}'


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
