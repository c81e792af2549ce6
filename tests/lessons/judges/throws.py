"""Judges of Cells that throw dice, and of checkpoints, which throw them twice: beside the throws themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from tests.lessons.judges.cells import dout_for, shape_of, value
from tests.lessons.judges.judge import Judge, noted, numbers, slopes

# ---- 7a, 7b: a Cell that drops rows --------------------------------------------------------------------------------

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
        with noted(did, f'off · {keep}'):
            dx = ms.grad(loss)(ms.Tensor(x.copy())).asnumpy()
            did |= {
                f'dx of two calls · {keep}': dx,
                f'off · {keep}': dx - dy * (masks[0] - 3.0 * masks[1]) * scale(keep),
            }
        cell.construct(ms.Tensor(x + 2))
        for name, dmask in (('dx', 0 * SAY), ('dx and the mask', SAY)):
            given = [ms.Tensor(each) for each in (x.copy(), THROWN, x * THROWN * scale(keep), dmask, dy)]
            with noted(did, named(name, keep)):
                found = cell.bprop(given[0], tuple(given[1:3]), tuple(given[3:]))
                did[f'form · {keep}'] = len(found) if isinstance(found, tuple | list) else type(found).__name__
                did[named(name, keep)] = value(found[0])
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


# ---- 15a, 15b: checkpoints -----------------------------------------------------------------------------------------

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
        with noted(did, f'stopped · {name}'):
            found = cell.bprop(*given, out, ms.Tensor(d))
            did[f'returned · {name}'] = repr(shape_of(found))
            ran.clear()
            _, back = ms.vjp(
                lambda x, w, cell=cell, d=d: (
                    (cell(x, w) * ms.Tensor(d)).sum() - 2 * (cell(x + 1.5, w - 0.7) * ms.Tensor(d)).sum()
                ),
                *given,
            )
            forward = len(ran)
            dx, dw = back(ms.Tensor(1.0, ms.float64))
            did |= {f'dx · {name}': value(dx), f'dw · {name}': value(dw)}
            did[f'runs · {name}'] = forward, len(ran) > forward
            did[f'written · {name}'] = any(
                not np.array_equal(t.asnumpy(), each) for t, each in zip(given, (x, w), strict=True)
            )
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


PARTS_15B: dict[str, Callable[[], np.ndarray]] = {
    'drops': lambda: (np.random.random(9) < 0.4) / 0.4,
    'weighs': lambda: 1 + np.random.random(9),
}


def keeps(space: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What comes back of two calls of a part that throws, beside its throws; and where the dice stand afterwards."""
    did: dict[str, Any] = {}
    x, dy = numbers(9, seed=152), dout_for(numbers(9, seed=152))
    for name, throw in PARTS_15B.items():
        thrown: list[np.ndarray] = []

        def part(x: Any, throw: Any = throw, thrown: list = thrown) -> Any:
            thrown.append(throw())
            return x * x * ms.Tensor(thrown[-1])

        cell = answer(part)
        np.random.seed(153)
        with noted(did, f'off · {name}'):
            value_, back = ms.vjp(
                lambda x, cell=cell: (cell(x)[0] * ms.Tensor(dy)).sum() - 3 * (cell(x + 1.0)[0] * ms.Tensor(dy)).sum(),
                ms.Tensor(x),
            )
            before = np.random.get_state()
            dx = value(back(ops.ones_like(value_))[0])
            after = np.random.get_state()
            did[f'dx · {name}'] = dx
            did[f'off · {name}'] = dx - dy * (2 * x * thrown[0] - 6 * (x + 1) * thrown[1])
            did[f'dice · {name}'] = bool(np.array_equal(before[1], after[1]) and before[2] == after[2])
    return did


def judges() -> dict[str, Judge]:
    """The judges of this page, by the names of the exercises."""
    return {
        '7a': Judge(drops_due(), drops_backward),
        '7b': Judge(forward_due(), drops_forward, {'shrink': ['factor · 0.65', 'factor · 0.25']}),
        '15a': Judge(recompute_due(), recomputes),
        '15b': Judge(
            {f'{part} · {name}': due for name in PARTS_15B for part, due in (('off', np.zeros(9)), ('dice', True))},
            keeps,
        ),
    }
