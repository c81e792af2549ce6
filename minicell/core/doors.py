"""Doors: where others take part in a gradient without the core knowing who they are.

The traps, graph mode and the hooks register their functions in here when they are imported. The functions in a list are
called in order; a door that is None is only used once its trap, or graph mode, has filled it.
"""

import weakref
from collections.abc import Callable
from threading import local

mine = local()  # mine.tick is there in the thread whose gradients and Tapes are open, and in no other

# one gradient, from its beginning to its end: each function is called with the Gradient
turning: list[Callable] = []  # f(), before a gradient or a Tape begins
turned: list[Callable] = []  # f(), after it has ended
opening: list[Callable] = []  # it begins, or a vjp comes back to read it
nested: list[Callable] = []  # the same, inside another gradient
played: list[Callable] = []  # its function has returned
closing: list[Callable] = []  # it is over, or an exception ended it
over: list[Callable] = []  # called without arguments when the outermost gradient is over

# on the way back
arrived: list[Callable] = []  # f(gradient, gradients) returns the gradients of the leaves, perhaps changed
unreached: list[Callable] = []  # f(gradient, numbers): no cotangent reached the leaves of these numbers
not_finite: list[Callable] = []  # f(gradient, gradients): some number among these may be NaN or infinite
finished: list[Callable] = []  # f(gradient): it has been read back
written: dict = {}  # id of memory -> what is known of a write to it; while anything is in here, each entry is checked
check_entry: Callable | None = None  # f(entry, address) before an entry is read back, while `written` holds something
bad_number: Callable | None = None  # NumPy calls f(kind, flag) at a division by zero or another invalid operation

other_thread: Callable | None = None  # f(rule, tensors) decides the address of what another thread makes of these

pushed: list[Callable] = []  # f(gradient, fn, back, us, along, slopes): jvp has differentiated back(*us) along these

# values that leave the tape, or hide from it
numbers_asked: list[Callable] = []  # f(tensor, how, chooses): Python or NumPy is about to see a Tensor's numbers
captured: list = []  # differentiated Tensors that construct used, and that are no inputs of its Cell
say_captured: Callable | None = None  # f(cell, captured, frame): construct has returned, and used these
called: Callable | None = None  # f(cell): a Cell with `_reads` was taken over
returned: Callable = lambda *_: None  # f(cell, result, at, frame): a takeover's result is not one float Tensor
declared_none: list[Callable] = []  # f(): a bprop returned None as the gradient of a float input
bprop_debug: Callable | None = None  # f(cell, inputs, dout, returned): a Cell that is debugged
stand_in: Callable | None = None  # f(cell) returns what a takeover's entry holds in place of the Cell
holders: weakref.WeakSet = weakref.WeakSet()  # who keeps values for later: `holder.keep(write)` hears of each write


def escaped(name: str, at: int, frame) -> int:
    """`name` uses a value that was made inside a takeover, after its end: the address of the result."""
    return at
