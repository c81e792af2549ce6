"""Judges of Cells that throw dice, choose, own weights, or lie: each beside its definition in NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.lesson12 import OWN_ENOUGH, frozen
from tests.lessons.judges.cells import dout_for, made, value
from tests.lessons.judges.judge import Judge, alike, numbers, slopes

# ---- 7a, 7b: a Cell that drops rows -----------------------------------------------------------------------------------

KEEPS = (0.6, 1.0, 0.0)
THROWN = np.array([[0], [1], [1], [1], [0], [1], [0]], bool)
SAY = np.array([[0], [1], [1], [0], [1], [0], [0]], bool)  # a gradient of the mask, which has no say


def scale(keep: float) -> float:
    """What a kept row is multiplied by."""
    return 1 / keep if keep else 0.0


def drops_backward(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """dx of two calls, and that for a mask that bprop is given."""
    did: dict[str, Any] = {}
    x, dy = numbers(7, 2, seed=70), dout_for(numbers(7, 2, seed=70))
    for keep in KEEPS:
        cell, masks = answer(keep), []

        def loss(x: Any, cell: Any = cell, masks: list = masks) -> Any:
            total = 0
            for k, factor in enumerate((1.0, -3.0)):
                mask, y = cell(x + 1.5 * k)
                masks.append(mask.asnumpy())
                total = total + (ms.Tensor(factor * dy) * y).sum()
            return total

        np.random.seed(70)
        try:
            dx = ms.grad(loss)(ms.Tensor(x.copy())).asnumpy()
            did |= {f'dx of two calls · {keep}': dx, f'off · {keep}': dx - dy * (masks[0] - 3.0 * masks[1]) * scale(keep)}
        except Exception as error:
            did[f'off · {keep}'] = type(error).__name__
        cell.construct(ms.Tensor(x + 2))
        for name, dmask in (('dx', 0 * SAY), ('dx and the mask', SAY)):
            given = [ms.Tensor(each) for each in (x.copy(), THROWN, x * THROWN * scale(keep), dmask, dy)]
            try:
                found = cell.bprop(given[0], tuple(given[1:3]), tuple(given[3:]))
                did[f'form · {keep}'] = len(found) if isinstance(found, tuple | list) else type(found).__name__
                did[named(name, keep)] = value(found[0])
            except Exception as error:
                did[named(name, keep)] = type(error).__name__
    return did


def named(name: str, keep: float) -> str:
    """A part: where no row is kept, it is one by itself."""
    return f'{name} · {keep}' if keep else f'{name}: nothing kept'


def drops_due() -> dict[str, Any]:
    """Nothing is off, and the mask that was given decides."""
    due: dict[str, Any] = {}
    for keep in KEEPS:
        dx = dout_for(THROWN * np.ones(2)) * THROWN * scale(keep)
        due |= {f'off · {keep}': 0 * dx, f'form · {keep}': 1}
        due |= {named(name, keep): dx for name in ('dx', 'dx and the mask')}
    return due


def drops_forward(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """How many rows are kept, each by its own throw; the factor of a kept row; the mask; and whether bprop fits."""
    did: dict[str, Any] = {}
    rows, calls = 500, 6
    x = np.random.default_rng(72).uniform(0.5, 2, (rows, 2)) * np.resize([1.0, 1.0, -1.0], (rows, 2))
    dy = np.random.default_rng(73).standard_normal((rows, 2))
    for keep in (0.65, 0.25, 1.0, 0.0):
        cell = answer(keep)
        np.random.seed(74)
        outs = [cell.construct(ms.Tensor(x.copy())) for _ in range(calls)]
        masks = np.stack([mask.asnumpy().astype(float) * np.ones((rows, 1)) for mask, _ in outs])
        ys = np.stack([y.asnumpy() for _, y in outs])
        factors = ys / x
        passed = factors[..., :1] != 0
        did[f'kept · {keep}'] = float(passed.mean())
        did[f'apart · {keep}'] = bool(0 < keep < 1 and passed.mean(axis=(1, 2)).min() == 0)
        did[f'factor · {keep}'] = factors[factors != 0][:5]
        did[f'mask · {keep}'] = masks
        did[f'the mask was used · {keep}'] = bool(np.array_equal(masks != 0, passed))
        (dx,) = cell.bprop(ms.Tensor(x), outs[0], (ops.zeros_like(outs[0][0]), ms.Tensor(dy)))
        did[f'check · {keep}'] = ms.check_bprop(cell, ms.Tensor(x[:5].copy())).ok
        did[f'bprop · {keep}'] = bool(np.allclose(dx.asnumpy(), dy * factors[0]))
    return did


def near(due: float) -> Callable[[Any], bool]:
    """Whether so many of 3000 rows are kept as a probability says."""
    return lambda found: abs(found - due) < 0.045


def forward_due() -> dict[str, Any]:
    """What keep_prob means."""
    due: dict[str, Any] = {}
    for keep in (0.65, 0.25, 1.0, 0.0):
        right = lambda found, keep=keep: bool(np.allclose(found, scale(keep)) and (len(found) > 0) == (keep > 0))
        due |= {f'kept · {keep}': near(keep), f'apart · {keep}': False, f'factor · {keep}': right}
        due |= {f'the mask was used · {keep}': True, f'bprop · {keep}': True, f'check · {keep}': True}
    return due


# ---- 8b: a layer written with select -----------------------------------------------------------------------------------


def shrinks(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Values and gradients, for two thresholds."""
    did: dict[str, Any] = {}
    for t in (0.75, 1.5):
        cell, x = answer(t), ms.Tensor(at_thresholds(t))
        did[f'bprop · {t}'] = cell.bprop is not None
        try:
            did[f'y · {t}'] = cell(x).asnumpy()
            did[f'dy/dx · {t}'] = ms.grad(lambda x, cell=cell: cell(x).sum())(x).asnumpy()
        except Exception as error:
            did[f'y · {t}'] = type(error).__name__
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


# ---- 9a, 9b: orders ------------------------------------------------------------------------------------------------------

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


# ---- 10a: weights ----------------------------------------------------------------------------------------------------------

ROWS = (3, 1, 5)


def owns(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """dx, dw and db of two calls, and the form of what bprop returns."""
    cell, did = made(answer), {}
    for rows in ROWS:
        x, d = numbers(rows, 3, seed=rows), ms.Tensor(numbers(rows, 3, seed=20 + rows), ms.float32)
        try:
            found = cell.bprop(ms.Tensor(x, ms.float32), cell.construct(ms.Tensor(x, ms.float32)), d)
            did[f'form · {rows}'] = repr(shape_of(found))
            loss = lambda x, d=d: (cell(x) * d).sum() - 2 * (cell(x + 1.5) * d).sum()
            dx, (dw, db) = ms.grad(loss, 0, [cell.w, cell.b])(ms.Tensor(x, ms.float32))
            did |= {f'{name} · {rows}': value(g) for name, g in (('dx', dx), ('dw', dw), ('db', db))}
        except Exception as error:
            did[f'stopped · {rows}'] = type(error).__name__
    return did


def shape_of(found: Any) -> Any:
    """A structure, with Tensors as their shapes and Parameters as their names."""
    if isinstance(found, tuple | list):
        return tuple(map(shape_of, found))
    if isinstance(found, dict):
        return {key if isinstance(key, str) else getattr(key, 'name', '?'): shape_of(each) for key, each in found.items()}
    return found.shape if isinstance(found, ms.Tensor) else type(found).__name__


def owns_due() -> dict[str, Any]:
    """w · x + b, in NumPy."""
    due: dict[str, Any] = {}
    w, b = np.array([2.0, -1.0, 0.5]), np.array([0.0, 1.0, 3.0])
    for rows in ROWS:
        x, d = numbers(rows, 3, seed=rows), numbers(rows, 3, seed=20 + rows)
        f = lambda x, w, b, d=d: float((d * (w * x + b)).sum() - 2 * (d * (w * (x + 1.5) + b)).sum())
        due |= {f'{name} · {rows}': g for name, g in zip(('dx', 'dw', 'db'), slopes(f, x, w, b), strict=True)}
    return due


# ---- 11a: a graph -----------------------------------------------------------------------------------------------------------

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


# ---- 12a, 12b, 12e: neurons ---------------------------------------------------------------------------------------------------

CURRENT, MEMBRANE = numbers(6, seed=120) / 2, numbers(6, seed=121)


def fires(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The slope of the surrogate; a moment forward; and backward, with the reset in the graph and without it."""
    did: dict[str, Any] = {}
    step, x = answer().surrogate, ms.Tensor(MEMBRANE.copy())
    out = step.construct(x)
    did['step'] = out.asnumpy().astype(float)
    did['form'] = shape_of(step.bprop(x, out, ms.Tensor(SENT_6)))
    did['slope'] = value(step.bprop(x, out, ms.Tensor(SENT_6))[0])
    for height in (1.0, 0.4):
        for detached in (False, True):
            cell = answer(v_threshold=height, detached=detached)
            where = f'{height} {"detached" if detached else "in the graph"}'
            spike, after = cell(ms.Tensor(CURRENT), ms.Tensor(MEMBRANE))
            did |= {f'spike · {where}': spike.asnumpy(), f'membrane · {where}': after.asnumpy()}

            def loss(x: Any, v: Any, cell: Any = cell) -> Any:
                spike, after = cell(x, v)
                return (2.0 * spike + ms.Tensor(SENT_6) * after).sum()

            back = ms.grad(loss, (0, 1))(ms.Tensor(CURRENT), ms.Tensor(MEMBRANE))
            did[f'reset {"detached" if detached else "in the graph"} · {height}'] = np.stack([value(g) for g in back])
    return did


SENT_6 = np.array([-1.5, 2.5, 0.7, -3.0, -0.2, 1.1])


def sigmoid_slope(x: np.ndarray) -> np.ndarray:
    """The slope of sigmoid(5 x)."""
    s = 1 / (1 + np.exp(-5 * x))
    return 5 * s * (1 - s)


def fires_due() -> dict[str, Any]:
    """The document's neuron."""
    due = {'step': (MEMBRANE > 0) * 1.0, 'slope': SENT_6 * sigmoid_slope(MEMBRANE), 'form': ((6,),)}
    for height in (1.0, 0.4):
        v = MEMBRANE + CURRENT
        spike, slope = (v > height) * height, height * sigmoid_slope(v - height)
        for name, kept in (('detached', 0), ('in the graph', slope)):
            due |= {f'spike · {height} {name}': spike, f'membrane · {height} {name}': v - spike}
            back = 2.0 * slope + SENT_6 * (1 - kept)
            due[f'reset {name} · {height}'] = np.stack([back, back])
    return due


GRID = np.array([-4.0, -2.5, -1.2, -0.6, -0.2, -0.02, -0.004, 0.004, 0.02, 0.2, 0.6, 1.2, 2.5, 4.0])


def trains(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The slope at some places, what is to be said of it, and the accuracy that the exercise asks for."""
    cell = answer()
    if not isinstance(cell, nn.Surrogate):
        return {'slope': 'no Surrogate'}
    slope = cell.slope(ms.Tensor(GRID))
    if not isinstance(slope, ms.Tensor) or slope.shape != GRID.shape or not np.isfinite(slope.asnumpy()).all():
        return {'slope': 'no slope'}
    at = slope.asnumpy().astype(float)
    near, left, right = at[abs(GRID) < 0.3], at[GRID < 0], at[GRID > 0]
    return {
        'slope': at,
        'narrow': bool((at >= 0).all() and at.max() > 0 and at[abs(GRID) > 0.5].max() < 0.1 * max(near.max(), at.max())),
        'truth': bool((at == 0).all()),
        'minus': bool((near < 0).any() and not (right < 0).all() or (at <= 0).all() and at.any()),
        'no-relu': bool((near > 0).all() and (at[abs(GRID) > 2] < 0).any()),
        'above': bool((left == 0).all() and (right > 0).any()),
        'below': bool((right == 0).all() and (left > 0).any()),
        'triangle': bool((left >= 0).all() and (right < 0).any()),
        'loud': bool(at.max() > 1.9),
        'value': bool((np.diff(at) >= 0).all() and at[-1] > at[0]),
        'accuracy': frozen(cell, learning_rate=0.02, steps=150),
    }


SAYS = ('narrow', 'truth', 'minus', 'no-relu', 'above', 'below', 'triangle', 'loud', 'value')


def leaks(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """One moment and two, and the gradients of the second."""
    cell = answer()
    x, v = ms.Tensor(CURRENT), ms.Tensor(MEMBRANE)
    twice = lambda x, v: (ms.Tensor(SENT_6) * cell.charge(x, cell.charge(x, v))).sum()
    did = {'once': cell.charge(x, v).asnumpy(), 'twice': cell.charge(x, cell.charge(x, v)).asnumpy()}
    return did | {'gradients': np.stack([value(g) for g in ms.grad(twice, (0, 1))(x, v)])}


# ---- 14b, 14c: lies ---------------------------------------------------------------------------------------------------------

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
    try:
        _, back = ms.vjp(lambda a: (cell(a), 0 * cell(a + 0.6))[0], given)
        (dx,) = back(dout)
        did[f'dx · {where}'] = value(dx)
    except Exception as error:
        did[f'stopped · {where}'] = type(error).__name__
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
    return due | {'out · 1': forward(rows), 'dx · 1': back(rows, -dout_for(SIGNED[:6]).reshape(3, 2)), 'written · 1': False}


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


# ---- 15a, 15b: checkpoints -----------------------------------------------------------------------------------------------------

PARTS: dict[str, tuple[Callable, Callable, tuple[int, ...]]] = {
    'product': (lambda x, w: ops.sin(x) @ w, lambda x, w: np.sin(x) @ w, (2, 2)),
    'each': (lambda x, w: ops.exp(x) * w * w, lambda x, w: np.exp(x) * w * w, (4,)),
    'sums': (lambda x, w: x.sum() * w + x, lambda x, w: x.sum() * w + x, (3,)),
}


def recomputes(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """dx and dw of two calls, and how often the part runs."""
    did: dict[str, Any] = {}
    for name, (part, plain, shape) in PARTS.items():
        ran: list[int] = []
        cell = answer(lambda x, w, part=part, ran=ran: (ran.append(1), part(x, w))[1])
        x, w = numbers(*shape, seed=150), numbers(*shape, seed=151)
        d = dout_for(np.asarray(plain(x, w)))
        given = [ms.Tensor(each.copy()) for each in (x, w)]
        out = cell.construct(*given)
        did[f'out · {name}'] = out.asnumpy()
        try:
            found = cell.bprop(*given, out, ms.Tensor(d))
            did[f'returned · {name}'] = repr(shape_of(found))
            ran.clear()
            _, back = ms.vjp(lambda x, w, cell=cell, d=d: (
                (cell(x, w) * ms.Tensor(d)).sum() - 2 * (cell(x + 1.5, w - 0.7) * ms.Tensor(d)).sum()
            ), *given)
            forward = len(ran)
            dx, dw = back(ms.Tensor(1.0, ms.float64))
            did |= {f'dx · {name}': value(dx), f'dw · {name}': value(dw)}
            did[f'runs · {name}'] = forward, len(ran) > forward
            did[f'written · {name}'] = any(not np.array_equal(t.asnumpy(), each) for t, each in zip(given, (x, w), strict=True))
        except Exception as error:
            did[f'stopped · {name}'] = type(error).__name__
    return did


def recompute_due() -> dict[str, Any]:
    """The same by differences."""
    due: dict[str, Any] = {}
    for name, (_, plain, shape) in PARTS.items():
        x, w = numbers(*shape, seed=150), numbers(*shape, seed=151)
        d = dout_for(np.asarray(plain(x, w)))
        f = lambda x, w, d=d, plain=plain: float((plain(x, w) * d).sum() - 2 * (plain(x + 1.5, w - 0.7) * d).sum())
        dx, dw = slopes(f, x, w)
        due |= {f'dx · {name}': dx, f'dw · {name}': dw, f'runs · {name}': (2, True), f'written · {name}': False}
        due[f'out · {name}'] = plain(x, w)
    return due


def keeps(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What comes back of two calls of a part that throws, beside its throws; and where the dice stand afterwards."""
    did: dict[str, Any] = {}
    x, dy = numbers(9, seed=152), dout_for(numbers(9, seed=152))
    for name, throw in {'drops': lambda: (np.random.random(9) < 0.4) / 0.4, 'weighs': lambda: 1 + np.random.random(9)}.items():
        thrown: list[np.ndarray] = []

        def part(x: Any, throw: Any = throw, thrown: list = thrown) -> Any:
            thrown.append(throw())
            return x * x * ms.Tensor(thrown[-1])

        cell = answer(part)
        np.random.seed(153)
        try:
            value_, back = ms.vjp(lambda x, cell=cell: (
                (cell(x)[0] * ms.Tensor(dy)).sum() - 3 * (cell(x + 1.0)[0] * ms.Tensor(dy)).sum()
            ), ms.Tensor(x))
            before = np.random.get_state()
            dx = value(back(ops.ones_like(value_))[0])
            after = np.random.get_state()
            did[f'dx · {name}'] = dx
            did[f'off · {name}'] = dx - dy * (2 * x * thrown[0] - 6 * (x + 1) * thrown[1])
            did[f'dice · {name}'] = bool(np.array_equal(before[1], after[1]) and before[2] == after[2])
        except Exception as error:
            did[f'off · {name}'] = type(error).__name__
    return did


LIED = ('no-mask', 'truth', 'no-dout', 'with-sign', 'times-x')

JUDGES = {
    '7a': Judge(drops_due(), drops_backward),
    '7b': Judge(forward_due(), drops_forward, {'shrink': ['factor · 0.65', 'factor · 0.25']}),
    '8b': Judge(shrink_due(), shrinks),
    '9a': Judge(
        orders_due(lambda x: x**3, lambda x: 6 * x**5, lambda x: 30 * x**4, lambda x: 120 * x**3), orders(3)
    ),
    '9b': Judge(orders_due(np.sinh, lambda x: np.sinh(2 * x), lambda x: 2 * np.cosh(2 * x)), orders(2)),
    '10a': Judge(owns_due(), owns),
    '11a': Judge(
        {'traced': SENT, 'replayed': SENT * np.where(REPLAYED > 0, 1.0, 0.1)}, traces
    ),
    '12a': Judge(fires_due(), fires),
    '12b': Judge({'accuracy': lambda found: found >= OWN_ENOUGH}, trains, {name: [name] for name in SAYS}),
    '12e': Judge(
        {
            'once': 0.9 * MEMBRANE + CURRENT,
            'twice': 0.81 * MEMBRANE + 1.9 * CURRENT,
            'gradients': np.stack([1.9 * SENT_6, 0.81 * SENT_6]),
        },
        leaks,
    ),
    # their hints speak of what bprop returns: a mask is refused by backward, and still it is the mask
    '14b': Judge(sign_due(), signs, dict.fromkeys(LIED, ['by hand'])),
    '14c': Judge(clip_due(), clips),
    '15a': Judge(recompute_due(), recomputes),
    '15b': Judge(
        {f'{part} · {name}': due for name in ('drops', 'weighs') for part, due in (('off', np.zeros(9)), ('dice', True))},
        keeps,
    ),
}
