"""Lesson 14: its figure, its two cameras; trials of a long difference, of two Cells that lie as told, and of a hunt."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach import about
from minicell.teach.bprop_check import BESIDES, called
from minicell.teach.trials import ERRORS, Hunt, Trial, begun, cell_of, class_of, compared, fresh, function_of

from .figures import FIGURES

WORDS = ('right', 'edge', 'leaky', 'coarse', 'cut')
# ---- 14a -----------------------------------------------------------------------------------------------------------

W = np.array([[0.5, -1.2241, 3.1], [9.5, -4.7, 7.0]])
FACTORS = np.array([[2.0, -1.0, 3.0], [5.0, 0.5, -4.0]])  # no number of w is worth what another is
Rise = Callable[[np.ndarray], np.ndarray]
RISES: dict[str, tuple[Rise, float]] = {
    'a staircase with steps of 4, reach = 4': (lambda w: np.clip(4 * np.floor(w / 4) + 2, -6, 6), 4.0),
    'a smooth function, reach = 0.5': (lambda w: w**3, 0.5),
}


def height(w: np.ndarray, rise: Rise) -> Any:
    """A number to which each number of w contributes in its own way, and by the others: who moves those is noticed."""
    each = rise(w) * FACTORS
    return each.sum() + (each * np.roll(each, 1)).sum() / 64


def trend(answer: Any, w0: np.ndarray = W, rises: dict[str, tuple[Rise, float]] = RISES) -> Trial:
    """Try a difference on a staircase, over a distance of one step, and on a smooth sum."""
    function_of(answer, 'long_difference')
    did: dict[str, Any] = {}
    wrong = ''
    for name, (rise, reach) in rises.items():
        w = ms.Tensor(w0)
        try:
            found = answer(lambda w, rise=rise: ms.Tensor(height(w.asnumpy(), rise)), w, reach)
        except ERRORS as error:
            did[name] = type(begun(error)).__name__
            wrong = wrong or f'{name}: stops with {did[name]}: {error}'.splitlines()[0]
            continue
        found = found.asnumpy() if isinstance(begun(found), ms.Tensor) else found
        did[name] = found if isinstance(found, np.ndarray) else type(found).__name__
        if not isinstance(found, np.ndarray) or found.shape != w0.shape:
            wrong = wrong or f'{name}: an array of shape {w0.shape} should come back, the shape of w.'
        elif not np.array_equal(w.asnumpy(), w0):
            wrong = wrong or f'{name}: w itself has changed. Leave it, and give f a new Tensor.'
        else:
            steps = reach * np.eye(w0.size).reshape(-1, *w0.shape)
            changes = [height(w0 + step, rise) - height(w0 - step, rise) for step in steps]
            due = np.reshape(changes, w0.shape) / (2 * reach)
            named = lambda at, name=name: f'{name}, w[{at[0]}, {at[1]}] = {w0[at]:g}'
            wrong = wrong or compared(found, due, named, 'your difference', rtol=1e-8)
    if all(isinstance(each, np.ndarray) and each.shape == w0.shape for each in did.values()):
        stairs, cubes = did.values()  # alone, each fits several beliefs
        flat = cubes.any() and not stairs.any()
        did = {'differences': 'flat on a staircase' if flat else np.stack([stairs, cubes])}
    done = f'Each of the {w0.size} numbers of w has its own difference: {"; ".join(rises)}.'
    return Trial(True, not wrong, did, wrong or done)


yours = partial(about.yours, '14a', what='long_difference')

# ---- 14b and 14c ---------------------------------------------------------------------------------------------------

# numbers on both ends, beyond them and between, and a dout for each
SIGNED = np.array(
    [
        [-1.0, 1.0, -1.5, 1.5, 0.0, -0.25, 0.6, -1.0001, 1.0001, -30.0, 0.999],
        [2.0, -3.0, 5.0, -1.2, 0.5, -0.7, 1.4, -2.2, 3.1, 4.0, -1.9],
    ]
)


def sign(answer: Any, signed: np.ndarray = SIGNED) -> Trial:
    """Try a Cell on both ends, beyond them and between, with a dout of both signs; twice, and in another shape."""
    cell = cell_of(answer, 'Sign')
    inside, douts = signed[:, np.abs(signed[0]) <= 1][:, :4].reshape(2, 2, 2)
    cases = {'': tuple(signed), 'in two rows, ': (inside, -douts)}

    def named(where: str, place: tuple[int, ...]) -> str:
        return f'{where}x = {cases[where][0][place]:g}, dout = {cases[where][1][place]:g}'

    return lied(
        cell,
        cases,
        forward=lambda x: np.where(x >= 0, 1.0, -1.0),
        due=lambda x, dout: dout * (np.abs(x) <= 1),
        named=named,
        done=f'dout passes from −1 to 1, both ends included, and nowhere else: tested on {signed.shape[1]} numbers.',
    )


# how long a gradient may be -> gradients that are too long, just long enough, short, and zero
LONG = {1.0: [(3.0, -4.0), (0.0, 0.0), (0.3, -0.4), (0.6, -0.8)], 2.5: [(3.0, -4.0), (-1.0, 2.0)]}


def clip(answer: Any, long: dict[float, list[tuple[float, float]]] = LONG) -> Trial:
    """Try a Cell on each of the gradients; then train a power with it."""
    kind = class_of(answer, 'Clip')
    cell_of(kind(1.0), 'Clip')
    x = np.array([2.0, -7.0])
    did: dict[str, Any] = {}
    said = ''
    for most, gradients in long.items():
        written = {f'({a:g}, {b:g})'.replace('-', '−'): np.array([a, b]) for a, b in gradients}
        cases = {f'most = {most:g}, dout = {name}': (x, dout) for name, dout in written.items()}
        cases[f'most = {most:g}, a dout of two rows'] = np.array([x, 1 - x]), np.array([[3.0, -4.0], [1.0, 2.0]])
        found = lied(
            kind(most),
            cases,
            forward=lambda x: x,
            due=lambda x, dout, most=most: dout * most / max(float(np.sqrt((dout * dout).sum())), most),
            named=lambda where, place: f'{where}, number {place[-1] + 1}',
            done='',
        )
        did = joined(did, found.did)
        said = said or found.said
    if said:
        return Trial(True, False, did, said)
    w, loss = deep(kind(1.0))
    said = (
        'Long gradients get the length `most`, and short ones pass as they are, zeros included.\n'
        f'With your Clip(1.0), w goes from 1.5 to {w:.4f} in 800 steps: loss {loss:.1e}.'
    )
    return Trial(True, True, did, said)


def deep(cell: Any) -> tuple[float, float]:
    """One weight whose twelfth power should be 2, trained through a Cell that clips: where it ends, and its loss."""
    w = ms.Tensor([1.5], ms.float64)

    def loss(w: ms.Tensor) -> ms.Tensor:
        return ((cell(w) ** 12 - 2) ** 2).sum()

    slope = ms.value_and_grad(loss)
    for _ in range(800):
        w = w - 0.001 * slope(w)[1]
    return w.item(), slope(w)[0].item()


def lied(
    cell: Any,
    cases: dict[str, tuple[np.ndarray, np.ndarray]],
    forward: Callable[[np.ndarray], np.ndarray],
    due: Callable[[np.ndarray, np.ndarray], np.ndarray],
    named: Callable[[str, tuple[int, ...]], str],
    done: str,
) -> Trial:
    """Compare what bprop returns with the lie that was asked for; no gradient check can, since it asks for the truth.

    cases: where -> x and dout. named(where, place) names one of the numbers, for a sentence.
    """
    did: dict[str, Any] = {}
    said = ''
    for where, (x, dout) in cases.items():
        found = called(cell, [ms.Tensor(x)], ms.Tensor(dout), ['dx'])
        said = said or formed(found)
        if 'element tensors' in str(found.get('stopped')):  # an `and`, an `if`, or a chain of comparisons
            return Trial(True, False, {'returned': 'asked a mask for one answer'}, said)
        if 'dx' in found and not said:
            said = compared(found['dx'], due(x, dout), lambda place, where=where: named(where, place))
            out = cell.construct(*fresh([ms.Tensor(x)]))
            if not np.allclose(out.asnumpy(), forward(x)):
                said = 'construct no longer returns what it did: leave it as it was.'
        did = joined(did, found)
    return Trial(True, not said, did, said or done)


def joined(did: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What was seen, and what is seen now: numbers in one row, since a few of them fit several beliefs."""
    both = dict(did)
    for part, value in found.items():
        before = did.get(part, np.zeros(0))
        if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
            both[part] = np.concatenate([before, value.ravel()])
        else:
            both.setdefault(part, value)
    return both


def formed(found: dict[str, Any]) -> str:
    """What is wrong with the form of what bprop returned, in a sentence; '' if nothing is."""
    if 'stopped' in found:
        return str(found['stopped'])
    if found['returned'] != 'one gradient':
        return f'bprop: {found["returned"]}; there is one input: return (dx,).'
    if not isinstance(found.get('dx', np.zeros(0)), np.ndarray):
        return f'dx is no Tensor, but {found["dx"]}.'
    if 'wrote into' in found:
        return f'bprop has written into {found["wrote into"]}.'
    return next((f'{said[0].upper()}{said[1:]}.' for part, said in BESIDES.items() if part in found), '')


# ---- 14d -----------------------------------------------------------------------------------------------------------


class Hidden(nn.Cell):
    """A quantizer as in the lesson; `passes(level, most, dout)` is what bprop returns."""

    def __init__(self, bits: int, passes: Callable[[Any, float, Any], Any]) -> None:
        super().__init__()
        self.step = 4 / 2**bits
        self.most = 2 - self.step / 2
        self.passes = passes

    def rounded(self, w: Any) -> Any:
        """The level of each number, beyond the levels as well."""
        return (ops.floor(w / self.step) + 0.5) * self.step

    def construct(self, w: Any) -> Any:
        """Within the levels."""
        return ops.clamp(self.rounded(w), -self.most, self.most)

    def bprop(self, w: Any, out: Any, dout: Any) -> Any:
        """The lie of this one."""
        return (self.passes(self.rounded(w), self.most, dout),)


def mask(level: Any, most: float) -> Any:
    """Which weights are on one of the levels."""
    return ops.logical_and(level >= -most, level <= most)


HIDDEN: Sequence[tuple[int, Callable[[Any, float, Any], Any], str]] = (
    (2, lambda level, most, dout: dout * mask(level, most), 'right'),
    (4, lambda level, most, dout: dout * ops.logical_and(level >= -most, level < most), 'edge'),
    (3, lambda level, most, dout: ops.stop_gradient(dout) * mask(level, most), 'cut'),
    (2, lambda level, most, dout: dout * (level <= most), 'leaky'),
    (1, lambda level, most, dout: dout * mask(level, most), 'right'),
    (3, lambda level, most, dout: dout * ops.logical_and(level > -most, level <= most), 'edge'),
    (2, lambda level, most, dout: ops.select(dout < 0, ops.sign(dout), dout) * mask(level, most), 'coarse'),
    (1, lambda level, most, dout: dout * (level >= -most), 'leaky'),
)


def quantizer(bits: int, passes: Callable[[Any, float, Any], Any]) -> tuple[nn.Cell]:
    """A quantizer that passes on what it is told to."""
    return (Hidden(bits, passes),)


HUNT = Hunt(WORDS, HIDDEN, quantizer, lambda bits, passes: f'{bits} bit{"s" * (bits > 1)}')


def hunt(answer: Any, hunted: Hunt = HUNT) -> Trial:
    """Whether dout was ones is noted of each run of a bprop: those who say the same may have asked otherwise."""
    # by suspect; what a Cell counts on itself is undone by a check
    ran: dict[tuple, list[bool]] = {tuple(suspect): [] for *suspect, _ in hunted.hidden}

    def counted(bits: int, passes: Callable[[Any, float, Any], Any]) -> tuple[nn.Cell]:
        calls = ran[bits, passes]
        return quantizer(bits, lambda *given: calls.append(bool((given[2].asnumpy() == 1).all())) or passes(*given))

    found = hunted._replace(make=counted)(answer)
    return found._replace(did={'told': (found.did.get('told'), tuple(map(tuple, ran.values())))})


# ---- the third lie -------------------------------------------------------------------------------------------------


def cameras(between: Any, seed: int, n: int = 200) -> tuple[float, ...]:
    """Train the feature and both heads. `between` stands in front of the head that guesses the camera.

    What comes back are accuracies: of the labels under A and under B, of the camera by its head, and of the camera by
    the best threshold on the feature.
    """
    rng = np.random.default_rng(seed)
    side = np.arange(n) % 2 * 2 - 1.0  # the class, −1 or 1
    shape = np.tile(side, 2) + 0.6 * rng.standard_normal(2 * n)
    brightness = np.tile(side, 2) + 0.3 * rng.standard_normal(2 * n) + np.repeat([0, 2], n)  # under B, 2 more
    x, label = ms.Tensor(np.stack([shape, brightness], axis=1)), ms.Tensor((side > 0).astype(float)[:, None])
    camera = ms.Tensor(np.repeat([0.0, 1.0], n)[:, None])
    feature = ms.Parameter(ms.Tensor(0.5 * rng.standard_normal((2, 1))), name='feature')
    # a head has a weight and a bias
    heads = [ms.Parameter(ms.Tensor(rng.standard_normal((2, 1))), name=name) for name in ('label', 'camera')]
    loss_of = nn.BCEWithLogitsLoss()

    def guesses() -> tuple[Any, Any]:
        z = x @ feature
        return z @ heads[0][:1] + heads[0][1:], between(z) @ heads[1][:1] + heads[1][1:]

    def loss() -> Any:
        labels, of_camera = guesses()
        return loss_of(labels[:n], label) + loss_of(of_camera, camera)  # only camera A has labels

    weights = [feature, *heads]
    optimizer, step = nn.Adam(weights, learning_rate=0.02), ms.value_and_grad(loss, None, weights)
    for _ in range(300):
        optimizer(step()[1])
    labels, of_camera = (guess.asnumpy() > 0 for guess in guesses())
    right = labels == np.tile(label.asnumpy(), (2, 1))
    z, of_b = (x @ feature).asnumpy()[:, 0], camera.asnumpy()[:, 0] == 1
    best = np.mean((z > z[:, None]) == of_b, axis=1)  # each number of the feature as a threshold
    return right[:n].mean(), right[n:].mean(), np.mean(of_camera[:, 0] == of_b), max(best.max(), 1 - best.min())


TRIALS = {'14a': trend, '14b': sign, '14c': clip, '14d': hunt}
