"""Exercise 5b: repair a bprop that is wrong in several ways, of which one makes no noise."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

TASK = (
    'Repair the `bprop` of `Blend`. What it used to return stands in the comment: it is wrong in the number of '
    'gradients, in a shape that is too large, in one that is too small, and in one way that makes no noise.'
)
NAME = 'Blend'
HINTS = (
    'Count the inputs of `construct`: `x`, `y` and `k`. A Python number has no gradient, but it has a place in the '
    'tuple: `None`.',
    'Each number of `x` is used in all rows of `y`, so `dx` collects over the rows. How, sum or mean? Look at '
    '`construct`: there the rows are averaged. And each number of `y` is used once, in one row of so many.',
    '`dx` is `k * (dout * y).mean(0)`. For `dy`, work out `k * dout * x / y.shape[0]` for one row, and put it into all '
    'of them with `ops.broadcast_to(..., y.shape)`. Then `return dx, dy, None`.',
)
TRIED = ((2, 3, 2.5), (3, 4, -1.0))  # rows, columns, k
SEED = 5


def trial(answer: Any) -> Trial:
    """Try a Cell: its bprop called by hand, for what it returns, and gradient checks."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Cell):
        said = f'check wants the class {NAME}, or a Cell made of it; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell'}, said)
    if cell.bprop is None:
        return Trial(True, False, {'returned': 'no bprop'}, f'{type(cell).__name__} has no bprop of its own.')
    did = called(cell)
    if did.get('dx') is ... or did.get('dy') is ...:
        return Trial(False, False, {}, '')
    ok, said = checked(cell)
    return Trial(True, ok, did, said)


def called(cell: Any) -> dict[str, Any]:
    """What bprop returns, called by hand."""
    rng = np.random.default_rng(SEED)
    x, y, dout = (ms.Tensor(rng.standard_normal(shape)) for shape in ((4,), (3, 4), (4,)))
    try:
        returned = cell.bprop(x, y, 2.5, cell.construct(x, y, 2.5), dout)
    except (ValueError, ms.errors.MinicellError) as error:
        return {'dx': ...} if 'ellipsis' in str(error) else {'returned': f'raised {type(error).__name__}'}
    parts = returned if isinstance(returned, tuple | list) else (returned,)
    did = {'returned': ', '.join('a tuple' if isinstance(part, tuple | list) else 'one' for part in parts)}
    return did | {name: seen(part) for name, part in zip(('dx', 'dy'), parts, strict=False)}


def seen(gradient: Any) -> Any:
    """A gradient as something to compare: its numbers, or what it is instead."""
    if isinstance(gradient, ms.Tensor):
        return gradient.asnumpy().astype(np.float64)
    return gradient if gradient is None or gradient is ... else type(gradient).__name__


def checked(cell: Any) -> tuple[bool, str]:
    """Gradient checks with several shapes and factors; what the first one that fails says."""
    rng = np.random.default_rng(SEED)
    for rows, columns, k in TRIED:
        x, y = (ms.Tensor(rng.standard_normal(shape)) for shape in ((columns,), (rows, columns)))
        where = f'x ({columns},), y ({rows}, {columns}), k {k:g}:\n'
        if not np.allclose(cell.construct(x, y, k).asnumpy(), k * (x.asnumpy() * y.asnumpy()).mean(0)):
            return False, where + 'construct no longer returns k times the mean of the rows: leave it as it was.'
        found = ms.check_bprop(cell, x, y, k)
        if found.error is not None:
            return False, where + str(found.error).splitlines()[0]
        if not found.ok:
            return False, where + str(found)
    shapes = ' and '.join(f'{rows} rows of {columns} with k {k:g}' for rows, columns, k in TRIED)
    return True, f'dx and dy agree with autodiff and with differences: {shapes}.'
