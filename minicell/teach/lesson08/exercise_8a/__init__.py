"""Exercise 8a: the gradient of a number that stands on the threshold, or next to it."""

from functools import cache
from typing import Any

import minicell as ms
from minicell.teach.exercise import Trial

from .cases import CASES

TASK = (
    'Each case is one number that stands on the threshold, or looks as if it did. Write the gradient of each: 0, 1, or '
    'something else.'
)
NAME = 'slopes'
HINTS = (
    'A and B have the same number on both sides. What does `>` say of two equal numbers, and what `>=`?',
    'Then ask in which dtype the two are compared. A Python number takes the dtype of the Tensor. Two Tensors meet in '
    'the larger dtype of the two, and neither changes its value. The cell `digits` shows what 0.1 is in each of them.',
    'C and D are not ties: the left side is larger by a little. E is none either: float16 has rounded 0.1 down. F is a '
    'tie, and there is no branch to choose: both arguments of `maximum` get the same share.',
)


@cache
def due() -> dict[str, float]:
    """The gradient of each case, by running it."""
    return {letter: float(ms.grad(f)(x).asnumpy()[0]) for letter, (f, x) in CASES.items()}


def trial(answer: Any) -> Trial:
    """Compare a dict of gradients with what backward hands out."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {letter: number(answer.get(letter, ...)) for letter in CASES}
    if all(each is ... for each in given.values()):
        return Trial(False, False, {}, '')
    strange = [f'{letter}: {given[letter]!r}' for letter in CASES if not isinstance(given[letter], float | type(...))]
    wrong = [letter for letter in CASES if given[letter] is not ... and given[letter] != due()[letter]]
    open_ = [letter for letter in CASES if given[letter] is ...]
    right = len(CASES) - len(wrong) - len(open_)
    said = f'{right} of {len(CASES)} are right.'
    if strange:
        said = f'{strange[0]} is no number.'
    elif wrong:
        said += f' {wrong[0]} is not {given[wrong[0]]:g}.'
    elif open_:
        said += f' Still open: {", ".join(open_)}.'
    return Trial(True, right == len(CASES), given, said)


def number(answer: Any) -> Any:
    """A number as a float; whatever else it is, as it is."""
    return float(answer) if isinstance(answer, int | float) else answer
