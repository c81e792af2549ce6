"""Judges of Cells at every order, and of Cells that own weights: beside derivatives written by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from tests.lessons.judges.cells import made, shape_of, value
from tests.lessons.judges.judge import Judge, noted, numbers, slopes

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


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '9a': Judge(
            orders_due(lambda x: x**3, lambda x: 6 * x**5, lambda x: 30 * x**4, lambda x: 120 * x**3), orders(3)
        ),
        '9b': Judge(orders_due(np.sinh, lambda x: np.sinh(2 * x), lambda x: 2 * np.cosh(2 * x)), orders(2)),
        '10a': Judge(owns_due(), owns),
    }
