"""The trial of exercise 6c: three Cells, of which one was wrong, on numbers that nobody has seen."""

from typing import Any

import numpy as np

import minicell as ms
from minicell import ops
from minicell.teach.trials import BLANK, Trial, bprop_check, points

HIDDEN = {rows: points((rows, 3), (3,), seed=rows) for rows in (4, 5, 7)}
BATCHES = {f'x ({rows}, 3)': given for rows, given in HIDDEN.items()}
ALONE = {where: given[:1] for where, given in BATCHES.items()}
AWAY = {where: [ms.Tensor(np.abs(x.asnumpy()) + 0.5) * -1] for where, (x,) in ALONE.items()}
CHECKS = {
    'Scale': bprop_check('Scale', ('dx', 'dw'), lambda x, w: x * w, 'x * w', BATCHES, HIDDEN[5]),
    'Shift': bprop_check('Shift', ('dx', 'db'), lambda x, b: x + b, 'x + b', BATCHES, HIDDEN[5]),
    'Bend': bprop_check(
        'Bend', ('dx',), lambda x: x / (1 + ops.abs(x)), 'x / (1 + abs(x))', ALONE | AWAY, HIDDEN[5][:1]
    ),
}


def repaired(answer: Any) -> Trial:
    """Check each of the three Cells on its own. All must be right, also those that were right before."""
    if not isinstance(answer, tuple | list) or len(answer) != len(CHECKS):
        said = f'check wants CELLS, the three Cells {", ".join(CHECKS)}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    if all(each is ... for each in answer):
        return BLANK
    did: dict[str, Any] = {}
    wrong = []
    for cell, (name, check) in zip(answer, CHECKS.items(), strict=True):
        trial = check(cell)
        if not trial.attempted:
            return BLANK
        did |= {f'{name} {part}': found for part, found in trial.did.items()}
        if not trial.passed:
            wrong.append(f'{name}. {trial.said}')
    if wrong:
        return Trial(True, False, did, wrong[0])
    return Trial(True, True, did, 'Each of the three Cells agrees with differences, in batches of 4, 5 and 7 rows.')
