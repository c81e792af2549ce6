"""Lesson 15: its figure of memory and time; trials of two checkpoints, and of a hunt for what one draws."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

import minicell as ms
from minicell import nn, ops
from minicell.teach.bprop_check import BpropCheck, Settings
from minicell.teach.trials import Hunt, Trial, dice, points, variant

from .figures import FIGURES

SEED = 15


def mixed(x: Any, w: Any) -> Any:
    """A part whose outputs depend on several numbers of each input."""
    return ops.tanh(x @ w) @ w


# a part, and the shapes of x and of w
PARTS: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...], tuple[int, ...]]] = {
    'tanh(x @ w) @ w': (mixed, (2, 3), (3, 3)),
    'w * x * x': (lambda x, w: w * x * x, (5,), (5,)),
    'w * x.sum()': (lambda x, w: w * x.sum(), (2, 2), (2, 2)),
}


def checkpoint(answer: Any, parts: dict[str, tuple] = PARTS, seed: int = SEED) -> Trial:
    """Try a Cell around several parts, up to second order; does bprop run the part, and does construct keep nothing?"""
    checks = {}
    for name, (part, *shapes) in parts.items():
        given = points(*shapes, seed=seed)
        cases = {f'x {given[0].shape}, w {given[1].shape}': given}
        check = BpropCheck('Recompute', ['dx', 'dw'], part, f'what {name} returns', cases, order=2)
        checks[f'part {name}'] = (part,), check
    found = Settings('Recompute', checks, 'The gradients are right.')(answer)
    if not found.passed:
        return found
    kept = [f'on self: {value}' for part, value in found.did.items() if part.endswith(': kept')]
    forward, backward, left = runs(answer)
    kept += ['that the part has computed'] * left
    if kept:
        return found._replace(passed=False, said=f'{found.said} But construct keeps something {kept[0]}.')
    did = found.did | {'runs': (forward, backward > 0)}
    ran = f'{found.said} The part has run {forward} times in the forward pass and {backward} times in the backward pass'
    if did['runs'] != (1, True):
        return found._replace(passed=False, did=did, said=f'{ran}; expected 1, and at least 1.')
    said = f'dx and dw agree with autodiff for {len(parts)} parts, up to second order, in two calls of each.'
    more = f' bprop runs the part {backward} times, and once is enough.' * (backward > 1)
    return found._replace(did=did, said=f'{said} And construct keeps nothing.{more}')


def runs(kind: type) -> tuple[int, int, bool]:
    """How often the part runs in forward, how often in backward, and whether a number in between is kept meanwhile."""
    ran: list[ref] = []

    def part(x: Any, w: Any) -> Any:
        between = ops.tanh(x @ w)
        ran.append(ref(between))
        return between @ w

    cell, inputs = kind(part), points((3, 3), (3, 3), seed=SEED)
    value, back = ms.vjp(lambda x, w: cell(x, w).sum(), *inputs)
    gc.collect()
    forward, kept = len(ran), any(each() is not None for each in ran)
    back(ops.ones_like(value))
    return forward, len(ran) - forward, kept


# ---- 15b -----------------------------------------------------------------------------------------------------------


def noise(shape: tuple[int, ...]) -> ms.Tensor:
    """Factors of a part that weighs each number again: where x is 0, y is 0, and the slope is not."""
    return ms.Tensor(0.5 + np.random.random(shape))


THROWS: dict[str, Callable[[Any], Any]] = {
    'a part that drops': lambda x: x * ms.Tensor(2.0 * (np.random.random(x.shape) < 0.5)),
    'a part that weighs': lambda x: x * noise(x.shape),
    'a part that mixes': lambda x: x * x[::-1] * noise(x.shape),
}


def with_its_seed(part: Callable, x: Any) -> tuple[Any, Any]:
    """What the part makes of x, and its seed, as construct of the exercise."""
    seed = np.random.randint(2**31 - 1)
    with dice(seed):
        return part(x), ms.Tensor(seed)


def keeper(throws: dict[str, Callable[[Any], Any]], seed: int) -> Settings:
    """The trial of a checkpoint around parts that draw."""
    checks = {}
    for name, part in throws.items():
        cases = {'x of 8 numbers': points((8,), seed=seed)}
        check = BpropCheck('KeepSeed', ['dx'], partial(with_its_seed, part), '(y, seed)', cases, order=2)
        checks[name] = (part,), check
    done = 'Each call draws what its own forward pass drew, for parts that drop, weigh and mix numbers.'
    return Settings('KeepSeed', checks, f'{done}\nAfterwards the random generator is where it was before.')


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


New = variant(Suspect, bprop=lambda self, x, out, dout: self.again(x, dout[0]))
Stale = variant(Suspect, bprop=lambda self, x, out, dout: self.seeded(self.seed, x, dout[0]))
TurnedBack = variant(
    Suspect, bprop=lambda self, x, out, dout: (np.random.seed(int(out[1].item())), self.again(x, dout[0]))[1]
)


def as_many(kind: type) -> type:
    """The same, with as many numbers in each call: to count them tells nothing."""
    share = lambda self, x: np.random.permutation(x.size) < round(self.keep * x.size)
    return variant(kind, part=lambda self, x: x * ms.Tensor(share(self, x)) / self.keep)


HIDDEN = (
    (Stale, 0.5, 'stale seed'),
    (Suspect, 0.5, 'right'),
    (TurnedBack, 0.5, 'reseeded'),
    (as_many(New), 0.5, 'new draw'),
    (Suspect, 0.8, 'right'),
    (New, 0.8, 'new draw'),
    (TurnedBack, 0.8, 'reseeded'),
    (as_many(Stale), 0.8, 'stale seed'),
)


SAME = 1  # with this seed the first numbers of two masks are alike now and then: one number says nothing
named = lambda kind, keep: f'{keep:.0%} kept'
HUNT = Hunt(WORDS, HIDDEN, lambda kind, keep: (kind(keep),), named, within=partial(dice, SAME), times=3)
TRIALS = {'15a': checkpoint, '15b': keeper(THROWS, SEED), '15c': HUNT}
