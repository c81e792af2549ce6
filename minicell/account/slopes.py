"""How much one number of an input's gradient counts each element of the cotangent: by the rule itself, read once more.

A rule is linear in its cotangent, so that these slopes are the derivative of the number by the cotangent. They are
found by differentiating the rule; where a rule cannot be differentiated, by seeds with one element at a time. They are
believed if slope × cotangent, added up, is the number that the rule handed out.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.differentiate import differentiate
from ..core.tensor import wrap
from ..core.watch import Op
from ..replay.program import made, pulled, under
from ..story.followed import tried

SEEDS = 4096  # so many elements are tried one at a time
PROBED = 20_000  # numbers of an op's inputs, up to which the slopes get names


class Read(NamedTuple):
    """An entry and all that its rule reads, in Float64: what it is asked again with."""

    op: Op
    inputs: list[np.ndarray]
    outs: list[np.ndarray]
    cotangents: list[np.ndarray | None]  # one for each float output

    @property
    def row(self) -> np.ndarray:
        """The numbers of all cotangents, one after the other."""
        return np.concatenate([np.ravel(g) for g in self.cotangents if g is not None])

    @property
    def ends(self) -> list[int]:
        """Where each cotangent ends in this row."""
        return np.cumsum([0 if g is None else g.size for g in self.cotangents]).tolist()

    def at(self, n: int) -> tuple[int, tuple[int, ...]]:
        """Which cotangent the n-th number of this row is in, and where."""
        k = int(np.searchsorted(self.ends, n, 'right'))
        g = self.cotangents[k]
        return k, tuple(map(int, np.unravel_index(n - self.ends[k] + g.size, g.shape)))

    def number(self, place: int, index: tuple, row: Any) -> Any:
        """One number of what the rule hands to an input, for a row of such numbers, which may be a Tensor."""
        parts = zip(self.cotangents, self.ends, strict=True)
        given = [None if g is None else row[end - g.size : end].reshape(g.shape) for g, end in parts]
        handed = pulled(self.op, self.inputs, self.outs, given)[place]
        return handed[index] if index else handed


def slopes(read: Read, place: int, index: tuple) -> Iterator[tuple[np.ndarray, dict]]:
    """The slopes for one number, and names of some of them, as `named` finds them: found in one way and in the other,
    so that whoever asks can tell whether they fit."""
    if any(a is not None and a.dtype.kind == 'c' for a in (*read.inputs, *read.cotangents)):
        return
    for way in (differentiated, one_by_one)[: 1 + (read.row.size <= SEEDS)]:
        found, error = tried(way, read, place, index)
        if error is None:
            yield tried(named, read, place, index, found)[0] or (found, {})


def again(read: Read, place: int, index: tuple, dtype: np.dtype) -> float | None:
    """The number as the rule gives it in this dtype, rounded wherever it rounds; None where that cannot be told."""
    narrow = lambda a: a.astype(dtype) if a is not None and a.dtype.kind == 'f' else a
    held = Read(read.op, *(list(map(narrow, arrays)) for arrays in read[1:]))
    found, error = tried(held.number, place, index, held.row)
    return None if error else np.asarray(found).item()


def differentiated(read: Read, place: int, index: tuple) -> np.ndarray:
    """The derivative of the number by the cotangents."""
    _, (slopes,), _ = differentiate(lambda row: read.number(place, index, row), (wrap(read.row),), {}, (0,))
    return np.array(slopes.array)


def one_by_one(read: Read, place: int, index: tuple) -> np.ndarray:
    """The number for each cotangent that is 1 at one place, and else 0."""
    found = np.zeros(read.row.size)
    for n in range(found.size):
        seed = np.zeros(found.size)
        seed[n] = 1
        found[n] = read.number(place, index, seed)
    return found


def named(read: Read, place: int, index: tuple, found: np.ndarray) -> tuple[np.ndarray, dict]:
    """The slopes that were found, 0 where they are by the rule's structure alone (0 × ∞ of one element does not count
    for another); and which are a value: its place in the row -> (input or -1 for the output, index there, sign).

    All inputs get random numbers, so that a slope that equals one of them does so by the rule and not by chance.
    """
    if len(read.outs) != 1 or sum(a.size for a in (*read.inputs, *read.outs)) > PROBED:
        return found, {}
    rng, op = np.random.default_rng(1), read.op
    inputs = [rng.uniform(0.3, 0.95, a.shape) if a.dtype.kind == 'f' else a for a in read.inputs]
    outs = made(under(op.rule), inputs, op.attrs, None)
    s = differentiated(read._replace(inputs=inputs, outs=outs), place, index)
    found = np.where(~np.isfinite(found) & (s == 0), 0, found)
    arrays, values = ((-1, outs[0]), *enumerate(inputs)), [*read.inputs, *read.outs]
    known = {v: (k, where) for k, a in arrays if a.dtype.kind == 'f' for where, v in np.ndenumerate(a)}
    equal = [(n, (*known[s[n] * sign], sign)) for n in np.flatnonzero(s) for sign in (1, -1) if s[n] * sign in known]
    same = lambda n, k, where, sign: np.isclose(found[n], values[k][where] * sign, 1e-6, 0, equal_nan=True)
    return found, {n: of for n, of in equal if same(n, *of)}
