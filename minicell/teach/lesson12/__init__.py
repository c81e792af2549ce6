"""Lesson 12: its figures, and the trials of a neuron, a surrogate, a rescue, five suspects, and a leak."""

from functools import cache, lru_cache
from numbers import Real
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn
from minicell.teach import about
from minicell.teach.trials import Ended, Trial, begun, class_of, dict_of, dots, end, sorted_words

from .figures import FIGURES
from .network import Net, accuracy, digits, train
from .surrogates import AT, FAULTS, SUSPECTS, ask

ops = ms.ops
ENOUGH = 0.9


def frozen(surrogate: Any, v_threshold: float = 1.0, learning_rate: float = 0.01, steps: int = 300) -> float:
    """The accuracy of a network whose readout stayed random: all that it learns goes through the surrogate.

    Seed 0, as in the notebook.
    """
    net = Net(surrogate, v_threshold=v_threshold)
    list(train(net, *digits(100, np.random.default_rng(0)), True, steps, learning_rate))
    return float(accuracy(net, *digits(400, np.random.default_rng(100))))


# ---- 12a -----------------------------------------------------------------------------------------------------------

PLACES = np.array([-1.0, -0.5, -0.1, 0.0, 0.2, 0.5, 1.0])
DOUT = np.array([1.0, -2.0, 0.5, 1.5, 3.0, -1.0, 0.25])


CURRENT = np.array([0.3, 0.5, 0.2, 1.4, -0.6, 0.9, 0.4])
MEMBRANE = np.array([0.5, 0.7, 0.8, 0.9, 0.2, -0.4, 1.3])


def neuron(answer: Any) -> Trial:
    """Let the neuron run for a moment, forward and backward, with two thresholds, and its reset in the graph or not."""
    kind = class_of(answer, 'Neuron')
    slope = surrogate(kind().surrogate)
    x, v = ms.Tensor(CURRENT), ms.Tensor(MEMBRANE)
    try:
        said = kind().construct(x, v)
    except TypeError as error:
        if slope is not ... and 'ellipsis' in str(error):  # as in `... - self.v_threshold`
            end('Still open: a line of construct.', open='a line of construct')
        raise
    blank = [name for name, value in zip(('spike', 'the membrane'), said, strict=True) if value is ...]
    if blank or slope is ...:
        blank += ['what bprop returns'] * (slope is ...)
        if len(blank) == 3:
            raise Ended
        end(f'Still open: {", ".join(blank)}.', open=tuple(blank))
    due = {'slope': ms.grad(lambda x: (ops.sigmoid(5.0 * x) * ms.Tensor(DOUT)).sum())(ms.Tensor(PLACES)).asnumpy()}
    got = {'slope': slope}
    for height in (1.0, 0.5):
        given, right = kind(v_threshold=height), nn.IFNode(height)
        for cell, out in ((given, got), (right, due)):
            spike, after = cell(x, v)
            out |= {f'spike, threshold {height:g}': spike.asnumpy(), f'membrane, threshold {height:g}': after.asnumpy()}
    forward = list(got)[1:]
    through = lambda cell, spikes, rest: ms.grad(
        lambda v: (lambda spike, after: (spikes * spike + rest * after).sum())(*cell(x, v))
    )(v).asnumpy()
    back = lambda cell: through(cell, 2.0, 1.0)
    low = {'v_threshold': 0.5}  # with 1, v / threshold - 1 would be v - threshold
    got['reset in the graph'], due['reset in the graph'] = back(kind(**low)), back(nn.IFNode(0.5))
    got['reset detached'] = back(kind(detached=True, **low))
    due['reset detached'] = 1 + through(nn.IFNode(0.5), 2.0, 0.0)
    wrong = [part for part, value in due.items() if not agree(got[part], value)]
    rows = [f'{part}: got {written(got[part])}, and it should be {written(due[part])}' for part in wrong[:2]]
    said = f'{len(due)} parts agree: the slope, the spikes, the membranes, and the way back through the reset.'
    # a few spikes fit several beliefs, and so does one way back: each counts as a whole
    did = {'slope': slope, 'construct': np.concatenate([np.ravel(got[part]) for part in forward])}
    did['way back'] = ' '.join(written(got[part]) for part in got if part.startswith('reset'))
    return Trial(True, not wrong, did, '\n'.join(rows) or said)


def yours(answer: Any) -> Any:
    """The learner's Neuron if it passes; until then that of the stored solution."""
    return about.yours('12a', answer, 'the neuron')


def surrogate(cell: Any) -> Any:
    """What a surrogate's bprop returns, called by hand; `...` where it is open."""
    x = ms.Tensor(PLACES)
    out = cell.construct(x)
    if not np.array_equal(out.asnumpy(), PLACES > 0):
        end('construct is no longer the step: leave it as it was.', construct='changed')
    try:
        returned = cell.bprop(x, out, ms.Tensor(DOUT))
    except TypeError as error:
        if 'ellipsis' in str(error):  # as in `dout * ...`
            return ...
        raise
    if dots(returned):
        return ...
    if not (isinstance(returned, tuple | list) and len(returned) == 1 and isinstance(returned[0], ms.Tensor)):
        kind = 'a bare Tensor' if isinstance(returned, ms.Tensor) else type(returned).__name__
        end(f'bprop returned {kind}; one gradient is written `(dx,)`.', returned=kind)
    return np.asarray(returned[0].asnumpy(), np.float64)


def agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two parts are the same numbers."""
    return one.shape == other.shape and np.allclose(one, other)


def written(values: np.ndarray) -> str:
    """Numbers in a line."""
    return ' '.join(f'{value:.2f}' for value in np.ravel(values))


# ---- 12e -----------------------------------------------------------------------------------------------------------


def leaky(answer: Any) -> Trial:
    """Three moments: the membranes after each, and the gradient of the last one with respect to the first."""
    kind = class_of(answer, 'Leaky')
    x, v = ms.Tensor(CURRENT), ms.Tensor(MEMBRANE)
    found = begun(kind().charge(x, v))

    def run(v: Any, charge: Any) -> Any:
        for _ in range(3):
            v = charge(0.2 * x, v)
        return v

    right = lambda x, v: 0.9 * v + x
    did, due = {}, {}
    if not isinstance(found, ms.Tensor):
        said = 'A NumPy number times a Tensor is an array: write the Tensor first.' * isinstance(found, np.ndarray)
        end(f'charge returned {type(found).__name__}; expected a Tensor. {said}', charge=type(found).__name__)
    for charge, out in ((kind().charge, did), (right, due)):
        out['membrane after three moments'] = run(v, charge).asnumpy()
        out['its gradient'] = ms.grad(lambda v, charge=charge: run(v, charge).sum())(v).asnumpy()
    wrong = [part for part, value in due.items() if not agree(did[part], value)]
    part = (wrong or ['its gradient'])[0]
    said = f'{part}: got {written(did[part])}, and it should be {written(due[part])}'
    return Trial(
        True, not wrong, did, said if wrong else 'After three moments 0.9 × 0.9 × 0.9 of the gradient is left.'
    )


# ---- 12b -----------------------------------------------------------------------------------------------------------

OWN_ENOUGH = 0.86  # seed 0: a boxcar and a damped triangle pass, and what the lesson calls ill does not
LOUD = 2.0  # from here on heights multiply through the reset
WIDE = np.array([-3.0, -1.5, -0.7, -0.3, -0.005, 0.0, 0.005, 0.3, 0.7, 1.5, 3.0])


def own(answer: Any) -> Trial:
    """Ask the slope at a few places, then train with it."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Surrogate):
        said = f'check wants the class Mine, an nn.Surrogate; it got {type(answer).__name__}.'
        return Trial(True, False, {'returned': 'no Surrogate'}, said)
    x = ms.Tensor(WIDE)
    slope = begun(cell.slope(x))
    if not isinstance(slope, ms.Tensor) or slope.shape != x.shape:
        got = f'shape {slope.shape}' if isinstance(slope, ms.Tensor) else type(slope).__name__
        return Trial(True, False, {'slope': got}, f'slope(x) wants one number for each x, in its shape; got {got}.')
    values = np.asarray(slope.asnumpy(), np.float64)
    if not np.isfinite(values).all():
        said = f'slope(x) is not a number at x = {WIDE[~np.isfinite(values)][0]:g}.'
        return Trial(True, False, {'kind': 'not a number'}, said)
    did = {'kind': kind(values), 'slope': values}
    got = frozen(cell, learning_rate=0.02, steps=150)
    said = f'150 steps with a frozen readout: accuracy {got:.3f}; asked for: {OWN_ENOUGH:.2f}'
    return Trial(True, got >= OWN_ENOUGH, did, said)


def kind(slope: np.ndarray) -> str:
    """What is remarkable about a slope, in a word: answers of one kind share a misconception."""
    left, right, far = slope[WIDE < 0], slope[WIDE > 0], slope[np.abs(WIDE) >= 0.3]
    if not slope.any():
        return 'zero'
    if (right < 0).any() and (left >= 0).all():
        return 'negative above the threshold'
    if (left < 0).any():
        return 'negative far away' if slope[np.abs(WIDE) < 0.5].min() > 0 else 'negative'
    if not left.any():
        return 'above the threshold alone'
    if not right.any():
        return 'below the threshold alone'
    if far.max() < 0.1 * slope.max():
        return 'a needle'
    if slope.max() > LOUD:
        return 'loud'
    if (np.diff(slope) >= 0).all() and slope.max() > slope.min() and slope[-2] > 0.5 * slope.max():
        return 'rising'
    return 'above the threshold' if WIDE[slope.argmax()] > 1 else 'a bump'


# ---- 12c -----------------------------------------------------------------------------------------------------------

WAS = {'v_threshold': 1.0, 'learning_rate': 0.01, 'steps': 300}
LONGEST = 600
FITS = (0.0005, 0.09)  # thresholds with which a = 100 trains
tried = lru_cache(32)(lambda *settings: frozen(nn.relusigmoid(100), *settings))


def rescue(answer: Any) -> Trial:
    """Train a = 100 with these settings."""
    given = dict_of(answer, 'rescue', WAS)
    for what, value in given.items():
        if value is ...:
            return Trial(True, False, {what: 'open'}, f'Still open: {what}. It was {WAS[what]}.')
        if isinstance(value, bool) or not isinstance(value, Real) or not value > 0:
            return Trial(True, False, {what: 'odd'}, f'{what} is a number above 0, but got {value!r}.')
    steps = min(int(given['steps']), LONGEST)
    got = tried(float(given['v_threshold']), float(given['learning_rate']), steps)
    did = {'settings': changed(**given)}
    cut = f' (no more than {LONGEST} steps are tried)' if given['steps'] > LONGEST else ''
    said = f'a = 100 with a frozen readout: accuracy {got:.3f}; asked for: {ENOUGH:.2f}{cut}'
    return Trial(True, got >= ENOUGH, did, said)


def changed(v_threshold: float, learning_rate: float, steps: float) -> str:
    """What was tried, in words: answers that try the same share a misconception."""
    new = {'learning_rate': learning_rate, 'steps': steps}
    rest = ', '.join(
        f'{what} {"more" if value > WAS[what] else "less"}' for what, value in new.items() if value != WAS[what]
    )
    rest = 'both others changed' if ', ' in rest else rest
    if v_threshold >= 1:
        return 'a larger threshold' if v_threshold > 1 else f'the threshold as it was; {rest}'
    if v_threshold < FITS[0]:
        return 'a threshold that is too small'
    return (
        'a threshold that is not small enough'
        if v_threshold > FITS[1]
        else 'a threshold that fits' + '; the rest changed' * bool(rest)
    )


# ---- 12d -----------------------------------------------------------------------------------------------------------


def fault(cell: Any) -> tuple[str, str]:
    """The word for a surrogate, and the measurement behind it."""
    slope = ask(cell)
    if not slope.any():
        return 'dead', 'its slope is 0 at every place'
    if (slope < 0).any():
        return 'sign', f'its slope is {slope.min():.2f} at {AT[slope.argmin()]:g}'
    if abs(AT[slope.argmax()]) > 0.5:
        return 'off centre', f'its slope is largest at {AT[slope.argmax()]:g}'
    if np.allclose(ask(cell, -2.0), slope):
        return 'deaf', 'for a dout of −2 it says the same as for 1'
    return (
        'fine',
        f'never negative, largest at {AT[slope.argmax()]:g}, follows dout; a height of {slope.max():g} trains, too',
    )


@cache
def found() -> dict[str, tuple[str, str]]:
    """The word for each suspect, and the measurement behind it."""
    return {letter: fault(kind) for letter, kind in SUSPECTS.items()}


def verdicts(answer: Any) -> Trial:
    """Compare a dict of words with what was measured."""
    due = {letter: word for letter, (word, _) in found().items()}
    wrong = lambda letter, word: f'{letter} is not “{word}”. Measured: {found()[letter][1]}.'
    done = '\n'.join(f'{letter}: {word} ({how})' for letter, (word, how) in found().items())
    return sorted_words(answer, 'verdicts', due, FAULTS, wrong, done)


TRIALS = {'12a': neuron, '12b': own, '12c': rescue, '12d': verdicts, '12e': leaky}
