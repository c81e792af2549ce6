"""An ordering as a lesson would have it: the entries of a small tape, in the order in which backward reads them."""

import minicell as ms
from minicell.core.watch import Pull

TASK = 'Backward reads the tape of `loss = ops.sin(x * y).sum()`. Put its steps into order.'
HINTS = (
    'The tape was written forward.',
    'Backward begins where forward ended.',
    'The sum comes first, the product last; what is between them?',
)
LINES = {
    'Mul': 'the product `x * y`',
    'ReduceSum': 'the sum',
    'Exp': 'an exponential <b>that nobody called</b>',
    'Sin': '`ops.sin`',
}


def right():
    """The names of the entries, as backward really read them."""
    x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
    with ms.Tape() as tape:
        ms.grad(lambda x, y: ms.ops.sin(x * y).sum(), (0, 1))(x, y)
    return [event.entry.rule.name for event in tape.events if isinstance(event, Pull)]
