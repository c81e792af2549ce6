"""A Tape keeps what happens inside its `with` block, as events in the order of time."""

import dis
import inspect
import sys
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from weakref import WeakSet

import numpy as np

from . import tape
from .differentiate import fill_up, new_list
from .errors import Where, refuse_copy, users_line
from .rules import BACK, BEGIN, END, ENTER, FAIL, GIVE, LEAVE, PULL, WRITE, Marker
from .tape import NOWHERE
from .tensor import Tensor, memory, read_only, tensors_in
from .trap import joined

# ---- events: `at` is the address of what is told, `where` its place in the user's code (or None) --------------------

Enter = namedtuple('Enter', 'at cell inputs custom where')
Enter.__doc__ = 'A Cell is called; custom: its bprop takes over, and the ops inside are hidden.'
Leave = namedtuple('Leave', 'at cell out failed')
Leave.__doc__ = 'The Cell returns; failed: it raised an exception.'
Op = namedtuple('Op', 'at rule inputs attrs out where state')
Op.__doc__ = "A primitive ran: 'recorded', 'unrecorded' (no gradient passes), or 'hidden' in a Cell with its own bprop."
Call = namedtuple('Call', 'at cell inputs out where state')
Call.__doc__ = 'The entry for a call of a Cell with its own bprop; state as in Op.'
Begin = namedtuple('Begin', 'at function inputs order where sources positions of', defaults=[None])
Begin.__doc__ = """A gradient begins. `inputs` are the leaves that replace `sources`; order 1 is the outermost gradient.

positions: of these inputs among the function's arguments; the others are Parameters. of: names the gradient: its Back
and its End have the same.
"""
Back = namedtuple('Back', 'at outputs of', defaults=[None])
Back.__doc__ = 'Backward starts, from these pairs (output, cotangent).'
Pull = namedtuple('Pull', 'at entry cotangent')
Pull.__doc__ = 'Backward reaches an entry, an Op or a Call. Of several outputs: a tuple, with None where none arrived.'
Give = namedtuple('Give', 'at entry gradients')
Give.__doc__ = 'Backward leaves an entry: (input, gradient or None) for each Tensor input.'
End = namedtuple('End', 'at gradients of', defaults=[None])
End.__doc__ = "One for each of Begin.inputs. None: a vjp's function has returned, or an exception ended the gradient."
Write = namedtuple('Write', 'at tensor what where')
Write.__doc__ = "A Tensor's memory was overwritten."
Fail = namedtuple('Fail', 'at where error entry')
Fail.__doc__ = 'An exception was raised.'

# ---- the Tape ------------------------------------------------------------------------------------------------------

open_tapes: list = []
holders: WeakSet = WeakSet()  # Tapes that `keep` what memory held, before it is written
PAUSES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def look(on: bool) -> None:
    """Begin or stop keeping everything that happens."""
    tape.looking, tape.trusted_from = on, tape.hidden_address if tape.hidden_address and not on else inf


@contextmanager
def aside() -> Iterator[None]:
    """What this thread computes here is on none of its open Tapes and gradients."""
    restore = tape.state() if tape.in_own_thread() and (tape.gradients or open_tapes) else None
    try:
        if restore:
            tape.record_from(NOWHERE)
            look(False)
        yield
    finally:
        if restore:
            restore()
            if tape.looking or tape.recorded_from != NOWHERE:  # else this list is being read back, and freed
                fill_up()


def _of_with(frame) -> object:
    """The frame, if it is at a `with` statement in a function that cannot pause; else None."""
    here = {dis.opname[n] for n in frame.f_code.co_code[max(frame.f_lasti - 2, 0) : frame.f_lasti + 1 : 2]}
    return frame if here & {'BEFORE_WITH', 'LOAD_SPECIAL'} and not frame.f_code.co_flags & PAUSES else None  # (3.14)


class Tape:
    """Keeps what happens inside its block: every op, every takeover with what it hid, every backward step, an error.

    >>> with ms.Tape() as tape:
    ...     slope = ms.grad(lambda x: x * x)(ms.Tensor(3.0))
    >>> [type(event).__name__ for event in tape.events]
    ['Begin', 'Op', 'Back', 'Pull', 'Give', 'End']
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._events: list | None = None
        self._kept: dict = {}  # id of a Tensor -> [(when it was overwritten, what it was)]
        self._held: dict = {}  # id of memory -> {id of a Tensor: the Tensor}, of the first `_indexed` entries
        self._indexed = 0
        self._raw: list = []
        self._first = 0

    def __enter__(self) -> 'Tape':
        if self._raw or self in open_tapes:
            raise RuntimeError(f'this Tape has been used: make a new one.{users_line()}')
        try:
            joined.acquire()
            if tape.recorded_from == NOWHERE and not tape.looking:
                new_list()
            self._begin, self._inside, self._frame = len(tape.entries), tape.gradients, _of_with(sys._getframe(1))
            open_tapes.append(self)
            look(True)
            holders.add(self)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            self._close()
        except BaseException:  # an interrupt
            self._close()
            raise
        self.error, self._traceback = error, traceback

    def _close(self) -> None:
        """Stop keeping. A task or a generator may close a Tape that is not the one opened last."""
        open_here = self in open_tapes or tape.in_own_thread()
        if self in open_tapes:
            self._raw, self._first = tape.entries[self._begin :], tape.first_address + self._begin
            open_tapes.remove(self)
            self._frame = self._events = None  # events read so far are not all
        if not open_tapes and open_here:  # (else another thread has the tape, and this Tape waited for it in vain)
            look(False)
            for gradient in tape.gradients:  # `restore` must not set this again
                gradient.restore.args[0]['looking'] = False
            if not tape.gradients and tape.in_own_thread():
                new_list()  # frees the entries
        joined.release()

    __reduce__ = refuse_copy

    def entries(self) -> list:
        """The raw entries so far."""
        return tape.entries[self._begin :] if self in open_tapes else self._raw

    def keep(self, root: object) -> None:
        """This memory is about to be overwritten: keep the present values of the Tensors in it."""
        entries = self.entries()
        for _, x, y, out, _, _ in entries[self._indexed :]:
            for t in (*tensors_in(x), *tensors_in(y), *tensors_in(out)):
                self._held.setdefault(id(memory(t.array)), {})[id(t)] = t
        self._indexed = len(entries)
        still_open, root = self in open_tapes, id(root)
        # after the Tape is closed, only the first write counts
        found = self._held.get(root, {}) if still_open else self._held.pop(root, {})
        when = tape.first_address + len(tape.entries) if still_open else sys.maxsize
        for t in found.values():
            self._kept.setdefault(id(t), []).append((when, t.array.copy()))

    def value(self, tensor: Tensor, at: int) -> np.ndarray:
        """The numbers that a Tensor of this Tape held at a time, before later writes; read-only."""
        for when, array in self._kept.get(id(tensor), ()):
            if when > at:
                return read_only(array)
        return read_only(tensor.array)

    @property
    def events(self) -> list:
        """What happened, in the order of time."""
        if self._events is None or self in open_tapes:
            self._events = self._read()
        return self._events

    def _read(self) -> list:
        made, events, stretch = {}, [], []
        first = tape.first_address + self._begin if self in open_tapes else self._first
        for k, raw in enumerate(self.entries()):
            event = _event(first + k, raw, made, bool(stretch))
            if isinstance(event, Enter) and event.custom:
                stretch.append(event.cell)
            elif isinstance(event, Leave) and stretch and event.cell is stretch[-1]:
                stretch.pop()
            if event is not None:
                made[id(raw)] = event
                events.append(event)
        if self.error is not None and not any(isinstance(e, Fail) and e.error is self.error for e in events):
            events.append(Fail(self._first + len(self._raw), _last_line(self._traceback), self.error, None))
        return events

    def __repr__(self) -> str:
        return f'<Tape of {len(self.events)} events>'


ENTER.event = lambda at, x, y, out, where, made: Enter(at, x, y, out, where)
LEAVE.event = lambda at, x, y, out, where, made: Leave(at, x, out, y is not None)
BEGIN.event = lambda at, x, y, out, where, made: Begin(at, x, tuple(y[0]), out, where, *y[1:], y[0])
BACK.event = lambda at, x, y, out, where, made: Back(at, x, out)
PULL.event = lambda at, x, y, out, where, made: (entry := made.get(id(x))) and Pull(at, entry, _cotangent(x[3], y))
GIVE.event = lambda at, x, y, out, where, made: (entry := made.get(id(x))) and Give(at, entry, y)
END.event = lambda at, x, y, out, where, made: End(at, x, y)
WRITE.event = lambda at, x, y, out, where, made: Write(at, x, y, where)
FAIL.event = lambda at, x, y, out, where, made: Fail(at, where, y, made.get(id(out)))


def _event(at: int, raw: tuple, made: dict, hidden: bool) -> object:
    """The event for a raw entry, or None if the entry is not an event (a leaf, one of several outputs)."""
    rule, x, y, out, code, lasti = raw
    where = Where(code, lasti) if code is not None else None
    if isinstance(rule, Marker):
        return rule.event(at, x, y, out, where, made)
    if rule.name in ('Leaf', 'TupleGetItem'):
        return None
    recorded = getattr(out, 'at', -1)
    state = 'hidden' if hidden or recorded >= NOWHERE else 'recorded' if recorded >= 0 else 'unrecorded'
    if rule.name == 'Takeover':
        return Call(at, y, x, getattr(out, 'out', out), where, state)
    return Op(at, rule, rule.tensors(x, y), rule.attributes(y), getattr(out, 'out', out), where, state)


def _cotangent(out: object, g: object) -> object:
    """With several outputs: a tuple with one cotangent for each."""
    if isinstance(out, Tensor):
        return g
    floats = [t for t in tensors_in(out.out) if t.array.dtype.kind in 'fc']
    return tuple(g.of.get(k) for k in range(len(floats)))


def _last_line(traceback: object) -> Where | None:
    """The innermost line of the user's that the exception passed."""
    found = None
    while traceback is not None:
        where = Where(traceback.tb_frame.f_code, traceback.tb_lasti)
        found, traceback = found if where.ours else where, traceback.tb_next
    return found
