"""Cell: a function that may have its own backward rule, its bprop. Takeover: what happens when it has one.

Forward, construct runs unrecorded, and one entry is left for the whole call. Backward calls bprop(*inputs, out, dout)
at that entry, and bprop_result.py holds what it returns to the documented rule: a tuple, one gradient per input, each
in its input's shape. nn/cell.py adds what else MindSpore's Cell has: Parameters, Cells inside it, names and hooks.
"""

import inspect
import sys
import weakref
from collections.abc import Callable

from . import doors, tape
from .arithmetic import zeros_like
from .bprop_result import bad_signature, check_result
from .errors import HOME, CellError, caller, users_line
from .primitives import place_several
from .rules import ENTER, LEAVE, Bundle, Parts, Rule, reads
from .tape import NOWHERE, note
from .tensor import Tensor, blank, is_float, map_tensors, tensors_in, wrap


class Cell:
    """What can be called and differentiated: `construct`, and perhaps `bprop`."""

    bprop: Callable | None = None
    internal_params: list | None = None  # the Parameters for which bprop returns gradients
    _around: Callable | None = None  # what is called in place of the Cell: its hooks, or its graph
    _bprop_debug = False
    _reads: frozenset | None = None  # the attributes of self that bprop reads, where a trap wants to know of its calls

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if cls.bprop is None:  # a mixin that stands behind Cell may have one; a class's own None takes it away
            found = [kind.__dict__['bprop'] for kind in cls.__mro__ if kind is not Cell and 'bprop' in kind.__dict__]
            if found and found[0] is not None:
                cls.bprop = found[0]

    def construct(self, *inputs: object, **kwargs: object) -> object:
        """What the Cell computes. Each Cell writes its own."""
        raise CellError(
            f"For 'Cell', the method 'construct' is not defined: write it in {type(self).__name__}.{users_line()}"
        )

    def __call__(self, *args: object, **kwargs: object) -> object:
        if self._around is not None:
            return self._around(self, args, kwargs, sys._getframe(1))
        if tape.looking or (self.bprop is not None and tape.start != NOWHERE):
            return call(self, args, kwargs, sys._getframe(1))
        return self.construct(*args, **kwargs)


# ---- forward: one entry in place of all that construct does --------------------------------------------------------

hidden_addresses: dict = {}  # class of Cells -> (the address of what its construct makes, its arity or -1)
doors.over.append(hidden_addresses.clear)  # each outermost gradient has addresses of its own
known: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # class of Cells -> (code of construct, arity or -1)


def call(cell: Cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell while a gradient is wanted or a Tape is open.

    Where its bprop takes over, construct runs unrecorded, and one entry stands for the whole call.
    """
    if not hasattr(tape.mine, 'tick'):  # whatever is open is another thread's
        return cell.construct(*args, **kwargs)
    if tape.hidden_address or cell.bprop is None:  # a takeover hides an inner Cell whole, its bprop too
        return watched(cell, args, kwargs, frame, cell.construct) if tape.looking else cell.construct(*args, **kwargs)
    inside, arity = hidden_addresses.get(type(cell)) or _hidden_address(cell)
    x = args[0] if arity == 1 == len(args) else None
    if type(x) is Tensor and x.at < NOWHERE and not (kwargs or tape.looking or cell.internal_params):
        at = x.at  # one input: as in _hide, without its lists, which cost a fifth more
        if at >= tape.start:
            given, x = x, blank()
            x.array, x.at, args = given.array, inside + 1, (x,)
        try:
            result = tape.hide(inside, cell.construct, args, kwargs)
        finally:
            x.at = at
    else:
        args, result, at = _hide(cell, args, kwargs, frame, inside)
    if doors.captured:
        captured, doors.captured = doors.captured, []
        doors.say_captured(cell, captured, frame)
    if cell._reads is not None and at >= tape.start:
        doors.called(cell)
    if type(result) is Tensor and tape.start <= at and result.array.dtype.kind in 'fc' and not tape.looking:
        out = blank()
        out.array = result.array
        out.at = tape.tick()
        tape.record((takeover, args, cell, out, frame.f_code, frame.f_lasti))
        return out
    return _leave_entry(cell, args, result, at, users_frame(frame) if tape.looking else frame)


def _hide(cell: Cell, args: tuple, kwargs: dict, frame, inside: int) -> tuple[tuple, object, int]:
    """Run construct unrecorded. Its inputs in their order, what it returned, and the largest address of an input."""
    given = args, kwargs
    if tape.looking:  # each input a Tensor of its own, so that what construct does with it can be told apart
        args, kwargs = (map_tensors(value, lambda t: wrap(t.array, t.at)) for value in given)
    else:  # so that the very input, found by construct another way too, is noticed
        args = tuple([wrap(t.array, t.at) if type(t) is Tensor and t.at >= tape.start else t for t in args])
        given = args, kwargs
    tensors = [*tensors_in((args, kwargs)), *(cell.internal_params or ())]
    at = max([t.at for t in tensors], default=-1)
    if at >= NOWHERE:
        at = _not_hidden(cell, tensors, frame)
    places = [t.at for t in tensors]
    try:
        for t in tensors:  # so that any other differentiated value that construct uses is noticed (tape.hidden)
            if t.at >= tape.start:
                t.at = inside + 1
        if tape.looking:
            hidden = lambda *a, **k: tape.hide(inside, cell.construct, a, k)
            result = watched(cell, args, kwargs, frame, hidden)
        else:
            result = tape.hide(inside, cell.construct, args, kwargs)
    finally:
        for t, place in zip(tensors, places, strict=True):
            t.at = place
    return bound(cell, *given), result, at


def watched(cell: Cell, args: tuple, kwargs: dict, frame, construct: Callable) -> object:
    """Call construct between the two notes that tell of it."""
    frame = users_frame(frame)
    note(ENTER, cell, _bound_if_it_fits(cell, args, kwargs), cell.bprop is not None, frame)
    try:
        result = construct(*args, **kwargs)
    except Exception as error:
        note(LEAVE, cell, error, None, None)
        raise
    note(LEAVE, cell, None, result, None)
    return result


def _hidden_address(cell: Cell) -> tuple[int, int]:
    kind, code = type(cell), getattr(cell.construct, '__code__', None)
    found = known.get(kind)
    if found is None or found[0] is not code:  # not seen, or defined again since
        parameters = inspect.signature(cell.construct).parameters.values()
        by_position = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        found = known[kind] = code, len(parameters) if by_position else -1
    # the address of what is made inside; the next one is that of the inputs, as long as construct runs
    hidden_addresses[kind] = tape.generation + 2 * len(hidden_addresses), found[1]
    return hidden_addresses[kind]


def _not_hidden(cell: Cell, tensors: list, frame) -> int:
    """The largest address, where an input was made inside some takeover: now, or in a gradient that is over."""
    at = tape.address(*tensors)
    return min(-1, doors.escaped(type(cell).__name__, at, frame)) if at >= NOWHERE else at


def bound(cell: Cell, args: tuple, kwargs: dict) -> tuple:
    """The arguments in the order of construct's signature, defaults included: what bprop is called with."""
    if not kwargs and (hidden_addresses.get(type(cell)) or _hidden_address(cell))[1] == len(args):
        return args
    given = inspect.signature(cell.construct).bind(*args, **kwargs)
    given.apply_defaults()
    return (*given.args, *given.kwargs.values())


def _bound_if_it_fits(cell: Cell, args: tuple, kwargs: dict) -> tuple:
    """For those who look: construct itself says better than we could what does not fit."""
    try:
        return bound(cell, args, kwargs)
    except TypeError:
        return args


def users_frame(frame) -> object:
    """Where a Cell was called, for those who look: grad or a layer may have done it, for a line of the user's."""
    return (caller() or frame) if frame.f_code.co_filename.startswith(HOME) else frame


def _leave_entry(cell: Cell, inputs: tuple, result: object, at: int, frame) -> object:
    """One entry for the whole call. What is returned are Tensors of its own: construct may return one of its inputs."""
    if tape.looking and doors.stand_in is not None:
        cell = doors.stand_in(cell)
    if type(result) is Tensor and (result.array.dtype.kind in 'fc' or result.at >= NOWHERE):
        return tape.place(takeover, inputs, cell, wrap(result.array), at, frame)
    doors.returned(cell, result, at, frame)
    out = map_tensors(result, lambda t: wrap(t.array))
    floats = [t for t in tensors_in(out) if is_float(t)]  # only they have addresses
    if type(out) is Tensor and tape.looking and not floats:
        return note(takeover, inputs, cell, out, frame) or out
    place_several(takeover, inputs, cell, out, floats, at, frame)
    return out


# ---- backward: bprop is called, and its result is checked and added ------------------------------------------------


class Takeover(Rule):
    """The rule of such an entry: x is the Cell's inputs, y the Cell."""

    def __init__(self) -> None:
        super().__init__('Takeover', None)

    def title(self, entry):
        return type(entry[2]).__name__

    def vjp_arrays(self, g, cts, mark, x, y, out):
        returned = call_bprop(y, x, out, g)
        if type(returned) is tuple and len(returned) == len(x) == 1 and not y.internal_params:
            (t,), (d,) = x, returned
            if type(d) is type(t) is Tensor:
                v, d = t.array, d.array
                if d.shape == v.shape and d.dtype is v.dtype:  # the usual case: without it a takeover costs 15 % more
                    i = t.at - mark
                    if i >= 0:
                        c = cts[i]
                        cts[i] = d if c is None else c + d
                    return
        for t, d in check_result(y, x, returned):
            i = t.at - mark
            if i >= 0 and d is not None:
                c = cts[i]
                cts[i] = d.array if c is None else c + d.array

    def vjp(self, g, mark, x, y, out):
        pairs = check_result(y, x, call_bprop(y, x, out, g))
        on_tensors = any(type(d) is Tensor for d in (g.of.values() if isinstance(g, Parts) else (g,)))
        return pairs if on_tensors else [(t, d if d is None else d.array) for t, d in pairs]

    def tensors(self, x, y):
        return tuple(tensors_in(x))

    def values_read(self, entry):
        _, inputs, cell, out, _, _ = entry
        method = getattr(cell, 'source', cell).bprop
        function = getattr(method, '__func__', method)
        given = (*inputs, out.out if isinstance(out, Bundle) else out)
        if not hasattr(function, '__code__'):  # a partial, or an object that is called
            return [t.array for t in tensors_in(given)]
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        if function.__code__.co_flags & 0x04:  # *args: it may read them all
            wanted = given
        else:
            read = reads(function)
            wanted = [v for n, v in zip(names[function is not method :], given, strict=False) if n in read]
        return [t.array for t in tensors_in(tuple(wanted))]


takeover = Takeover()


def call_bprop(cell: Cell, inputs: tuple, out: object, g: object) -> object:
    """Call the Cell's bprop with the cotangent g. Returns what it returned, unchecked."""
    if type(out) is Tensor:
        result, dout = out, g
        if type(g) is not Tensor:
            dout = blank()
            dout.array, dout.at = g, -1
    else:
        result, position = out.out, iter(range(len(tensors_in(out.out))))
        lent = map_tensors(result, lambda t: _cotangent(t, g.of.get(next(position)) if is_float(t) else None))
        result, dout = _as_bprop_sees_it(result, False), _as_bprop_sees_it(lent, True)
    try:
        if len(inputs) == 1:  # Python is quicker at a call without a star
            returned = cell.bprop(inputs[0], result, dout)
        else:
            returned = cell.bprop(*inputs, result, dout)
    except Exception as error:
        if isinstance(error, TypeError) and error.__traceback__.tb_next is None:
            raise bad_signature(cell, inputs, error) from None
        error.add_note(f'This came from the bprop of the Cell {type(cell).__name__}.')
        raise
    if cell._bprop_debug:
        doors.bprop_debug(cell, inputs, dout, returned)
    return returned


def _cotangent(t: Tensor, g: object) -> Tensor:
    if g is None:
        return zeros_like(t)
    return g if type(g) is Tensor else wrap(g)


def _as_bprop_sees_it(value: object, drop: bool) -> object:
    """Lists as tuples; with `drop`, None in the place of what is no Tensor."""
    if isinstance(value, (list, tuple)):
        return tuple(_as_bprop_sees_it(v, drop) for v in value)
    if isinstance(value, dict):
        return {k: _as_bprop_sees_it(v, drop) for k, v in value.items()}
    return value if isinstance(value, Tensor) or not drop else None
