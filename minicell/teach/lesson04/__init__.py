"""Lesson 04: its figures, and the trials of central differences, four Cells to be sorted, and a whole check."""

import warnings
from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.trials import ERRORS, Trial, begun, dice, function_of, shuffled, sorted_words

from .figures import FIGURES
from .hidden import HIDDEN, ROW, Hidden
from .suspects import SUSPECTS, classify

WIDE, NARROW = 0.12, 1e-5  # on the wide one each way to differ has numbers of its own; on the narrow one it is right
CLOSE = 1e-8  # of the largest slope
SMALL = 3e-10  # makes slopes so small that digits which are cut off are missed
UNIT = {'small': SMALL}  # in which what was done is noted: two answers differ there as elsewhere
TRIES = 4  # of a check that throws, to find what is wrong
TINY = 1e-8  # a step that leaves few digits of a difference


def cubes(x: np.ndarray) -> float:
    """A function whose slope differs from number to number, in size and in sign."""
    return float(np.sum(weights(x) * x**3))


def weights(x: np.ndarray) -> np.ndarray:
    """1, -2, 3, ..."""
    return np.arange(1, x.size + 1) * np.resize([1.0, -1.0], x.size)


def mixed(x: np.ndarray) -> float:
    """A function whose numbers meet."""
    return float(np.sin(x[0]) * x[1] - np.exp(x[-1]) * x[0])


X = np.array([0.5, 1.0, 0.0, 2.0])  # the slopes of cubes are 0.75, -6, 0 and -48
FEW = np.array([-0.7, 0.0, 1.3])


def truth(eps: float, x: np.ndarray, few: np.ndarray) -> dict[str, np.ndarray]:
    """The slopes that are expected, by central differences with this eps where it is seen."""
    first, second, last = few
    return {
        'wide': weights(x) * (3 * x**2 + eps**2),  # the cube's central difference is off by eps squared, exactly
        'narrow': weights(x) * 3 * x**2,
        'small': weights(x) * 3 * x**2,
        'mixed': np.array([np.cos(first) * second - np.exp(last), np.sin(first), -np.exp(last) * first]),
    }


def slopes(answer: Any, row: np.ndarray = X, few: np.ndarray = FEW) -> Trial:
    """Try a function that works out slopes: on two functions, with a wide and a narrow eps."""
    function_of(answer, 'slopes')
    did: dict[str, Any] = {'x': 'as it was'}  # first: who changes x makes the other mistakes because of that
    low = lambda x: SMALL * cubes(x)
    tries = ('wide', cubes, row, WIDE), ('narrow', cubes, row, NARROW), ('small', low, row, NARROW)
    for name, f, x, eps in (*tries, ('mixed', mixed, few, NARROW)):
        given, seen = x.copy(), []

        def watched(z: np.ndarray, f: Any = f, seen: list = seen) -> float:
            seen.append(np.array(z, np.float64))
            return f(z)

        found = begun(answer(watched, given, eps))
        if name == 'wide':
            did['moved'] = moved(seen, x, eps)
        kept = isinstance(found, np.ndarray) and found.dtype == x.dtype
        did[name] = found / UNIT.get(name, 1) if kept else str(getattr(found, 'dtype', type(found).__name__))
        if not np.array_equal(given, x):
            did['x'] = 'changed'
    return judged(did, row, few)


def moved(seen: list[np.ndarray], x: np.ndarray, eps: float) -> str:
    """How many numbers of x the answer moved, and how far."""
    moves = [np.abs(z - x) for z in seen if z.shape == x.shape and not np.array_equal(z, x)]
    if not moves:
        return 'not at all'
    many = [int(np.count_nonzero(move)) for move in moves]
    how = {1: 'one number', x.size: 'all at once'}.get(many[0], 'some') if len(set(many)) == 1 else ''
    how = how or str([np.round(move / eps, 1).tolist() for move in moves])
    near = {0.0: 'hardly', 0.5: 'half', 1.0: 'eps'}
    shares = sorted({round(float(np.max(move)) / eps, 3) for move in moves})
    return f'{how}, by {", ".join(near.get(share, f"{share:.1g} eps") for share in shares)}'


def judged(did: dict[str, Any], row: np.ndarray, few: np.ndarray) -> Trial:
    """Compare with the formula on the wide step, and with the calculus on the narrow ones.

    Half of eps up and half of eps down is a central difference as well.
    """
    half = did['moved'] == 'one number, by half'
    due = truth(WIDE / 2 if half else WIDE, row, few)
    for name, right in due.items():
        got = did[name]
        eps = WIDE if name == 'wide' else NARROW
        if not isinstance(got, np.ndarray):
            return Trial(True, False, did, f'slopes returned {got}; expected an array of float64.')
        if got.shape != right.shape:
            return Trial(True, False, did, f'slopes returned shape {got.shape}; expected {right.shape}.')
        off = float(np.max(np.abs(got - right)))
        if not off <= CLOSE * float(np.max(np.abs(right))):
            mine, true = (listed(each * UNIT.get(name, 1)) for each in (got, right))
            said = f'With eps = {eps:g}, yours says {mine}; central differences say {true}.'
            if mine == true:
                said += f' In digits that are not shown, yours is off by up to {off * UNIT.get(name, 1):.0e}.'
            return Trial(True, False, did, said)
    if did['x'] == 'changed':
        return Trial(True, False, did, 'The slopes are right, but x is not what it was before.')
    off = float(np.max(np.abs(did['narrow'] - due['narrow'])))
    said = f'With eps = {NARROW:g} your slopes are off by {off:.0e} at most, on three functions.'
    return Trial(True, True, did, said + ' (You move by half of eps. That is a central difference as well.)' * half)


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
    wrong = lambda letter, word: f'{letter} is not “{word}”. The checks say: {found()[letter][1]}.'
    done = '\n'.join(f'{letter}: {word} ({how})' for letter, (word, how) in found().items())
    return sorted_words(answer, 'verdicts', due, WORDS, wrong, done)


# ---- 4c ------------------------------------------------------------------------------------------------------------


def agrees(answer: Any, cells: dict[str, Hidden] = HIDDEN, row: np.ndarray = ROW) -> Trial:
    """Ask a learner's check about Cells that are right and Cells that are wrong."""
    function_of(answer, 'agrees')
    verdicts: dict[str, Any] = dict.fromkeys(cells)
    seen: list[np.ndarray] = []
    douts: list[np.ndarray] = []
    for _, (name, hidden) in shuffled(list(cells.items())):
        with dice(16):  # so that an answer gets the same verdict each time
            for _ in range(1 if hidden.right else TRIES):  # a random dout may have no negative number
                verdicts[name] = verdict_on(answer, hidden.cell(seen, douts), row)
                if verdicts[name] != 'True':
                    break
    moved = usual_step(seen, row)
    did = {'moved': moved, 'verdicts': f'{moved}, dout {kind(douts)}: {", ".join(verdicts.values())}'}
    wrong = [name for name, said in verdicts.items() if said != str(cells[name].right)]
    if not wrong:
        return Trial(True, True, did, f'All {len(cells)} hidden Cells are told apart, the right ones from the wrong.')
    name = wrong[0]
    said = f'{len(cells) - len(wrong)} of {len(cells)} hidden Cells are judged correctly. For example, a Cell '
    said += f'whose bprop {cells[name].said}: yours says {verdicts[name]}; expected {cells[name].right}.'
    return Trial(True, False, did, said)


def verdict_on(answer: Any, cell: ms.nn.Cell, row: np.ndarray) -> str:
    """What a check says of a Cell, as a word."""
    try:
        found = begun(answer(cell, row.copy()))
    except ERRORS as error:
        return f'{type(begun(error)).__name__}: {error}'.splitlines()[0]
    return str(bool(found)) if isinstance(found, bool | np.bool_) else f'a {type(found).__name__}'


def usual_step(seen: list[np.ndarray], row: np.ndarray) -> str:
    """How far x was moved, where it was moved."""
    steps = [float(np.max(np.abs(x - row))) for x in seen if x.shape == row.shape]
    steps = [step for step in steps if step]
    return 'not at all' if not steps else 'hardly' if np.median(steps) < TINY else 'enough'


def kind(douts: list[np.ndarray]) -> str:
    """What the douts had in common with which a bprop was asked: two checks may say the same for other reasons."""
    if all(np.ptp(dout) == 0 for dout in douts):
        return 'of ones' if douts and np.all(douts[0] == 1) else 'of one number'
    return 'of both signs' if any(dout.min() < 0 < dout.max() for dout in douts) else 'of one sign'


TRIALS = {'4a': slopes, '4b': verdicts, '4c': agrees}
