"""Which numbers a number was computed from: each of them is changed, and what made the number runs once more.

So a sum along an axis reads a row, a slice what it cuts out and a convolution what its window covers, without a word
here of any of them. What cannot run again, and what is too large to be tried number by number, has no table: None.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.primitives import CAST
from ..core.rules import Shaped
from ..core.tensor import Tensor, tensors_in
from ..ops.create import STOP
from ..ops.hooks import Passing
from ..replay.program import pulled, under
from ..story.followed import tried
from ..story.record import Entry, Gradient, Reading, Value
from . import style

Tables = list[np.ndarray | None]  # of each source: whether the n-th number (row) reads the m-th of that source (column)
Arrays = list[np.ndarray | None]


def forward(entry: Entry, out: int) -> Tables:
    """What the numbers of an output read of each input; of a takeover, through the ops that it hides."""
    ins, due = [v.data for v in entry.inputs], entry.outputs[out].data
    if entry.rule:
        return tables(lambda given: kernel(entry.op, given)[out], ins, due)
    end = next((g.made for g in entry.ghosts if g.whole), None)

    def again(given: Arrays) -> np.ndarray:
        known: dict[int, np.ndarray] = {}
        for g in entry.ghosts:
            read = zip(g.places, g.keys, g.inputs, strict=True)
            found = [known.get(key, v.data) if place is None else given[place] for place, key, v in read]
            (known[g.made],) = kernel(g.op, found)
        return known[end]

    return tables(again, ins, due)


def backward(entry: Entry, reading: Reading, k: int, anew: bool) -> list[Tables]:
    """What the numbers that a rule hands to the k-th input read of each dout, each input and each output; `anew`: the
    outputs are made anew from the inputs, because the rule is not known to read them."""
    douts, ins, outs = ([v.data for v in values] for values in (reading.douts, entry.inputs, entry.outputs))
    shape = entry.inputs[k].shape

    def again(given: Arrays) -> np.ndarray:
        came, read, found = split(given, len(douts), len(ins))
        handed = pulled(entry.op, read, kernel(entry.op, read) if anew else found, came)[k]
        return np.broadcast_to(getattr(handed, 'array', handed), shape)

    return split(tables(again, douts + ins + outs), len(douts), len(ins))


def returned(entry: Entry, reading: Reading, g: Gradient) -> list[Tables]:
    """The same of what a bprop returns, through the ops that its lines ran."""
    if entry.op is None:
        return [[], [], []]  # it is a whole Cell, in one card
    ins, outs = tensors_in(entry.op.inputs), tensors_in(entry.op.out)
    made = [t for op in reading.ran for t in tensors_in(op.out)]
    own = {id(t) for t in (*ins, *outs, *made)}
    read = [t for op in reading.ran for t in op.inputs if t.shape and id(t) not in own]
    douts = [next((t for t in read if is_it(t, came)), None) for came in reading.cotangents]
    end = next((t for t in reversed(made) if is_it(t, g.tensor)), None)
    given = [*douts, *ins, *outs]

    def again(arrays: Arrays) -> np.ndarray:
        known = {id(t): array for t, array in zip(given, arrays, strict=True)}
        for op in reading.ran:
            found = kernel(op, [known.get(id(t), t.array) for t in op.inputs])
            known |= {id(t): array for t, array in zip(tensors_in(op.out), found, strict=True)}
        return known[id(end)]

    return split(tables(again, [t if t is None else t.array for t in given], g.value.data), len(douts), len(ins))


def itself(value: Value) -> np.ndarray | None:
    """Of a tensor that stands in two places: each of its numbers reads the same number of the other."""
    small = value.data is not None and value.data.size <= style.LARGE
    return np.eye(value.data.size, dtype=bool) if small else None


def is_it(tensor: Tensor, gradient: object) -> bool:
    """Whether a Tensor is a gradient that the tape handed on: as it is, its array, or a copy of that."""
    return tensor is gradient or (isinstance(gradient, np.ndarray) and np.array_equal(tensor.array, gradient))


def split(found: list, *counts: int) -> list[list]:
    """The part for the douts, that for the inputs and that for the outputs."""
    first, second = counts[0], sum(counts)
    return [found[:first], found[first:second], found[second:]]


def kernel(op: Any, given: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What an op makes of these arrays; what reads a shape alone makes what it made."""
    rule = under(op.rule)
    if isinstance(rule, Shaped):
        return [t.array for t in tensors_in(op.out)]
    made = given if isinstance(rule, Passing) or rule in (CAST, STOP) else rule.run_kernel(given, op.attrs)
    return [np.asarray(each) for each in (made if isinstance(made, tuple | list) else (made,))]


def tables(again: Callable[[Arrays], np.ndarray], given: Arrays, due: np.ndarray | None = None) -> Tables:
    """Of each array, which of its numbers each number of the result reads. `due`: what must come out once more."""

    def run(arrays: Arrays) -> np.ndarray | None:
        with np.errstate(all='ignore'):
            made, error = tried(again, arrays)
        return made if error is None else None

    was = run(given)
    if was is None or was.size > style.LARGE or (due is not None and not alike(was, due)):
        return [None] * len(given)
    found: Tables = []
    for k, array in enumerate(given):
        known = array is not None and array.size <= style.LARGE
        table = np.zeros((was.size, array.size), bool) if known else None
        for m in range(array.size if known else 0):
            table[:, m] = moved(run, given, k, m, was)
        found.append(table)
    return found


def moved(run: Callable, given: Arrays, k: int, m: int, was: np.ndarray) -> np.ndarray:
    """Which numbers of the result become others when one number is put in the place of another."""
    for other in others(given[k].flat[m]):
        changed = given[k].copy()
        changed.flat[m] = other
        made = run([*given[:k], changed, *given[k + 1 :]])
        if made is not None and made.shape == was.shape:
            differ = ((made != was) & ~((made != made) & (was != was))).ravel()
            if differ.any():
                return differ
    return np.zeros(was.size, bool)


def alike(was: np.ndarray, due: np.ndarray) -> bool:
    """Whether two arrays are the same, but for how they were rounded."""
    return was.shape == due.shape and np.allclose(was, due, style.AGAIN, style.AGAIN, equal_nan=True)


def others(number: np.generic) -> Iterator[object]:
    """What to put in the place of a number: NaN goes wherever it is read; what compares it sees the other two."""
    if number.dtype.kind == 'b':
        yield not number
    elif number.dtype.kind in 'iu':
        yield from (number + 1, number - 1) if number else (number + 1,)
    else:
        yield from (np.nan, style.FAR, -style.FAR)
