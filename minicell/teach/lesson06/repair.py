"""The trial of exercise 6c: three Cells, of which one was wrong, on numbers that nobody has seen."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach.bprop_check import BpropCheck
from minicell.teach.trials import BLANK, Trial, points


def checks(*rows: int) -> dict[str, BpropCheck]:
    """A trial for each of the Cells, with batches of so many rows; by hand with the second."""
    # an x is 0, and a w: nobody divides by them
    hidden = [points((many, 3), seed=many) + points((3,), seed=many + 50) for many in rows]
    batches = {f'x ({many}, 3)': given for many, given in zip(rows, hidden, strict=True)}
    alone = {where: given[:1] for where, given in batches.items()}
    away = {where: [ms.Tensor(np.abs(x.asnumpy()) + 0.5) * -1] for where, (x,) in alone.items()}
    bend, what = lambda x: x / (1 + ops.abs(x)), 'x / (1 + abs(x))'
    return {
        'Scale': BpropCheck('Scale', ('dx', 'dw'), lambda x, w: x * w, 'x * w', batches, hidden[1]),
        'Shift': BpropCheck('Shift', ('dx', 'db'), lambda x, b: x + b, 'x + b', batches, hidden[1]),
        'Bend': BpropCheck('Bend', ('dx',), bend, what, alone | away, hidden[1][:1]),
    }


def repaired(answer: Any, rows: Sequence[int] = (4, 5, 7)) -> Trial:
    """Check each of the three Cells on its own. All must be right, also those that were right before."""
    asked = checks(*rows)
    if not isinstance(answer, tuple | list) or len(answer) != len(asked):
        said = f'Give check CELLS, the three Cells {", ".join(asked)}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    if all(each is ... for each in answer):
        return BLANK
    did: dict[str, Any] = {}
    wrong = []
    for cell, (name, check) in zip(answer, asked.items(), strict=True):
        trial = check(cell)
        if not trial.attempted:
            return BLANK
        did |= {f'{name} {part}': found for part, found in trial.did.items()}
        if not trial.passed:
            wrong.append(f'{name}. {trial.said}')
    if wrong:
        return Trial(True, False, did, wrong[0])
    said = f'Each of the three Cells agrees with differences, in batches of {", ".join(map(str, rows))} rows.'
    return Trial(True, True, did, said)
