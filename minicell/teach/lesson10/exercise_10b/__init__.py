"""Exercise 10b: who changes which Parameter in one step of training?"""

import warnings
from functools import cache
from typing import Any

import numpy as np

import minicell as ms
from minicell.core.errors import MinicellWarning
from minicell.teach.exercise import Trial

from .zoo import Zoo

TASK = (
    'After one step of training: who has changed each of these Parameters? Write `optimizer`, `forward` or `nobody`. '
    'The last line is the same step after `net.set_train(False)`.'
)
NAME = 'changed_by'
WORDS = ('optimizer', 'forward', 'nobody')
HINTS = (
    'Two questions for each: is it in `net.trainable_params()`, and does a gradient other than 0 reach it?',
    'Make a `Zoo()` and print `[p.name for p in net.trainable_params()]`. Three of the six are not in it. And of those '
    'that are, which one sits behind a cut wire?',
    'Forward writes what `BatchNorm` keeps about its data, and only while the Cell is training.',
)
SHOTS = ('w', 'fixed', 'listed', 'norm.gamma', 'norm.moving_mean', 'hidden.w')
PREDICTING = 'norm.moving_mean, set_train(False)'


@cache
def found() -> dict[str, str]:
    """Who changed each of them, by doing it."""
    return {**step(True), PREDICTING: step(False)['norm.moving_mean']}


def step(training: bool) -> dict[str, str]:
    """One step of training: what was changed by forward, and what by the optimizer."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', MinicellWarning)  # they are what this exercise is about
        net = Zoo().set_train(training)
        optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        x, due = (ms.Tensor(np.array(rows), ms.float32) for rows in ([[1.0], [2.0], [6.0]], [[0.0], [5.0], [1.0]]))
        before = values(net)
        loss = ms.value_and_grad(lambda x: ((net(x) - due) ** 2).mean(), None, optimizer.parameters)
        _, gradients = loss(x)
        between = values(net)
        optimizer(gradients)
        after = values(net)
    return {name: who(before[name], between[name], after[name]) for name in SHOTS}


def values(net: Any) -> dict[str, float]:
    """What each Parameter holds."""
    all_of_them = {**{p.name: p for p in net.get_parameters()}, 'listed': net.listed[0]}
    return {name: all_of_them[name].asnumpy().ravel()[0].item() for name in SHOTS}


def who(before: float, between: float, after: float) -> str:
    """Who has changed a number."""
    if before != between:
        return 'forward'
    return 'optimizer' if between != after else 'nobody'


def trial(answer: Any) -> Trial:
    """Compare a dict of words with what one step of training does."""
    if not isinstance(answer, dict):
        said = f'check wants the dict {NAME}; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': type(answer).__name__}, said)
    given = {name: answer.get(name, ...) for name in found()}
    if all(word is ... for word in given.values()):
        return Trial(False, False, {}, '')
    open_ = [name for name, word in given.items() if word is ...]
    strange = [repr(word) for word in given.values() if word is not ... and word not in WORDS]
    wrong = [name for name, word in found().items() if name not in open_ and given[name] != word]
    if strange:
        said = f'{strange[0]} is none of the three words: {", ".join(WORDS)}.'
    elif wrong:
        said = f'{wrong[0]}: not {given[wrong[0]]}. {len(found()) - len(wrong) - len(open_)} of {len(found())} agree.'
    elif open_:
        said = f'So far so good. Still open: {", ".join(open_)}.'
    else:
        said = 'All seven agree with what one step of training does.'
    return Trial(True, not (strange or wrong or open_), given, said)
