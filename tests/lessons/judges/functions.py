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
from tests.lessons.judges.judge import Judge, Parts, alike, by_cases, near, noted, numbers, slopes

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
    found = slopes(lambda *each: f(PLAIN, *map(float, each)), *map(np.asarray, given))
    return dict(zip('xy', map(float, found), strict=False))


def program(f: Callable, inputs: int) -> Callable:
    """A program of one input, or of two, in minicell's ops; they are called x and y."""
    return (lambda x: f(ops, x)) if inputs == 1 else (lambda x, y: f(ops, x, y))


def read_back(answer: Any, f: Callable, given: tuple[float, ...]) -> Parts:
    """What a loop finds for each input of a program."""
    entries, result = entries_of(program(f, len(given)), *given)
    leads = {result}
    for entry in entries[::-1]:
        leads |= set(entry.inputs) if entry.out in leads else set()
    found = answer(entries, result)
    yield from ((of, float(found.get(of, math.nan))) for of in 'xy'[: len(given)])
    yield 'every value', leads <= set(found)


def read_due(f: Callable, given: tuple[float, ...]) -> dict[str, Any]:
    """The slopes; where the result does not depend on an input, it need not be in the dict."""
    none = lambda found: math.isnan(found) or found == 0
    return {of: slope or none for of, slope in gradients_of(f, given).items()} | {'every value': True}


PRODUCTS: dict[str, Callable] = {
    'square': lambda m, x: x * x,
    'inner': lambda m, x: m.exp(m.sin(x) * (x * x)),
    'mixed': lambda m, x: m.exp(x) * m.sin(x) * x,
}
AT = (-1.7, 0.6, 2.3)


def product_rule(answer: Any, f: Callable, x: float) -> Parts:
    """The gradient of an engine with this rule."""
    yield 'slope', float(engine(program(f, 1), x, Mul=answer))


def bent(x: np.ndarray) -> float:
    """A function of a row, with slopes of both signs; its central difference depends on the step."""
    return float((np.array([1.5, 4.0, 2.0, -0.5, -3.0])[: x.size] * (x**3 - x)).sum() + x[0] * x[-1] ** 2)


ROW = np.array([-0.9, 0.0, 1.2, 0.4, -1.6])


def moved(seen: list[np.ndarray], x: np.ndarray) -> str:
    """How far x was moved at least, where it was."""
    moves = [np.abs(each - x).max() for each in seen if each.shape == x.shape]
    least = min((move for move in moves if move), default=0)
    return 'not at all' if not least else 'hardly' if least < 1e-9 else 'enough'


def row_slopes(answer: Any, eps: float, _: Any) -> Parts:
    """What comes back for a step, whether x is as it was, and how far it was moved."""
    seen: list[np.ndarray] = []
    given = ROW.copy()
    found = answer(lambda x: (seen.append(np.array(x, float)), bent(x))[1], given, eps)
    yield 'slopes', found if isinstance(found, np.ndarray) else type(found).__name__
    yield 'x', bool(np.array_equal(given, ROW))
    yield 'moved', moved(seen, ROW)


def either(found: Any) -> bool:
    """A central difference over eps or over half of it: both are central."""
    return any(alike(found, slopes(bent, ROW, eps=eps)[0]) for eps in (0.2, 0.1))


def weighed(p: np.ndarray) -> float:
    """A loss of a Parameter of two rows."""
    return float((np.exp(p) * np.array([[1.0, -2.0], [0.5, 3.0]]) + p**3).sum())


class Silent(nn.Cell):
    """The same in minicell; its bprop says 0."""

    def construct(self, p: Any) -> Any:
        return ops.exp(p) * ms.Tensor(np.array([[1.0, -2.0], [0.5, 3.0]])) + p**3

    def bprop(self, p: Any, out: Any, dout: Any) -> Any:
        return (0 * p,)


START = numbers(2, 2, seed=40)


def parameter_slopes(answer: Any, cell: Callable) -> Parts:
    """The slopes of a loss, and whether the Parameter is as it was."""
    p = ms.Parameter(ms.Tensor(START.copy()), name='p')
    found = answer(lambda: cell(p).sum(), p, 1e-3)
    yield 'slopes', found.asnumpy() if isinstance(found, ms.Tensor) else found
    yield 'p', bool(np.array_equal(p.asnumpy(), START))


W = np.array([[2.5, -0.7], [5.1, -3.3], [0.2, 8.8]])
SHARES = np.array([[1.0, -2.0], [3.0, 0.5], [-1.5, 4.0]])
RISES: dict[str, tuple[Callable, float]] = {
    'staircase': (lambda w: np.clip(3 * np.floor(w / 3) + 1, -4, 5), 3.0),
    'smooth': (lambda w: w**3 - w, 0.8),
}


def long_way(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The differences on a staircase and on a smooth sum, which hints speak of."""
    did: dict[str, Any] = {}
    for name, (rise, reach) in RISES.items():
        w = ms.Tensor(W.copy())
        found = answer(lambda w, rise=rise: ms.Tensor((rise(w.asnumpy()) * SHARES).sum()), w, reach)
        did[name] = found.asnumpy() if isinstance(found, ms.Tensor) else found
        did[f'{name}, w'] = bool(np.array_equal(w.asnumpy(), W))
    return did


def long_due(rise: Callable, reach: float) -> np.ndarray:
    """The same by the formula."""
    return (rise(W + reach) - rise(W - reach)) / (2 * reach) * SHARES


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
    'twice': (False, ops.sin, lambda x, out, dout: 2 * ops.cos(x) * dout),
    'cancelling': (False, ops.sin, lambda x, out, dout: ops.cos(x) * dout + dout - dout.mean()),
    'last': (False, ops.sin, lambda x, out, dout: ops.cos(x) * dout * ms.Tensor(1 + 0.7 * LAST)),
    'nan': (False, lambda x: 2 * x * x * x, lambda x, out, dout: 3 * out / x * dout),
}


def word(found: Any) -> str:
    """True and False as words; whatever else is said as its type."""
    return str(bool(found)) if isinstance(found, bool | np.bool_) else type(found).__name__


def whole_check(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a check says of each Cell, several times, as a throw may miss; and how far x was moved at least."""
    did: dict[str, Any] = {}
    seen: list[np.ndarray] = []
    for name, (right, *functions) in CELLS.items():
        for seed in range(2 if right else 4):  # what is wrong need be found once, and what is right never
            np.random.seed(seed)
            with noted(did, name):
                did[name] = word(answer(Hidden(right, '', *functions).cell(seen, []), HERE.copy()))
            if did[name] != 'True':
                break
    return did | {'moved': moved(seen, HERE)}


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
    'off elsewhere': (lambda *given: SHARE(*given) + ms.Tensor(np.eye(*given[1].shape)), False),
    'also right': (lambda x, y, k, dout: ops.ones_like(y) * (k / y.shape[0]) * x * dout, False),
}


def one_number(answer: Any, dy: Callable, _: bool) -> Parts:
    """What a check of one number says of a gradient."""
    x, y = ms.Tensor(np.array([0.8, -1.1, 1.9])), ms.Tensor(numbers(4, 3, seed=43))
    yield 'said', word(answer(lesson05.hidden(dy, []), x, y, -1.4))


def judges() -> dict[str, Judge]:
    spoken = {'linear-only': ['moved'], 'direction': ['twice']}
    products = {f'{name} {x}': (f, x) for name, f in PRODUCTS.items() for x in AT}
    steps = {'wide': (0.2, either), 'narrow': (3e-5, slopes(bent, ROW)[0])}
    rises = near(slopes(weighed, START)[0], rtol=1e-4)  # which are measured with a step of 1e-3
    rose: dict[str, Any] = {name: long_due(*rise) for name, rise in RISES.items()}
    return {
        '1b': by_cases(PROGRAMS, read_back, read_due),
        '1c': by_cases(products, product_rule, lambda f, x: {'slope': gradients_of(f, (x,))['x']}),
        '4a': by_cases(
            steps, row_slopes, lambda _, due: {'slopes': due, 'x': True}, {'smaller': ['moved'], 'in-place': ['x']}
        ),
        '4c': Judge({name: str(right) for name, (right, *_) in CELLS.items()}, whole_check, spoken),
        '5c': by_cases(BLENDS, one_number, lambda _, wrong: {'said': str(wrong)}),
        '10c': by_cases(
            {'plain': (Silent().construct,), 'silent': (Silent(),)},
            parameter_slopes,
            lambda _: {'slopes': rises, 'p': True},
        ),
        '14a': Judge(rose | {f'{name}, w': True for name in RISES}, long_way),
    }
