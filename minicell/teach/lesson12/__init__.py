"""Lesson 12: its figures, and the trials of a neuron, a surrogate, a rescue, five suspects, and a cost of spikes."""

from functools import cache, lru_cache, partial
from numbers import Real
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn
from minicell.teach import about
from minicell.teach.exercise import same
from minicell.teach.trials import Ended, Trial, begun, class_of, dict_of, dots, end, form, function_of, sorted_words

from .figures import FIGURES
from .network import Net, accuracy, handwriting, spikes, train
from .surrogates import AT, FAULTS, SUSPECTS, ask

ops = ms.ops
ENOUGH = 0.88  # of a network with a frozen readout: published surrogates are above, for each seed, and ill ones below
SEEDS = 3


def frozen(
    surrogate: Any, v_threshold: float = 1.0, learning_rate: float = 0.01, epochs: int = 5, seed: int = 0
) -> float:
    """The accuracy of a network whose readout stayed random: all that it learns goes through the surrogate."""
    (x, t), new = handwriting()
    net = Net(surrogate, seed, v_threshold=v_threshold)
    list(train(net, x, t, True, epochs, learning_rate, seed=seed))
    return float(accuracy(net, *new))


# ---- 12a -----------------------------------------------------------------------------------------------------------

# places of the surrogate, a dout for it, currents, and membranes
ROWS = np.array(
    [
        [-1.0, -0.5, -0.1, 0.0, 0.2, 0.5, 1.0],
        [1.0, -2.0, 0.5, 1.5, 3.0, -1.0, 0.25],
        [0.1, 0.5, 0.2, 1.4, -0.6, 0.9, 0.4],
        [0.5, 0.7, 0.8, 0.9, 0.2, -4.0, 1.3],
    ]
)


def neuron(answer: Any, rows: np.ndarray = ROWS) -> Trial:
    """Let the neuron run for a time step, with two thresholds and leaks; and back, the reset in the graph or not."""
    kind = class_of(answer, 'Neuron')
    places, dout, x, v = map(ms.Tensor, rows)
    slope = surrogate(kind().surrogate, places, dout)
    try:
        said = kind().construct(x, v)
    except TypeError as error:
        if slope is not ... and 'ellipsis' in str(error):  # as in `... - self.v_threshold`
            end('Still open: a line of construct.', open='a line of construct')
        raise
    if not isinstance(said, tuple | list) or len(said) != 2:
        end(f'construct returns the spike and the new membrane; got {form(said)}.', returned=form(said))
    blank = [name for name, value in zip(('spike', 'the membrane'), said, strict=True) if value is ...]
    if blank or slope is ...:
        blank += ['what bprop returns'] * (slope is ...)
        if len(blank) == 3:
            raise Ended
        end(f'Still open: {", ".join(blank)}.', open=tuple(blank))
    got = {'slope': slope}
    due = {'slope': ms.grad(lambda x: (ops.sigmoid(5.0 * x) * dout).sum())(places).asnumpy()}
    for height, beta, detached in ((1.0, 0.9, False), (0.5, 0.6, True)):
        given, right = kind(v_threshold=height, beta=beta, detached=detached), nn.IFNode(height)
        for out, found in ((got, given(x, v)), (due, right(x, beta * v))):
            for name, value in zip(('spike', 'membrane'), found, strict=True):
                out[f'{name}, threshold {height:g}, beta {beta:g}'] = value.asnumpy()
    forward = list(got)[1:]
    for detached, reset in ((False, 'reset in the graph'), (True, 'reset detached')):
        given = kind(v_threshold=0.5, beta=0.6, detached=detached)  # with 1, v / threshold - 1 would be v - threshold
        for name in 'vx':
            got[f'{reset}, gradient of {name}'] = back(given, x, v, name)
            due[f'{reset}, gradient of {name}'] = back(lambda x, v, cut=detached: written_out(x, v, cut), x, v, name)
    wrong = [part for part, value in due.items() if not same(got[part], value)]
    rows = [f'{part}: got {written(got[part])}, and it should be {written(due[part])}' for part in wrong[:2]]
    said = f'{len(due)} parts agree: the slope, the spikes, the membranes, and the way back through the reset.'
    # a few spikes fit several beliefs, and so does one way back: each counts as a whole
    did = {'slope': slope, 'construct': np.concatenate([np.ravel(got[part]) for part in forward])}
    did['way back'] = ' '.join(written(got[part]) for part in got if part.startswith('reset'))
    return Trial(True, not wrong, did, '\n'.join(rows) or said)


def written_out(x: Any, v: Any, detached: bool) -> tuple[Any, Any]:
    """What is due: a threshold of 0.5, and a leak of 0.6."""
    v = 0.6 * v + x
    spike = nn.relusigmoid(5)(v - 0.5) * 0.5
    return spike, v - (ops.stop_gradient(spike) if detached else spike)


def back(cell: Any, x: Any, v: Any, name: str) -> np.ndarray:
    """The gradient of the input or of the old membrane, for a loss that wants spikes and the membrane after them."""
    loss = lambda spike, after: (2.0 * spike + after).sum()
    return ms.grad(lambda x, v: loss(*cell(x, v)), 'xv'.index(name))(x, v).asnumpy()


yours = partial(about.yours, '12a', what='the neuron')


def surrogate(cell: Any, x: Any, dout: Any) -> Any:
    """What a surrogate's bprop returns, called by hand; `...` where it is open."""
    out = cell.construct(x)
    if not np.array_equal(out.asnumpy(), x.asnumpy() > 0):
        end('construct is no longer the step: leave it as it was.', construct='changed')
    try:
        returned = cell.bprop(x, out, dout)
    except TypeError as error:
        if 'ellipsis' in str(error):  # as in `dout * ...`
            return ...
        raise
    if dots(returned):
        return ...
    if form(returned) != 'one gradient':
        end(said := f'bprop returned {form(returned)}; there is one input: return (dx,).', returned=said)
    if not isinstance(returned[0], ms.Tensor):
        end(said := f'dx is no Tensor, but {type(returned[0]).__name__}.', returned=said)
    return np.asarray(returned[0].asnumpy(), np.float64)


def written(values: np.ndarray) -> str:
    """Numbers in a line."""
    return ' '.join(f'{value:.2f}' for value in np.ravel(values))


# ---- 12b -----------------------------------------------------------------------------------------------------------

LOUD = 2.0  # from here on the reset can make gradients grow
WIDE = np.array([-3.0, -1.5, -0.7, -0.3, -0.005, 0.0, 0.005, 0.3, 0.7, 1.5, 3.0])
FINE = np.linspace(-3, 3, 1201)  # what stands between those places


def own(answer: Any, wide: np.ndarray = WIDE) -> Trial:
    """Ask the slope at a few places, then train with it, from three seeds: no verdict hangs on one draw of weights."""
    cell = answer() if isinstance(answer, type) else answer
    if not isinstance(cell, ms.nn.Surrogate):
        end(f'Give check the class Mine, an nn.Surrogate; it got {type(answer).__name__}.', returned='no Surrogate')
    x = ms.Tensor(wide)
    slope = begun(cell.slope(x))
    if not isinstance(slope, ms.Tensor) or slope.shape != x.shape:
        got = f'shape {slope.shape}' if isinstance(slope, ms.Tensor) else type(slope).__name__
        end(f'slope(x) returns one number for each x, in its shape; got {got}.', slope=got)
    if not np.allclose(begun(surrogate(cell, x, 2 * x)), (2 * x * slope).asnumpy(), equal_nan=True):
        end('bprop no longer multiplies dout by slope(x): leave it as it was.', bprop='changed')
    at = np.concatenate([wide, FINE])
    values = np.asarray(cell.slope(ms.Tensor(at)).asnumpy(), np.float64)
    if not np.isfinite(values).all():
        end(f'slope(x) is not a number at x = {at[~np.isfinite(values)][0]:g}.', kind='not a number')
    size, values = np.abs(values), values[: wide.size]
    peak = size[np.abs(at) <= 0.01].max()
    if size.max() > 1.001 * peak:
        said = f'At x = {at[size.argmax()]:g} your slope is {size.max():.3g} in size'
        what = kind(values, wide).replace('loud', 'off centre')  # its height is not what is said of it
        end(f'{said}: larger than at the threshold, where it is {peak:.3g}.', kind=what, slope=values)
    got: list[float] = []
    while len(got) < SEEDS and sum(got) + SEEDS - len(got) >= SEEDS * ENOUGH:  # else the mean cannot be enough any more
        got.append(frozen(cell, seed=len(got)))
    passed, each = len(got) == SEEDS and np.mean(got) >= ENOUGH, ', '.join(f'{one:.3f}' for one in got)
    said = (
        f'5 epochs, a frozen readout: accuracy {each} from {len(got)} of {SEEDS} seeds; asked for: a mean of {ENOUGH}'
    )
    return Trial(True, passed, {'kind': kind(values, wide), 'slope': values}, said)


def kind(slope: np.ndarray, wide: np.ndarray) -> str:
    """What is remarkable about a slope, in a word: answers of one kind share a misconception."""
    left, right, near = slope[wide < 0], slope[wide > 0], slope[np.abs(wide) < 0.5]
    if not slope.any():
        return 'zero'
    if (slope <= 0).all():
        return 'negative'
    if (right < 0).any() and (left >= 0).all():
        return 'negative above the threshold'
    if (left < 0).any():
        return 'negative far away' if near.min() > 0 else 'negative somewhere'
    if slope[np.abs(wide) >= 0.3].max() < 0.001 * slope.max():
        return 'a needle'
    if not left.any():
        return 'above the threshold alone'
    if not right.any():
        return 'below the threshold alone'
    if (np.diff(slope) >= 0).all() and slope[-1] > 1.5 * slope[0] and slope[-2] > 0.5 * slope[-1]:
        return 'rising'
    return 'loud' if slope.max() > LOUD else 'a bump'


# ---- 12c -----------------------------------------------------------------------------------------------------------

WAS = {'v_threshold': 1.0, 'learning_rate': 0.01, 'epochs': 5}
LONGEST = 15
FITS = (0.0005, 0.12)  # thresholds with which a = 100 trains
tried = lru_cache(32)(lambda *settings: frozen(nn.relusigmoid(100), *settings))


def rescue(answer: Any) -> Trial:
    """Train a = 100 with these settings."""
    given = dict_of(answer, 'rescue', WAS)
    for what, value in given.items():
        if value is ...:
            end(f'Still open: {what}. It was {WAS[what]}.', **{what: 'open'})
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < np.inf:
            end(f'{what} is a number above 0, but got {value!r}.', **{what: 'odd'})
        given[what] = value.item() if isinstance(value, np.generic) else value
    if int(given['epochs']) != given['epochs']:
        end(f'epochs is a whole number, but got {given["epochs"]!r}.', epochs='odd')
    epochs = min(int(given['epochs']), LONGEST)
    got = tried(float(given['v_threshold']), float(given['learning_rate']), epochs)
    did = {'settings': changed(**given)}
    cut = f' (no more than {LONGEST} epochs are tried)' if given['epochs'] > LONGEST else ''
    said = f'a = 100 with a frozen readout: accuracy {got:.3f}; asked for: {ENOUGH:.2f}{cut}'
    return Trial(True, got >= ENOUGH, did, said)


def changed(v_threshold: float, learning_rate: float, epochs: float) -> str:
    """What was tried, in words: answers that try the same share a misconception."""
    moved = [np.sign(learning_rate - WAS['learning_rate']), np.sign(epochs - WAS['epochs'])]
    if v_threshold != WAS['v_threshold']:
        where = int(np.searchsorted([*FITS, WAS['v_threshold']], v_threshold))
        return ('too small', 'fits' + '; the rest changed' * any(moved), 'not small enough', 'larger')[where]
    return 'both others changed' if all(moved) else f'the threshold as it was; moved {moved}'


# ---- 12d -----------------------------------------------------------------------------------------------------------


def fault(cell: Any) -> tuple[str, str]:
    """The word for a surrogate, and the measurement behind it."""
    slope = ask(cell)
    if not slope.any():
        return 'dead', 'its slope is 0 at every place'
    if (slope < 0).any():
        return 'sign', f'its slope is {slope.min():.2f} at {AT[slope.argmin()]:g}'
    if abs(AT[slope.argmax()]) > 0.5:
        return 'off centre', f'of the seven places, its slope is largest at {AT[slope.argmax()]:g}'
    if np.allclose(ask(cell, -2.0), slope):
        return 'deaf', 'for a dout of −2 it says the same as for 1'
    return (
        'fine',
        f'never negative, largest at {AT[slope.argmax()]:g}, follows dout; a height of {slope.max():g} trains as well',
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


# ---- 12e -----------------------------------------------------------------------------------------------------------

FEW, GOOD = 10, 0.95  # spikes a digit, and the accuracy that they have to keep


def spared(cost: Any) -> tuple[float, float, float]:
    """What training with a cost ends in: the accuracy, the spikes a digit, the silent neurons; means of two seeds."""
    (x, t), new = handwriting()
    ends = []
    for seed in (0, 1):
        net = Net(seed=seed, steps=5)
        list(train(net, x, t, learning_rate=0.01, cost=cost, seed=seed))
        fired = spikes(net, new[0])
        ends.append((accuracy(net, *new), fired.sum() / len(fired), np.sum(fired.max(axis=0) == 0)))
    right, many, quiet = map(float, np.mean(ends, axis=0))
    return right, many, quiet


def thrifty(answer: Any, seed: int = 0) -> Trial:
    """Ask the cost of a minibatch before training, then train with it: five time steps, from two seeds."""
    function_of(answer, 'cost')
    count = ms.Tensor(spikes(Net(seed=seed, steps=5), handwriting()[0][0][:64]))
    found = begun(answer(count))
    if not isinstance(found, ms.Tensor) or found.shape != ():
        got = f'shape {found.shape}' if isinstance(found, ms.Tensor) else type(found).__name__
        end(f'cost(count) returns one number, a Tensor of shape (); got {got}.', cost=got)
    right, many, quiet = spared(answer)
    said = f'accuracy {right:.3f}; asked for: {GOOD}\n{many:.1f} spikes a digit; asked for: fewer than {FEW}\n'
    did = {'ends': 'too many spikes' if many >= FEW else 'too few right' if right < GOOD else 'thrifty'}
    slope = ms.grad(answer)(count).asnumpy()
    did['cost'] = 'no gradient' if not slope.any() else 'rewards spikes' if slope.sum() < 0 else float(found.item())
    done = f'{said}{quiet:.0f} of 100 neurons are silent (means of two seeds).'
    return Trial(True, did['ends'] == 'thrifty', did, done)


TRIALS = {'12a': neuron, '12b': own, '12c': rescue, '12d': verdicts, '12e': thrifty}
