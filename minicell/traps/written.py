"""Writes: a value that backward needs must still be the value that was used."""

import warnings
import weakref
from collections.abc import Callable
from functools import lru_cache

from ..core import tape
from ..core.errors import SeveredWarning, WriteAfterUseError, place
from ..core.tape import OFF, WRITE, note
from ..core.where import Where

written: dict = {}  # id of an array's memory -> (stamp, memory, what wrote, code, lasti), while a gradient is open
severed: dict = {}  # the same, for what got a value that is being differentiated: no gradient passes a write
severed_said: dict = {}
holders: dict = {}  # id -> weak reference to who holds values after their time, and wants to know of writes
tape.at_end += [written.clear, severed.clear]


def memory(array) -> object:
    """The array that owns this one's memory: views share their base's."""
    return array if array.base is None else array.base


def wrote(tensor, what: str, frame, source: object = None, how: object = ...) -> None:
    """The memory of `tensor` is about to change: remember it, and tell those who still hold the old values."""
    if not (tape.looking or tape.depth or holders):
        return
    root = memory(tensor.array)
    if tape.looking:
        note(WRITE, tensor, what, (source, how), frame)
    write = tape.first + len(tape.entries), root, what, frame.f_code, frame.f_lasti
    if tape.depth:
        written[id(root)] = write
    for holder in list(holders.values()):
        if (held := holder()) is not None:
            held.keep(write)


def tell(holder: object) -> None:
    """Tell `holder.keep(write)` of every write from now on, for as long as it lives."""
    key = id(holder)
    holders[key] = weakref.ref(holder, lambda _: holders.pop(key, None))


def sever(tensor, value) -> None:
    """`tensor` was just written with `value`: remember it if a gradient would have to pass from one to the other."""
    if tape.depth:
        root = id(memory(tensor.array))
        if tape.start <= getattr(value, 'at', -1) < tape.hidden_from:
            severed[root] = written[root]
        else:
            severed.pop(root, None)


def check_severed(entry: tuple, address: int) -> None:
    """Warn if this entry reads a Parameter that was given a differentiated value before: that gradient is lost."""
    rule, x, y, _, code, lasti = entry
    for t in rule.tensors(x, y):
        stamp, _, what, writer, at = severed.get(id(memory(t.array)), (OFF, None, '', None, 0))
        if stamp <= address:
            used, write = Where(code, lasti), Where(writer, at)
            warnings.warn_explicit(
                f'{rule.title(entry)} uses a Parameter that was written by {what} with a value that is being '
                'differentiated. No gradient passes a write: what the value depends on gets none through here. Use the '
                'value itself, or write ops.stop_gradient(value) if that is meant.\n'
                f'  written: {place(write.file, write.line)}: {write.text}',
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
                f'  used:    {place(used.file, used.line)}: {used.text}\n'
                f'  written: {place(write.file, write.line)}: {write.text}'
            )


@lru_cache(maxsize=4096)
def reads(function: Callable) -> frozenset[str]:
    """The parameters whose *values* a rule reads (naming `x.shape` or `x.dtype` is no reading), found in its own code.

    >>> reads(lambda g, out, x, y: g * y) == {'g', 'y'}, reads(lambda g, out, x: g.reshape(x.shape)) == {'g'}
    (True, True)
    """
    import dis  # needed only once a write has happened

    code = function.__code__
    parameters = frozenset(code.co_varnames[: code.co_argcount + bool(code.co_flags & 0x04)])
    if code.co_cellvars:  # a nested function reads some of them
        return parameters
    found, last = set(), []
    for step in dis.get_instructions(code):
        if last and not (step.opname == 'LOAD_ATTR' and step.argval in ('shape', 'dtype')):
            found.update(last)
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        last = list(names) if step.opname.startswith('LOAD_FAST') else []
        found.update(last[:-1])
        last = last[-1:]
    return parameters & found
