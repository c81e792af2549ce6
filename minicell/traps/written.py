"""Writes: a value that backward needs was overwritten, or a Parameter was given a value that is being differentiated.

    def f(x):
        y = ops.exp(x)      # the rule of Exp reads y again on the way back
        y[0] = 0.0          # so that its gradient would be computed from the new value
        return y.sum()

WriteAfterUseError names the op and the write. What no rule reads may be written, such as a moving average in training.
SeveredWarning: no gradient passes a write, so that what comes of `assign(w, x * x)` has none with respect to x, however
much later: from then on whatever is computed from w is recorded, and backward finds where it was read.

Costs nothing until something is written while a gradient is open, or a `back` is kept. Then a bprop, and any rule that
was given memory written since, is read back under observation: its ops are noted, as under a Tape, and so are the
numbers that it asks for. So it is seen what backward reads, by whatever way it gets there.
"""

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf
from operator import itemgetter
from weakref import WeakSet, finalize, ref

import numpy as np

from ..core import tape
from ..core.cell import Takeover, users_frame
from ..core.differentiate import UNREAD, fill_up, name_of, new_list, read_back, read_once, tell_if_hidden
from ..core.errors import ShapeError, Where, caller, frames, users_line
from ..core.grad import paused
from ..core.rules import WRITE, Bundle, Item, Leaf, Marker, Parts, Rule, Shaped
from ..core.tape import NOWHERE, note
from ..core.tensor import Tensor, memory, tensors_in, wrap
from ..core.trap import Trap, captured, writes
from ..core.watch import holders, look, open_tapes
from ..errors import IndexWriteError, SeveredWarning, WriteAfterUseError
from .bypassed import running

LOOPS = read_once.__code__, read_back.__code__
ALONE = 3  # references to memory that one Tensor holds, as `writing` counts them
UNREADING = Marker, Leaf, Item, Shaped  # notes that read no numbers


def rewritten(array: np.ndarray, address: int) -> tuple | None:
    """The write to the memory of this array, if it came after this address."""
    found = writes.get(id(array if array.base is None else array.base))
    return found if found and found[0] > address else None


def waiting() -> Iterator[np.ndarray]:
    """The cotangents of the gradients that are being read back: that of now, and those that are still to be read."""
    for each in frames(sys._getframe()):
        if each.f_code in LOOPS:
            cts, g = each.f_locals['cts'], each.f_locals['g']
            for c in (g, *(cts.values() if isinstance(cts, dict) else cts)):
                for d in c.of.values() if type(c) is Parts else () if c is None else (c,):
                    yield d.array if type(d) is Tensor else d


def refuse(said: str, used: Where, write: tuple) -> None:
    """Raise for a write, with both lines."""
    use = '' if used.ours else f'\n  used:    {used.said}'
    raise WriteAfterUseError(f'{said.format(f"was written since, by {write[2]}")}{use}\n  written: {write[3].said}')


class Observed(Rule):
    """The rule of an entry, while it is seen what it reads: ops tell what they are given, and Tensors who asks.

    A formula of minicell's own therefore runs on Tensors.
    """

    def __init__(self, rule: Rule, entry: tuple, address: int, users: bool) -> None:
        self.inner, self.entry, self.address, self.users, self.name = rule, entry, address, users, rule.name
        self.cell = getattr(entry[2], '_stands_for', entry[2]) if isinstance(rule, Takeover) else self

    def vjp(self, g, offset, x, y, out):
        given, on_tensors = g, any(type(d) is Tensor for d in (g.of.values() if type(g) is Parts else (g,)))
        if not (on_tensors or self.users):
            given = Parts({k: wrap(d) for k, d in g.of.items()}) if type(g) is Parts else wrap(g)
        before = tape.entries, tape.record, tape.first_address, tape.looking, tape.trusted_from
        if not (on_tensors or (tape.looking and self.users)):  # else the notes are wanted
            new_list()
        self.notes, self.seen = tape.entries, len(tape.entries)
        look(True)
        trap.observing.append(self)
        try:
            if hasattr(self.inner, 'owner') and not on_tensors:  # what NumPy makes of these is not seen
                self.check([t.array for t in (*x, out)])
            pairs = list(self.inner.vjp(given, offset, x, y, out))
            self.look()
            self.check([d.array if type(d) is Tensor else d for _, d in pairs if d is not None])
        except ShapeError:  # perhaps because a Parameter has another shape since
            self.check([t.array for t in self.inner.tensors(x, y)])
            raise
        finally:
            trap.observing.pop()
            tape.entries, tape.record, tape.first_address, tape.looking, tape.trusted_from = before
            if tape.looking:
                fill_up()
        pairs = [(t, d) for t, d in pairs if t.at < NOWHERE]  # (a construct may have written into a constant since)
        return pairs if on_tensors else [(t, d.array if type(d) is Tensor else d) for t, d in pairs]

    def look(self) -> None:
        """See what was read until now."""
        notes, self.seen = self.notes[self.seen :], len(self.notes)
        for rule, x, y, out, _, _ in notes:
            if not isinstance(rule, UNREADING):
                self.check([t.array for t in rule.tensors(x, y)])
            elif rule is WRITE:
                self.check([t.array for t in tensors_in(out)])

    def check(self, arrays: Iterable[np.ndarray]) -> None:
        """Raise if one of these was written after the entry was made, and not by a bprop of the same Cell."""
        for array in arrays:
            found = rewritten(array, self.address)
            if found is None or found[-1] is self.cell:
                continue
            said = f'The gradient of {self.inner.title(self.entry)} needs the value that it used, but that value {{}}.'
            said += ' Without this error the gradient would silently be computed from the new value.'
            refuse(f'{said} Write after the gradient, or write into a copy.', Where(*self.entry[4:]), found)


CONSTANT = inf, None, '', None, 0, None  # what `Severed` keeps of a write by constant numbers, behind its time


class Severed(dict):
    """id of memory -> what was written there, in order; the Parameters in it are differentiated until it is cleared."""

    def clear(self) -> None:
        for *_, parameter in chain(*self.values()):
            if parameter is not None:
                parameter.at = -1
        super().clear()

    def since(self, root: np.ndarray, address: int = NOWHERE) -> tuple:
        """The last write to this memory before an address, if it was by a differentiated value; else a blank."""
        found = self.get(id(root), ())
        k = bisect_right(found, address, key=itemgetter(0))
        return found[k - 1] if k else CONSTANT


class Written(Trap):
    """Keeps what was written, and when."""

    def __init__(self) -> None:
        # id of an array's memory -> (when, weak reference, what wrote, where, whether a Parameter, and the Cell
        # whose bprop wrote: what it keeps from one call to the next is its own), in `writes`,
        self.since: dict = {}  # while a `back` is kept, which may read what it recorded before
        self.severed = Severed()  # the same, (takeover, Parameter), for what got a differentiated value
        self.tapes: dict = {}  # id of memory -> the closed Tapes that hold it
        self.latest = 0  # when anything was last written
        self.observing: list = []  # the entries that are read back under observation, the innermost last
        self.books = writes, self.severed

    def writing(self, tensor, what: str, frame, source: object, how: object) -> None:
        """The memory of `tensor` is about to change: remember it, and tell those who still hold the old values.

        What a running bprop was given is used by others too: a Parameter gets memory of its own, all else is refused.
        """
        # (to ask a WeakSet itself takes 0.3 µs)
        if not (tape.looking or tape.gradients or self.tapes or holders.data or paused.data):
            return
        for t in tensors_in(source) if tape.gradients else ():
            if not tape.hidden_address:
                tell_if_hidden(what, t)
            elif tape.recorded_from <= t.at < NOWHERE:  # construct uses it
                captured.append(t)
        root, bprops = memory(tensor.array), running() if tape.gradients else ()
        for given in bprops:
            inputs, outs = (any(memory(t.array) is root for t in tensors_in(given[n])) for n in ('inputs', 'result'))
            if (inputs or outs) and type(tensor) is Tensor:
                into, copy, was = ('its input', 'x', 'was given') if inputs else ('its out', 'out', 'returned')
                raise IndexWriteError(
                    f'{type(given["cell"]).__name__}.bprop writes into {into}, or a view of it, by {what}: others use '
                    f'what construct {was}, too. Write into a copy: {copy} = {copy}.copy().{users_line(frame)}'
                )
            if inputs or outs:
                root = tensor.array = tensor.array.copy()
        if tape.gradients and sys.getrefcount(root) > ALONE and any(memory(c) is root for c in waiting()):
            root = tensor.array = tensor.array.copy()  # what a bprop has returned, of a buffer that it fills anew
        for observed in self.observing:
            observed.look()
        if tape.looking:
            note(WRITE, tensor, what, (source, how), frame)
        for each in (*holders, *self.tapes.get(id(root), ())):
            each.keep(root)
            if each in holders and each not in open_tapes:
                self.find_by_memory(each)
        all_of_it = tensor.size == root.size and (how is ... or (type(how) is slice and how == slice(None)))
        by = getattr(bprops[0]['cell'], '_stands_for', bprops[0]['cell']) if bprops else None
        write = self.remember(root, what, users_frame(frame), type(tensor) is not Tensor, by, all_of_it)
        if tape.gradients and (type(tensor) is not Tensor or tape.hidden_address):
            self.sever(tensor, source, how is not ..., write)

    def find_by_memory(self, closed) -> None:
        """From here on a Tape is asked only when memory is written that it holds."""
        holders.discard(closed)
        for key in closed._held:
            self.tapes.setdefault(key, WeakSet()).add(closed)
        finalize(closed, self.forget_tape, [*closed._held]).atexit = False

    def forget_tape(self, keys: list) -> None:
        """A Tape that held this memory is gone."""
        for key in keys:
            if not any(True for _ in self.tapes.get(key, ())):
                self.tapes.pop(key, None)
        if not self.tapes:
            self.tapes.clear()  # which gives back the room that it grew to

    def remember(self, root: np.ndarray, what: str, frame, parameter: bool, by: object, all_of_it: bool) -> tuple:
        """This memory changes now, at an address of its own: later than all that is on any tape."""
        if tape.gradients and not tape.in_own_thread():
            when = tape.first_address + len(tape.entries)
        else:
            when = tape.tick()
            if tape.looking or tape.recorded_from != NOWHERE:
                tape.record(UNREAD)
        if not paused:
            self.since.clear()
        self.latest, key, where = when, id(root), Where.of(frame)
        before = writes.get(key) or self.since.get(key)
        by = by if all_of_it or before is None or before[-1] is by else None  # (another part was not written by it)
        for book in (writes,) * bool(tape.gradients) + (self.since,) * bool(paused):
            gone = ref(root, lambda _, book=book: book.pop(key, None))
            book[key] = when, gone, what, where, parameter, by
        return when, root, what, where

    def sever(self, tensor, source: object, added: bool, write: tuple) -> None:
        """`source` is written into `tensor`: remember it if a gradient would have to pass from one to the other.

        A constant Parameter gets the address before the first leaf's: what is computed from it is recorded, cotangents
        end there. (What construct writes is hidden, but for its views.)
        """
        root, bound = id(write[1]), tape.recorded_from
        if bound != NOWHERE and any(tape.address(t) >= bound for t in tensors_in(source)):
            gone = ref(write[1], lambda _: self.severed.pop(root, None))
            parameter = tensor if type(tensor) is not Tensor else None
            self.severed.setdefault(root, []).append((write[0], gone, *write[2:], tape.hidden_address, parameter))
            if parameter is not None:
                tensor.at = max(tensor.at, bound)
        elif not added and root in self.severed:
            self.severed[root].append((write[0], *CONSTANT[1:]))
            if tensor.at == bound:
                tensor.at = -1

    def closing(self, gradient) -> None:
        """A vjp pauses, and is read later: what was severed while its function ran counts then too."""
        if gradient.read_later and gradient.has_run and self.severed:
            gradient.books = dict(self.severed)

    def opening(self, gradient) -> None:
        """It is read: whatever was written since, while it was open or later, counts."""
        if gradient.has_run:
            writes.update({key: write for key, write in self.since.items() if write[0] > gradient.offset})
            self.severed.update(gradient.books or {})

    def say_severed(self, who: str, tensors: Iterable, used: object, address: int = NOWHERE) -> None:
        """Warn if `who` reads one that was given a differentiated value before this address: that gradient is lost."""
        for t in tensors:
            _, _, what, where, takeover, parameter = self.severed.since(memory(t.array), address)
            own = takeover and takeover == tape.gradients[-1].enclosing  # construct's, and so is this gradient
            if where and not own and (parameter is not None or t.at < 0):
                name = 'a Parameter' if parameter is not None else 'a Tensor'
                SeveredWarning.warn(
                    f'{who} uses {name} that was written by {what} with a value that is being '
                    'differentiated. No gradient passes a write: what the value depends on gets none through here. Use '
                    'the value itself, or write ops.stop_gradient(value) if that is meant.\n'
                    f'  written: {where.said}',
                    used,
                )

    def ran_forward(self, gradient) -> None:
        """Its function may have returned what was written: no entry reads that."""
        for t in gradient.outputs if writes else ():
            self.check_value(name_of(gradient.function), t, Where.of(caller()))
        if self.severed and (frame := caller()):
            outputs = [t for t in gradient.outputs if t.at == tape.recorded_from]
            self.say_severed(name_of(gradient.function), outputs, frame)

    def check_value(self, who: str, t: Tensor, used: Where, address: int = NOWHERE) -> None:
        """Raise if `who` uses a recorded value that was overwritten since, through another Tensor: a buffer, a view."""
        recorded = type(t) is Tensor and 0 <= t.at < min(address, NOWHERE)
        found = rewritten(t.array, t.at) if recorded else None
        if found and found[0] < address and not found[4]:
            said = f'{who} uses a value that is being differentiated, and that value {{}} through a buffer or a view.'
            refuse(f'{said} The gradient would silently be that of the old value. Write into a copy.', used, found)

    def check_entry(self, entry: tuple, address: int) -> Rule:
        """The rule that reads this entry back: under observation, where it may read what was written since."""
        rule, x, y, out, code, lasti = entry
        given = [t for t in rule.tensors(x, y) if type(t) is not Bundle]
        who, used = rule.title(entry), Where(code, lasti)
        if code is None:  # a leaf of a gradient inside
            who, used = 'A gradient', Where.of(caller())
        if self.severed:
            self.say_severed(who, [*given, *(getattr(y, 'internal_params', None) or ())], used, address)
        for t in given:
            self.check_value(who, t, used, address)
        if address >= self.latest or isinstance(rule, UNREADING):
            return rule
        if isinstance(rule, Takeover) or hasattr(rule, 'owner'):  # it calls code of the user's, which may read anything
            return Observed(rule, entry, address, True)
        given += tensors_in(out.out) if type(out) is Bundle else [out]
        if any(rewritten(t.array, address) for t in given):
            return Observed(rule, entry, address, False)
        return rule

    def numbers_asked(self, tensor, how: str, chooses: bool) -> None:
        for observed in self.observing:
            observed.look()
            observed.check((tensor.array,))


trap = Written()
