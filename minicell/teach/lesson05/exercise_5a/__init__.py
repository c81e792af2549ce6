"""Exercise 5a: which of eight malformed bprops raise, which are silent and wrong, which are fine?"""

from typing import Any

from minicell.teach.exercise import Trial

from ..specimens import SPECIMENS, here

TASK = (
    'What will minicell do with each of the eight? Write `raises` (an error ends the run), `silent` (a wrong number '
    'arrives, and nobody complains) or `fine` (the right number arrives).'
)
NAME = 'guesses'
WORDS = ('raises', 'silent', 'fine')
HINTS = (
    'Ask of each line what minicell can see without knowing the maths: is it a tuple, are there as many gradients as '
    'inputs, has each the shape of its input?',
    'Whatever can be seen that way raises. For the rest ask yourself: is the number that arrives the right one?',
    'Five raise, two are silent, one is fine. `None` says: no gradient, and that counts as 0. A dtype can be cast '
    'without changing what is meant; a shape cannot.',
)


def trial(answer: Any) -> Trial:
    """Compare a dict of guesses with what the eight do when they run."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {str(number): answer.get(number, ...) for number in SPECIMENS}
    if all(word is ... for word in given.values()):
        return Trial(False, False, {}, '')
    due = {str(number): here(number).verdict for number in SPECIMENS}
    strange = [f'{word!r}' for word in given.values() if word is not ... and word not in WORDS]
    open_ = [number for number, word in given.items() if word is ...]
    wrong = [number for number in due if number not in open_ and given[number] != due[number]]
    right = len(due) - len(open_) - len(wrong)
    said = f'{right} of {len(due)} are right.'
    if strange:
        said = f'{strange[0]} is none of the three words: {", ".join(WORDS)}.'
    elif wrong:
        said += f' Number {wrong[0]}, `{SPECIMENS[int(wrong[0])].line}`: {happened(int(wrong[0]))}'
    elif open_:
        said += f' Still open: {", ".join(open_)}.'
    return Trial(True, right == len(due), given, said)


def happened(number: int) -> str:
    """What came of a specimen, in a sentence."""
    outcome = here(number)
    if outcome.verdict == 'raises':
        return f'it raises {outcome.error}. {outcome.said}'
    arrived = ', '.join(f'{v:g}' for v in outcome.gradient.tolist())
    return f'no error. What arrives is {arrived}: {"right" if outcome.verdict == "fine" else "wrong"}.'
