"""A gradient: make leaves of the inputs, call the function, read the tape back.

Nested gradients share one tape. The outermost one reads back on arrays, which records nothing, and so does one inside a
construct that runs hidden. Any other inner one reads back on Tensors, so that the ops of its backward are recorded too,
and the outer one reads back over them as over all others. Gradients go by position: each input to differentiate enters
the function as a new Tensor, its leaf, so that an object given twice counts as two inputs.
"""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import repeat
from sys import getrefcount

import numpy as np

from . import tape
from .bprop_result import cotangents
from .errors import caller
from .primitives import ones_like, zeros_like
from .rules import BACK, BEGIN, END, FAIL, GIVE, PULL, Marker, NoRule, add_up, leaf
from .tape import NOWHERE, note
from .tensor import Tensor, lend, tensors_in, wrap
from .trap import books, captured, joined, writes

SELDOM = 10_000  # allocations between two runs of the garbage collector, which walks the tape in vain: it has no cycles
UNREAD = (Marker('unread'), None, None, None, None, 0)  # for a weight of the outermost gradient, and for `fill_up`
FREED = NoRule('A value of a gradient inside a construct', None, 'it has ended.'), (), (), None, None, 0


def name_of(function: Callable) -> str:
    """What a message calls a function or a Cell."""
    return getattr(function, '__name__', None) or type(function).__name__


def tell_if_hidden(name: str, t: Tensor) -> None:
    """Tell the traps if `name` is given a value that a takeover has hidden; none that is around a gradient here."""
    if (at := tape.address(t)) >= NOWHERE and at not in tape.enclosing_addresses():
        joined.escaped(name, at, None)


def differentiate(
    function: Callable, inputs: tuple, named: dict, positions: tuple, weights: tuple = (), sens=None, aux=False
) -> tuple[object, list[Tensor], list[Tensor]]:
    """The result of function(*inputs), and its gradients with respect to the inputs at these positions and to weights.

    sens: the cotangents of the outputs (ones where None); aux: only the first output is differentiated.
    """
    gradient = Gradient(function, inputs, named, positions, weights, aux)
    return gradient.while_open(gradient.run_and_read, sens)


class Gradient:
    """One differentiation: a function and its inputs, then what it returned and the stretch of tape to read back."""

    restore: Callable | None = None  # restores the tape; None: the gradient is not open
    outermost: bool
    enclosing = 0  # the hidden address of the takeover around this gradient, or 0
    on_arrays: bool  # backward computes with arrays, because no other gradient differentiates it
    weights_before: list  # the addresses of the trainable weights outside
    reset_weights: Iterable = ()  # an iterator that restores them
    captured: list  # the list of captured Tensors outside
    threshold: tuple = ()  # that of the garbage collector, where it was raised
    uses_hidden = False  # whether a value was used that the enclosing takeover had made before
    has_run = False  # whether the function has returned
    result: object
    differentiated: object  # the result, or with aux its first part
    outputs: list  # the Tensors in it
    leaves: list = ()  # of the inputs at the positions, then the trainable weights; a Tape names the gradient by it
    offset: int  # the address of the first leaf
    weight_addresses: Iterable = ()  # inside the gradient
    entries: list  # those from `begin` to `end` belong to this gradient
    begin: int
    end: int
    summed: int  # how many outputs are differentiated as their sum, for want of sens
    books: object = None  # what a trap keeps from one reading to the next
    meant: set  # addresses at which a cotangent of 0 is meant: nobody is warned of what leads there alone
    first_bad: tuple | None = None  # what first made a NaN or an infinity on the way back

    def __init__(
        self, function: Callable, inputs: tuple, named: dict, positions: tuple, weights: tuple, aux=False, later=False
    ) -> None:
        self.function, self.inputs, self.named, self.positions = function, inputs, named, positions
        self.weights, self.aux, self.read_later, self.meant = weights, aux, later, set()
        self.trainable = list({id(w): w for w in weights if w.requires_grad}.values()) if weights else []  # each once
        self.sources = [*[inputs[k] for k in positions], *self.trainable]

    def while_open(self, step: Callable, *args: object) -> object:
        """Call step(*args) between `open` and `close`."""
        try:
            self.open()
            return step(*args)
        finally:
            try:
                self.close()
            except BaseException:  # an interrupt, perhaps before its first line
                self.close()
                raise

    def run_and_read(self, sens: object) -> tuple[object, list[Tensor], list[Tensor]]:
        """Call the function and read back once: its result, the gradients of the inputs, and those of the weights."""
        self.run_forward()
        return self.result, *self.read(sens, once=True)

    def open(self) -> None:
        """Begin, or begin to read once more: from here on the weights have the addresses of this gradient."""
        joined.acquire()
        self.restore = tape.state()
        self.outermost = tape.recorded_from == NOWHERE
        self.enclosing = tape.hidden_address
        self.on_arrays = self.outermost or self.enclosing != 0
        self.weights_before = [w.at for w in self.trainable]
        self.reset_weights = map(setattr, self.trainable, repeat('at'), self.weights_before)
        self.uses_hidden = False
        if self.enclosing:
            self.captured, captured[:] = captured[:], ()  # those of the Cells inside are not the outer Cell's
            self._take((self.inputs, self.trainable))
        if self.outermost and 0 < (threshold := gc.get_threshold())[0] < SELDOM:
            self.threshold = threshold
            gc.set_threshold(SELDOM)
        if not tape.gradients:
            tape.generation += 1 << 20  # what was hidden before is constant; room for 2**19 classes
        tape.gradients += (self,)
        for opening in joined.opening if self.read_later or not self.outermost else ():
            opening(self)
        for w, at in zip(self.trainable, self.weight_addresses):  # noqa: B905 (empty the first time)
            w.at = at

    def close(self) -> None:
        """End, or pause until it is read again: the tape's variables are as before `open`, even after an interrupt."""
        if self.restore is None or not tape.in_own_thread():  # `open` raised before it changed anything
            return joined.release()
        try:
            if tape.looking and tape.entries and tape.entries[-1][2] is not self.leaves:
                note(END, None, self.leaves, None, None)
            for closing in joined.closing:
                closing(self)
        finally:
            self._restore_all()
        self.restore, self.threshold = None, ()
        joined.release()  # from here on another thread may open it
        if self.enclosing:
            if self.has_run and not (self.read_later or tape.looking):  # nobody can read its entries any more
                self.entries[self.begin : self.end] = [FREED] * (self.end - self.begin)
            captured[:] = self.captured
            fill_up()  # a bprop called on the way back may have used a list of its own

    def _take(self, given: object) -> None:
        """Inside a takeover: this gradient is given Tensors that may come from outside, or have been made there."""
        bound, tensors = self.restore.args[0]['recorded_from'], tensors_in(given)
        self.uses_hidden = self.uses_hidden or any(t.at >= bound for t in tensors)
        self.captured += [t for t in tensors if bound <= t.at < NOWHERE]

    def _restore_all(self) -> None:
        try:
            if self.threshold and gc.get_threshold() == (SELDOM, *self.threshold[1:]):  # else `function` set its own
                gc.set_threshold(*self.threshold)
        finally:
            try:
                list(self.reset_weights)  # a single call into C, like the next one
            finally:
                self.restore()
                if not tape.gradients:
                    for book in books:
                        book.clear()

    def run_forward(self) -> None:
        """Call the function, with a leaf in place of each input to differentiate."""
        alone = self.outermost and not tape.looking  # nothing else uses this list of entries
        if alone:
            new_list()
        arguments = self._make_leaves(alone)
        if tape.looking:
            given = self.leaves, tuple(self.sources), self.positions
            note(BEGIN, self.function, given, len(tape.gradients), caller())
        if self.on_arrays:  # else the bound is the outer gradient's, and that of one inside a takeover is so, too
            tape.record_from(self.offset - 1 if self.outermost else tape.recorded_from)
        self.result = self.function(*arguments, **self.named)
        self.differentiated = self.result[0] if self.aux and isinstance(self.result, tuple) else self.result
        self.outputs = tensors_in(self.differentiated)
        for t in self.outputs:
            if t.at >= NOWHERE:
                tell_if_hidden('the output of a differentiated function', t)
        self.entries, self.end = tape.entries, len(tape.entries)
        if self.read_later and not alone:  # an outer gradient may read this list back first, which empties it
            self.entries, self.begin, self.end = self.entries[self.begin :], 0, self.end - self.begin
        self.has_run = True
        for ran_forward in joined.ran_forward:
            ran_forward(self)

    def _make_leaves(self, alone: bool) -> list:
        """The arguments of the function: each input to differentiate replaced by its leaf, which gets an address."""
        arguments, self.begin = list(self.inputs), len(tape.entries)
        self.leaves, tick, record = [], tape.tick, tape.record
        for k in self.positions:
            x = arguments[k]
            if x.at >= NOWHERE:
                tell_if_hidden(name_of(self.function), x)
            arguments[k] = new = wrap(x.array)
            self.leaves.append(new)
            new.at = tick()  # after all calls that may fail, of recursion too deep: an address has an entry
            record((leaf, x, None, new, None, 0))
        for w, at in zip(self.trainable, self.weights_before):  # noqa: B905 (of one length)
            entry = UNREAD if alone else (leaf, wrap(w.array, at), None, w, None, 0)
            w.at = tick()
            record(entry)
        self.leaves += self.trainable
        self.weight_addresses = [w.at for w in self.trainable]
        self.offset = self.leaves[0].at if self.leaves else tape.first_address + self.begin
        return arguments

    def read(self, sens: object = None, once: bool = False) -> tuple[list[Tensor], list[Tensor]]:
        """The gradients of the inputs and of the weights; once: not again, except by an outer gradient."""
        if self.enclosing:
            self._take(sens)
        if self.on_arrays:
            tape.record_from(NOWHERE)
        seeds = self._seeds(sens)
        if tape.looking:
            note(BACK, tuple(seeds), (self.outputs, sens), self.leaves, None)
        n = self.end - self.begin  # (a constant of a vjp may be differentiated when it is read, at a later address)
        cts = defaultdict(type(None), dict.fromkeys(range(n))) if self.read_later or self.enclosing else [None] * n
        for t, g in seeds:
            c = cts[t.at - self.offset]
            cts[t.at - self.offset] = g if c is None else c + g
        with np.errstate(divide='call', invalid='call', over='ignore', call=joined.bad_number):
            if once and self.outermost and not tape.looking:
                read_once(self, cts)
            else:
                read_back(self, cts)
            gradients, unreached, finite = _finished(cts, self.leaves, self.on_arrays)
        return self._deliver(gradients, unreached, finite)

    def _seeds(self, sens: object) -> list[tuple]:
        """Each output that depends on a leaf, with the cotangent that backward starts from."""
        outs = [t for t in self.outputs if t.array.dtype.kind in 'fc']
        self.summed = len(outs) if sens is None else 0
        if sens is None and self.on_arrays:  # (no rule can write into a scalar)
            given = [np.ones(t.shape, t.array.dtype) if t.ndim else t.array.dtype.type(1) for t in outs]
        elif sens is None:
            given = map(ones_like, outs)
        else:
            given = cotangents(sens, self.differentiated, self.outputs)
            if self.on_arrays:
                given = [s.array.copy() for s in given]  # copied, because a rule may return the very array it is given
        return [(t, g) for t, g in zip(outs, given, strict=True) if self.offset <= t.at < NOWHERE]

    def _deliver(self, gradients: list, unreached: list, finite: bool) -> tuple[list[Tensor], list[Tensor]]:
        """Let the traps see the gradients, then sort them: those of the inputs, and one for each weight."""
        for arrived in joined.arrived:
            gradients, finite = arrived(self, gradients), False
        for finished in joined.finished:
            finished(self, gradients, unreached, finite)
        if tape.looking:
            note(END, tuple(gradients), self.leaves, None, None)
        if self.uses_hidden:
            for t in gradients:
                t.at = self.enclosing  # hidden, like everything else that the takeover makes
        of_inputs, of_weights = gradients[: len(self.positions)], gradients[len(self.positions) :]
        if len(self.trainable) == len(self.weights):
            return of_inputs, of_weights
        by_weight = dict(zip(map(id, self.trainable), of_weights, strict=True))
        return of_inputs, [by_weight[id(w)] if id(w) in by_weight else zeros_like(w) for w in self.weights]


def new_list() -> None:
    """Continue with an empty list of entries."""
    tape.entries, tape.first_address = [], tape.tick() + 1
    tape.record = tape.entries.append


def fill_up() -> None:
    """Return to a list after another was in use: the entry at index n must have the address first_address + n."""
    tape.entries.extend([UNREAD] * (tape.tick() + 1 - tape.first_address - len(tape.entries)))


def read_once(gradient: Gradient, cts: list) -> None:
    """Read back on arrays, and free each entry after its turn. Afterwards cts holds the cotangents of the leaves."""
    pop, take, offset, changed = gradient.entries.pop, cts.pop, gradient.offset, writes
    for _ in repeat(None, len(cts) - len(gradient.leaves)):  # a range would make an int for each entry
        rule, x, y, out, code, lasti = pop()
        g = take()
        if g is not None:
            if changed:
                rule = joined.check_entry((rule, x, y, out, code, lasti), offset + len(cts))
            rule.vjp_arrays(g, cts, offset, x, y, out)
        elif gradient.meant and offset + len(cts) in gradient.meant:
            gradient.meant.update([t.at for t in rule.tensors(x, y)])


def read_back(gradient: Gradient, cts: list) -> None:
    """Read back inside another gradient, under a Tape, or for a gradient that is read again: the entries are kept."""
    entries, begin, offset, on_arrays = gradient.entries, gradient.begin, gradient.offset, gradient.on_arrays
    for k in range(len(cts) - 1, len(gradient.leaves) - 1, -1):
        g = cts[k]
        rule, x, y, out, code, lasti = entry = entries[begin + k]  # noqa: RUF059 (traps/numbers.py reads these names)
        if g is None:
            if offset + k in gradient.meant:
                gradient.meant.update([t.at for t in rule.tensors(x, y)])
            continue
        if not tape.looking:
            if writes:
                rule = joined.check_entry(entry, offset + k)
            (rule.vjp_arrays if on_arrays else rule.vjp_tensors)(g, cts, offset, x, y, out)
            continue
        g = lend(g) if type(g) is Tensor and rule.name == 'Takeover' else g  # the very Tensor that bprop gets
        note(PULL, entry, g, None, None)
        try:
            if writes:
                rule = joined.check_entry(entry, offset + k)
            gave = tuple(rule.vjp(g, offset, x, y, out))
        except BaseException as error:
            note(FAIL, rule, error, entry, None)
            raise
        note(GIVE, entry, gave, None, None)
        add_up(gave, cts, offset)


def _finished(cts: list, leaves: list, on_arrays: bool) -> tuple[list[Tensor], list[int], bool]:
    """The gradients of the leaves; the indices of those that no cotangent reached; whether all numbers are finite."""
    found, unreached, total = [], [], 0.0
    for k, t in enumerate(leaves):
        unshared = getrefcount(cts[k]) == UNSHARED
        g = cts[k]
        if g is None:
            unreached.append(k)
            g = np.zeros_like(t.array) if on_arrays else zeros_like(t)
        elif on_arrays and not (unshared and g.base is None):
            g = g.copy()  # a rule may return what it was given: a write into one gradient must not change another
        g = wrap(g) if on_arrays else lend(g)
        found.append(g)
        row = g.array.ravel()
        total += row.dot(row)  # fast; only the squares of very large numbers are infinite by mistake
    return found, unreached, total - total == 0  # infinity minus infinity is NaN


_in_a_list = [object()]
UNSHARED = getrefcount(_in_a_list[0])  # the count of an object that nothing but a list holds
