"""The trials of lesson 04: slopes by central differences, and four Cells to be sorted."""

from functools import cache
from typing import Any

import numpy as np

from minicell.teach.trials import BLANK, Trial, half_begun, sorted_words

from .suspects import SUSPECTS, classify

WIDE, NARROW = 1e-1, 1e-5  # on the wide one each way to differ has numbers of its own; on the narrow one it is right
CLOSE = 1e-7


def cubes(x: np.ndarray) -> float:
    """A function with another slope by each number, none of them 0."""
    return float(np.sum(np.arange(1, x.size + 1) * x**3))


def mixed(x: np.ndarray) -> float:
    """A function whose numbers meet."""
    return float(np.sin(x[0]) * x[1] + np.exp(x[-1]) * x[0])


def slopes(answer: Any) -> Trial:
    """Try a function that works out slopes: on two functions, with a wide and a narrow eps."""
    if not callable(answer):
        said = f'check wants the function slopes; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    did: dict[str, Any] = {}
    x = np.array([0.5, -1.0, 2.0])
    for name, f, eps in (('wide', cubes, WIDE), ('narrow', cubes, NARROW), ('mixed', mixed, NARROW)):
        given, seen = x.copy(), []

        def watched(z: np.ndarray, f: Any = f, seen: list = seen) -> float:
            seen.append(np.array(z, np.float64))
            return f(z)

        try:
            found = answer(watched, given, eps)
        except TypeError as error:
            if half_begun(error):
                return BLANK
            raise
        if found is ...:
            return BLANK
        if name == 'wide':
            did['moved'] = moved(seen, x, eps)
        did[name] = np.asarray(found, np.float64) if isinstance(found, np.ndarray) else type(found).__name__
        if not np.array_equal(given, x):
            did['x'] = 'changed'
    return judged(did, x)


def moved(seen: list[np.ndarray], x: np.ndarray, eps: float) -> str:
    """How far the answer moved x, the first time that it did."""
    first = next((np.abs(z - x) for z in seen if z.shape == x.shape and not np.array_equal(z, x)), None)
    if first is None:
        return 'not at all'
    how = 'all at once' if np.count_nonzero(first) > 1 else 'one number'
    share = float(np.max(first)) / eps
    return f'{how}, by {"less" if share < 0.9 else "more" if share > 1.1 else "eps"}'


def judged(did: dict[str, Any], x: np.ndarray) -> Trial:
    """Compare with the formula on the wide step, and with the calculus on the narrow ones."""
    weights = np.arange(1, x.size + 1)
    due = {
        'wide': weights * (3 * x**2 + WIDE**2),  # the cube's central difference is off by eps², exactly
        'narrow': weights * 3 * x**2,
        'mixed': np.array([np.cos(x[0]) * x[1] + np.exp(x[-1]), np.sin(x[0]), np.exp(x[-1]) * x[0]]),
    }
    for name, right in due.items():
        got = did[name]
        eps = WIDE if name == 'wide' else NARROW
        if not isinstance(got, np.ndarray):
            return Trial(True, False, did, f'An array is due; slopes returned {got}.')
        if got.shape != right.shape:
            return Trial(True, False, did, f'Shape {right.shape} is due; slopes returned shape {got.shape}.')
        off = float(np.max(np.abs(got - right)))
        if not off <= CLOSE * (1 + float(np.max(np.abs(right)))):
            said = f'With eps = {eps:g}, yours says {listed(got)}; central differences say {listed(right)}.'
            if listed(got) == listed(right):
                said += f' In digits that are not shown, yours is off by up to {off:.0e}.'
            return Trial(True, False, did, said)
    if 'x' in did:
        return Trial(True, False, did, 'The slopes are right, but x is not what it was before.')
    off = float(np.max(np.abs(did['narrow'] - due['narrow'])))
    return Trial(True, True, did, f'With eps = {NARROW:g} your slopes are off by {off:.0e} at most, on two functions.')


def listed(row: np.ndarray) -> str:
    """A row of numbers for a sentence."""
    return ', '.join(f'{number:.5g}' for number in row)


# ---- 4b ------------------------------------------------------------------------------------------------------------

WORDS = ('right', 'wrong', 'wrong at second order', 'right, with a kink')


@cache
def found() -> dict[str, tuple[str, str]]:
    """The word for each Cell, and the measurement behind it."""
    return {letter: classify(kind) for letter, kind in SUSPECTS.items()}


def verdicts(answer: Any) -> Trial:
    """Compare a dict of words with what the checks say."""
    due = {letter: word for letter, (word, _) in found().items()}
    wrong = lambda letter, word: f'{letter} is not “{word}”. Measured, {found()[letter][1]}.'
    done = '\n'.join(f'{letter}: {word} ({how})' for letter, (word, how) in found().items())
    return sorted_words(answer, 'verdicts', due, WORDS, wrong, done)


TRIALS = {'4a': slopes, '4b': verdicts}
