"""Exercise 3a: the right bprop of a matrix product."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

TASK = (
    'Write the true gradients of `MatMul`: `dx` and `dy`, from `x`, `y` and `dout`. '
    'They are tried on random shapes with a random `dout`.'
)
NAME = 'MatMul'
HINTS = (
    'Start with the shapes. A gradient has the shape of its input. `x` is (n, k), `y` is (k, m), so `dout` is (n, m). '
    'Which product of `dout` with `y` is (n, k)?',
    'Both gradients are matrix products, and each has `dout` as one of its factors. The other factor is the **other** '
    'input, transposed. `y.T` is the transpose.',
    '`dx` is `dout` times `y.T`, in this order. `dy` is its mirror image: `x.T` stands on the left.',
)
SHAPES = ((2, 3, 3), (4, 2, 3), (1, 5, 2), (3, 1, 4))  # n, k, m: on the first, y is square, as in the document
SEED = 3


def trial(answer: Any) -> Trial:
    """Try a Cell that multiplies x by y: what its bprop returns on square matrices, and a gradient check on others.

    On square matrices no wrong transpose and no wrong order ends in an error, so each mistake shows its own numbers.
    """
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
    return Trial(True, ok and 'wrote into' not in did, did, said)


def called(cell: Any) -> dict[str, Any]:
    """What bprop returns for three square matrices, called by hand."""
    rng = np.random.default_rng(SEED)
    x, y, dout = (ms.Tensor(rng.standard_normal((3, 3))) for _ in range(3))
    out = cell.construct(x, y)
    before = {name: t.asnumpy().copy() for name, t in (('x', x), ('y', y), ('dout', dout))}
    try:
        returned = cell.bprop(x, y, out, dout)
    except (ValueError, ms.errors.MinicellError) as error:
        if 'ellipsis' in str(error):  # as in `... @ y.T`: half begun
            return {'dx': ...}
        return {'returned': f'raised {type(error).__name__}'}
    did: dict[str, Any] = {'returned': 'two gradients'}
    if returned is None:
        did['returned'] = 'nothing'
    elif isinstance(returned, ms.Tensor):
        did['returned'] = 'a bare Tensor'
    elif not isinstance(returned, tuple | list):
        did['returned'] = type(returned).__name__
    elif len(returned) != 2:
        did['returned'] = f'{len(returned)} gradients'
    else:
        did['dx'], did['dy'] = map(seen, returned)
    wrote = [name for name, t in (('x', x), ('y', y), ('dout', dout)) if not np.array_equal(t.asnumpy(), before[name])]
    if wrote:
        did['wrote into'] = ', '.join(wrote)
    return did


def seen(gradient: Any) -> Any:
    """A gradient as something to compare: its numbers, or what it is instead."""
    if isinstance(gradient, ms.Tensor):
        return gradient.asnumpy().astype(np.float64)
    return gradient if gradient is None or gradient is ... else type(gradient).__name__


def checked(cell: Any) -> tuple[bool, str]:
    """Gradient checks on several shapes, each with a dout of its own; what the first one that fails says."""
    rng = np.random.default_rng(SEED)
    for n, k, m in SHAPES:
        x, y, sens = (ms.Tensor(rng.standard_normal(shape)) for shape in ((n, k), (k, m), (n, m)))
        where = f'x {n}×{k}, y {k}×{m}, a random dout:\n'
        if not np.allclose(cell.construct(x, y).asnumpy(), x.asnumpy() @ y.asnumpy()):
            return False, where + 'construct no longer returns the matrix product of x and y: leave it as it was.'
        found = ms.check_bprop(cell, x, y, sens=sens)
        if found.error is not None:
            lines = str(found.error).splitlines()
            # where a wrong return value was noticed is no line of the learner's
            return False, where + '\n'.join(lines if not any('its bprop' in line for line in lines) else lines[:1])
        if not found.ok:
            return False, where + str(found)
    shapes = ', '.join(f'{n}×{k} by {k}×{m}' for n, k, m in SHAPES)
    return True, f'dx and dy agree with autodiff and with differences, for a random dout each: {shapes}.'
