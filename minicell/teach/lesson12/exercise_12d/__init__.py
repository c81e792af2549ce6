"""Exercise 12d: five surrogates, one word for each."""

from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial
from minicell.teach.lesson12.surrogates import FAULTS, SUSPECTS

TASK = (
    'Five surrogates, A to E. Ask each for its gradient, and say what is wrong with it. Each word is used once: '
    f'{", ".join(f"`{word}`" for word in FAULTS)}.'
)
NAME = 'verdicts'
HINTS = (
    'You need no training. `ask(A)` in a cell of your own gives the slope at seven places: a surrogate is a `bprop`, '
    'and you can call it.',
    'A slope of a step is never negative, is largest near the threshold, and is not 0 everywhere. Its height is free. '
    'Which of A to D keeps all three?',
    'One is left, and its slopes look fine. Ask it again with another `dout`: `ask(E, dout=-2.0)`.',
)
AT = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])


def ask(cell: Any, dout: float = 1.0) -> np.ndarray:
    """What a surrogate's bprop says at seven places."""
    x = ms.Tensor(AT)
    cell = cell() if isinstance(cell, type) else cell
    return ms.grad(lambda x: (dout * cell(x)).sum())(x).asnumpy()


def fault(cell: Any) -> tuple[str, str]:
    """The word for a surrogate, and the measurement behind it."""
    slope = ask(cell)
    if not slope.any():
        return 'dead', 'its slope is 0 at every place'
    if (slope < 0).any():
        return 'sign', f'its slope is {slope.min():.2f} at {AT[slope.argmin()]:g}'
    if abs(AT[slope.argmax()]) > 0.5:
        return 'off centre', f'its slope is largest at {AT[slope.argmax()]:g}'
    if np.allclose(ask(cell, -2.0), slope):
        return 'deaf', 'for a dout of −2 it says the same as for 1'
    return (
        'fine',
        f'never negative, largest at {AT[slope.argmax()]:g}, follows dout; its height of {slope.max():g} is free',
    )


@cache
def found() -> dict[str, tuple[str, str]]:
    """The word for each suspect, and the measurement behind it."""
    return {letter: fault(kind) for letter, kind in SUSPECTS.items()}


def trial(answer: Any) -> Trial:
    """Compare a dict of words with what was measured."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {letter: answer.get(letter, ...) for letter in SUSPECTS}
    if all(word is ... for word in given.values()):
        return Trial(False, False, {}, '')
    left = [letter for letter, word in given.items() if word is ...]
    strange = [f'{word!r}' for word in given.values() if word is not ... and word not in list(FAULTS)]
    wrong = [letter for letter in SUSPECTS if letter not in left and given[letter] != found()[letter][0]]
    if strange:
        said = f'{strange[0]} is none of the words: {", ".join(FAULTS)}.'
    elif wrong:
        said = f'{wrong[0]} is not “{given[wrong[0]]}”. Measured: {found()[wrong[0]][1]}.'
    elif left:
        said = f'So far so good. Still open: {", ".join(left)}.'
    else:
        said = '\n'.join(f'{letter}: {word} ({how})' for letter, (word, how) in found().items())
    return Trial(True, not (strange or wrong or left), given, said)
