"""Exercise 6a: name the bug of every suspect."""

from typing import Any

from minicell.teach.exercise import Trial
from minicell.teach.lesson06.suspects import BUGS, LETTERS

TASK = (
    'Say for each suspect what is wrong with its `bprop`. Write one of '
    + ', '.join(f"`'{bug}'`" for bug in BUGS)
    + ", or `'nothing'` for one that is right."
)
NAME = 'bugs'
HINTS = (
    'Begin with the tests of one call. A `dout` of zeros parts those who listen to `dout` from those who do not. '
    '`one_hot` finds a `dx` that is not there.',
    '`weights` fails for a `dx` that is not made of `w`. `batch` fails where somebody divided by the size of the '
    'batch, or threw sizes away. `twice` fails where a gradient does not grow with `dout`.',
    'Two suspects pass all tests up to `slope`. Read its number: it says what the gradient was multiplied by.',
)


def trial(answer: Any) -> Trial:
    """Compare a dict of letters and bugs with the truth."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no dict'}, said)
    if all(answer.get(letter, ...) is ... for letter in LETTERS if letter != 'A'):  # A is the example
        return Trial(False, False, {}, '')
    did = {letter: answer.get(letter, ...) for letter in LETTERS}
    strange = [str(bug) for bug in did.values() if bug is not ... and bug not in (*BUGS, 'nothing')]
    if strange:
        said = f'Not in the list: {", ".join(strange)}. There are: {", ".join((*BUGS, "nothing"))}.'
        return Trial(True, False, did, said)
    right = [letter for letter, bug in did.items() if bug == LETTERS[letter]]
    wrong = [letter for letter, bug in did.items() if bug is not ... and letter not in right]
    parts = [('Right', right), ('Look again at', wrong), ('Not named yet', [k for k, bug in did.items() if bug is ...])]
    said = '\n'.join(f'{head}: {", ".join(letters)}.' for head, letters in parts if letters)
    return Trial(True, len(right) == len(LETTERS), {k: bug for k, bug in did.items() if bug is not ...}, said)
