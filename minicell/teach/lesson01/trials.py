"""The real order of the lines of exercise 1a."""

import minicell as ms
from minicell.core.watch import Back, End, Give, Op

ops = ms.ops


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


TRIALS = {'1a': right}
