"""The four Cells of exercise 4b, as the lesson shows them, and what the checks say of each."""

import minicell as ms
from minicell import nn
from minicell.teach.about import defined

SUSPECTS = dict(zip('ABCD', defined('04', 'A B C D'), strict=True))
HERE = (-1.0, 0.0, 0.5, 2.0)  # 0 is among them: a kink shows only where it is


def classify(kind: type[nn.Cell]) -> tuple[str, str]:
    """The word that fits a Cell, by its checks of first and second order at HERE, and what they said."""
    (first,), (second,) = (ms.check_bprop(kind(), ms.Tensor(HERE), order=order).rows for order in (1, 2))
    if not first.ok:
        return 'wrong', f'first order is off by up to {first.off:.2g}'
    if not second.ok:
        return 'wrong at second order', f'first order agrees; second order is off by up to {second.off:.2g}'
    if first.verdict == 'kink':
        return 'right, with a kink', 'both orders agree, and first order has a kink: ' + first.why
    return 'right', 'first and second order agree'
