"""Takeover: what happens when a Cell has a bprop of its own.

Forward, `construct` runs unrecorded and one entry is left on the tape. Backward calls `bprop(*inputs, out, dout)`
there, and holds what it returns to the document's rule: a tuple, one gradient an input, each of its input's shape.
"""

import inspect
import sys

from .. import tracing
from ..ops.create import zeros_like
from ..traps import bypassed, kept, swallowed
from ..traps.written import reads
from . import tape
from .bprop_result import bad_signature, input_names, settle
from .errors import HOME, caller
from .primitives import place_several
from .rules import Bundle, Parts, Rule
from .tape import ENTER, LEAVE, OFF, REPORT, note
from .tensor import BORROWED, Tensor, blank, is_float, tensors_in, wrap


def call(cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell: plain, watched, or taken over by its own bprop, which is construct unrecorded and one entry."""
    if tape.looking:
        if tracing.tracer is not None and cell.always_eager:
            return tracing.tracer.step(cell, args, kwargs, frame)
        if frame.f_code.co_filename.startswith(HOME):
            frame = caller() or frame  # the user's line, where it is grad or a layer of ours that calls the Cell
    if cell.bprop is None or tape.hiding:  # what an outer Cell hides, it hides whole
        return watched(cell, args, kwargs, frame, cell.construct) if tape.looking else cell.construct(*args, **kwargs)
    born, due = kept.taken.get(type(cell)) or _know(cell)
    if tape.looking:  # each input a Tensor of its own, so that what construct does with it can be told apart
        hidden = lambda *a, **k: tape.hide(born, True, cell.construct, a, k)
        result = watched(cell, _again(args), _again(kwargs), frame, hidden)
    else:
        result = tape.hide(born, bool(swallowed.weights), cell.construct, args, kwargs)
    if swallowed.touched:
        swallowed.say(cell, tensors_in((args, kwargs)), frame)
    if due != len(args) or kwargs:
        args = bound(cell, args, kwargs)
    return _leave_entry(cell, args, result, frame)


def watched(cell, args: tuple, kwargs: dict, frame, construct) -> object:
    """Call construct between the two entries that tell of it."""
    note(ENTER, cell, _bound_if_it_fits(cell, args, kwargs), cell.bprop is not None, frame)
    try:
        result = construct(*args, **kwargs)
    except Exception as error:
        note(LEAVE, cell, error, None, None)
        raise
    note(LEAVE, cell, None, result, None)
    return result


KNOWN: dict = {}  # a class of Cells -> its number in kept.stretches, and what `kept.taken` says second


def _know(cell) -> tuple[int, int]:
    if type(cell) not in KNOWN:
        parameters = inspect.signature(cell.construct).parameters.values()
        by_position = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        KNOWN[type(cell)] = len(kept.stretches), len(parameters) if by_position else -1
        kept.stretches.append(type(cell).__name__)
    number, due = KNOWN[type(cell)]
    kept.taken[type(cell)] = OFF + kept.age + number, due
    return kept.taken[type(cell)]


def bound(cell, args: tuple, kwargs: dict) -> tuple:
    """The arguments in the order of construct's signature, defaults included: what bprop is called with."""
    if not kwargs and (kept.taken.get(type(cell)) or _know(cell))[1] == len(args):
        return args
    given = inspect.signature(cell.construct).bind(*args, **kwargs)
    given.apply_defaults()
    return (*given.args, *given.kwargs.values())


def _bound_if_it_fits(cell, args: tuple, kwargs: dict) -> tuple:
    """For those who look: construct itself says better than we could what does not fit."""
    try:
        return bound(cell, args, kwargs)
    except TypeError:
        return args


def _again(value: object) -> object:
    """The same structure with new Tensors around the same arrays, at the same addresses."""
    return _remake(value, lambda t: wrap(t.array, t.at))


def _remake(value: object, make) -> object:
    if isinstance(value, Tensor):
        return make(value)
    if isinstance(value, dict):
        return {k: _remake(v, make) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [_remake(v, make) for v in value]
        return type(value)(*parts) if hasattr(value, '_fields') else type(value)(parts)
    return value


def _leave_entry(cell, inputs: tuple, result: object, frame) -> object:
    """One entry for the whole call; what is returned are Tensors of its own."""
    at = -1
    for x in inputs:
        if type(x) is Tensor:
            if x.at > at:
                at = x.at
        else:
            at = max(at, *[t.at for t in tensors_in(x)], -1)
    params = cell.internal_params
    if params:
        at = max(at, *[p.at for p in params])
    if at >= OFF:
        at = kept.address(*tensors_in(inputs), *(params or ()))
    if at >= OFF:
        at = min(-1, kept.escaped(type(cell).__name__, at, frame))
    if tracing.tracer is not None:
        cell = tracing.tracer.stand_in(cell)
    if type(result) is Tensor:
        out = blank()
        out.array = value = result.array
        if tape.start <= at and (result.at >= OFF or value.dtype.kind in 'fc'):  # only floats have addresses
            out.at = tape.tick()
            tape.record((takeover, inputs, cell, out, frame.f_code, frame.f_lasti))
            return out
        out.at = -1
        if tape.looking:
            note(takeover, inputs, cell, out, frame)
        return out
    out = _remake(result, lambda t: wrap(t.array))
    floats = [t for t in tensors_in(out) if is_float(t)]
    place_several(takeover, inputs, cell, out, floats, at, frame)
    return out


class Takeover(Rule):
    """The entry of a Cell with its own bprop: x is its inputs, y the Cell."""

    def __init__(self) -> None:
        super().__init__('Takeover', None)

    # Each method is what Rule says of it.

    def title(self, entry):
        return type(entry[2]).__name__

    def pull(self, g, cts, mark, x, y, out):
        returned = answer(y, x, out, g)
        if len(x) == 1 and type(returned) is tuple and len(returned) == 1 and not y.internal_params:
            t, d = x[0], returned[0]
            if type(d) is type(t) is Tensor:
                d, v = d.array, t.array
                if d.shape == v.shape and d.dtype is v.dtype:  # the usual case, right at first sight
                    i = t.at - mark
                    if i >= 0:
                        c = cts[i]
                        cts[i] = d if c is None else c + d
                    return
        for t, d in settle(y, x, returned):
            i = t.at - mark
            if i >= 0 and d is not None:
                d = d.array
                c = cts[i]
                cts[i] = d if c is None else c + d

    def trace(self, g, cts, mark, x, y, out):
        for t, d in settle(y, x, answer(y, x, out, g)):
            i = t.at - mark
            if i >= 0 and d is not None:
                c = cts[i]
                cts[i] = d if c is None else c + d

    def vjp(self, g, mark, x, y, out):
        gave = list(settle(y, x, answer(y, x, out, g)))
        traced = any(type(d) is Tensor for d in (g.of.values() if isinstance(g, Parts) else (g,)))
        return gave if traced else [(t, d if d is None else d.array) for t, d in gave]

    def tensors(self, x, y):
        return tuple(tensors_in(x))

    def values_read(self, entry):
        _, inputs, cell, out, _, _ = entry
        method = getattr(cell, 'source', cell).bprop
        function = getattr(method, '__func__', method)
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        given = (*inputs, out.out if isinstance(out, Bundle) else out)
        if function.__code__.co_flags & 0x04:
            wanted = given
        else:
            read = reads(function)
            wanted = [v for n, v in zip(names[function is not method :], given, strict=False) if n in read]
        return [t.array for t in tensors_in(tuple(wanted))]


takeover = Takeover()


def answer(cell, inputs: tuple, out: object, g: object) -> object:
    """Call the Cell's bprop with the cotangent g; what it returned, unchecked."""
    if type(out) is Tensor:
        result, dout = out, g
        if type(g) is not Tensor:
            dout = blank()
            dout.array, dout.at = g, BORROWED
    else:
        result, position = out.out, iter(range(len(tensors_in(out.out))))
        dout = _tuples(
            _remake(result, lambda t: _cotangent(t, g.of.get(next(position)) if is_float(t) else None)), True
        )
        result = _tuples(result, False)
    try:
        if len(inputs) == 1:  # a call that Python is quick at
            returned = cell.bprop(inputs[0], result, dout)
        else:
            returned = cell.bprop(*inputs, result, dout)
    except Exception as error:
        if isinstance(error, TypeError) and error.__traceback__.tb_next is None:
            raise bad_signature(cell, inputs, error) from None
        error.add_note(f'This came from the bprop of the Cell {type(cell).__name__}.')
        raise
    if cell._bprop_debug:
        _report(cell, inputs, dout, returned)
    return returned


bypassed.answering = answer.__code__


def _report(cell, inputs: tuple, dout: object, returned: object) -> None:
    """bprop_debug: what bprop got and gave, on standard error and for those who look."""
    parts = [f'{n}={x!r}' for n, x in zip(input_names(cell, inputs), inputs, strict=True)]
    said = f'{type(cell).__name__}.bprop({", ".join(parts)}, dout={dout!r}) returned {returned!r}'
    sys.stderr.write(f'{said}\n')
    if tape.looking:
        note(REPORT, cell, said, None, None)


def _cotangent(t: Tensor, g: object) -> Tensor:
    if g is None:
        return zeros_like(t)
    return g if type(g) is Tensor else wrap(g, BORROWED)


def _tuples(value: object, drop: bool) -> object:
    """Lists as tuples, as bprop sees them; with `drop`, None in the place of what is no Tensor."""
    if isinstance(value, (list, tuple)):
        return tuple(_tuples(v, drop) for v in value)
    if isinstance(value, dict):
        return {k: _tuples(v, drop) for k, v in value.items()}
    return value if isinstance(value, Tensor) or not drop else None
