"""Exercise 4b: which of four Cells is right, wrong, wrong only at second order, or right with a kink?"""

from functools import cache
from typing import Any

from minicell.teach.exercise import Trial

from .suspects import SUSPECTS, classify

TASK = (
    'Check the Cells A, B, C and D at first and at second order, and sort them. Each word is used once: `right`, '
    '`wrong`, `wrong at second order`, `right, with a kink`.'
)
NAME = 'verdicts'
WORDS = ('right', 'wrong', 'wrong at second order', 'right, with a kink')
HINTS = (
    'First order: `ms.check_bprop(A(), x)`, and the same for the others. Which of them has a ✗ at its first line?',
    'Read the lines below the ✓ too. One of them says that differences do not agree, and asks whether there is a kink.',
    'Second order is the same check on the gradient: `ms.check_bprop(ms.grad(A()), x)`. Leave 0 out of `x` there: '
    'at a kink there is no second derivative to agree on.',
)


@cache
def found() -> dict[str, tuple[str, str]]:
    """The word for each Cell, and the measurement behind it."""
    return {letter: classify(kind) for letter, kind in SUSPECTS.items()}


def trial(answer: Any) -> Trial:
    """Compare a dict of words with what the checks say."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {letter: answer.get(letter, ...) for letter in SUSPECTS}
    if all(word is ... for word in given.values()):
        return Trial(False, False, {}, '')
    open_ = [letter for letter, word in given.items() if word is ...]
    strange = [f'{word!r}' for word in given.values() if word is not ... and word not in WORDS]
    wrong = [letter for letter in SUSPECTS if letter not in open_ and given[letter] != found()[letter][0]]
    if strange:
        said = f'{strange[0]} is none of the four words: {", ".join(WORDS)}.'
    elif wrong:
        said = f'{wrong[0]} is not “{given[wrong[0]]}”. Measured, {found()[wrong[0]][1]}.'
    elif open_:
        said = f'So far so good. Still open: {", ".join(open_)}.'
    else:
        said = '\n'.join(f'{letter}: {word} ({how})' for letter, (word, how) in found().items())
    return Trial(True, not (strange or wrong or open_), given, said)
