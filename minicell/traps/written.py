"""Writes: a value that backward needs was overwritten, or a Parameter was given a value that is being differentiated.

    def f(x):
        y = ops.exp(x)      # the rule of Exp reads y again on the way back
        y[0] = 0.0          # so that its gradient would be computed from the new value
        return y.sum()

WriteAfterUseError names the op and the write. What no rule reads may be written, such as a moving average in training.
SeveredWarning: no gradient passes a write, so that what comes of `assign(w, x * x)` has none with respect to x.

Costs nothing until something is written while a gradient is open: then each entry that is read back is checked.
"""

import warnings

from ..core import doors, tape
from ..core.errors import MinicellError, MinicellWarning, Where, where_is
from ..core.rules import WRITE
from ..core.tape import NOWHERE, note
from ..core.tensor import memory


class WriteAfterUseError(MinicellError, RuntimeError):
    """A value that backward needs was written after it was used."""


class IndexWriteError(MinicellError, TypeError):
    """`x[i] = v` where a gradient would have to pass through it."""


class SeveredWarning(MinicellWarning):
    """A value that is being differentiated was assigned to a Parameter, and read from there: no gradient passes."""


written = doors.written  # id of an array's memory -> (stamp, memory, what wrote, code, lasti), while a gradient is open
severed: dict = {}  # the same, for what got a value that is being differentiated: no gradient passes a write
severed_said: dict = {}
doors.over += [written.clear, severed.clear]


def wrote(tensor, what: str, frame, source: object = None, how: object = ...) -> None:
    """The memory of `tensor` is about to change: remember it, and tell those who still hold the old values."""
    if not (tape.looking or tape.gradients or doors.holders):
        return
    root = memory(tensor.array)
    if tape.looking:
        note(WRITE, tensor, what, (source, how), frame)
    write = tape.first + len(tape.entries), root, what, frame.f_code, frame.f_lasti
    if tape.gradients:
        written[id(root)] = write
    for holder in list(doors.holders):
        holder.keep(write)


def sever(tensor, value) -> None:
    """`tensor` was just written with `value`: remember it if a gradient would have to pass from one to the other."""
    if tape.gradients:
        root = id(memory(tensor.array))
        if tape.start <= getattr(value, 'at', -1) < tape.hidden_from:
            severed[root] = written[root]
        else:
            severed.pop(root, None)


def check_severed(entry: tuple, address: int) -> None:
    """Warn if this entry reads a Parameter that was given a differentiated value before: that gradient is lost."""
    rule, x, y, _, code, lasti = entry
    for t in rule.tensors(x, y):
        stamp, _, what, writer, at = severed.get(id(memory(t.array)), (NOWHERE, None, '', None, 0))
        if stamp <= address:
            used, write = Where(code, lasti), Where(writer, at)
            warnings.warn_explicit(
                f'{rule.title(entry)} uses a Parameter that was written by {what} with a value that is being '
                'differentiated. No gradient passes a write: what the value depends on gets none through here. Use the '
                'value itself, or write ops.stop_gradient(value) if that is meant.\n'
                f'  written: {where_is(write.file, write.line)}: {write.text}',
                SeveredWarning,
                used.file,
                used.line,
                registry=severed_said.setdefault(used.file, {}),  # so that each line is told once
            )


def check_unwritten(entry: tuple, address: int) -> None:
    """Raise if a value that this entry's rule reads was written after the entry was made."""
    if severed:
        check_severed(entry, address)
    rule, _, _, _, code, lasti = entry
    for value in rule.values_read(entry):
        found = written.get(id(memory(value)))
        if found and found[0] > address:
            _, _, what, writer, at = found
            used, write = Where(code, lasti), Where(writer, at)
            raise WriteAfterUseError(
                f'The gradient of {rule.title(entry)} needs the value that it used, but that value was written since, '
                f'by {what}. Without this error the gradient would silently be computed from the new value. '
                f'Write after the gradient, or write into a copy.\n'
                f'  used:    {where_is(used.file, used.line)}: {used.text}\n'
                f'  written: {where_is(write.file, write.line)}: {write.text}'
            )


doors.check_entry = check_unwritten
