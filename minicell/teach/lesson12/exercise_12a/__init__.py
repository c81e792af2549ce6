"""Exercise 12a: the bprop of relusigmoid."""

from typing import Any

import numpy as np

import minicell as ms
from minicell.teach.exercise import Trial

ops = ms.ops

TASK = (
    'Write `grad_x` of `relusigmoid`: the step goes forward, and backward uses the slope of `sigmoid(5 x)`, times what '
    'comes from behind. The document writes it in one line.'
)
NAME = 'relusigmoid'
HINTS = (
    'Forward is a step, and you do not differentiate it. You differentiate another function, `sigmoid(5 * x)`, and '
    'hand out its slope instead.',
    'The slope of the sigmoid is `s * (1 - s)`. What does the chain rule add for the 5 inside?',
    '`sgax` is already `sigmoid(5 * x)`. So the slope is `(1 - sgax) * sgax * 5.0`. It still needs what came from '
    'behind.',
)
AT = np.array([-1.0, -0.5, -0.1, 0.0, 0.2, 0.5, 1.0])
DOUT = np.array([1.0, -2.0, 0.5, 1.5, 3.0, -1.0, 0.25])


def trial(answer: Any) -> Trial:
    """Call the bprop by hand, and compare with the slope of sigmoid(5 x) as autodiff has it."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Cell) or cell.bprop is None:
        said = f'check wants the class {NAME} with its bprop; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Cell with a bprop'}, said)
    x, dout = ms.Tensor(AT), ms.Tensor(DOUT)
    out = cell.construct(x)
    try:
        returned = cell.bprop(x, out, dout)
    except TypeError as error:
        if 'ellipsis' in str(error):  # as in `dout * ...`: half begun
            return Trial(False, False, {}, '')
        raise
    if isinstance(returned, tuple) and len(returned) == 1 and returned[0] is ...:
        return Trial(False, False, {}, '')
    if not (isinstance(returned, tuple) and len(returned) == 1 and isinstance(returned[0], ms.Tensor)):
        kind = 'a bare Tensor' if isinstance(returned, ms.Tensor) else type(returned).__name__
        return Trial(True, False, {'returned': kind}, f'bprop returned {kind}; one gradient is written `(grad_x,)`.')
    got = np.asarray(returned[0].asnumpy(), np.float64)
    due = ms.grad(lambda x: (ops.sigmoid(5.0 * x) * dout).sum())(x).asnumpy()
    if not np.array_equal(out.asnumpy(), AT > 0):
        return Trial(True, False, {'construct': 'changed'}, 'construct is no longer the step: leave it as it was.')
    passed = got.shape == due.shape and np.allclose(got, due)
    rows = '\n'.join(
        f'x = {a:4.1f}, dout = {d:5.2f}: {g:8.4f}, and it should be {t:8.4f}'
        for a, d, g, t in zip(AT, DOUT, np.broadcast_to(got, due.shape), due, strict=True)
    )
    return Trial(True, bool(passed), {'returned': 'a tuple', 'grad_x': got}, rows)
