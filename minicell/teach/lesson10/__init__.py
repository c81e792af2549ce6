"""Lesson 10: its figure of a weight used often; trials of its owners, who changes which, and of a check."""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell.errors import MinicellWarning
from minicell.teach.trials import ERRORS, Hunt, Trial, begun, cell_of, compared, function_of, sorted_words

from . import zoo
from .figures import FIGURES

ROWS = (4, 1, 2)
SEED = 10
NAMES = ('dx', 'dw', 'db')


def affine(answer: Any, batches: Sequence[int] = ROWS) -> Trial:
    """Try a Cell on batches: the form of what its bprop returns, and three gradients beside a twin without bprop."""
    cell = cell_of(answer, 'Affine')
    named = [getattr(p, 'name', '?') for p in cell.internal_params or ()]
    did: dict[str, Any] = {'named': ', '.join(named), 'returned': returned(cell)}
    lines: list[str] = []
    for rows in batches:
        x, dout = batch(rows)
        if not np.allclose(cell.construct(x).asnumpy(), (cell.w * x + cell.b).asnumpy()):
            did['forward'] = 'another'
            return Trial(True, False, did, 'construct no longer returns w * x + b: leave it as it was.')
        try:
            found = gradients(cell, (cell.w, cell.b), x, dout)
        except (ms.errors.MinicellError, AttributeError) as error:
            did['raised'] = f'{type(error).__name__}: {str(error).splitlines()[0]}'  # one class for several mistakes
            return Trial(True, False, did, did['raised'])
        for name, gradient in zip(NAMES, found, strict=True):  # as one: in a batch of one row the sum is the mean
            did[name] = np.concatenate([did.get(name, []), gradient.ravel()])
        for name, mine, due in zip(NAMES, found, truth(cell, x, dout), strict=True):
            of = f'✗ {name} with {rows} row{"s" * (rows > 1)}'
            named = lambda at, of=of: f'{of}, at {list(map(int, at))}'
            lines.append(compared(mine, due, named, 'yours', rtol=1e-4, atol=1e-5))
    wrong = [said for said in lines if said]
    if not wrong:
        mine, due = (np.concatenate([g.ravel() for g in of_two_calls(cell, f)]) for f in (cell, plain(cell)))
        if not np.allclose(mine, due, rtol=1e-4, atol=1e-5):
            did['two calls'] = mine
            wrong = ['The gradients are right for one call. With two calls, the first gets numbers of the second.']
    passed = not wrong
    said = f'dx, dw and db agree with autodiff, in batches of {", ".join(map(str, batches))} rows.'
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
    """The same by autodiff, of a twin without a bprop."""
    return gradients(plain(cell), (cell.w, cell.b), x, dout)


def plain(cell: Any) -> Callable:
    """What the Cell computes, recorded op by op."""
    return lambda x: cell.w * x + cell.b


def of_two_calls(cell: Any, function: Callable) -> list[np.ndarray]:
    """The gradients of a loss with two calls, the second with other numbers."""
    x, dout = batch(ROWS[0])
    return gradients(lambda x: function(x) - 2 * function(x + 1), (cell.w, cell.b), x, dout)


def returned(cell: Any) -> str:
    """What bprop returns for one batch, called by hand: the form of it, and the shapes in it."""
    x, dout = batch(ROWS[0])
    try:
        found = cell.bprop(x, cell.construct(x), dout)
    except Exception as error:
        return f'raised {type(begun(error)).__name__}: {error}'.splitlines()[0]  # one class for several mistakes
    return form(found)


def form(value: Any) -> str:
    """A structure of Tensors in signs."""
    if isinstance(value, ms.Tensor):
        return f'Tensor {value.shape}'
    if isinstance(value, tuple | list):
        return f'{type(value).__name__}({", ".join(map(form, value))})'
    if isinstance(value, dict):
        keys = (key.name if isinstance(key, ms.Parameter) else repr(key) for key in value)
        return f'{{{", ".join(f"{k}: {form(v)}" for k, v in zip(keys, value.values(), strict=True))}}}'
    return type(begun(value)).__name__


# ---- 10b -----------------------------------------------------------------------------------------------------------

WORDS = ('optimizer', 'forward', 'nobody')
SHOTS = ('w', 'fixed', 'listed', 'norm.gamma', 'norm.moving_mean', 'hidden.w')
PREDICTING = 'norm.moving_mean, set_train(False)'


@cache
def found() -> dict[str, str]:
    """Who changed each of them, by doing it."""
    return {**step(True), PREDICTING: step(False)['norm.moving_mean']}


def step(training: bool) -> dict[str, str]:
    """One step of training: what was changed by forward, and what by the optimizer."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)  # they are what this exercise is about
        net = zoo.Zoo().set_train(training)
        optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        x, due = (ms.Tensor(np.array(rows), ms.float32) for rows in ([[1.0], [2.0], [6.0]], [[0.0], [5.0], [1.0]]))
        before = values(net)
        loss = ms.value_and_grad(lambda x: ((net(x) - due) ** 2).mean(), None, optimizer.parameters)
        _, gradients = loss(x)
        between = values(net)
        optimizer(gradients)
        after = values(net)
    return {name: who(before[name], between[name], after[name]) for name in SHOTS}


def values(net: Any) -> dict[str, float]:
    """What each Parameter holds."""
    all_of_them = {**{p.name: p for p in net.get_parameters()}, 'listed': net.listed[0]}
    return {name: all_of_them[name].asnumpy().ravel()[0].item() for name in SHOTS}


def who(before: float, between: float, after: float) -> str:
    """Who has changed a number."""
    if before != between:
        return 'forward'
    return 'optimizer' if between != after else 'nobody'


def changed_by(answer: Any) -> Trial:
    """Compare a dict of words with what one step of training does."""
    due = found()

    def wrong(name: str, word: str) -> str:
        agree = sum(answer.get(each, ...) == who for each, who in due.items())
        return f'{name}: not {word}. {agree} of {len(due)} agree.'

    done = 'All seven agree with what one step of training does.'
    return sorted_words(answer, 'changed_by', due, WORDS, wrong, done)


# ---- 10c and 10d ---------------------------------------------------------------------------------------------------


def cases(moved: float) -> dict[str, tuple[Callable, Any, np.ndarray]]:
    """What stands in a sentence -> a loss of no arguments, its Parameter, and the slopes that are due."""
    row, square, cut = (ms.Parameter(ms.Tensor(np.array(p) + moved), name='p') for p in ROW_SQUARE_CUT)
    x = ms.Tensor(np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 1.5]]))
    hidden = zoo.NoW(*zoo.ONE)
    hidden.w.set_data(ms.Tensor(cut.asnumpy()))
    made = {
        'a loss of the third order': (lambda: ((row * x) ** 3).sum(), row),
        'a Parameter with two rows': (lambda: (ms.ops.exp(square) * square[::-1]).sum(), square),
        'a Cell whose bprop leaves w out': (lambda: (hidden(x) ** 2).sum(), hidden.w),
    }
    due = [ms.grad(loss, None, [p])()[0].asnumpy() for loss, p in list(made.values())[:2]]
    due.append((2 * (hidden.w * x + hidden.b) * x).sum(0).asnumpy())
    return {name: (*each, true) for (name, each), true in zip(made.items(), due, strict=True)}


ROW_SQUARE_CUT = ([0.0, -1.0, 0.5], [[0.3, -0.8], [0.0, 1.1]], [0.4, -2.0, 0.0])
EPS = 1e-3  # so large that a push to one side is told from two


def measured(answer: Any, moved: float = 0.0) -> Trial:
    """Try a function that measures the slopes of a loss, and see whether it leaves the Parameter as it was."""
    function_of(answer, 'differences')
    did: dict[str, Any] = {}
    wrong = []
    for name, (loss, p, due) in cases(moved).items():
        before = p.asnumpy().copy()
        try:
            found = begun(answer(loss, p, EPS))
        except (*ERRORS, LookupError) as error:
            kind = type(begun(error)).__name__
            return Trial(True, False, {'raised': kind}, f'{name}:\n{kind}: {error}')
        found = found.asnumpy() if isinstance(found, ms.Tensor) else found
        did[name] = found if isinstance(found, np.ndarray) else type(found).__name__
        did[f'{name}, p'] = 'as it was' if np.array_equal(p.asnumpy(), before) else 'changed'
        p.set_data(ms.Tensor(before))
        said = off(found, due) or ('' if did[f'{name}, p'] == 'as it was' else f'the slopes are right, but {CHANGED}')
        wrong += [f'{name}: {said}'] if said else []
    done = f'Your slopes agree with the true ones: {"; ".join(did_of(did))}. And p is as it was.'
    return Trial(True, not wrong, did, wrong[0] if wrong else done)


CHANGED = 'p is not as it was before.'


def did_of(did: dict[str, Any]) -> list[str]:
    """The names of the losses alone."""
    return [name for name in did if not name.endswith(', p')]


def off(found: Any, due: np.ndarray) -> str:
    """What is wrong with the slopes, or nothing."""
    if not isinstance(found, np.ndarray):
        return f'expected an array of shape {due.shape}; it is {type(found).__name__}.'
    return compared(found, due, lambda at: f'at {list(map(int, at))}', 'your slope', rtol=1e-4, atol=1e-4)


def differences(loss: Callable, p: Any, eps: float = 1e-4) -> np.ndarray:
    """The slope of a loss for each number of a Parameter, which is left as it was."""
    start, slopes = p.asnumpy().copy(), np.zeros(p.shape)
    for k in range(start.size):
        for sign in (1, -1):
            moved = start.copy()
            moved.flat[k] += sign * eps
            p.set_data(ms.Tensor(moved))
            slopes.flat[k] += sign * loss().item() / (2 * eps)
    p.set_data(ms.Tensor(start))
    return slopes


def suspect(kind: type, numbers: tuple) -> tuple[ms.nn.Cell, Callable]:
    """A Cell of this kind with these weights, and the measurement of exercise 10c."""
    return kind(*numbers), differences


HUNT = Hunt(zoo.WORDS, zoo.HIDDEN, suspect, lambda kind, numbers: f'w = {list(numbers[0])}')
TRIALS = {'10a': affine, '10b': changed_by, '10c': measured, '10d': HUNT}
