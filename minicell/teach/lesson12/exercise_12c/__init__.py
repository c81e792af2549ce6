"""Exercise 12c: rescue a = 100 without touching a."""

from functools import lru_cache
from typing import Any

from minicell import nn
from minicell.teach.exercise import Trial
from minicell.teach.lesson12.trials import ENOUGH, frozen

TASK = (
    'Rescue `relusigmoid(100)`: without touching `a`, come to 0.90 or more with a **frozen** readout. You may change '
    'the threshold, the learning rate, and the number of steps.'
)
NAME = 'rescue'
HINTS = (
    'What is wrong with a = 100? Read the two numbers beside its picture: how many membranes it reaches, and how large '
    '|dW1| is. Which of your three settings changes how many are reached?',
    'This network measures currents and spikes in thresholds. With a smaller `v_threshold` the bars of the histogram '
    'move together, and the slope stays as wide as it is.',
    'a = 5 works for a threshold of 1. What matters is `a` times the threshold. For which threshold is that 5 again?',
)
WAS = {'v_threshold': 1.0, 'learning_rate': 0.01, 'steps': 300}
LONGEST = 600
tried = lru_cache(32)(lambda *settings: frozen(nn.relusigmoid(100), *settings))


def trial(answer: Any) -> Trial:
    """Train a = 100 with these settings."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {what: answer.get(what, ...) for what in WAS}
    if all(value is ... for value in given.values()):
        return Trial(False, False, {}, '')
    for what, value in given.items():
        if value is ...:
            return Trial(True, False, {what: 'open'}, f'Still open: {what}. It was {WAS[what]}.')
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            return Trial(True, False, {what: 'odd'}, f'{what} is a number above 0, but got {value!r}.')
    steps = min(int(given['steps']), LONGEST)
    got = tried(float(given['v_threshold']), float(given['learning_rate']), steps)
    did = {
        what: 'more' if value > WAS[what] else 'less' if value < WAS[what] else 'as it was'
        for what, value in given.items()
    }
    cut = f' (no more than {LONGEST} steps are tried)' if given['steps'] > LONGEST else ''
    said = f'a = 100 with a frozen readout: accuracy {got:.3f}; asked for: {ENOUGH:.2f}{cut}'
    return Trial(True, got >= ENOUGH, did, said)
