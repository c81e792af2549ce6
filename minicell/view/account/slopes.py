"""How much one number of an input's gradient counts each element of the cotangent: by the rule itself, read once more.

A rule is linear in its cotangent, so that these slopes are the derivative of the number by the cotangent. They are
found by differentiating the rule; where a rule cannot be differentiated, by seeds with one element at a time. Either
way a cotangent of random numbers must then give the sum that the slopes say.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...core.differentiate import differentiate
from ...core.errors import MinicellError
from ...core.rules import Bundle, Parts
from ...core.tape import NOWHERE
from ...core.tensor import Tensor, tensors_in, wrap
from ...core.watch import aside
from ...ops.hooks import Passing
from ...replay.program import past_hooks
from ...story.followed import tried
from .. import style

SEEDS = style.SEEDS
PROBED = style.PROBED


class Read(NamedTuple):
    """A rule and all that it reads, in Float64: what it is asked again with."""

    rule: Any
    inputs: list[np.ndarray]
    attributes: tuple
    out: Any  # an array, or for several outputs what the op returned
    cotangents: list[np.ndarray | None]  # one for each float output


class Slopes(NamedTuple):
    """For each cotangent: the slopes (None where nothing arrived); and the names of those that are a value."""

    of: list[np.ndarray | None]
    named: dict  # (cotangent, index) -> (input or -1 for the output, index there, sign)


class Unknown(Exception):
    """The slopes cannot be told."""


REFUSED = Unknown, MinicellError


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """What runs here is on no tape, and warns of nothing."""
    with aside(), warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        yield


def wide(array: object) -> np.ndarray:
    """A float array in Float64; anything else as it is."""
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind == 'f' else array


def asked(rule: Any, call: Callable, *given: object) -> Any:
    """What a rule answers. One of the user's may refuse numbers that it was not made for, with any exception."""
    found, error = tried(call, *given)
    if error is not None:
        raise Unknown(rule.name) if hasattr(rule, 'owner') else error
    return found


def reread(read: Read, cotangents: list, place: int) -> object:
    """The `place`-th gradient that the rule returns for these cotangents."""
    return _pairs(read, cotangents)[1][place][1]


def places(read: Read, wanted: list[int]) -> list[tuple[int, object]]:
    """(place, gradient) of all that the rule returns for these inputs, read on arrays."""
    then, pairs = _pairs(read, read.cotangents)
    order = {id(t): k for k, t in enumerate(then)}
    return [(p, d) for p, (t, d) in enumerate(pairs) if order.get(id(t)) in wanted and d is not None]


def _pairs(read: Read, cotangents: list) -> tuple[tuple[Tensor, ...], list[tuple]]:
    """New Tensors with the numbers of the inputs, and what the rule returns for them: (Tensor, gradient)."""
    then = tuple(wrap(a) for a in read.inputs)
    several = not isinstance(read.out, np.ndarray)
    g = Parts({k: g for k, g in enumerate(cotangents) if g is not None}) if several else cotangents[0]
    if isinstance(read.rule, Passing):
        return then, list(zip(then, past_hooks(cotangents, then), strict=True))
    x, y = read.rule.raw(then, read.attributes)
    out = Bundle(read.out, -1) if several else wrap(read.out)
    return then, list(asked(read.rule, read.rule.vjp, g, -NOWHERE, x, y, out))


def slopes(read: Read, place: int, index: tuple) -> Slopes:
    """The slopes for one number. Raises Unknown where the rule is not linear, or cannot be read again."""
    if any(a is not None and a.dtype.kind == 'c' for a in (*read.inputs, *read.cotangents)):
        raise Unknown('complex')
    found = None
    for way in (_differentiated, _one_by_one):
        with contextlib.suppress(*REFUSED):
            found = way(read, place, index)
            if _agrees(read, place, index, found):
                break
            found = None
    if found is None:
        raise Unknown(read.rule.name)
    named, support = {}, {}
    nameable = isinstance(read.out, np.ndarray) and not isinstance(read.rule, Passing)
    if nameable and sum(a.size for a in (*read.inputs, read.out)) <= PROBED:
        with contextlib.suppress(*REFUSED):
            named, support = _probed(read, place, index)
    for k, s in enumerate(found):
        if s is not None and not np.isfinite(s).all():
            _settle(read, place, index, k, s, support)
    return Slopes(found, {key: v for key, v in named.items() if _holds(read, found, key, v)} if named else {})


def _differentiated(read: Read, place: int, index: tuple) -> list:
    there = [k for k, g in enumerate(read.cotangents) if g is not None]

    def number(*given: Tensor) -> Tensor:
        cotangents = [None] * len(read.cotangents)
        for k, g in zip(there, given, strict=True):
            cotangents[k] = g
        d = reread(read, cotangents, place)
        return d[index] if index else d

    given = tuple(wrap(read.cotangents[k]) for k in there)
    _, by_cotangent, _ = differentiate(number, given, {}, tuple(range(len(there))))
    found = [None] * len(read.cotangents)
    for k, s in zip(there, by_cotangent, strict=True):
        found[k] = np.array(s.array)
    return found


def _one_by_one(read: Read, place: int, index: tuple) -> list:
    if sum(g.size for g in read.cotangents if g is not None) > SEEDS:
        raise Unknown('too many')
    found = []
    for k, g in enumerate(read.cotangents):
        found.append(None if g is None else np.zeros(g.shape))
        for j in np.ndindex(g.shape) if g is not None else ():
            found[k][j] = _seeded(read, place, index, k, j)
    return found


def _seeded(read: Read, place: int, index: tuple, k: int, j: tuple, value: float = 1.0) -> float:
    """What the number is where the k-th cotangent has one element alone."""
    seed = [None if g is None else np.zeros(g.shape) for g in read.cotangents]
    seed[k][j] = value
    return np.asarray(reread(read, seed, place))[index]


def _agrees(read: Read, place: int, index: tuple, found: list) -> bool:
    """Whether the slopes tell what a cotangent of random numbers leads to."""
    rng = np.random.default_rng(0)
    seed = [None if g is None else rng.uniform(0.5, 1.5, g.shape) * rng.choice([-1, 1], g.shape)
            for g in read.cotangents]  # fmt: skip
    due = np.asarray(reread(read, seed, place))[index]
    parts = [s * g for s, g in zip(found, seed, strict=True) if s is not None]
    got, most = sum(p.sum() for p in parts), sum(np.abs(p).sum() for p in parts)
    return not np.isfinite(due) or not np.isfinite(got) or abs(got - due) <= 1e-6 * most


def _probed(read: Read, place: int, index: tuple) -> tuple[dict, dict]:
    """Which slopes are a value of an input or of the output, and which are 0 by the rule's structure.

    All inputs get random numbers, so that a slope that equals one of them does so by the rule and not by chance.
    """
    rng = np.random.default_rng(1)
    inputs = [rng.uniform(0.3, 0.95, a.shape) if a.dtype.kind == 'f' else a for a in read.inputs]
    out = np.asarray(asked(read.rule, read.rule.run_kernel, inputs, read.attributes))
    if out.shape != read.out.shape:
        raise Unknown('another shape')
    again = read._replace(inputs=inputs, out=out)
    (s,) = _differentiated(again, place, index)
    values = {}
    for number, a in ((-1, out), *enumerate(inputs)):
        if a.dtype.kind == 'f':
            values.update((v, (number, tuple(map(int, j)))) for j, v in np.ndenumerate(a))
    named = {}
    for j in map(tuple, np.argwhere(s).tolist()):
        for sign in (1, -1):
            if s[j] * sign in values:
                named[0, j] = (*values[s[j] * sign], sign)
    return named, {0: s}


def _holds(read: Read, found: list, key: tuple, named: tuple) -> bool:
    k, j = key
    number, where, sign = named
    value = (read.out if number < 0 else read.inputs[number])[where] * sign
    with np.errstate(all='ignore'):
        return bool(np.isclose(found[k][j], value, rtol=1e-6, atol=0, equal_nan=True))


def _settle(read: Read, place: int, index: tuple, k: int, s: np.ndarray, support: dict) -> None:
    """Infinite values of one element (0 * inf) must not count for another."""
    for j in map(tuple, np.argwhere(~np.isfinite(s)).tolist()[:SEEDS]):
        alone = _seeded(read, place, index, k, j)
        if np.isfinite(alone):
            s[j] = alone
        elif k in support and np.isfinite(support[k][j]) and not support[k][j]:
            s[j] = 0


def reaches(read: Read, place: int, index: tuple, k: int, j: tuple) -> bool:
    """Whether this element of the cotangent, NaN or infinite, makes the number so."""
    return not np.isfinite(_seeded(read, place, index, k, j, float(read.cotangents[k][j])))


def is_several(out: object) -> bool:
    """Whether an op returned several Tensors."""
    return not isinstance(out, Tensor)


def outputs(out: object) -> list[Tensor]:
    """The float outputs of an op."""
    return [t for t in tensors_in(out) if t.array.dtype.kind in 'fc']
