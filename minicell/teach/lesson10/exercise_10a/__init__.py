"""Exercise 10a: a bprop that answers for two Parameters, with the sum that each of them needs."""

import warnings
from typing import Any

import numpy as np

import minicell as ms
from minicell.core.errors import MinicellWarning
from minicell.teach.exercise import Trial
from minicell.teach.ink.thumb import short

TASK = (
    'Name the Parameters that `bprop` answers for, and return the gradients of `x`, `w` and `b`. They are tried on '
    'batches of several lengths.'
)
NAME = 'Affine'
HINTS = (
    'Three gradients in two containers: the tuple is for the inputs of `construct`, the dict is for the Parameters in '
    '`internal_params`. The keys of the dict are the Parameters.',
    'Each row of `x` has its own share in the gradient of `w`, and its own in that of `b`. The shapes tell what is '
    'missing: `x * dout` is (n, 3), and `w` is (3,).',
    '`dw` is the sum of `x * dout` over the rows, `.sum(0)`. `db` is the sum of `dout`. Return `(dx,)` and the dict.',
)
ROWS = (4, 1, 2)
SEED = 10
NAMES = ('dx', 'dw', 'db')


def trial(answer: Any) -> Trial:
    """Try a Cell on batches: the form of what its bprop returns, and three gradients beside a twin without bprop."""
    try:
        cell = answer() if isinstance(answer, type) else answer
    except ms.errors.PropertyError as error:
        if 'ellipsis' in str(error):
            return Trial(False, False, {}, '')
        raise
    if not isinstance(cell, ms.nn.Cell):
        said = f'check wants the class {NAME}, or a Cell made of it; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell'}, said)
    if cell.bprop is None:
        return Trial(True, False, {'returned': 'no bprop'}, f'{type(cell).__name__} has no bprop of its own.')
    did: dict[str, Any] = {'returned': returned(cell)}
    if '...' in did['returned']:
        return Trial(False, False, {}, '')
    lines: list[str] = []
    for rows in ROWS:
        x, dout = batch(rows)
        if not np.allclose(cell.construct(x).asnumpy(), (cell.w * x + cell.b).asnumpy()):
            did['forward'] = 'another'
            return Trial(True, False, did, 'construct no longer returns w * x + b: leave it as it was.')
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', MinicellWarning)  # the verdict says it
                found = gradients(cell, (cell.w, cell.b), x, dout)
        except (ms.errors.MinicellError, AttributeError) as error:
            did['raised'] = f'{type(error).__name__}: {str(error).splitlines()[0]}'  # one class for several mistakes
            return Trial(True, False, did, did['raised'])
        did |= {f'{name}, {rows} rows': g for name, g in zip(NAMES, found, strict=True)}
        lines += [line(*each, rows) for each in zip(NAMES, found, truth(cell, x, dout), strict=True)]
    wrong = [said for said in lines if said]
    passed = not wrong
    said = f'dx, dw and db agree with autodiff, in batches of {", ".join(map(str, ROWS))} rows.'
    return Trial(True, passed, did, said if passed else '\n'.join(wrong[:3]))


def batch(rows: int) -> tuple[Any, Any]:
    """Rows of x, and a dout for them."""
    rng = np.random.default_rng(SEED + rows)
    return tuple(ms.Tensor(rng.standard_normal((rows, 3)), ms.float32) for _ in range(2))


def gradients(function: Any, parameters: tuple, x: Any, dout: Any) -> list[np.ndarray]:
    """The gradients of (function(x) · dout).sum() by x and by the Parameters."""
    dx, by_weight = ms.grad(lambda x: (function(x) * dout).sum(), 0, list(parameters))(x)
    return [g.asnumpy() for g in (dx, *by_weight)]


def truth(cell: Any, x: Any, dout: Any) -> list[np.ndarray]:
    """The same by autodiff, of a twin with Parameters of its own."""
    w, b = (ms.Parameter(ms.Tensor(p), name=p.name) for p in (cell.w, cell.b))
    return gradients(lambda x: w * x + b, (w, b), x, dout)


def line(name: str, mine: np.ndarray, due: np.ndarray, rows: int) -> str:
    """What is wrong with one gradient, or nothing."""
    if np.allclose(mine, due, rtol=1e-4, atol=1e-5):
        return ''
    worst = int(np.argmax(np.abs(mine - due)))
    return (
        f'✗ {name} with {rows} row{"s" * (rows > 1)}, at [{np.unravel_index(worst, mine.shape)[-1]}]: yours '
        f'{short(float(mine.flat[worst]))}, true {short(float(due.flat[worst]))}.'
    )


def returned(cell: Any) -> str:
    """What bprop returns for one batch, called by hand: the form of it, and the shapes in it."""
    x, dout = batch(ROWS[0])
    try:
        return form(cell.bprop(x, cell.construct(x), dout))
    except Exception as error:
        return '...' if 'ellipsis' in str(error) else f'raised {type(error).__name__}'


def form(value: Any) -> str:
    """A structure of Tensors in signs."""
    if isinstance(value, ms.Tensor):
        return f'Tensor {value.shape}'
    if isinstance(value, tuple | list):
        return f'{type(value).__name__}({", ".join(map(form, value))})'
    if isinstance(value, dict):
        keys = (key.name if isinstance(key, ms.Parameter) else repr(key) for key in value)
        return f'{{{", ".join(f"{k}: {form(v)}" for k, v in zip(keys, value.values(), strict=True))}}}'
    return '...' if value is ... else type(value).__name__
