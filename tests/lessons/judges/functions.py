"""Judges of functions that a learner writes: a loop over a tape, a rule, differences, checks."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach import lesson05
from minicell.teach.lesson01.entries import engine, entries_of
from minicell.teach.lesson04.hidden import Hidden
from tests.lessons.judges.judge import Judge, alike, noted, numbers, slopes

PLAIN = SimpleNamespace(sin=math.sin, exp=math.exp, log=math.log)


def wandering(m: Any, x: Any, y: Any) -> Any:
    """Two values with several uses, entries that lead nowhere, and a use of x behind them."""
    a = m.sin(x) * y
    m.exp(a)
    b = a * a + x
    m.log(b * b + 5)
    return b * a + y * a


PROGRAMS: dict[str, tuple[Callable, tuple[float, ...]]] = {
    'wandering': (wandering, (0.8, -1.3)),
    'chain': (lambda m, x: m.exp(m.sin(m.sin(x))), (2.4,)),
    'sums': (lambda m, x, y: x + y + x, (0.4, 1.0)),
    'alone': (lambda m, x: x, (2.0,)),
    'unused': (lambda m, x, y: m.sin(x) + x, (1.1, 0.2)),
}


def gradients_of(f: Callable, given: tuple[float, ...]) -> dict[str, float]:
    """The slopes of a program, by differences of plain numbers."""
    found = {}
    for k, name in enumerate('xy'[: len(given)]):
        above, below = (f(PLAIN, *given[:k], given[k] + e, *given[k + 1 :]) for e in (1e-6, -1e-6))
        found[name] = (above - below) / 2e-6
    return found


def program(f: Callable, inputs: int) -> Callable:
    """A program of one input, or of two, in minicell's ops; they are called x and y."""
    return (lambda x: f(ops, x)) if inputs == 1 else (lambda x, y: f(ops, x, y))


def read_back(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a loop finds for each input of each program."""
    did: dict[str, Any] = {}
    for name, (f, given) in PROGRAMS.items():
        entries, result = entries_of(program(f, len(given)), *given)
        with noted(did, name):
            found = answer(entries, result)
            did |= {f'{name} {of}': float(found.get(of, math.nan)) for of in 'xy'[: len(given)]}
    return did


def read_due() -> dict[str, Any]:
    """The slopes; where the result does not depend on an input, it need not be in the dict."""
    due: dict[str, Any] = {}
    for name, (f, given) in PROGRAMS.items():
        for of, slope in gradients_of(f, given).items():
            due[f'{name} {of}'] = slope if slope else lambda found: math.isnan(found) or found == 0
    return due


PRODUCTS: dict[str, Callable] = {
    'square': lambda m, x: x * x,
    'inner': lambda m, x: m.exp(m.sin(x) * (x * x)),
    'mixed': lambda m, x: m.exp(x) * m.sin(x) * x,
}
AT = (-1.7, 0.6, 2.3)


def product_rule(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The gradients of an engine with this rule."""
    did: dict[str, Any] = {}
    for name, f in PRODUCTS.items():
        for x in AT:
            with noted(did, f'{name} {x}'):
                did[f'{name} {x}'] = float(engine(program(f, 1), x, Mul=answer))
    return did


def bent(x: np.ndarray) -> float:
    """A function of a row, with slopes of both signs; its central difference depends on the step."""
    return float((np.array([1.5, 4.0, 2.0, -0.5, -3.0])[: x.size] * (x**3 - x)).sum() + x[0] * x[-1] ** 2)


ROW = np.array([-0.9, 0.0, 1.2, 0.4, -1.6])


def central(f: Callable, x: np.ndarray, eps: float) -> np.ndarray:
    """Central differences over the whole step."""
    steps = eps * np.eye(x.size)
    return np.array([(f(x + step) - f(x - step)) / (2 * eps) for step in steps])


def row_slopes(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What comes back for a wide and a narrow step, whether x is as it was, and how far x is moved at least."""
    did: dict[str, Any] = {}
    seen: list[np.ndarray] = []

    def f(x: np.ndarray) -> float:
        seen.append(np.array(x, float))
        return bent(x)

    for name, eps in (('wide', 0.2), ('narrow', 3e-5)):
        given = ROW.copy()
        found = answer(f, given, eps)
        did[name] = found if isinstance(found, np.ndarray) else type(found).__name__
        did[f'{name} x'] = bool(np.array_equal(given, ROW))
    steps = [np.abs(x - ROW).max() for x in seen if x.shape == ROW.shape]
    did['moved'] = 'hardly' if min((s for s in steps if s), default=1) < 1e-9 else 'enough'
    return did


def either(found: Any) -> bool:
    """A central difference over eps or over half of it: both are central."""
    return any(alike(found, central(bent, ROW, eps)) for eps in (0.2, 0.1))


def weighed(p: np.ndarray) -> float:
    """A loss of a Parameter of two rows."""
    return float((np.exp(p) * np.array([[1.0, -2.0], [0.5, 3.0]]) + p**3).sum())


def parameter_slopes(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The slopes of a loss, of a loss whose bprop says 0, and whether the Parameter is as it was."""
    did: dict[str, Any] = {}
    start = numbers(2, 2, seed=40)

    class Silent(nn.Cell):
        def construct(self, p: Any) -> Any:
            return ops.exp(p) * ms.Tensor(np.array([[1.0, -2.0], [0.5, 3.0]])) + p**3

        def bprop(self, p: Any, out: Any, dout: Any) -> Any:
            return (0 * p,)

    for name, cell in (('plain', Silent().construct), ('silent', Silent())):
        p = ms.Parameter(ms.Tensor(start.copy()), name='p')
        with noted(did, name):
            found = answer(lambda cell=cell, p=p: cell(p).sum(), p, 1e-3)
            did[name] = found.asnumpy() if isinstance(found, ms.Tensor) else found
        did[f'{name}, p'] = bool(np.array_equal(p.asnumpy(), start))
    return did


def near(due: np.ndarray) -> Callable[[Any], bool]:
    """Whether slopes that were measured with a step of 1e-3 are these."""
    return lambda found: (
        isinstance(found, np.ndarray) and found.shape == due.shape and np.allclose(found, due, rtol=1e-4, atol=1e-4)
    )


W = np.array([[2.5, -0.7], [5.1, -3.3], [0.2, 8.8]])
SHARES = np.array([[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]])
RISES: dict[str, tuple[Callable, float]] = {
    'staircase': (lambda w: np.clip(3 * np.floor(w / 3) + 1, -4, 5), 3.0),
    'smooth': (lambda w: w**3 - w, 0.8),
}


def long_way(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The differences on a staircase and on a smooth sum."""
    did: dict[str, Any] = {}
    for name, (rise, reach) in RISES.items():
        w = ms.Tensor(W.copy())
        found = answer(lambda w, rise=rise: ms.Tensor((rise(w.asnumpy()) * SHARES).sum()), w, reach)
        did[name] = found.asnumpy() if isinstance(found, ms.Tensor) else found
        did[f'{name}, w'] = bool(np.array_equal(w.asnumpy(), W))
    return did


MIX = ms.Tensor(np.random.default_rng(41).standard_normal((6, 4)))
HERE = np.array([0.9, -0.4, 0.0, 1.7, -2.0, 0.3])
LAST = np.eye(6)[-1]


def steep(x: Any) -> Any:
    """Large gradients."""
    return 2000 * ops.exp(2 * x)


# whether a hidden Cell is right, what it computes, and its gradient
CELLS = {
    'sine': (True, ops.sin, lambda x, out, dout: ops.cos(x) * dout),
    'flat': (True, lambda x: 2 * x * x * x, lambda x, out, dout: 6 * x * x * dout),
    'steep': (True, steep, lambda x, out, dout: 2 * out * dout),
    'mixing': (True, lambda x: ops.sin(x) @ MIX, lambda x, out, dout: ops.cos(x) * (dout @ MIX.T)),
    'another slope': (False, ops.exp, lambda x, out, dout: (out - 0.3) * dout),
    'no dout': (False, ops.sin, lambda x, out, dout: ops.cos(x)),
    'no sign': (False, ops.exp, lambda x, out, dout: out * ops.abs(dout)),
    'clipped': (False, ops.exp, lambda x, out, dout: out * ops.clamp(dout, -20.0, 20.0)),
    'two per cent': (False, ops.exp, lambda x, out, dout: 1.015 * out * dout),
    'cancelling': (False, ops.sin, lambda x, out, dout: ops.cos(x) * dout + dout - dout.mean()),
    'last': (False, ops.sin, lambda x, out, dout: ops.cos(x) * dout * ms.Tensor(1 + 0.7 * LAST)),
    'nan': (False, lambda x: 2 * x * x * x, lambda x, out, dout: 3 * out / x * dout),
}


def word(found: Any) -> str:
    """True and False as words; whatever else is said as its type."""
    return str(bool(found)) if isinstance(found, bool | np.bool_) else type(found).__name__


def whole_check(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a check says of each Cell, twice: a throw may miss."""
    did: dict[str, Any] = {}
    seen: list[np.ndarray] = []
    for name, (right, *functions) in CELLS.items():
        for seed in range(2 if right else 4):  # what is wrong need be found once, and what is right never
            np.random.seed(seed)
            with noted(did, name):
                did[name] = word(answer(Hidden(right, '', *functions).cell(seen), HERE.copy()))
            if did[name] != 'True':
                break
    moves = [np.abs(x - HERE).max() for x in seen if x.shape == HERE.shape]
    least = min((move for move in moves if move), default=0)
    did['moved'] = 'not at all' if not least else 'hardly' if least < 1e-9 else 'enough'
    return did


SHARE = lambda x, y, k, dout: ops.broadcast_to(k * dout * x / y.shape[0], y.shape)
# gradients of y for a mean of rows: each, and whether it is wrong
BLENDS: dict[str, tuple[Callable, bool]] = {
    'right': (SHARE, False),
    'a little off': (lambda *given: 1.01 * SHARE(*given), True),
    'exchanged': (lambda x, y, k, dout: SHARE(ms.Tensor(np.roll(x.asnumpy(), 1)), y, k, dout), True),
    'negative': (lambda *given: -SHARE(*given), True),
    'no dout': (lambda x, y, k, dout: SHARE(x, y, k, ops.ones_like(dout)), True),
    'zero': (lambda x, y, k, dout: ops.zeros_like(y), True),
    'in full': (lambda x, y, k, dout: 4 * SHARE(x, y, k, dout), True),
    'also right': (lambda x, y, k, dout: ops.ones_like(y) * (k / y.shape[0]) * x * dout, False),
}


def one_number(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a check of one number says of each."""
    did: dict[str, Any] = {}
    x, y = ms.Tensor(np.array([0.8, -1.1, 1.9])), ms.Tensor(numbers(4, 3, seed=43))
    for name, (dy, _) in BLENDS.items():
        with noted(did, name):
            did[name] = word(answer(lesson05.hidden(dy), x, y, -1.4))
    return did


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '1b': Judge(read_due(), read_back),
        '1c': Judge(
            {
                f'{name} {x}': gradients_of(lambda m, x, f=f: f(m, x), (x,))['x']
                for name, f in PRODUCTS.items()
                for x in AT
            },
            product_rule,
        ),
        '4a': Judge(
            {'wide': either, 'narrow': slopes(bent, ROW)[0], 'wide x': True, 'narrow x': True},
            row_slopes,
            {'smaller': ['moved']},
        ),
        '4c': Judge({name: str(right) for name, (right, *_) in CELLS.items()}, whole_check, {'linear-only': ['moved']}),
        '5c': Judge({name: str(wrong) for name, (_, wrong) in BLENDS.items()}, one_number),
        '10c': Judge(
            {
                'plain': near(slopes(weighed, numbers(2, 2, seed=40))[0]),
                'silent': near(slopes(weighed, numbers(2, 2, seed=40))[0]),
                'plain, p': True,
                'silent, p': True,
            },
            parameter_slopes,
        ),
        '14a': Judge(
            {name: (rise(W + reach) - rise(W - reach)) / (2 * reach) * SHARES for name, (rise, reach) in RISES.items()}
            | {f'{name}, w': True for name in RISES},
            long_way,
        ),
    }
