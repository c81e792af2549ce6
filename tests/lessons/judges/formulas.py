"""Judges of Cells that choose, own weights, lie, or are differentiated twice: each beside its definition in NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from tests.lessons.judges.cells import dout_for, made, shape_of, value
from tests.lessons.judges.judge import Judge, Parts, by_cases, numbers, slopes


def at_thresholds(t: float) -> np.ndarray:
    """On both thresholds, on both sides of them, and at 0."""
    return np.array([-3.0, -t - 0.25, -t, -t + 0.25, 0.0, t / 4, 0.9 * t, t, t + 0.5, 2.5])


def shrinks(answer: Any, t: float) -> Parts:
    """Values and gradients of a layer written with select."""
    cell, x = answer(t), ms.Tensor(at_thresholds(t))
    yield 'bprop', cell.bprop is not None
    yield 'y', cell(x).asnumpy()
    yield 'dy/dx', ms.grad(lambda x: cell(x).sum())(x).asnumpy()


def shrink_due(t: float) -> dict[str, Any]:
    """x is moved towards 0 by t; on a threshold each slope from 0 to 1 is right."""
    x = at_thresholds(t)
    low, high = (np.abs(x) > t) - 1e-9, (np.abs(x) >= t) + 1e-9
    between = lambda found: isinstance(found, np.ndarray) and bool(((found >= low) & (found <= high)).all())
    return {'bprop': False, 'y': np.sign(x) * np.maximum(np.abs(x) - t, 0), 'dy/dx': between}


PLACES = np.array([0.0, -0.7, 1.3, 0.5])
WEIGHTS = np.array([1.2, -0.8, 0.6, 2.0])


def of_orders(out: Callable, *derivatives: Callable) -> Judge:
    """A judge of the derivatives of sum(w · f(x)²), of one call and of two, by formulas for those of f²."""
    named = dict(zip(('first', 'second', 'third'), derivatives, strict=False))
    first = lambda out: out[0] if isinstance(out, tuple) else out

    def look(cell: Any, *moves: float) -> Parts:
        def here(x: Any) -> Any:
            ys = [first(cell(x + move if move else x)) for move in moves]
            return (ms.Tensor(WEIGHTS) * sum(y * y for y in ys)).sum()

        yield 'out', first(cell(ms.Tensor(PLACES))).asnumpy()
        for order in named:
            here = ms.grad(here)
            yield order, here(ms.Tensor(PLACES.copy())).asnumpy()

    def due(*moves: float) -> dict[str, Any]:
        found = {order: WEIGHTS * sum(f(PLACES + move) for move in moves) for order, f in named.items()}
        return {'out': out(PLACES)} | found

    return by_cases({'one call': (0,), 'two calls': (0, 1)}, look, due, make=made)


def owns(cell: Any, rows: int) -> Parts:
    """dx, dw and db of two calls, and the form of what bprop returns."""
    d = ms.Tensor(numbers(rows, 3, seed=20 + rows), ms.float32)
    x = lambda: ms.Tensor(numbers(rows, 3, seed=rows), ms.float32)
    yield 'form', repr(shape_of(cell.bprop(x(), cell.construct(x()), d)))
    dx, weights = ms.grad(lambda x: (cell(x) * d).sum() - 2 * (cell(x + 1.5) * d).sum(), 0, [cell.w, cell.b])(x())
    yield from zip(('dx', 'dw', 'db'), map(value, (dx, *weights)), strict=True)


def owns_due(rows: int) -> dict[str, Any]:
    """w · x + b, in NumPy."""
    d = numbers(rows, 3, seed=20 + rows)
    f = lambda x, w, b: float((d * (w * x + b)).sum() - 2 * (d * (w * (x + 1.5) + b)).sum())
    given = numbers(rows, 3, seed=rows), np.array([2.0, -1.0, 0.5]), np.array([0.0, 1.0, 3.0])
    return dict(zip(('dx', 'dw', 'db'), slopes(f, *given), strict=True))


TRACED, REPLAYED = np.array([0.5, 3.0, 1.5, 2.0, 0.1]), np.array([-0.5, 0.0, 1.0, -4.0, 0.2])
SENT = np.array([-1.5, 2.5, 0.7, -3.0, -0.2])


def traces(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Trace a graph with positive numbers, then replay it with others."""
    cell, did, before = made(answer), {}, ms.get_context('mode')
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        for name, x in (('traced', TRACED), ('replayed', REPLAYED)):
            did[name] = ms.grad(lambda x: (ms.Tensor(SENT) * cell(x)).sum())(ms.Tensor(x)).asnumpy()
    except Exception as error:
        did['raised'] = type(error).__name__
    finally:
        ms.set_context(mode=before)
    return did


SIGNED = np.array([1.0, -1.0, 0.0, 0.7, -0.3, 1.01, -1.01, 40.0, -2.0])
LONG = ([6.0, -8.0, 0.5], [0.1, 0.2, -0.05], [0.0, 0.0, 0.0], [-1.5, 0.2, 2.0])
CLIPPED = np.array([0.5, -9.0, 0.0])


def lies(cell: Any, x: np.ndarray, d: np.ndarray) -> Parts:
    """What bprop returns for a dout, by hand and of one call, with another before backward; and what it writes into."""
    given, dout = ms.Tensor(x.copy()), ms.Tensor(d.copy())
    out = cell.construct(ms.Tensor(x.copy()))
    yield 'out', out.asnumpy()
    found = cell.bprop(given, out, dout)
    yield 'returned', repr(shape_of(found))
    yield 'by hand', value(found[0]) if isinstance(found, tuple) else value(found)
    yield 'written', not (np.array_equal(given.asnumpy(), x) and np.array_equal(dout.asnumpy(), d))
    _, back = ms.vjp(lambda a: (cell(a), 0 * cell(a + 0.6))[0], ms.Tensor(x.copy()))
    (dx,) = back(ms.Tensor(d.copy()))
    yield 'dx', value(dx)


def sign_due(x: np.ndarray, d: np.ndarray) -> dict[str, Any]:
    """A sign whose dout passes from −1 to 1."""
    return {'out': np.where(x >= 0, 1.0, -1.0), 'dx': d * (np.abs(x) <= 1), 'written': False}


def clip_due(most: float, d: np.ndarray) -> dict[str, Any]:
    """A dout is shortened to a length, if it is longer."""
    return {'out': CLIPPED, 'dx': d * min(1.0, most / max(float(np.linalg.norm(d)), 1e-30)), 'written': False}


# the parts of bprop that hints of 14b speak of: a mask is refused by backward, and still it is the mask
LIED = {name: ['by hand'] for name in ('no-mask', 'truth', 'no-dout', 'with-sign', 'times-x')}


def judges() -> dict[str, Judge]:
    signs = {'row': (SIGNED, dout_for(SIGNED))}
    signs |= {'matrix': (SIGNED[:6].reshape(3, 2), -dout_for(SIGNED[:6]).reshape(3, 2))}
    clips = {f'{most} {k}': (most, np.array(d)) for most in (1.0, 2.0) for k, d in enumerate(LONG)}
    return {
        '8b': by_cases({t: (t,) for t in (0.75, 1.5)}, shrinks, shrink_due),
        '9a': of_orders(lambda x: x**3, lambda x: 6 * x**5, lambda x: 30 * x**4, lambda x: 120 * x**3),
        '9b': of_orders(np.sinh, lambda x: np.sinh(2 * x), lambda x: 2 * np.cosh(2 * x)),
        '10a': by_cases({rows: (rows,) for rows in (3, 1, 5)}, owns, owns_due, make=made),
        '11a': Judge({'traced': SENT, 'replayed': SENT * np.where(REPLAYED > 0, 1.0, 0.1)}, traces),
        '14b': by_cases(signs, lies, sign_due, LIED, made),
        '14c': by_cases(clips, lambda answer, most, d: lies(answer(most), CLIPPED, d), clip_due),
    }
