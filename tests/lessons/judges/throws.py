"""Judges of Cells that throw dice, and of checkpoints, which throw them twice: beside the throws themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach import lesson15
from tests.lessons.judges.cells import dout_for, shape_of, value
from tests.lessons.judges.judge import Judge, Parts, by_cases, numbers, slopes

THROWN = np.array([[0], [1], [1], [1], [0], [1], [0]], bool)
SAY = np.array([[0], [1], [1], [0], [1], [0], [0]], bool)  # a gradient of the mask, which has no say


def scale(keep: float) -> float:
    """What a kept row is multiplied by."""
    return 1 / keep if keep else 0.0


def named(name: str, keep: float) -> str:
    """A part: where no row is kept, it is one by itself."""
    return name if keep else f'{name}: nothing kept'


def drops_backward(answer: Any, keep: float) -> Parts:
    """dx for a mask that bprop is given, and of two calls."""
    x, dy = numbers(7, 2, seed=70), dout_for(numbers(7, 2, seed=70))
    cell, masks = answer(keep), []
    np.random.seed(70)
    cell.construct(ms.Tensor(x + 2))
    for name, dmask in (('dx', 0 * SAY), ('dx and the mask', SAY)):
        given = [ms.Tensor(each) for each in (x.copy(), THROWN, x * THROWN * scale(keep), dmask, dy)]
        found = cell.bprop(given[0], tuple(given[1:3]), tuple(given[3:]))
        yield 'form', len(found) if isinstance(found, tuple | list) else type(found).__name__
        yield named(name, keep), value(found[0])

    def loss(x: Any) -> Any:
        total = 0
        for k, factor in enumerate((1.0, -3.0)):
            mask, y = cell(x + 1.5 * k)
            masks.append(mask.asnumpy())
            total = total + (ms.Tensor(factor * dy) * y).sum()
        return total

    dx = ms.grad(loss)(ms.Tensor(x.copy())).asnumpy()
    yield 'dx of two calls', dx
    yield 'off', dx - dy * (masks[0] - 3.0 * masks[1]) * scale(keep)


def drops_due(keep: float) -> dict[str, Any]:
    """Nothing is off, and the mask that was given decides."""
    dx = dout_for(THROWN * np.ones(2)) * THROWN * scale(keep)
    return {'off': 0 * dx, 'form': 1} | {named(name, keep): dx for name in ('dx', 'dx and the mask')}


def drops_forward(answer: Any, keep: float) -> Parts:
    """How many rows are kept, each by its own throw; the factor of a kept row; the mask; and whether bprop fits."""
    rows, calls = 500, 6
    x = np.random.default_rng(72).uniform(0.5, 2, (rows, 2)) * np.resize([1.0, 1.0, -1.0], (rows, 2))
    dy = np.random.default_rng(73).standard_normal((rows, 2))
    cell = answer(keep)
    np.random.seed(74)
    outs = [cell.construct(ms.Tensor(x.copy())) for _ in range(calls)]
    masks = np.stack([mask.asnumpy().astype(float) * np.ones((rows, 1)) for mask, _ in outs])
    factors = np.stack([y.asnumpy() for _, y in outs]) / x
    passed = factors[..., :1] != 0
    yield 'kept', float(passed.mean())
    yield 'apart', bool(0 < keep < 1 and passed.mean(axis=(1, 2)).min() == 0)
    yield 'anew', bool((passed[0] != passed[1]).any())
    yield 'factor', factors[factors != 0][:5]
    yield 'mask', masks
    yield 'the mask was used', bool(np.array_equal(masks != 0, passed))
    (dx,) = cell.bprop(ms.Tensor(x), outs[0], (ops.zeros_like(outs[0][0]), ms.Tensor(dy)))
    yield 'check', ms.check_bprop(cell, ms.Tensor(x[:5].copy())).ok
    yield 'bprop', bool(np.allclose(dx.asnumpy(), dy * factors[0]))


def forward_due(keep: float) -> dict[str, Any]:
    """What keep_prob means, of 3000 rows."""
    return {
        'kept': lambda found: abs(found - keep) < 0.045,
        'apart': False,
        'anew': 0 < keep < 1,
        'factor': lambda found: bool(np.allclose(found, scale(keep)) and (len(found) > 0) == (keep > 0)),
        **dict.fromkeys(('the mask was used', 'bprop', 'check'), True),
    }


CHECKPOINTED: dict[str, tuple[Callable, Callable, tuple[int, ...]]] = {
    'product': (lambda x, w: ops.sin(x) @ w, lambda x, w: np.sin(x) @ w, (2, 2)),
    'each': (lambda x, w: ops.exp(x) * w * w, lambda x, w: np.exp(x) * w * w, (4,)),
    'sums': (lambda x, w: x.sum() * w + x, lambda x, w: x.sum() * w + x, (3,)),
}


def recomputes(answer: Any, part: Callable, plain: Callable, shape: tuple[int, ...]) -> Parts:
    """dx and dw of two calls, and how often the part runs."""
    ran: list[int] = []
    cell = answer(lambda x, w: (ran.append(1), part(x, w))[1])
    x, w = numbers(*shape, seed=150), numbers(*shape, seed=151)
    d = ms.Tensor(dout_for(np.asarray(plain(x, w))))
    given = [ms.Tensor(each.copy()) for each in (x, w)]
    out = cell.construct(*given)
    yield 'out', out.asnumpy()
    yield 'returned', repr(shape_of(cell.bprop(*given, out, d)))
    ran.clear()
    _, back = ms.vjp(lambda x, w: (cell(x, w) * d).sum() - 2 * (cell(x + 1.5, w - 0.7) * d).sum(), *given)
    forward = len(ran)
    yield from zip(('dx', 'dw'), map(value, back(ms.Tensor(1.0, ms.float64))), strict=True)
    yield 'runs', (forward, len(ran) > forward)
    yield 'written', any(not np.array_equal(t.asnumpy(), each) for t, each in zip(given, (x, w), strict=True))
    yield from zip(('ddx', 'ddw'), lesson15.second(cell, given), strict=True)


def recompute_due(part: Callable, plain: Callable, shape: tuple[int, ...]) -> dict[str, Any]:
    """The same by differences."""
    x, w = numbers(*shape, seed=150), numbers(*shape, seed=151)
    d = dout_for(np.asarray(plain(x, w)))
    dx, dw = slopes(lambda x, w: float((plain(x, w) * d).sum() - 2 * (plain(x + 1.5, w - 0.7) * d).sum()), x, w)
    twice = dict(zip(('ddx', 'ddw'), lesson15.second(part, [ms.Tensor(x), ms.Tensor(w)]), strict=True))
    return {'dx': dx, 'dw': dw, 'runs': (2, True), 'written': False, 'out': plain(x, w)} | twice


THROWS: dict[str, tuple[Callable[[], np.ndarray]]] = {
    'drops': (lambda: (np.random.random(9) < 0.4) / 0.4,),
    'weighs': (lambda: 1 + np.random.random(9),),
}


def keeps(answer: Any, throw: Callable[[], np.ndarray]) -> Parts:
    """What comes back of two calls of a part that throws, beside its throws; and where the dice stand afterwards."""
    x, dy = numbers(9, seed=152), dout_for(numbers(9, seed=152))
    thrown: list[np.ndarray] = []

    def part(x: Any) -> Any:
        thrown.append(throw())
        return x * x * ms.Tensor(thrown[-1])

    cell = answer(part)
    np.random.seed(153)
    d = ms.Tensor(dy)
    out, back = ms.vjp(lambda x: (cell(x)[0] * d).sum() - 3 * (cell(x + 1.0)[0] * d).sum(), ms.Tensor(x))
    before = np.random.get_state()
    dx = value(back(ops.ones_like(out))[0])
    after = np.random.get_state()
    yield 'dx', dx
    yield 'off', dx - dy * (2 * x * thrown[0] - 6 * (x + 1) * thrown[1])
    yield 'dice', bool(np.array_equal(before[1], after[1]) and before[2] == after[2])


def judges() -> dict[str, Judge]:
    shrunk = {'shrink': ['factor · 0.65', 'factor · 0.25']}
    return {
        '7a': by_cases({keep: (keep,) for keep in (0.6, 1.0, 0.0)}, drops_backward, drops_due),
        '7b': by_cases({keep: (keep,) for keep in (0.65, 0.25, 1.0, 0.0)}, drops_forward, forward_due, shrunk),
        '15a': by_cases(CHECKPOINTED, recomputes, recompute_due, {each: ['dx', 'dw'] for each in ('on-self', 'out')}),
        '15b': by_cases(THROWS, keeps, lambda throw: {'off': np.zeros(9), 'dice': True}),
    }
