"""Lesson 09: its figure of first and second order; trials of a Cell at each order, beside a twin without bprop."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.errors import MinicellWarning
from minicell.ink.numbers import said
from minicell.teach.trials import Trial, begun, cell_of, compared

from .figures import FIGURES
from .suspects import HUNT

ORDERS = ('first', 'second', 'third')
HERE = np.array([-1.2, 0.0, 0.4, 0.9, 2.0])  # 0 among them: a slope may not be looked for by dividing
CLOSE = {'rtol': 1e-4, 'atol': 1e-6}


def loss(f: Callable, x: Any) -> Any:
    """The sum of w · f(x)²: its dout is 2 · w · f(x), which depends on x. Of a tuple, f(x) is the first."""
    y = f(x)
    y = y[0] if isinstance(y, tuple) else y
    return (ms.Tensor(np.resize([0.7, 0.5, -1.3, 0.4, 1.1], y.size)) * y * y).sum()


def derivatives(f: Callable, orders: int, at: np.ndarray) -> dict[str, Any]:
    """The derivatives of the loss, order by order; where one raises, the error, and no more after it."""
    found: dict[str, Any] = {}
    x, here = ms.Tensor(at), lambda x: loss(f, x)
    for name in ORDERS[:orders]:
        here = ms.grad(here)
        try:
            found[name] = here(x).asnumpy()
        except Exception as error:
            found[name] = begun(error)
            break
    return found


def attempt(answer: Any, name: str, plain: Callable, orders: int, at: np.ndarray = HERE) -> Trial:
    """Try a class of Cells, or a Cell, that computes `plain`: what it gives at each order, and what is due."""
    cell = cell_of(answer, name)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always')
        mine = derivatives(cell, orders, at)
        out = cell(ms.Tensor(at))
    returned = f'{len(out)} outputs' if isinstance(out, tuple) else 'one output'
    out = out[0] if isinstance(out, tuple) else out
    did: dict[str, Any] = {
        order: f'raised {type(value).__name__}' if isinstance(value, Exception) else value
        for order, value in mine.items()
    }
    if not np.allclose(out.asnumpy(), plain(ms.Tensor(at)).asnumpy()):
        did = {'forward': 'another'} | did
        return Trial(True, False, did, f'construct no longer returns the {name.lower()} of x.')
    told = sorted({each.category.__name__ for each in warned if issubclass(each.category, MinicellWarning)})
    kept = [key for key, value in vars(cell).items() if isinstance(value, np.ndarray | ms.Tensor)]
    did |= {'told': ', '.join(told), 'kept': ', '.join(kept), 'returned': returned}
    due = derivatives(plain, orders, at)
    lines = [line(order, value, due[order], at) for order, value in mine.items()]
    passed = len(mine) == orders and all(said.startswith('✓') for said in lines)
    if passed:
        mine, due = (of_two_calls(f, at) for f in (cell, plain))
        if not np.allclose(mine, due, **CLOSE):
            did['two calls'] = ' '.join(map(said, mine.tolist()))
            passed = False
            lines = ['Each order is right for one call. With two calls, the first gets numbers of the second.']
    return Trial(True, passed, did, '\n'.join(lines))


def of_two_calls(f: Callable, at: np.ndarray) -> np.ndarray:
    """The gradient of two calls before backward: each should have its own, and nothing of what the last call left."""
    return ms.grad(lambda x: loss(f, x) + loss(f, x + 1.0))(ms.Tensor(at)).asnumpy()


def line(order: str, mine: Any, due: np.ndarray, at: np.ndarray) -> str:
    """One order in words."""
    if isinstance(mine, Exception):
        return f'✗ {order} order: {type(mine).__name__}: {str(mine).splitlines()[0]}'
    off = compared(mine, due, lambda place: f'✗ {order} order is off at x = {at[place]}', 'yours', **CLOSE)
    return off or f'✓ {order} order is right.'


def cube(x: Any) -> Any:
    """The twin of exercise 9a, without a bprop."""
    return x * x * x


def sinh(x: Any) -> Any:
    """The twin of exercise 9b."""
    e = ops.exp(x)
    return (e - 1 / e) / 2


TRIALS = {
    '9a': partial(attempt, name='Cube', plain=cube, orders=3),
    '9b': partial(attempt, name='Sinh', plain=sinh, orders=2),
    '9c': HUNT,
}
