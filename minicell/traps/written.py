"""Writes: a value that backward needs was overwritten, or a Parameter was given a value that is being differentiated.

    def f(x):
        y = ops.exp(x)      # the rule of Exp reads y again on the way back
        y[0] = 0.0          # so that its gradient would be computed from the new value
        return y.sum()

WriteAfterUseError names the op and the write. What no rule reads may be written, such as a moving average in training.
SeveredWarning: no gradient passes a write, so that what comes of `assign(w, x * x)` has none with respect to x, however
much later: from then on whatever is computed from w is recorded, and backward finds where it was read.

Costs nothing until something is written while a gradient is open: then each entry that is read back is checked.
"""

import warnings
from collections.abc import Callable, Iterable
from inspect import unwrap
from itertools import zip_longest
from math import inf
from types import CodeType

from ..core import doors, tape
from ..core.cell import Takeover, users_frame
from ..core.differentiate import name_of
from ..core.errors import Where, caller, users_line, where_is
from ..core.rules import WRITE, Binary, Bundle, Many, Unary
from ..core.tape import NOWHERE, note
from ..core.tensor import Tensor, memory, tensors_in
from ..errors import IndexWriteError, SeveredWarning, WriteAfterUseError
from .bypassed import running
from .bytecode import CALLED, COMPUTED, GLOBAL, parts, paths, stored, value_at

written = doors.written  # id of an array's memory -> (stamp, memory, what wrote, code, lasti), while a gradient is open
severed: dict = {}  # the same, (takeover, Parameter, until when), for what got a value that is being differentiated
severed_said: dict = {}
OUTSIDE = 'shape', 'dtype', 'ndim', 'size', 'name', 'requires_grad'  # what is no value of a Tensor


def forget() -> None:
    """No gradient is open: nothing that was written is differentiated."""
    for *_, parameter, _ in severed.values():
        parameter.at = -1
    written.clear()
    severed.clear()


doors.reset.append(forget)


def guard(tensor, what: str, frame, source: object, how: object) -> None:
    """The memory of `tensor` is about to change: remember it, and tell those who still hold the old values.

    What a running bprop was given is used by others too: it gets memory of its own, and `out` is not written at all.
    """
    if not (tape.looking or tape.gradients or doors.holders):
        return
    root = memory(tensor.array)
    for given in running() if tape.gradients else ():
        if any(t is tensor for t in tensors_in(given['result'])):
            who = type(given['cell']).__name__
            raise IndexWriteError(
                f'{who}.bprop writes into its out, by {what}: that is what construct returned, '
                f'and others use it too. Write into a copy: out = out.copy().{users_line(frame)}'
            )
        if any(memory(t.array) is root for t in tensors_in([given['inputs'], given['result'], given['dout']])):
            root = tensor.array = tensor.array.copy()
    if tape.looking:
        note(WRITE, tensor, what, (source, how), frame)
    frame = users_frame(frame)
    write = tape.first_address + len(tape.entries), root, what, frame.f_code, frame.f_lasti
    if tape.gradients:
        written[id(root)] = write
        if hasattr(tensor, 'requires_grad'):  # a Parameter
            sever(tensor, source, how is not ..., write)
    for holder in list(doors.holders):
        holder.keep(write)


def sever(tensor, source: object, added: bool, write: tuple) -> None:
    """`source` is written into `tensor`: remember it if a gradient would have to pass from one to the other.

    A constant gets the address before the first leaf's: what is computed from it is recorded, and cotangents end there.
    """
    root, bound = id(write[1]), tape.recorded_from
    if bound != NOWHERE and any(tape.address(t) >= bound for t in tensors_in(source)):
        severed[root] = *write, tape.hidden_address, tensor, inf
        tensor.at = max(tensor.at, bound)
    elif not added and root in severed:
        severed[root] = *severed[root][:-1], write[0]
        if tensor.at == bound:
            tensor.at = -1


doors.writing.append(guard)


def keep_books(gradient) -> None:
    """A vjp pauses, and is read later: what was written while its function ran counts then too."""
    if gradient.read_later and gradient.has_run and (doors.written or severed):
        gradient.books = dict(doors.written), dict(severed)


def open_books(gradient) -> None:
    """It is read."""
    if gradient.books is not None:
        for book, kept in zip((doors.written, severed), gradient.books, strict=True):
            book.update(kept)


doors.closing.append(keep_books)
doors.opening.append(open_books)


def say_severed(who: str, tensors: Iterable, used: Where, address: int = NOWHERE) -> None:
    """Warn if `who` reads one that was given a differentiated value before this address: that gradient is lost."""
    for t in tensors:
        stamp, _, what, writer, at, *_, until = severed.get(id(memory(t.array)), (inf, None, '', None, 0, inf))
        if stamp <= address < until:
            write = Where(writer, at)
            warnings.warn_explicit(
                f'{who} uses a Parameter that was written by {what} with a value that is being '
                'differentiated. No gradient passes a write: what the value depends on gets none through here. Use the '
                'value itself, or write ops.stop_gradient(value) if that is meant.\n'
                f'  written: {where_is(write.file, write.line)}: {write.text}',
                SeveredWarning,
                used.file,
                used.line,
                registry=severed_said.setdefault(used.file, {}),  # so that each line is told once
            )


def look_at_outputs(gradient) -> None:
    """A function has returned, perhaps what was written: no entry reads that."""
    if severed and (frame := caller()):
        outputs = [t for t in gradient.outputs if t.at == tape.recorded_from]
        say_severed(name_of(gradient.function), outputs, Where(frame.f_code, frame.f_lasti))


def check_unwritten(entry: tuple, address: int) -> None:
    """Raise if a value that this entry's rule reads was written after the entry was made."""
    rule, x, cell, _, code, lasti = entry
    if severed:
        read = *rule.tensors(x, cell), *(getattr(cell, 'internal_params', None) or ())
        say_severed(rule.title(entry), read, Where(code, lasti), address)
    values = values_read(entry)
    if isinstance(rule, Takeover):  # a bprop may read more than it is given
        cell = getattr(cell, '_stands_for', cell)
        values = values + [t.array for t in mentioned(cell.bprop, cell, set())]
    for value in values:
        found = written.get(id(memory(value)))
        if found and found[0] > address:
            _, _, what, writer, at = found
            used, write = Where(code, lasti), Where(writer, at)
            raise WriteAfterUseError(
                f'The gradient of {rule.title(entry)} needs the value that it used, but that value was written since, '
                f'by {what}. Without this error the gradient would silently be computed from the new value. '
                f'Write after the gradient, or write into a copy.'
                + ('' if used.ours else f'\n  used:    {where_is(used.file, used.line)}: {used.text}')
                + f'\n  written: {where_is(write.file, write.line)}: {write.text}'
            )


def mentioned(function: object, cell: object, seen: set) -> list:
    """What a bprop reads by self, a closure, a global or a default, in its own code or a helper's: Tensors."""
    function = unwrap(getattr(function, '__func__', function))  # a decorator's, or what jit has
    code = getattr(function, '__code__', None)
    if code is None or code in seen:
        return []
    seen.add(code)
    names = reads_names(code)
    me, values = code.co_varnames[:1], [value_at({}, c, '', ()) for c in function.__closure__ or ()]
    space = function.__globals__ | dict(zip(code.co_freevars, values, strict=False)) | dict.fromkeys(me, cell)
    at = [(n, s) for part in parts(code) for n, how, s, _ in paths(part) if how in GLOBAL or n in me + code.co_freevars]
    ends = [value_at(space, None, name, steps) for name, steps in at if not {*OUTSIDE} & {*steps}]
    values += [v for v in ends if v is not cell and not isinstance(v, CALLED)]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    values += [function.__globals__[n] for n in names if n in function.__globals__]
    kinds = [vars(kind) for kind in type(cell).__mro__]
    for name in names:
        value = stored(cell, name)
        if value is COMPUTED:  # by a method or a property, whose code tells what it reads
            value = next((kind[name] for kind in kinds if name in kind), None)
            value = getattr(value, 'fget', None) or getattr(value, 'func', value)
        values.append(value)
    found = []
    for value in values:
        if callable(getattr(value, 'get_parameters', None)) and not isinstance(value, type):  # a Cell
            found += value.get_parameters()
        elif hasattr(value, '__code__') or hasattr(value, '__func__'):
            found += mentioned(value, cell, seen)
        found += tensors_in(value)
    return found


def reads_names(code: CodeType) -> set[str]:
    """The globals and attributes whose *values* a code object reads, nested functions' too: not `w` in `w.shape`."""
    found = set(code.co_names) if 'super' in code.co_names else set()
    for name, how, steps, _ in (path for part in parts(code) for path in paths(part)):
        names = [name] * (how in GLOBAL) + [s for s in steps if isinstance(s, str)]
        found.update(n for n, after in zip_longest(names, names[1:]) if after not in OUTSIDE)
    return found


# ---- what backward needs, found in the code of a rule or of a bprop -------------------------------------------------


def values_read(entry: tuple) -> list:
    """The arrays that backward reads at this entry."""
    rule, x, y, out, _, _ = entry
    rule = getattr(rule, 'inner', rule)  # the rule under hooks
    if hasattr(rule, 'values_read'):  # a rule that knows better
        return rule.values_read(entry)
    if isinstance(rule, Takeover):
        return _of_bprop(x, y, out)
    if isinstance(rule, Unary):
        return _values(rule.dx, out, (x,))
    if isinstance(rule, Binary):
        return [v for d, t in ((rule.dx, x), (rule.dy, y)) if t.at >= 0 for v in _values(d, out, (x, y))]
    if isinstance(rule, Many):
        return [v for k, t in enumerate(x) if t.at >= 0 and (dx := rule.of(k)) for v in _values(dx, out, x, len(y))]
    return []


def _of_bprop(inputs: tuple, cell, out: object) -> list:
    method = getattr(cell, '_stands_for', cell).bprop
    function = getattr(method, '__func__', method)
    given = (*inputs, out.out if isinstance(out, Bundle) else out)
    if not hasattr(function, '__code__'):  # a partial, or an object that is called
        return [t.array for t in tensors_in(given)]
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if not function.__code__.co_flags & 0x04:  # with *args, it may read them all
        read = reads(function)
        given = tuple(v for n, v in zip(names[function is not method :], given, strict=False) if n in read)
    return [t.array for t in tensors_in(given)]


def _values(formula: Callable, out: Tensor, inputs: tuple, attributes: int = 0) -> list:
    """The arrays among out and the inputs that a formula reads: its parameters are g, out, attributes, inputs."""
    code = formula.__code__
    names, read = code.co_varnames, reads(formula)
    if code.co_flags & 0x04 and names[code.co_argcount] in read:
        return [t.array for t in inputs]
    pairs = zip((names[1], *names[2 + attributes : code.co_argcount]), (out, *inputs), strict=False)
    return [t.array for name, t in pairs if name in read]


def reads(function: Callable) -> frozenset[str]:
    """The parameters whose *values* a function's own code reads: `x.shape` and `x.dtype` do not count.

    >>> reads(lambda g, out, x, y: g * y) == {'g', 'y'}, reads(lambda g, out, x: g.reshape(x.shape)) == {'g'}
    (True, True)
    """
    code = function.__code__
    parameters = frozenset(code.co_varnames[: code.co_argcount + bool(code.co_flags & 0x04)])
    if code.co_cellvars:  # a nested function reads some of them
        return parameters
    return parameters & {name for name, _, steps, _ in paths(code) if steps[:1] not in (('shape',), ('dtype',))}


doors.check_entry = check_unwritten
doors.ran_forward.append(look_at_outputs)
