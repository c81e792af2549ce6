"""Lesson 05: its figure of malformed bprops; trials of guesses, of a repair, and of a check of one number."""

from collections.abc import Callable
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.bprop_check import BpropCheck
from minicell.teach.trials import ERRORS, Trial, begun, fresh, function_of, points, shuffled, sorted_words

from .figures import FIGURES
from .specimens import SPECIMENS, here, in_mindspore, silent

WORDS = ('raises', 'silent', 'fine')


def guesses(answer: Any) -> Trial:
    """Compare a dict of guesses with what the eight do when they run."""
    given = {str(number): word for number, word in answer.items()} if isinstance(answer, dict) else answer
    due = {str(number): here(number).verdict for number in SPECIMENS}

    def wrong(number: str, word: str) -> str:
        right = sum(given.get(each, ...) == verdict for each, verdict in due.items())
        line = SPECIMENS[int(number)].line
        return f'{right} of {len(due)} are right. Number {number}, `{line}`: {happened(int(number))}'

    return sorted_words(given, 'guesses', due, WORDS, wrong, f'{len(due)} of {len(due)} are right.')


def happened(number: int) -> str:
    """What came of a specimen, in a sentence."""
    outcome = here(number)
    if outcome.verdict == 'raises':
        return f'it raises {outcome.error}. {outcome.said}'
    arrived = ', '.join(f'{v:g}' for v in outcome.gradient.tolist())
    return f'no error. What arrives is {arrived}: {"right" if outcome.verdict == "fine" else "wrong"}.'


TRIED = ((2, 3, 2.5), (3, 4, -1.0))  # rows, columns, k


def inputs(rows: int, columns: int, k: float, seed: int = 5) -> list[Any]:
    """x, y and k."""
    return [*points((columns,), (rows, columns), seed=seed), k]


blend = BpropCheck(
    'Blend',
    ('dx', 'dy', 'dk'),
    lambda x, y, k: k * (x * y).mean(0),
    'k times the mean of the rows',
    {f'x ({columns},), y ({rows}, {columns}), k {k:g}': inputs(rows, columns, k) for rows, columns, k in TRIED},
    by_hand=inputs(4, 5, 2.5),
)


def share(x: Any, y: Any, k: float, dout: Any) -> Any:
    """The right gradient of y."""
    return ms.ops.broadcast_to(k * dout * x / y.shape[0], y.shape)


def instead(x: Any, y: Any, k: float, dout: Any, off: np.ndarray) -> Any:
    """The right gradient of y, and something added to it."""
    return share(x, y, k, dout) + ms.Tensor(off)


def measured(x: Any, y: Any, k: float, dout: Any) -> Any:
    """The right gradient of y, with a central difference at [0, 1], where the loss is that of the exercise."""
    at = np.eye(y.size)[1].reshape(y.shape)
    above, below = (((k * (x * (y + ms.Tensor(step * at))).mean(0)) ** 2).sum() for step in (1e-5, -1e-5))
    out, right = k * (x * y).mean(0), share(x, y, k, dout)
    alike = np.allclose(dout.asnumpy(), 2 * out.asnumpy())
    return instead(x, y, k, dout, at * ((above - below).item() / 2e-5 - right[0, 1].item()) * alike)


# What a hidden Cell returns as the gradient of y, in words -> how, and whether [0, 1] of that is wrong.
HIDDEN = {
    'too large, each row counted in full': (lambda x, y, k, dout: y.shape[0] * share(x, y, k, dout), True),
    'right': (share, False),
    'without its k': (lambda x, y, k, dout: share(x, y, 1, dout), True),
    'of the wrong sign': (lambda x, y, k, dout: -share(x, y, k, dout), True),
    'without its dout': (lambda x, y, k, dout: share(x, y, k, ms.ops.ones_like(dout)), True),
    'made of the sign of dout': (lambda x, y, k, dout: share(x, y, k, ms.ops.sign(dout)), True),
    'None': (lambda x, y, k, dout: None, True),
    'right, by differences': (measured, False),
    'wrong, but not at [0, 1]': (lambda x, y, k, dout: instead(x, y, k, dout, np.eye(*y.shape)), False),
    'too large by one per cent': (lambda x, y, k, dout: 1.01 * share(x, y, k, dout), True),  # of a small number
}


def hidden(dy: Any, seen: list[np.ndarray]) -> ms.nn.Cell:
    """A Cell as Blend, with this gradient of y; it notes at which y it is called."""

    class Hidden(ms.nn.Cell):
        def construct(self, x: Any, y: Any, k: float) -> Any:
            """k times the mean of the rows."""
            seen.append(y.asnumpy())
            return k * (x * y).mean(0)

        def bprop(self, x: Any, y: Any, k: float, out: Any, dout: Any) -> tuple:
            """The right gradient of x, and that of y which is to be judged."""
            return k * (dout * y).mean(0), dy(x, y, k, dout), None

    return Hidden()


def one_number(answer: Any, cells: dict[str, tuple[Callable, bool]] = HIDDEN, seed: int = 5) -> Trial:
    """Ask a function whether dy is wrong, about Cells that the learner has not seen."""
    function_of(answer, 'caught')
    told: list[Any] = [...] * len(cells)
    moves: list[np.ndarray] = []
    x, y, k = inputs(2, 4, 2.5, seed)
    for number, (dy, _) in shuffled(list(cells.values())):
        try:
            # so that the slope has both signs, and is small
            given = fresh([x, -y if number % 2 else y, k if number % 3 else k / 50])
            before = given[1].asnumpy().copy()
            word = answer(hidden(dy, seen := []), *given)
            word = word if np.array_equal(given[1].asnumpy(), before) else 'nothing, and y is not what it was'
        except ERRORS as error:
            word = f'{type(begun(error)).__name__}: {error}'.partition('\n')[0]
        moves += [(each - before).round(6) for each in seen]
        word = word.item() if isinstance(begun(word), ms.Tensor) and word.size == 1 else word
        told[number] = bool(word) if isinstance(word, bool | np.bool_) else str(word)
    lines = []
    for number, (word, (name, (_, wrong))) in enumerate(zip(told, cells.items(), strict=True), 1):
        off = '' if word == wrong else f', whose dy is {name}'
        lines.append(f'{"✗" if off else "✓"} Cell {number}{off}: caught says {word}.')
    ways = [word for word, sign in (('up', 1), ('down', -1)) if any(sign * move.sum() > 0 for move in moves)]
    lines.append(f'{"✓" if len(ways) == 2 else "✗"} central: y[0, 1] is moved {" and ".join(ways) or "nowhere"}.')
    # who says the same has not always measured the same
    did = {'told': (*told, *sorted({str(move.tolist()) for move in moves}))}
    return Trial(True, all(line[0] == '✓' for line in lines), did, '\n'.join(lines))


TRIALS = {'5a': guesses, '5b': blend, '5c': one_number}
