"""How much one number of an input's gradient counts each element of the cotangent: by the rule itself, read once more.

A rule is linear in its cotangent, so that these slopes are the derivative of the number by the cotangent. They are
found by differentiating the rule; where a rule cannot be differentiated, by seeds with one element at a time. They are
believed if slope × cotangent, added up, is the number that the rule handed out.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.differentiate import differentiate
from ..core.errors import MinicellError
from ..core.rules import Bundle, Parts
from ..core.tape import NOWHERE
from ..core.tensor import Tensor, wrap
from ..core.watch import aside
from ..ops.hooks import Passing
from ..replay.program import past_hooks
from ..story.followed import tried

SEEDS = 4096  # so many elements are tried one at a time
PROBED = 20_000  # numbers of an op's inputs, up to which the slopes get names


class Read(NamedTuple):
    """A rule and all that it reads, in Float64: what it is asked again with."""

    rule: Any
    inputs: list[np.ndarray]
    attributes: tuple
    out: Any  # an array, or for several outputs what the op returned
    cotangents: list[np.ndarray | None]  # one for each float output


class Slopes(NamedTuple):
    """For each cotangent the slopes, or None where nothing arrived; and the names of those that are a value."""

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


def slopes(read: Read, place: int, index: tuple) -> Iterator[Slopes]:
    """The slopes for one number, found in one way and in the other: whoever asks tells whether they fit."""
    if any(a is not None and a.dtype.kind == 'c' for a in (*read.inputs, *read.cotangents)):
        return
    for way in (_differentiated, _one_by_one):
        with contextlib.suppress(*REFUSED):
            found = way(read, place, index)
            named, support = _probed(read, place, index)
            if support is not None:
                found[0][~np.isfinite(found[0]) & (support == 0)] = 0  # 0 × ∞ of one element does not count for another
            yield Slopes(found, {key: value for key, value in named.items() if _holds(read, found, key, value)})


def again(read: Read, place: int, index: tuple, dtype: np.dtype) -> float | None:
    """The number as the rule gives it in this dtype, rounded wherever it rounds; None where that cannot be told."""
    if not isinstance(read.out, np.ndarray) or isinstance(read.rule, Passing):
        return None
    narrow = lambda a: a.astype(dtype) if a is not None and a.dtype.kind == 'f' else a
    held = read._replace(
        inputs=[*map(narrow, read.inputs)], out=narrow(read.out), cotangents=[*map(narrow, read.cotangents)]
    )
    with contextlib.suppress(*REFUSED):
        return np.asarray(_pairs(held, held.cotangents)[1][place][1])[index].item()
    return None


def _differentiated(read: Read, place: int, index: tuple) -> list:
    there = [k for k, g in enumerate(read.cotangents) if g is not None]

    def number(*given: Tensor) -> Tensor:
        cotangents = [None] * len(read.cotangents)
        for k, g in zip(there, given, strict=True):
            cotangents[k] = g
        d = _pairs(read, cotangents)[1][place][1]
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
    zeros = lambda: [None if g is None else np.zeros(g.shape) for g in read.cotangents]
    found = zeros()
    for k, s in enumerate(found):
        for j in np.ndindex(s.shape) if s is not None else ():
            seed = zeros()
            seed[k][j] = 1
            s[j] = np.asarray(_pairs(read, seed)[1][place][1])[index]
    return found


def _probed(read: Read, place: int, index: tuple) -> tuple[dict, np.ndarray | None]:
    """Which slopes are a value of an input or of the output; and slopes that are 0 by the rule's structure alone.

    All inputs get random numbers, so that a slope that equals one of them does so by the rule and not by chance.
    """
    if not isinstance(read.out, np.ndarray) or isinstance(read.rule, Passing):
        return {}, None
    if sum(a.size for a in (*read.inputs, read.out)) > PROBED:
        return {}, None
    rng, named, values = np.random.default_rng(1), {}, {}
    inputs = [rng.uniform(0.3, 0.95, a.shape) if a.dtype.kind == 'f' else a for a in read.inputs]
    try:
        out = np.asarray(asked(read.rule, read.rule.run_kernel, inputs, read.attributes))
        if out.shape != read.out.shape:
            return {}, None
        (s,) = _differentiated(read._replace(inputs=inputs, out=out), place, index)
    except REFUSED:
        return {}, None
    for number, a in ((-1, out), *enumerate(inputs)):
        if a.dtype.kind == 'f':
            values.update((v, (number, tuple(map(int, j)))) for j, v in np.ndenumerate(a))
    for j in map(tuple, np.argwhere(s).tolist()):
        for sign in (1, -1):
            if s[j] * sign in values:
                named[0, j] = (*values[s[j] * sign], sign)
    return named, s


def _holds(read: Read, found: list, key: tuple, named: tuple) -> bool:
    k, j = key
    number, where, sign = named
    value = (read.out if number < 0 else read.inputs[number])[where] * sign
    return bool(np.isclose(found[k][j], value, rtol=1e-6, atol=0, equal_nan=True))
