"""Judges of Cells that choose, own weights, lie, or are differentiated twice: each beside its definition in NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from tests.lessons.judges.cells import dout_for, made, shape_of, value
from tests.lessons.judges.judge import Judge, noted, numbers, slopes

# ---- 8b: a layer written with select -------------------------------------------------------------------------------


def shrinks(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Values and gradients, for two thresholds."""
    did: dict[str, Any] = {}
    for t in (0.75, 1.5):
        cell, x = answer(t), ms.Tensor(at_thresholds(t))
        did[f'bprop · {t}'] = cell.bprop is not None
        with noted(did, f'y · {t}'):
            did[f'y · {t}'] = cell(x).asnumpy()
            did[f'dy/dx · {t}'] = ms.grad(lambda x, cell=cell: cell(x).sum())(x).asnumpy()
    return did


def at_thresholds(t: float) -> np.ndarray:
    """On both thresholds, on both sides of them, and at 0."""
    return np.array([-3.0, -t - 0.25, -t, -t + 0.25, 0.0, t / 4, t, t + 0.5, 2.5])


def shrink_due() -> dict[str, Any]:
    """x is moved towards 0 by t; on a threshold each slope from 0 to 1 is right."""
    due: dict[str, Any] = {}
    for t in (0.75, 1.5):
        x = at_thresholds(t)
        low, high = (np.abs(x) > t) * 1.0, (np.abs(x) >= t) * 1.0
        between = lambda found, low=low, high=high: (
            isinstance(found, np.ndarray) and bool(((found >= low - 1e-9) & (found <= high + 1e-9)).all())
        )
        due |= {f'bprop · {t}': False, f'y · {t}': np.sign(x) * np.maximum(np.abs(x) - t, 0), f'dy/dx · {t}': between}
    return due


# ---- 9a, 9b: orders ------------------------------------------------------------------------------------------------

PLACES = np.array([0.0, -0.7, 1.3, 0.5])
WEIGHTS = np.array([1.2, -0.8, 0.6, 2.0])


def orders(many: int) -> Callable[[dict[str, Any], Any], dict[str, Any]]:
    """The derivatives of sum(w · f(x)²), order by order, of one call and of two."""

    def look(space: dict[str, Any], answer: Any) -> dict[str, Any]:
        cell, did = made(answer), {}
        first = lambda x: cell(x)[0] if isinstance(cell(x), tuple) else cell(x)
        loss = lambda x: (ms.Tensor(WEIGHTS) * first(x) * first(x)).sum()
        did['out'] = first(ms.Tensor(PLACES)).asnumpy()

        def two(x: Any) -> Any:
            y, z = (out[0] if isinstance(out, tuple) else out for out in (cell(x), cell(x + 1.0)))
            return (ms.Tensor(WEIGHTS) * (y * y + z * z)).sum()

        for name, here in (('one call', loss), ('two calls', two)):
            for order in ('first', 'second', 'third')[:many]:
                here = ms.grad(here)
                try:
                    did[f'{order} · {name}'] = here(ms.Tensor(PLACES.copy())).asnumpy()
                except Exception as error:
                    did[f'{order} · {name}'] = type(error).__name__
                    break
        return did

    return look


def orders_due(out: Callable, *derivatives: Callable) -> dict[str, Any]:
    """The same from formulas for f and for the derivatives of f²."""
    due = {'out': out(PLACES)}
    for order, formula in zip(('first', 'second', 'third'), derivatives, strict=False):
        due[f'{order} · one call'] = WEIGHTS * formula(PLACES)
        due[f'{order} · two calls'] = WEIGHTS * (formula(PLACES) + formula(PLACES + 1))
    return due


# ---- 10a: weights --------------------------------------------------------------------------------------------------

ROWS = (3, 1, 5)


def owns(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """dx, dw and db of two calls, and the form of what bprop returns."""
    cell, did = made(answer), {}
    for rows in ROWS:
        x, d = numbers(rows, 3, seed=rows), ms.Tensor(numbers(rows, 3, seed=20 + rows), ms.float32)
        with noted(did, f'stopped · {rows}'):
            found = cell.bprop(ms.Tensor(x, ms.float32), cell.construct(ms.Tensor(x, ms.float32)), d)
            did[f'form · {rows}'] = repr(shape_of(found))
            loss = lambda x, d=d: (cell(x) * d).sum() - 2 * (cell(x + 1.5) * d).sum()
            dx, (dw, db) = ms.grad(loss, 0, [cell.w, cell.b])(ms.Tensor(x, ms.float32))
            did |= {f'{name} · {rows}': value(g) for name, g in (('dx', dx), ('dw', dw), ('db', db))}
    return did


def owns_due() -> dict[str, Any]:
    """w · x + b, in NumPy."""
    due: dict[str, Any] = {}
    w, b = np.array([2.0, -1.0, 0.5]), np.array([0.0, 1.0, 3.0])
    for rows in ROWS:
        x, d = numbers(rows, 3, seed=rows), numbers(rows, 3, seed=20 + rows)
        f = lambda x, w, b, d=d: float((d * (w * x + b)).sum() - 2 * (d * (w * (x + 1.5) + b)).sum())
        due |= {f'{name} · {rows}': g for name, g in zip(('dx', 'dw', 'db'), slopes(f, x, w, b), strict=True)}
    return due


# ---- 11a: a graph --------------------------------------------------------------------------------------------------

TRACED, REPLAYED = np.array([0.5, 3.0, 1.5, 2.0, 0.1]), np.array([-0.5, 0.0, 1.0, -4.0, 0.2])
SENT = np.array([-1.5, 2.5, 0.7, -3.0, -0.2])


def traces(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Trace with positive numbers, then replay with others."""
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


# ---- 14b, 14c: lies ------------------------------------------------------------------------------------------------

LIES = {
    'sign': (lambda x: np.where(x >= 0, 1.0, -1.0), lambda x, d: d * (np.abs(x) <= 1)),
    'clip': (lambda x: x, lambda x, d, most=1.0: d * min(1.0, most / max(float(np.sqrt((d * d).sum())), 1e-30))),
}
SIGNED = np.array([1.0, -1.0, 0.0, 0.7, -0.3, 1.01, -1.01, 40.0, -2.0])
LONG = ([6.0, -8.0, 0.5], [0.1, 0.2, -0.05], [0.0, 0.0, 0.0], [-1.5, 0.2, 2.0])


def lies(cell: Any, x: np.ndarray, d: np.ndarray, where: str) -> dict[str, Any]:
    """What comes back for a dout: of one call, with another before backward begins; and what was written into."""
    given, dout = ms.Tensor(x.copy()), ms.Tensor(d.copy())
    did: dict[str, Any] = {f'out · {where}': cell.construct(ms.Tensor(x.copy())).asnumpy()}
    with noted(did, f'stopped · {where}'):
        _, back = ms.vjp(lambda a: (cell(a), 0 * cell(a + 0.6))[0], given)
        (dx,) = back(dout)
        did[f'dx · {where}'] = value(dx)
    out = cell.construct(ms.Tensor(x.copy()))
    found = cell.bprop(given, out, dout)
    did[f'returned · {where}'] = repr(shape_of(found))
    did[f'by hand · {where}'] = value(found[0]) if isinstance(found, tuple) else value(found)
    did[f'written · {where}'] = not (np.array_equal(given.asnumpy(), x) and np.array_equal(dout.asnumpy(), d))
    return did


def signs(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """A sign whose dout passes from −1 to 1."""
    return lies(made(answer), SIGNED, dout_for(SIGNED), '0') | lies(
        made(answer), SIGNED[:6].reshape(3, 2), -dout_for(SIGNED[:6]).reshape(3, 2), '1'
    )


def sign_due() -> dict[str, Any]:
    """The same in NumPy."""
    forward, back = LIES['sign']
    rows = SIGNED[:6].reshape(3, 2)
    due = {'out · 0': forward(SIGNED), 'dx · 0': back(SIGNED, dout_for(SIGNED)), 'written · 0': False}
    return due | {
        'out · 1': forward(rows),
        'dx · 1': back(rows, -dout_for(SIGNED[:6]).reshape(3, 2)),
        'written · 1': False,
    }


X_3 = np.array([0.5, -9.0, 0.0])


def clips(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Long and short gradients, for two lengths."""
    did: dict[str, Any] = {}
    for most in (1.0, 2.0):
        for k, d in enumerate(LONG):
            did |= lies(answer(most), X_3, np.array(d), f'{most} {k}')
    return did


def clip_due() -> dict[str, Any]:
    """The same in NumPy."""
    due: dict[str, Any] = {}
    for most in (1.0, 2.0):
        for k, d in enumerate(LONG):
            due |= {f'out · {most} {k}': X_3, f'dx · {most} {k}': LIES['clip'][1](X_3, np.array(d), most)}
            due[f'written · {most} {k}'] = False
    return due


# the parts of bprop that hints of 14b speak of: a mask is refused by backward, and still it is the mask
LIED = {name: ['by hand'] for name in ('no-mask', 'truth', 'no-dout', 'with-sign', 'times-x')}


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '9a': Judge(
            orders_due(lambda x: x**3, lambda x: 6 * x**5, lambda x: 30 * x**4, lambda x: 120 * x**3), orders(3)
        ),
        '9b': Judge(orders_due(np.sinh, lambda x: np.sinh(2 * x), lambda x: 2 * np.cosh(2 * x)), orders(2)),
        '10a': Judge(owns_due(), owns),
        '8b': Judge(shrink_due(), shrinks),
        '11a': Judge({'traced': SENT, 'replayed': SENT * np.where(REPLAYED > 0, 1.0, 0.1)}, traces),
        '14b': Judge(sign_due(), signs, LIED),
        '14c': Judge(clip_due(), clips),
    }
