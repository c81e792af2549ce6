"""Lesson 11: its figures of runs and graphs; trials of a bprop without an `if`, of statements, and of a hunt."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.core.errors import MinicellError
from minicell.teach.trials import Ended, Trial, begun, cell_of, dots, end, sorted_words

from .figures import FIGURES
from .hunt import hunt
from .statements import STATEMENTS, mode, modes

# x that is traced, x that is replayed, and dout
ROWS = np.array([[1.0, 2.0, 3.0, 0.5], [-0.01, 0.01, -3.0, 0.0], [-2.0, 0.5, 4.0, 3.0]])


def leaky(answer: Any, rows: np.ndarray = ROWS) -> Trial:
    """Trace with positive numbers, replay with mixed ones, both in graph mode, and compare with what the `if` gives."""
    cell = cell_of(answer, 'Leaky')
    first, later, dout = rows
    asked(cell, ms.Tensor(later))
    did, lines, found = {}, [], []
    with mode(ms.GRAPH_MODE):
        for name, x in (('traced', first), ('replayed', later)):
            try:
                dx = ms.grad(lambda x: (ms.Tensor(dout) * cell(x)).sum())(ms.Tensor(x)).asnumpy()
            except MinicellError as error:
                did['raised'] = str(error).splitlines()[0].split(' inside ')[0]
                lines.append(f'✗ {str(error).splitlines()[0]}')
                break
            due = dout * np.where(x > 0, 1.0, 0.1)
            found.append(np.asarray(dx, np.float64))
            if not np.isfinite(found[-1]).all():
                at = x[~np.isfinite(found[-1])][0]
                lines.append(f'✗ {name}: at x = {at:g} your gradient is {found[-1][x == at][0]}')
                continue
            lines.append(f'{"✓" if np.allclose(dx, due) else "✗"} {name}, x = {x}: {dx}, and it should be {due}')
        else:
            did['dx'] = np.concatenate(found)  # as one: half of it would fit several beliefs
    return Trial(True, all(line[0] == '✓' for line in lines), did, '\n'.join(lines))


def asked(cell: Any, x: Any) -> None:
    """End the trial where the dots are still there, or where construct is another."""
    out = cell.construct(x)
    try:
        returned = cell.bprop(x, out, x)
    except (TypeError, ValueError, ArithmeticError, MinicellError) as error:
        begun(error)
    else:
        if dots(returned):
            raise Ended
    if not np.allclose(out.asnumpy(), np.where(x.asnumpy() > 0, x.asnumpy(), 0.1 * x.asnumpy())):
        end('construct is no longer what it was: leave it as it was.', construct='changed')


# ---- 11b -----------------------------------------------------------------------------------------------------------

WORDS = ('both', 'eager only', 'neither')


def found() -> dict[str, tuple[str, str]]:
    """The word for each statement, and what was said, by running it in both modes."""
    return {letter: modes(kind) for letter, kind in STATEMENTS.items()}


def both_modes(answer: Any) -> Trial:
    """Compare a dict of words with what runs."""
    measured = found()
    due = {letter: word for letter, (word, _) in measured.items()}
    wrong = lambda letter, word: f'{letter} is not “{word}”: {measured[letter][1]}'
    done = '\n'.join(f'{letter}: {word}; {how}' for letter, (word, how) in measured.items())
    return sorted_words(answer, 'modes', due, WORDS, wrong, done)


TRIALS = {'11a': leaky, '11b': both_modes, '11c': hunt}
