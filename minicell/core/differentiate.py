"""Mark the inputs, call the function, read the tape back.

Nested gradients share one tape. The outermost one computes with arrays and keeps nothing. An inner one computes with
Tensors, so that all it does on the way back is recorded too, and the outer one reads over that as over everything else.
Gradients go by position: each marked argument enters the function as a Tensor of its own, so that one object given
twice is two inputs.
"""

import gc
from collections.abc import Callable, Iterable
from itertools import repeat
from sys import getrefcount

import numpy as np

from . import doors, tape
from .arithmetic import ones_like, zeros_like
from .errors import SensError, caller, plural, users_line
from .rules import BACK, BEGIN, END, FAIL, GIVE, PULL, Marker, leaf
from .tape import NOWHERE, note
from .tensor import Tensor, is_float, tensors_in, wrap

SELDOM = 10_000  # so many objects between two runs of the collector: the tape makes no cycles, and is walked each time
UNREAD = (Marker('unread'), None, None, None, None, 0)  # the entry of a leaf behind which nobody reads on


def name_of(function: Callable) -> str:
    """How a sentence calls a function or a Cell."""
    return getattr(function, '__name__', None) or type(function).__name__


def differentiate(
    function: Callable, inputs: tuple, named: dict, positions: tuple, weights: tuple = (), sens=None, aux=False
) -> tuple[object, list[Tensor], list[Tensor]]:
    """What function(*inputs) returns, its gradients with respect to the inputs at these positions, and to the weights.

    sens: the cotangents of its outputs (ones where None); aux: only the first output is differentiated.
    """
    gradient = Gradient(function, inputs, named, positions, weights, aux)
    try:
        gradient.open()
        gradient.play()
        return gradient.result, *gradient.read(sens, once=True)
    finally:
        try:
            gradient.close()
        except BaseException:  # an interrupt, perhaps before its first line
            gradient.close()
            raise


class Gradient:
    """A function called with its inputs marked: what it returned, and the stretch of tape to read back."""

    def __init__(
        self,
        function: Callable,
        inputs: tuple,
        named: dict,
        positions: tuple,
        weights: tuple,
        aux: bool = False,
        read_later: bool = False,
    ) -> None:
        self.function, self.inputs, self.named, self.positions = function, inputs, named, positions
        self.weights, self.aux, self.read_later = weights, aux, read_later
        self.marked = list({id(w): w for w in weights if w.requires_grad}.values())  # each once
        self.sources = [*[inputs[k] for k in positions], *self.marked]
        self.places: list = []  # the addresses of the marked weights inside the gradient
        self.put_back: Callable | None = None  # restores the tape; None: the gradient is not open
        self.unmark: Iterable = ()
        self.scope = 0
        self.threshold: tuple = ()  # of the collector, where it is raised
        self.played = False
        self.overwritten: dict = {}  # what is known of writes since, for a gradient that is read later
        self.books: object = None  # what a trap keeps for it meanwhile
        self.zero_is_meant = False  # no warning of a gradient that is 0
        self.first_bad: tuple | None = None  # what first made a NaN or an infinity on the way back

    def open(self) -> None:
        """Begin, or come back to read: from here on the weights have their addresses."""
        for turn in doors.turning:
            turn()
        self.put_back = tape.state()
        self.before = [w.at for w in self.marked]
        self.unmark = map(setattr, self.marked, repeat('at'), self.before)
        self.scope = tape.hidden_address  # inside a takeover: nobody outside differentiates what happens here
        self.outermost = tape.start == NOWHERE
        self.flat = self.outermost or bool(self.scope)  # arrays will do
        hidden = tape.hidden_from
        self.tainted = bool(self.scope) and any(t.at >= hidden for t in tensors_in((self.inputs, self.marked)))
        if self.outermost and 0 < (threshold := gc.get_threshold())[0] < SELDOM:
            self.threshold = threshold
            gc.set_threshold(SELDOM)
        if not tape.gradients:
            tape.generation += 1 << 20  # all that was hidden before is constant; more than there are classes of Cells
        tape.gradients += (self,)
        for opened in doors.opening if self.outermost else doors.opening + doors.nested:
            opened(self)
        for w, at in zip(self.marked, self.places):  # noqa: B905 (empty the first time)
            w.at = at

    def close(self) -> None:
        """End, or pause: all is as it was before `open`. An interrupt at one step leaves none of the others out."""
        if self.put_back is None:  # it was refused
            return
        try:
            for closed in doors.closing:
                closed(self)
        finally:
            try:
                changed = not self.threshold  # (by the function, which may have a threshold of its own)
                changed = changed or gc.get_threshold()[0] != SELDOM
            finally:
                try:
                    changed or gc.set_threshold(*self.threshold)
                finally:
                    try:
                        list(self.unmark)  # one call into C, as the next one
                    finally:
                        self.put_back()
                        for turn in doors.turned:
                            turn()
        self.put_back, self.threshold = None, ()
        if self.scope:
            align()  # a bprop that was called on the way back may have had a list of its own
        if not tape.gradients:
            for forget in doors.over:
                forget()

    # ---- forward ---------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Call the function, with a leaf of the tape in place of each input that is to be differentiated."""
        alone = self.outermost and not tape.looking  # nobody else needs this list of entries
        if alone:
            own_list()
        arguments = self._mark(alone)
        if tape.looking:
            note(BEGIN, self.function, (tuple(self.leaves), tuple(self.sources)), len(tape.gradients), caller())
        if self.flat:
            tape.record_from(self.mark)
        self.result = self.function(*arguments, **self.named)
        self.outputs = tensors_in(self.result[0] if self.aux and isinstance(self.result, tuple) else self.result)
        for t in self.outputs:
            if t.at >= NOWHERE and tape.address(t) >= NOWHERE and t.at not in tape.scopes():
                doors.escaped('the output of a differentiated function', t.at, caller())
        self.entries, self.end = tape.entries, len(tape.entries)
        if self.read_later and not alone:  # those around it may read their list back first, and let go of it
            self.entries, self.base, self.end = self.entries[self.base :], 0, self.end - self.base
        self.played = True
        for told in doors.played:
            told(self)

    def _mark(self, alone: bool) -> list:
        arguments, self.base = list(self.inputs), len(tape.entries)
        self.leaves, tick, record = [], tape.tick, tape.record
        for k in self.positions:
            x = arguments[k]
            if x.at >= NOWHERE and not self.flat and tape.address(x) >= NOWHERE:
                doors.escaped(name_of(self.function), x.at, caller())
            arguments[k] = new = wrap(x.array, tick())
            self.leaves.append(new)
            record((leaf, x, None, new, None, 0))
        for w, at in zip(self.marked, self.before):  # noqa: B905 (of one length)
            w.at = tick()
            record(UNREAD if alone else (leaf, wrap(w.array, at), None, w, None, 0))
        self.leaves += self.marked
        self.places = [w.at for w in self.marked]
        self.mark = self.leaves[0].at if self.leaves else tape.first + self.base  # the address of the first leaf
        return arguments

    def keep(self, write: tuple) -> None:
        """Memory is about to be overwritten; for this gradient, that is after all that it has recorded."""
        _, memory, *how = write
        self.overwritten[id(memory)] = (self.mark + self.end - self.base, memory, *how)

    # ---- and back --------------------------------------------------------------------------------------------------

    def read(self, sens: object = None, once: bool = False) -> tuple[list[Tensor], list[Tensor]]:
        """The gradients of the inputs and of the weights; `once`: the entries are not needed any more."""
        if self.flat:
            tape.record_from(NOWHERE)
        if self.overwritten:
            doors.written.update(self.overwritten)
        seeds = self._seeds(sens)
        if tape.looking:
            note(BACK, tuple(seeds), (self.outputs, sens), None, None)
        cts: list = [None] * (self.end - self.base)
        for t, g in seeds:
            c = cts[t.at - self.mark]
            cts[t.at - self.mark] = g if c is None else c + g
        with np.errstate(divide='call', invalid='call', over='ignore', call=doors.bad_number):
            if once and self.outermost and not tape.looking:
                read_once(self, self.entries, cts, self.mark, len(self.leaves))
            else:
                read_back(self, self.entries[self.base : self.end], cts, self.mark, len(self.leaves), self.flat)
            gradients, unreached, finite = _finished(cts, self.leaves, self.flat)
        for change in doors.arrived:
            gradients, finite = change(self, gradients), False
        for told in doors.finished:
            told(self)
        for told in doors.unreached if unreached else ():
            told(self, unreached)
        for told in () if finite else doors.not_finite:  # or not known to be finite
            told(self, gradients)
        if tape.looking:
            note(END, tuple(gradients), None, None, None)
        if self.tainted:
            for t in gradients:
                t.at = self.scope  # made inside a takeover, as everything else there
        of_inputs, of_marked = gradients[: len(self.positions)], gradients[len(self.positions) :]
        if len(self.marked) == len(self.weights):
            return of_inputs, of_marked
        by_weight = dict(zip(map(id, self.marked), of_marked, strict=True))
        return of_inputs, [by_weight[id(w)] if id(w) in by_weight else zeros_like(w) for w in self.weights]

    def _seeds(self, sens: object) -> list[tuple]:
        """Each output that depends on a marked input, with the cotangent that it starts from."""
        outs = self.float_outputs = [t for t in self.outputs if t.array.dtype.kind in 'fc']
        self.summed = sens is None and len(outs) > 1
        if sens is None:
            return [(t, _ones(t.array) if self.flat else ones_like(t)) for t in outs if self.mark <= t.at < NOWHERE]
        given = tensors_in(sens)
        if len(given) == len(self.outputs):  # mirrors the output, with something for what is no float
            given = [s for s, t in zip(given, self.outputs, strict=True) if is_float(t)]
        check_fits(given, outs)
        # (a copy, because a rule may hand on what it is given)
        given = [s.array.copy() if self.flat else s for s in given]
        return [(t, g) for t, g in zip(outs, given, strict=True) if self.mark <= t.at < NOWHERE]


def _ones(like: np.ndarray) -> np.ndarray:
    # for a single number a scalar will do, which nobody can write into
    return np.ones(like.shape, like.dtype) if like.ndim else like.dtype.type(1)


def check_fits(given: list[Tensor], outs: list[Tensor]) -> None:
    """Raise unless there is one cotangent for each float output, of its shape and dtype."""
    if len(given) != len(outs):
        raise SensError(
            f'sens has {plural(len(given), "Tensor")}, but there are {plural(len(outs), "float output")}.{users_line()}'
        )
    for t, s in zip(outs, given, strict=True):
        if s.shape != t.shape or s.array.dtype != t.array.dtype:
            raise SensError(
                f'sens is {s.dtype} {s.shape}, but the output it belongs to is {t.dtype} {t.shape}: '
                f'they must be the same.{users_line()}'
            )


def own_list() -> None:
    """Go on with an empty list of entries."""
    tape.entries, tape.first = [], tape.tick() + 1
    tape.record = tape.entries.append


def align() -> None:
    """Back in a list after another was in use: fill it up, so that the entry at index n has the address first + n."""
    tape.entries.extend([UNREAD] * (tape.tick() + 1 - tape.first - len(tape.entries)))


def read_once(gradient: Gradient, entries: list, cts: list, mark: int, leaves: int) -> None:
    """Read back on arrays, and let go of each entry as soon as it is passed. What is left of cts is the leaves'."""
    written, pop, take = doors.written, entries.pop, cts.pop
    for _ in repeat(None, len(cts) - leaves):  # a range would make an int for each
        rule, x, y, out, code, lasti = pop()
        g = take()
        if g is not None:
            if written:
                doors.check_entry((rule, x, y, out, code, lasti), mark + len(cts))
            rule.vjp_arrays(g, cts, mark, x, y, out)


def read_back(gradient: Gradient, pending: list, cts: list, mark: int, leaves: int, flat: bool) -> None:
    """Read back where someone differentiates what is computed here, or looks, or will read again."""
    for k in range(len(pending) - 1, leaves - 1, -1):
        g = cts[k]
        if g is None:
            continue
        rule, x, y, out, code, lasti = entry = pending[k]  # noqa: RUF059 (traps/not_a_number.py looks here)
        if not tape.looking:
            if doors.written:
                doors.check_entry(entry, mark + k)
            (rule.vjp_arrays if flat else rule.vjp_tensors)(g, cts, mark, x, y, out)
            continue
        note(PULL, entry, g, None, None)
        try:
            if doors.written:
                doors.check_entry(entry, mark + k)
            gave = tuple(rule.vjp(g, mark, x, y, out))
        except Exception as error:
            note(FAIL, rule, error, entry, None)
            raise
        note(GIVE, entry, gave, None, None)
        for t, d in gave:
            i = t.at - mark
            if d is not None and i >= 0:
                c = cts[i]
                cts[i] = d if c is None else c + d


def _finished(cts: list, leaves: list, flat: bool) -> tuple[list[Tensor], list[int], bool]:
    """Cotangents as Tensors of their own memory, zeros where none arrived; which these are; whether all are finite."""
    found, unreached, total = [], [], 0.0
    for k, t in enumerate(leaves):
        alone = getrefcount(cts[k]) == ALONE
        g = cts[k]
        if g is None:
            unreached.append(k)
            g = np.zeros_like(t.array) if flat else zeros_like(t)
        elif flat and not (alone and g.base is None):
            g = g.copy()  # a rule may hand on what it was given, a bprop what it keeps: a write into one is in no other
        if flat:
            g = wrap(g)
        found.append(g)
        row = g.array.ravel()
        total += row.dot(row)  # fast, and finite but for the largest numbers
    return found, unreached, total - total == 0  # infinity minus infinity is NaN


_held = [object()]
ALONE = getrefcount(_held[0])  # what is counted where only a list holds something
