"""Doors: lists of functions through which traps, graph mode and hooks take part in a gradient.

The core calls what is registered here, in order, and does not know who registered it. A door that is None is used only
after a trap, or graph mode, has set it.
"""

import weakref
from _thread import _local  # it is threading.local; importing threading as a whole takes half a millisecond
from collections.abc import Callable
from functools import partial

mine = _local()  # has the attribute `tick` only in the thread that the tape belongs to
in_own_thread = partial(hasattr, mine, 'tick')  # f(): whether the tape belongs to the thread that asks

open_tapes: list = []

# before and after a gradient or a Tape: f()
acquire: list[Callable] = []  # before it begins
release: list[Callable] = []  # after it has ended
reset: list[Callable] = []  # when the outermost gradient has ended, before `release`

# one gradient from its beginning to its end: f(gradient)
opening: list[Callable] = []  # it begins, or a vjp opens it again to read it
ran_forward: list[Callable] = []  # its function has returned
finished: list[Callable] = []  # it has been read back
closing: list[Callable] = []  # it ends, perhaps by an exception

# on the way back
arrived: list[Callable] = []  # f(gradient, gradients) returns the gradients, which it may change
unreached: list[Callable] = []  # f(gradient, indices): no cotangent reached the leaves at these indices
not_finite: list[Callable] = []  # f(gradient, gradients): there may be a NaN or an infinity in these
written: dict = {}  # id of memory -> a record of the write to it; unless this is empty, each entry is checked
check_entry: Callable | None = None  # f(entry, address) returns the rule that reads it back, unless `written` is empty
bad_number: Callable | None = None  # f(kind, flag): NumPy divided by zero, or computed something else that is invalid

other_thread: Callable | None = None  # f(rule, tensors) returns the address of an output computed in another thread
pushed: list[Callable] = []  # f(gradient, fn, back, us, along, slopes): jvp has differentiated back(*us) along these

# values that are written, or leave the tape, and takeovers
writing: list[Callable] = []  # f(tensor, what, frame, source, how): `what` is about to write, see ops.write.writable
numbers_asked: list[Callable] = []  # f(tensor, how, chooses): Python or NumPy is about to see a Tensor's numbers
captured: list = []  # differentiated Tensors that the running construct used, and that are not inputs of its Cell
say_captured: Callable | None = None  # f(cell, captured, frame): construct has returned, and used these
met: Callable = lambda kind: None  # f(kind): for the first time in a gradient, a Cell of this class is taken over
called: Callable | None = None  # f(cell, others): a Cell with `_reads`, or inputs that are no Tensors, was taken over
returned: Callable = lambda *_: None  # f(cell, inputs, result, at, frame): result may be anything
declared_none: list[Callable] = []  # f(x): a bprop returned None as the gradient of this float Tensor
bprop_debug: Callable | None = None  # f(cell, inputs, dout, returned): a Cell with bprop_debug ran its bprop
stand_in: Callable | None = None  # f(cell, n) returns what a takeover's entry holds for the Cell; n inputs by position
holders: weakref.WeakSet = weakref.WeakSet()  # they keep values: `holder.keep(memory)` runs before it is written
paused: weakref.WeakSet = weakref.WeakSet()  # gradients that may be read later


def escaped(name: str, at: int, frame) -> int:
    """The address of the result of `name`, which uses a hidden value after the end of its takeover."""
    return at
