"""Lesson 10: its figure of a weight used often; trials of its owners, who changes which, and of a check."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.bprop_check import BpropCheck
from minicell.teach.trials import ERRORS, Hunt, Trial, begun, compared, function_of, points, quiet, sorted_words

from . import zoo
from .figures import FIGURES

W_AND_B = {'w': [1.5, -0.7, 0.0], 'b': [-2.0, 0.0, 1.1]}  # not what the start writes into them; a 0 in each


def batches(*rows: int, seed: int) -> dict[str, Any]:
    """Batches of so many rows, by what is said of them."""
    made = {f'{n} row{"s" * (n > 1)}': points((n, 3), seed=seed + n) for n in rows}
    return {name: [ms.Tensor(x.asnumpy(), ms.float32)] for name, (x,) in made.items()}


affine = BpropCheck(
    'Affine', ('dx', 'dw', 'db'), lambda x, w, b: w * x + b, 'w * x + b', batches(4, 1, 2, seed=10), parameters=W_AND_B
)

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
    with quiet():  # the warnings are what this exercise is about
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
    row, square, cut = (ms.Parameter(ms.Tensor(np.array(p) + moved * np.sign(p)), name='p') for p in ROW_SQUARE_CUT)
    x = ms.Tensor(np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 1.5]]))
    hidden, mean = zoo.NoW(*zoo.ONE), zoo.Mean(*zoo.ONE)
    for cell in (hidden, mean):
        cell.w.set_data(ms.Tensor(cut.asnumpy()))
    made = {
        'a loss of the third order': (lambda: ((row * x) ** 3).sum(), row),
        'a Parameter with two rows': (lambda: (ms.ops.exp(square) * square[::-1]).sum(), square),
        'a loss of some millionths': (lambda: 1e-6 * ((row * x) ** 3).sum(), row),
        'a Cell whose bprop leaves w out': (lambda: (hidden(x) ** 2).sum(), hidden.w),
        'a Cell whose bprop takes a mean': (lambda: (mean(x) ** 2).sum(), mean.w),
    }
    due = [ms.grad(loss, None, [p])()[0].asnumpy() for loss, p in list(made.values())[:3]]
    due += [(2 * (cell.w * x + cell.b) * x).sum(0).asnumpy() for cell in (hidden, mean)]
    return {name: (*each, true) for (name, each), true in zip(made.items(), due, strict=True)}


ROW_SQUARE_CUT = ([0.0, -1.0, 0.512345678], [[0.312345678, -0.8], [0.0, 1.1]], [0.412345678, -2.0, 0.0])
EPS = 1e-3  # so large that a push to one side is told from two


def measured(answer: Any, moved: float = 0.0) -> Trial:
    """Try a function that measures the slopes of a loss, and see whether it leaves the Parameter as it was."""
    function_of(answer, 'differences')
    did: dict[str, Any] = {}
    wrong, tried = [], cases(moved)
    for name, (loss, p, due) in tried.items():
        before = p.asnumpy().copy()
        try:
            found = begun(answer(loss, p, EPS))
        except (*ERRORS, LookupError) as error:
            kind = type(begun(error)).__name__
            return Trial(True, False, {'raised': kind}, f'{name}:\n{kind}: {error}')
        found = found.asnumpy() if isinstance(found, ms.Tensor) else found
        wrongly = off(found, due)  # what is near enough counts as what is due: the last digits tell no mistake
        did[name] = due if not wrongly else found if isinstance(found, np.ndarray) else type(found).__name__
        did[f'{name}, p'] = 'as it was' if np.array_equal(p.asnumpy(), before) else 'changed'
        p.set_data(ms.Tensor(before))
        said = wrongly or ('' if did[f'{name}, p'] == 'as it was' else f'the slopes are right, but {CHANGED}')
        wrong += [f'{name}: {said}'] if said else []
    done = f'Your slopes agree with the true ones: {"; ".join(tried)}. And p is as it was.'
    return Trial(True, not wrong, did, wrong[0] if wrong else done)


CHANGED = 'p is not as it was before.'


def off(found: Any, due: np.ndarray) -> str:
    """What is wrong with the slopes, or nothing."""
    if not isinstance(found, np.ndarray):
        return f'expected an array of shape {due.shape}; it is {type(found).__name__}.'
    atol = 1e-4 * float(np.max(np.abs(due)))
    return compared(found, due, lambda at: f'at {list(map(int, at))}', 'your slope', rtol=1e-4, atol=atol)


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
