"""Which numbers a number was computed from: each of them is changed, and what made the number runs once more.

So a sum along an axis reads a row, a slice what it cuts out and a convolution what its window covers, without a word
here of any of them. Where there are many numbers, all of a tensor are changed at once.
"""

from collections.abc import Callable, Sequence
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
from ..story.record import Entry, Reading, Value
from . import style
from .columns import TAGS

Pictures = list[tuple[str, Value]]
Arrays = list[np.ndarray | None]


class Source(NamedTuple):
    """The picture of a tensor, and which of its numbers (columns) each number of a result (rows) was computed from; one
    column stands for all of them where they are many."""

    tile: str
    value: Value
    table: np.ndarray

    def cells(self, n: int | None = None) -> list[str]:
        """The numbers that the n-th number was computed from, of squares the picture; None: all of it, as both."""
        size, columns = self.value.data.size, tiles.folded(self.value.data).shape[1]
        if size > style.LARGE:
            return [self.tile] * (n is None or bool(self.table[n].any()))
        read = range(size) if n is None else np.flatnonzero(self.table[n])
        return [self.tile] * (n is None) + [f'{self.tile}[{m // columns},{m % columns}]' for m in read]


def pictures(tag: str, keys: tuple[int, ...], values: tuple[Value, ...]) -> Pictures:
    """The pictures of some tensors."""
    return [(f'{tag}{key}', value) for key, value in zip(keys, values, strict=False)]


def forward(entry: Entry, out: int, ins: Pictures) -> list[Source] | None:
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
    found = sources(ins, again, due)
    if found is None and due is not None:
        pairs = [(tile, v) for tile, v in ins if v.data is not None and v.data.size]
        found = [Source(tile, v, np.broadcast_to(True, (due.size, v.data.size))) for tile, v in pairs]
    return found


def backward(entry: Entry, reading: Reading, k: int) -> list[Source] | None:
    """What the k-th gradient that an entry handed out was computed from: what came, the inputs and the outputs."""
    tag, made = TAGS[entry.level], entry.made
    douts, ins = pictures(f'{tag}d', made, reading.douts), pictures(tag, entry.keys, entry.inputs)
    outs = pictures(tag, made, entry.outputs)
    if entry.kind != 'op':
        return by_lines(entry, reading, k, douts, ins, outs)
    first, second = len(douts), len(douts) + len(ins)

    def again(given: Arrays) -> np.ndarray:
        handed = pulled(entry.op, given[first:second], given[second:], given[:first])[k]
        return np.broadcast_to(getattr(handed, 'array', handed), entry.inputs[k].shape)

    return sources([*douts, *ins, *outs], again)


def by_lines(entry: Entry, reading: Reading, k: int, *read: Pictures) -> list[Source] | None:
    """The same of the lines of a bprop, through the ops that they ran."""
    if entry.op is None:
        return None  # it is a whole Cell, in one card
    g, ins, outs = reading.gave[k], tensors_in(entry.op.inputs), tensors_in(entry.op.out)
    made = [t for op in reading.ran for t in tensors_in(op.out)]
    own = {id(t) for t in (*ins, *outs, *made)}
    given = [t for op in reading.ran for t in op.inputs if t.shape and id(t) not in own]
    douts = [next((t for t in given if is_it(t, came)), None) for came in reading.cotangents]
    end = next((t for t in reversed(made) if is_it(t, g.tensor)), None)
    pairs = [pair for each in zip(read, (douts, ins, outs), strict=True) for pair in zip(*each, strict=False)]
    pairs = [(picture, t) for picture, t in pairs if t is not None]

    def again(arrays: Arrays) -> np.ndarray:
        known = {id(t): array for (_, t), array in zip(pairs, arrays, strict=True)}
        for op in reading.ran:
            found = kernel(op, [known.get(id(t), t.array) for t in op.inputs])
            known |= {id(t): array for t, array in zip(tensors_in(op.out), found, strict=True)}
        return known[id(end)]

    return sources([picture for picture, _ in pairs], again, g.value.data)


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
    pictures: Pictures, again: Callable[[Arrays], np.ndarray], due: np.ndarray | None = None
) -> list[Source] | None:
    """Those of some pictures that a result was computed from. None where it does not come out once more as it was
    (`due`)."""
    given = [v.data for _, v in pictures]

    def run(arrays: Arrays) -> np.ndarray | None:
        with np.errstate(all='ignore'):
            return tried(again, arrays)[0]

    was, found = run(given), []
    same = lambda: was.shape == due.shape and np.allclose(was, due, style.AGAIN, style.AGAIN, equal_nan=True)
    if was is None or not (due is None or same()):
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
    """Which numbers of the result become others when one number, or all, are put in the place of what they were: NaN
    goes wherever it is read; what compares it sees the other two."""
    old = given[k].flat[which]
    whole = [~old] if old.dtype.kind == 'b' else [old + 1, np.maximum(old, 1) - 1]
    for other in whole if old.dtype.kind in 'biu' else (np.nan, style.FAR, -style.FAR):
        changed = given[k].copy()
        changed.flat[which] = other
        made = run([*given[:k], changed, *given[k + 1 :]])
        if made is not None and made.shape == was.shape:
            differ = ((made != was) & ~((made != made) & (was != was))).ravel()
            if differ.any():
                return differ
    return np.zeros(was.size, bool)
