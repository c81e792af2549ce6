"""Exercise 1a: put the steps of backward into order."""

import minicell as ms
from minicell.core.watch import Back, End, Give, Op

ops = ms.ops

TASK = 'Backward goes through the tape of `wave(x)` for `x = 1`. Which six things happen, and in which order?'
HINTS = (
    'First write down what forward left behind. With `x = 1`, `y` is above 1 after the loop. Which operations ran, '
    'one after the other?',
    'Backward begins at the result: it puts a 1 there. Then it goes through the entries from the last one to the '
    'first one.',
    'The last entry is the logarithm. Before it there are two products: the second round of the loop was written later '
    'than the first, so it is read earlier.',
)
LINES = {
    'sin': 'The rule of `ops.sin` is called.',
    'mul 1': 'The rule of `y * 3` is called, for the first round of the loop.',
    'exp': 'The rule of `ops.exp` is called.',
    'start': 'A gradient of 1 is put at the result.',
    'if': 'The comparison `y > 1` is made again.',
    'dx': 'The gradient of `x` is handed to you.',
    'mul 2': 'The rule of `y * 3` is called, for the second round of the loop.',
    'log': 'The rule of `ops.log` is called.',
}


def wave(x: ms.Tensor) -> ms.Tensor:
    """The program of the exercise."""
    y = ops.sin(x)
    for _ in range(2):
        y = y * 3
    if y > 1:
        y = ops.log(y)
    else:
        y = ops.exp(y)
    return y


def right() -> list[str]:
    """The steps of backward as they really happen, read from the tape."""
    with ms.Tape() as tape:
        ms.grad(wave)(ms.Tensor(1.0))
    products = [event for event in tape.events if isinstance(event, Op) and event.rule.name == 'Mul']
    steps = []
    for event in tape.events:
        if isinstance(event, Back):
            steps.append('start')
        elif isinstance(event, Give) and event.entry in products:
            steps.append(f'mul {products.index(event.entry) + 1}')
        elif isinstance(event, Give):
            steps.append(event.entry.rule.name.lower())
        elif isinstance(event, End):
            steps.append('dx')
    return steps
