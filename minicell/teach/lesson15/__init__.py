"""Lesson 15: its figure of memory and time; trials of two checkpoints, and of a hunt for what one draws."""

import warnings
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.trials import (
    ERRORS,
    BpropCheck,
    Hunt,
    Trial,
    begun,
    cell_of,
    class_of,
    compared,
    dice,
    one_gradient,
    points,
    variant,
)

from .figures import FIGURES

SEED = 15


def mixed(x: Any, w: Any) -> Any:
    """A part whose outputs depend on several numbers of each input."""
    return ops.tanh(x @ w) @ w


PARTS: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...]]] = {
    'tanh(x @ w) @ w': (mixed, (3, 3)),
    'w * x * x': (lambda x, w: w * x * x, (5,)),
    'w * x.sum()': (lambda x, w: w * x.sum(), (2, 2)),
}


def checkpoint(answer: Any, parts: dict[str, tuple[Callable, tuple[int, ...]]] = PARTS, seed: int = SEED) -> Trial:
    """Try a Cell around several parts: its gradients, a call in between, and whether bprop runs the part again."""
    kind = class_of(answer, 'Recompute')
    did: dict[str, Any] = {}
    for name, (part, shape) in parts.items():
        cases = {f'part {name}, x and w of {shape}': points(shape, shape, seed=seed)}
        found = BpropCheck('Recompute', ['dx', 'dw'], part, f'what {name} returns', cases)(kind(part))
        did |= {f'{name}: {key}': value for key, value in found.did.items()}
        if not found.passed:
            return Trial(True, False, did, found.said)
        given = points(shape, shape, seed=seed)
        mine, due = second(kind(part), given), second(part, given)
        if not all(np.allclose(one, other) for one, other in zip(mine, due, strict=True)):
            did['second order'] = np.concatenate([each.ravel() for each in mine])
            said = f'part {name}: first order is right, and second order is not. Is all that bprop uses on the tape?'
            return Trial(True, False, did, said)
    forward, backward = runs(kind)
    if (forward, backward > 0) != (1, True):
        did['runs'] = forward, backward
        said = f'The part has run {forward} times in forward and {backward} times in backward; expected 1 and 1.'
        return Trial(True, False, did, f'The gradients are right. {said}')
    said = f'dx and dw agree with autodiff for {len(parts)} parts, with two calls of each, and construct keeps nothing.'
    return Trial(True, True, did, said)


def second(cell: Callable, given: list[Any]) -> list[np.ndarray]:
    """The gradients of a sum of squared gradients, by x and by w."""

    def slopes(x: Any, w: Any) -> Any:
        return sum((g * g).sum() for g in ms.grad(lambda *given: (cell(*given) ** 2).sum(), (0, 1))(x, w))

    return [g.asnumpy() for g in ms.grad(slopes, (0, 1))(*given)]


def runs(kind: type) -> tuple[int, int]:
    """How often the part runs in forward, and how often in backward."""
    ran: list[int] = []

    def part(x: Any, w: Any) -> Any:
        ran.append(1)
        return mixed(x, w)

    cell, inputs = kind(part), points((3, 3), (3, 3), seed=SEED)
    value, back = ms.vjp(lambda x, w: cell(x, w).sum(), *inputs)
    forward = len(ran)
    back(ops.ones_like(value))
    return forward, len(ran) - forward


# ---- 15b -----------------------------------------------------------------------------------------------------------

X = np.array([1.5, 0.0, -2.0, 0.7, -0.3, 0.0, 3.0, -1.1])
DY = np.array([2.0, -1.0, 0.5, 3.0, -2.5, 1.5, -0.4, 1.0])
FACTORS = (1.0, -10.0)


def dropping(shape: tuple[int, ...]) -> np.ndarray:
    """Factors of a part that drops numbers: 0 or 2."""
    return 2.0 * (np.random.random(shape) < 0.5)


def noise(shape: tuple[int, ...]) -> np.ndarray:
    """Factors of a part that weighs each number again: where x is 0, y is 0, and the slope is not."""
    return 0.5 + np.random.random(shape)


# what a part throws, and the power of x that it multiplies by it
Throw = Callable[[tuple[int, ...]], np.ndarray]
THROWS: dict[str, tuple[Throw, int]] = {
    'a part that drops': (dropping, 1),
    'a part that weighs': (noise, 1),
    'a part that squares': (noise, 2),
}


class Thrower(nn.Cell):
    """A part that multiplies by what it draws, and writes that down."""

    def __init__(self, throw: Callable[[tuple[int, ...]], np.ndarray], power: int) -> None:
        super().__init__()
        self.throw, self.power = throw, power
        self.thrown: list[np.ndarray] = []

    def construct(self, x: Any) -> Any:
        """x, or its square, times what was drawn."""
        self.thrown.append(self.throw(x.shape))
        return x**self.power * ms.Tensor(self.thrown[-1])


def keeps_dice(answer: Any, throws: dict[str, tuple[Throw, int]] = THROWS, seed: int = SEED) -> Trial:
    """Try a checkpoint around parts that draw: two calls on one tape, and where the generator stands after it."""
    kind = class_of(answer, 'KeepSeed')
    did: dict[str, Any] = {}
    for name, thrower in throws.items():
        cell_of(kind(Thrower(*thrower)), 'KeepSeed')
        try:
            with dice(seed):
                found, said = by_hand(kind(Thrower(*thrower)))
                if not said:
                    seen, said = two_calls(kind(Thrower(*thrower)))
                    found |= seen
        except ERRORS as error:
            found = {'stops': f'{type(begun(error)).__name__}: {error}'.splitlines()[0]}
            said = f'stops with {found["stops"]}'
        did |= {f'{name}: {part}': value for part, value in found.items()}
        if said:
            return Trial(True, False, did, f'{name}: {said}')
    said = 'Each call draws what its own forward pass drew, for a part that drops numbers and two that weigh them.'
    return Trial(True, True, did, f'{said}\nAfterwards the random generator is where it was before.')


def by_hand(cell: Any) -> tuple[dict[str, Any], str]:
    """What bprop returns when it is called by hand; and what is wrong with its form, in a sentence."""
    x, dy = ms.Tensor(X), ms.Tensor(DY)
    out = cell.construct(x)
    if not (isinstance(out, tuple) and len(out) == 2 and all(isinstance(part, ms.Tensor) for part in out)):
        return {'construct': type(out).__name__}, 'construct no longer returns (y, seed): leave it as it was.'
    if not np.array_equal(out[0].asnumpy(), X**cell.part.power * cell.part.thrown[0]):
        return {'construct': 'another y'}, 'construct no longer returns what the part does: leave it as it was.'
    said = one_gradient(cell.bprop(x, out, (dy, ops.zeros_like(out[1]))))
    return {'returned': said}, said


def two_calls(cell: Any) -> tuple[dict[str, Any], str]:
    """Two calls on one tape, then backward: dx, and what is wrong with it or the generator, in a sentence."""

    def loss(x: Any) -> Any:
        return sum((ms.Tensor(factor * DY) * cell(x + k)[0]).sum() for k, factor in enumerate(FACTORS))

    value, back = ms.vjp(loss, ms.Tensor(X))
    before = np.random.get_state()
    dx = back(ops.ones_like(value))[0].asnumpy().astype(np.float64)
    after = np.random.get_state()
    went_on = np.array_equal(before[1], after[1]) and before[2] == after[2]
    did = {'dx': dx, 'generator after': 'go on' if went_on else 'moved'}
    first, second = cell.part.thrown[:2]
    slopes = [factor * cell.part.power * (X + k) ** (cell.part.power - 1) for k, factor in enumerate(FACTORS)]
    due = DY * (slopes[0] * first + slopes[1] * second)
    off = compared(dx, due, lambda place: f'two calls with the seeds of the forward pass, number {place[0] + 1}', 'dx')
    if off and dx.shape == due.shape and np.allclose(dx, DY * sum(slopes) * second):
        off = 'of two calls, the first got the seed of the second.'
    if off:
        return did, off
    if not went_on:
        return (
            did,
            'dx is right, but the random generator has moved: what is drawn next is not what it would have been.',
        )
    return did, ''


# ---- 15c -----------------------------------------------------------------------------------------------------------

WORDS = ('right', 'new draw', 'stale seed', 'reseeded')


class Suspect(nn.Cell):
    """A checkpoint around a part that keeps each number with probability `keep`; this one is right."""

    def __init__(self, keep: float) -> None:
        super().__init__()
        self.keep = keep

    def part(self, x: Any) -> Any:
        """Drops numbers."""
        return x * ms.Tensor(np.random.random(x.shape) < self.keep) / self.keep

    def construct(self, x: Any) -> Any:
        """The part, and its seed."""
        self.seed = np.random.randint(2**31 - 1)
        with dice(self.seed):
            y = self.part(x)
        return y, ms.Tensor(self.seed)

    def again(self, x: Any, dy: Any) -> Any:
        """Runs the part, and goes back through it."""
        return (ms.grad(lambda x: (self.part(x) * dy).sum())(x),)

    def seeded(self, seed: int, x: Any, dy: Any) -> Any:
        """The same, from a seed."""
        with dice(seed):
            return self.again(x, dy)

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        """With the seed of this call."""
        dy, _ = dout
        return self.seeded(int(out[1].item()), x, dy)


# as many numbers in each call: to count them tells nothing
StaleAsMany = variant(
    Suspect,
    part=lambda self, x: x * ms.Tensor(np.random.permutation(x.size) < round(self.keep * x.size)) / self.keep,
    bprop=lambda self, x, out, dout: self.seeded(self.seed, x, dout[0]),
)
New = variant(Suspect, bprop=lambda self, x, out, dout: self.again(x, dout[0]))
Stale = variant(Suspect, bprop=lambda self, x, out, dout: self.seeded(self.seed, x, dout[0]))
TurnedBack = variant(
    Suspect, bprop=lambda self, x, out, dout: (np.random.seed(int(out[1].item())), self.again(x, dout[0]))[1]
)

HIDDEN = (
    (Stale, 0.5, 'stale seed'),
    (Suspect, 0.5, 'right'),
    (TurnedBack, 0.5, 'reseeded'),
    (New, 0.5, 'new draw'),
    (Suspect, 0.8, 'right'),
    (New, 0.8, 'new draw'),
    (TurnedBack, 0.8, 'reseeded'),
    (StaleAsMany, 0.8, 'stale seed'),
)


HUNT = Hunt(
    WORDS, HIDDEN, lambda kind, keep: (kind(keep),), lambda kind, keep: f'{keep:.0%} kept', within=partial(dice, SEED)
)
TRIALS = {'15a': checkpoint, '15b': keeps_dice, '15c': HUNT}
