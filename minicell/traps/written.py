"""Writes: a value that backward needs was overwritten, or a Parameter was given a value that is being differentiated.

    def f(x):
        y = ops.exp(x)      # the rule of Exp reads y again on the way back
        y[0] = 0.0          # so that its gradient would be computed from the new value
        return y.sum()

WriteAfterUseError names the op and the write. What no rule reads may be written, such as a moving average in training.
SeveredWarning: no gradient passes a write, so that what comes of `assign(w, x * x)` has none with respect to x.

Costs nothing until something is written while a gradient is open: then each entry that is read back is checked.
"""

import itertools
import warnings

from ..core import doors, tape
from ..core.cell import takeover
from ..core.errors import MinicellError, MinicellWarning, Where, where_is
from ..core.rules import WRITE
from ..core.tape import NOWHERE, note
from ..core.tensor import memory, tensors_in


class WriteAfterUseError(MinicellError, RuntimeError):
    """A value that backward needs was written after it was used."""


class IndexWriteError(MinicellError, TypeError):
    """`x[i] = v` where a gradient would have to pass through it."""


class SeveredWarning(MinicellWarning):
    """A value that is being differentiated was assigned to a Parameter, and read from there: no gradient passes."""


written = doors.written  # id of an array's memory -> (stamp, memory, what wrote, code, lasti), while a gradient is open
severed: dict = {}  # the same, for what got a value that is being differentiated: no gradient passes a write
severed_said: dict = {}
OUTSIDE = 'shape', 'dtype', 'ndim', 'size', 'name', 'requires_grad'  # what is no value of a Tensor
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


def keep_books(gradient) -> None:
    """A vjp pauses, and is read later: what was written while its function ran counts then too."""
    if gradient.read_later and gradient.played and (doors.written or severed):
        gradient.books = dict(doors.written), dict(severed)


def open_books(gradient) -> None:
    """It is read."""
    if gradient.books is not None:
        for book, kept in zip((doors.written, severed), gradient.books, strict=True):
            book.update(kept)


doors.closing.append(keep_books)
doors.opening.append(open_books)


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
    rule, _, cell, _, code, lasti = entry
    values = rule.values_read(entry)
    if rule is takeover:  # a bprop may read more than it is given
        cell = getattr(cell, 'source', cell)
        values = values + [t.array for t in mentioned(cell.bprop, cell, set())]
    for value in values:
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


def mentioned(function: object, cell: object, seen: set) -> list:
    """What a bprop reads by self, a closure or a global, in its own code or a helper's: Tensors and Parameters."""
    function = getattr(function, '__func__', function)
    code = getattr(function, '__code__', None)
    if code is None or code in seen:
        return []
    seen.add(code)
    names = set(reads_names(code))
    values = [c.cell_contents for c in function.__closure__ or ()]
    values += [function.__globals__[n] for n in names if n in function.__globals__]
    values += [value for n in names if (value := getattr(cell, n, None)) is not None]
    found = []
    for value in values:
        if callable(getattr(value, 'get_parameters', None)) and not isinstance(value, type):  # a Cell
            found += value.get_parameters()
        elif hasattr(value, '__code__') or hasattr(value, '__func__'):
            found += mentioned(value, cell, seen)
        found += tensors_in(value)
    return found


def reads_names(code: object) -> list[str]:
    """The globals and attributes whose *values* a code object reads, nested functions' too: not `w` in `w.shape`."""
    import dis  # needed only once a write has happened

    steps, found = [*dis.get_instructions(code), None], []
    for step, after in itertools.pairwise(steps):
        if step.opname in ('LOAD_GLOBAL', 'LOAD_NAME', 'LOAD_ATTR', 'LOAD_METHOD'):
            found += [] if after is not None and after.argval in OUTSIDE else [step.argval]
    return found + [n for part in code.co_consts if hasattr(part, 'co_code') for n in reads_names(part)]


doors.check_entry = check_unwritten
