"""The trials of lesson 05: guesses about eight malformed bprops, and one that is to be repaired."""

from typing import Any

from minicell.teach.trials import Trial, bprop_check, points, sorted_words

from .specimens import SPECIMENS, here

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


def inputs(rows: int, columns: int, k: float) -> list[Any]:
    """x, y and k."""
    return [*points((columns,), (rows, columns), seed=5), k]


blend = bprop_check(
    'Blend',
    ('dx', 'dy', 'dk'),
    lambda x, y, k: k * (x * y).mean(0),
    'k times the mean of the rows',
    {f'x ({columns},), y ({rows}, {columns}), k {k:g}': inputs(rows, columns, k) for rows, columns, k in TRIED},
    by_hand=inputs(3, 4, 2.5),
)

TRIALS = {'5a': guesses, '5b': blend}
