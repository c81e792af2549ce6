"""Which numbers a number was computed from: each of them is changed, and what made the number runs once more.

So a sum along an axis reads a row, a slice what it cuts out and a convolution what its window covers, without a word
here of any of them. Where there are many numbers, all of a tensor are changed at once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.primitives import CAST
from ..core.rules import Shaped
from ..core.tensor import Tensor, tensors_in
from ..ink import tiles
from ..ops.create import STOP
from ..ops.hooks import Passing
from ..replay.program import pulled, under
from ..story.followed import tried
from ..story.record import Entry, Gradient, Reading, Value
from . import style

Pictures = list[tuple[str, Value]]
Arrays = list[np.ndarray | None]


class Source(NamedTuple):
    """The picture of a tensor, and which of its numbers (columns) each number of a result (rows) was computed from; one
    column stands for all of them where they are many."""

    tile: str
    value: Value
    table: np.ndarray

    def cells(self, n: int) -> list[str]:
        """The numbers that the n-th number was computed from; of squares, the picture."""
        if self.value.data.size > style.LARGE:
            return [self.tile] * bool(self.table[n].any())
        columns = tiles.folded(self.value.data).shape[1]
        return [f'{self.tile}[{m // columns},{m % columns}]' for m in np.flatnonzero(self.table[n])]

    def whole(self) -> list[str]:
        """All of it, as squares and as numbers."""
        return [self.tile, *self._replace(table=np.ones((1, self.value.data.size), bool)).cells(0)]


def forward(entry: Entry, out: int, ins: Pictures) -> list[Source]:
    """What an output was computed from; of a takeover, through the ops that it hides. All, where nobody can tell."""
    end = next((g.made for g in entry.ghosts if g.whole), None)

    def again(given: Arrays) -> np.ndarray:
        if entry.rule:
            return kernel(entry.op, given)[out]
        known: dict[int, np.ndarray] = {}
        for g in entry.ghosts:
            read = zip(g.places, g.keys, g.inputs, strict=True)
            found = [known.get(key, v.data) if place is None else given[place] for place, key, v in read]
            (known[g.made],) = kernel(g.op, found)
        return known[end]

    due = entry.outputs[out].data
    found = sources(ins, [v.data for v in entry.inputs], again, due)
    if found is None and due is not None:
        pairs = [(tile, v) for tile, v in ins if v.data is not None and v.data.size]
        found = [Source(tile, v, np.broadcast_to(True, (due.size, v.data.size))) for tile, v in pairs]
    return found or []


def by_rule(entry: Entry, reading: Reading, k: int, douts: Pictures, ins: Pictures, outs: Pictures) -> list[Source]:
    """What a rule computed the gradient of the k-th input from."""
    first, second = len(douts), len(douts) + len(ins)

    def again(given: Arrays) -> np.ndarray:
        handed = pulled(entry.op, given[first:second], given[second:], given[:first])[k]
        return np.broadcast_to(getattr(handed, 'array', handed), entry.inputs[k].shape)

    pairs = [*douts, *ins, *outs]
    return sources(pairs, [v.data for _, v in pairs], again) or []


def by_lines(entry: Entry, reading: Reading, g: Gradient, *pictures: Pictures) -> list[Source]:
    """What the lines of a bprop computed a gradient from, through the ops that they ran: of the pictures of its douts,
    inputs and outputs."""
    if entry.op is None:
        return []  # it is a whole Cell, in one card
    ins, outs = tensors_in(entry.op.inputs), tensors_in(entry.op.out)
    made = [t for op in reading.ran for t in tensors_in(op.out)]
    own = {id(t) for t in (*ins, *outs, *made)}
    read = [t for op in reading.ran for t in op.inputs if t.shape and id(t) not in own]
    douts = [next((t for t in read if is_it(t, came)), None) for came in reading.cotangents]
    end = next((t for t in reversed(made) if is_it(t, g.tensor)), None)
    pairs, given = [], []
    for known, tensors in zip(pictures, (douts, ins, outs), strict=True):
        pairs += known[: len(tensors)]
        given += tensors[: len(known)]

    def again(arrays: Arrays) -> np.ndarray:
        known = {id(t): array for t, array in zip(given, arrays, strict=True)}
        for op in reading.ran:
            found = kernel(op, [known.get(id(t), t.array) for t in op.inputs])
            known |= {id(t): array for t, array in zip(tensors_in(op.out), found, strict=True)}
        return known[id(end)]

    return sources(pairs, [t if t is None else t.array for t in given], again, g.value.data) or []


def itself(pictures: Pictures) -> list[Source]:
    """Of a tensor that stands in two places: each of its numbers is the same number of the other."""
    return sources(pictures, [v.data for _, v in pictures], lambda given: given[0]) or []


def is_it(tensor: Tensor, gradient: object) -> bool:
    """Whether a Tensor is a gradient that the tape handed on: as it is, its array, or a copy of that."""
    return tensor is gradient or (isinstance(gradient, np.ndarray) and np.array_equal(tensor.array, gradient))


def kernel(op: Any, given: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What an op makes of these arrays; what reads a shape alone makes what it made."""
    rule = under(op.rule)
    if isinstance(rule, Shaped):
        return [t.array for t in tensors_in(op.out)]
    made = given if isinstance(rule, Passing) or rule in (CAST, STOP) else rule.run_kernel(given, op.attrs)
    return [np.asarray(each) for each in (made if isinstance(made, tuple | list) else (made,))]


def sources(
    pictures: Pictures, given: Arrays, again: Callable[[Arrays], np.ndarray], due: np.ndarray | None = None
) -> list[Source] | None:
    """Those of some pictures that a result was computed from; `given`: their arrays. None where it does not come out
    once more as it was (`due`)."""

    def run(arrays: Arrays) -> np.ndarray | None:
        with np.errstate(all='ignore'):
            made, error = tried(again, arrays)
        return made if error is None else None

    was, found = run(given), []
    if was is None:
        return None
    rounding = dict(rtol=style.AGAIN, atol=style.AGAIN, equal_nan=True)
    if due is not None and not (was.shape == due.shape and np.allclose(was, due, **rounding)):
        return None
    for k, array in enumerate(given):
        if array is None or not array.size:
            continue
        apart = max(was.size, array.size) <= style.LARGE
        changes = [moved(run, given, k, m, was) for m in (range(array.size) if apart else (slice(None),))]
        if np.any(changes):
            found.append(Source(*pictures[k], np.stack(changes, 1)))
    return found


def moved(run: Callable, given: Arrays, k: int, which: int | slice, was: np.ndarray) -> np.ndarray:
    """Which numbers of the result become others when one number, or all, are put in the place of what they were."""
    for other in others(given[k].flat[which]):
        changed = given[k].copy()
        changed.flat[which] = other
        made = run([*given[:k], changed, *given[k + 1 :]])
        if made is not None and made.shape == was.shape:
            differ = ((made != was) & ~((made != made) & (was != was))).ravel()
            if differ.any():
                return differ
    return np.zeros(was.size, bool)


def others(numbers: Any) -> Iterator[Any]:
    """What to put in the place of numbers: NaN goes wherever it is read; what compares it sees the other two."""
    if numbers.dtype.kind == 'b':
        yield ~numbers
    elif numbers.dtype.kind in 'iu':
        yield from (numbers + 1, np.maximum(numbers, 1) - 1)
    else:
        yield from (np.nan, style.FAR, -style.FAR)
