"""Takeover: what happens when a Cell has a bprop of its own.

Forward, `construct` runs unrecorded and one entry is left on the tape. Backward calls `bprop(*inputs, out, dout)`
there, and holds what it returns to the document's rule: a tuple, one gradient an input, each of its input's shape.
"""

import inspect
import sys
from collections.abc import Iterable

import numpy as np

from .. import tape
from ..errors import (
    HOME,
    BpropCountError,
    BpropShapeError,
    BpropSignatureError,
    BpropTupleError,
    BpropTypeError,
    DTypeError,
    SwallowedParameterWarning,
    article,
    place,
    plural,
    users_line,
)
from ..ops.create import zeros_like
from ..ops.make import cast_to, place_several
from ..ops.rules import Bundle, Parts, Rule
from ..tape import ENTER, LEAVE, OFF, REPORT, note, reads
from ..tensor import BORROWED, Tensor, blank, is_float, tensors_in, wrap


def call(cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell whose own bprop is to take over: construct unrecorded, and one entry for the whole."""
    if tape.hiding:  # what an outer Cell hides, it hides whole
        return cell.construct(*args, **kwargs)
    stretch, due = KNOWN.get(type(cell)) or _know(cell)
    tape.hidden_from = tape.start
    tape.hiding = stretch + tape.age
    try:
        if kwargs or len(args) != 1:
            result = cell.construct(*args, **kwargs)
        else:  # a call that Python is quick at
            result = cell.construct(args[0])
    finally:
        tape.hidden_from = OFF
        tape.hiding = 0
    if tape.touched:
        _say_swallowed(cell, (*args, *kwargs.values()), frame)
    if due != len(args) or kwargs:
        args = bound(cell, args, kwargs)
    return _leave_entry(cell, args, result, frame)


def watched_call(cell, args: tuple, kwargs: dict, frame) -> object:
    """Call any Cell while someone is looking."""
    custom = cell.bprop is not None
    if frame.f_code.co_filename.startswith(HOME):
        frame = tape.caller() or frame  # the user's line, where it is grad or a layer of ours that calls the Cell
    inner, named = args, kwargs
    hides = custom and not tape.hiding
    # Each input a Tensor of its own, so that what construct does with it can be told apart. (In a graph, what an outer
    # Cell hides is one stretch: its values have to be followed through the Cells in it.)
    if custom and (hides or tape.tracer is None):
        inner, named = _again(args), _again(kwargs)
    note(ENTER, cell, _bound_if_it_fits(cell, inner, named), custom, frame)
    was = tape.hidden_from, tape.hiding
    if hides:
        tape.hidden_from = tape.start
        tape.hiding = (KNOWN.get(type(cell)) or _know(cell))[0] + tape.age
    try:
        result = cell.construct(*inner, **named)
    except Exception as error:
        note(LEAVE, cell, error, None, None)
        raise
    finally:
        tape.hidden_from, tape.hiding = was
    note(LEAVE, cell, None, result, None)
    if hides and tape.touched:
        _say_swallowed(cell, (), frame)
    return _leave_entry(cell, bound(cell, args, kwargs), result, frame) if hides else result


def _say_swallowed(cell, inputs: tuple, frame) -> None:
    """A Parameter that construct used and that bprop will return nothing for."""
    mine = {id(p) for p in (*(cell.internal_params or ()), *tensors_in(inputs))}
    names = {p.name for p in tape.touched if id(p) not in mine}
    tape.touched.clear()
    for name in sorted(names):
        tape.warn(
            f'The Parameter {name} is used inside {type(cell).__name__}, whose own bprop returns no gradient for it: '
            f'its gradient is 0 from here, and it will not train. Name it in self.internal_params, and let bprop '
            f'return (gradients of the inputs), {{parameter: its gradient}}.',
            SwallowedParameterWarning,
            frame,
        )


# A class of Cells -> the address that marks what is born inside it; the number of construct's arguments, where all can be
# given by position and none has to be (else -1).
KNOWN: dict = {}


def _know(cell) -> tuple[int, int]:
    parameters = inspect.signature(cell.construct).parameters.values()
    tape.stretches.append(type(cell).__name__)
    by_position = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    KNOWN[type(cell)] = OFF + len(tape.stretches) - 1, len(parameters) if by_position else -1
    return KNOWN[type(cell)]


def bound(cell, args: tuple, kwargs: dict) -> tuple:
    """The arguments in the order of construct's signature, defaults included: what bprop is called with."""
    if not kwargs and (KNOWN.get(type(cell)) or _know(cell))[1] == len(args):
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


def input_names(cell, inputs: tuple) -> list[str]:
    """What construct calls its inputs."""
    names = []
    for p in inspect.signature(getattr(cell, 'source', cell).construct).parameters.values():
        several = p.kind is p.VAR_POSITIONAL
        names += [f'{p.name}[{k}]' for k in range(len(inputs) - len(names))] if several else [p.name]
    return names[: len(inputs)]


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
        at = tape.address(*tensors_in(inputs), *(params or ()))
    if at >= OFF:
        at = min(-1, tape.escaped(type(cell).__name__, at, frame))
    if tape.tracer is not None:
        cell = tape.tracer.stand_in(cell)
    if type(result) is Tensor:
        out = blank()
        out.array = value = result.array
        if tape.start <= at and value.dtype.kind in 'fc':
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
    tape.bprops.append(cell)
    tape.ran[type(cell)] = True
    try:
        if len(inputs) == 1:  # a call that Python is quick at
            returned = cell.bprop(inputs[0], result, dout)
        else:
            returned = cell.bprop(*inputs, result, dout)
    except Exception as error:
        if isinstance(error, TypeError) and error.__traceback__.tb_next is None:
            raise _bad_signature(cell, inputs, error) from None
        error.add_note(f'This came from the bprop of the Cell {type(cell).__name__}.')
        raise
    finally:
        tape.bprops.pop()
    if cell._bprop_debug:
        _report(cell, inputs, dout, returned)
    return returned


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


# ---- is what bprop returned a gradient? ----------------------------------------------------------------------------


def settle(cell, inputs: tuple, returned: object) -> Iterable[tuple]:
    """Pairs (Tensor, gradient or None) for every Tensor among the inputs and internal_params; errors are sentences."""
    params = cell.internal_params
    if type(returned) is tuple and len(returned) == len(inputs) and not params:  # what is right, quickly
        for x, d in zip(inputs, returned):  # noqa: B905 (of equal length, and strict costs a tenth of a takeover)
            if type(d) is not Tensor or not isinstance(x, Tensor):
                break
            a, b = x.array, d.array
            if a.shape != b.shape or a.dtype is not b.dtype:
                break
        else:
            return zip(inputs, returned)  # noqa: B905
    by_param = {}
    if params:
        if not (isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict)):
            raise _wrong(
                BpropTupleError,
                cell,
                f'has internal_params ({", ".join(p.name for p in params)}), so it returns a tuple and a dict, as in '
                f'`return (dx,), {{self.w: dw}}`, but it returned {_kind(returned)}.',
            )
        returned, by_param = returned
    if returned is None:
        raise _wrong(
            BpropTypeError,
            cell,
            f'returned nothing. End it with `return {_tuple_text(cell, inputs)}`: one gradient an input.',
        )
    if not isinstance(returned, (tuple, list)):
        raise _wrong(
            BpropTupleError,
            cell,
            f'returned {_kind(returned)}, but a tuple is due, one gradient an input: write `return '
            f'{_tuple_text(cell, inputs)}`.',
        )
    if len(returned) != len(inputs):
        names = input_names(cell, inputs)
        raise _wrong(
            BpropCountError,
            cell,
            f'returned {plural(len(returned), "gradient")} for {plural(len(inputs), "input")} '
            f'({", ".join(names)}): write '
            f'`return {_tuple_text(cell, inputs)}`, with None for an input that has no gradient.',
        )
    pairs = []
    for k, (x, d) in enumerate(zip(inputs, returned, strict=True)):
        if isinstance(x, Tensor):
            pairs.append((x, _checked(cell, inputs, k, x, d)))
        elif inner := tensors_in(x):
            parts = d if isinstance(d, (tuple, list)) else (d,) * len(inner) if d is None else None
            if parts is None or len(parts) != len(inner):
                raise _wrong(
                    BpropTupleError,
                    cell,
                    f'returned {_kind(d)} for its input {input_names(cell, inputs)[k]}, which holds '
                    f'{plural(len(inner), "Tensor")}: return a tuple of as many gradients in its place.',
                )
            pairs += [(t, _checked(cell, inputs, k, t, p)) for t, p in zip(inner, parts, strict=True)]
    return pairs + _checked_params(cell, params or (), by_param)


def _checked_params(cell, params, given: dict) -> list[tuple]:
    pairs = []
    for p in params:
        if not any(key is p for key in given):
            raise _wrong(
                BpropCountError,
                cell,
                f'returned no gradient for the Parameter {p.name} of internal_params: the dict needs a key for it '
                f'(None, if it has none).',
            )
        pairs.append((p, _checked(cell, (), p.name, p, next(d for key, d in given.items() if key is p))))
    for key in given:
        if not any(key is p for p in params):
            got = f'the Parameter {key.name},' if hasattr(key, 'name') else _kind(key)
            raise _wrong(
                BpropCountError,
                cell,
                f'returned a gradient for {got} which is not in internal_params: the keys are Parameters.',
            )
    return pairs


def _checked(cell, inputs: tuple, k: int | str, x: Tensor, d: object) -> Tensor | None:
    """One gradient, in its input's dtype, or an error that says what is wrong with it."""
    if d is None or not is_float(x):
        tape.absent += is_float(x)
        return None
    if isinstance(d, Tensor) and d.array.shape == x.array.shape:
        if d.array.dtype is x.array.dtype:
            return d
        if d.array.dtype.kind in 'fiu':
            return cast_to(d, x.array.dtype, sys._getframe(1))
    name = k if isinstance(k, str) else input_names(cell, inputs)[k]
    if not isinstance(d, Tensor):
        raise _wrong(BpropTypeError, cell, f'returned {_kind(d)} as the gradient of {name}: a Tensor is due (or None).')
    if d.shape != x.shape:
        raise _wrong(
            BpropShapeError,
            cell,
            f'returned a gradient of shape {d.shape} for {name}, which has shape {x.shape}. A gradient has the '
            'shape of '
            f'its input; it is never summed or broadcast into place. {_shape_advice(d.shape, x.shape)}',
        )
    raise _wrong(
        DTypeError,
        cell,
        f'returned {article(d.dtype)} Tensor as the gradient of {name}: write .astype({name}.dtype) if that is meant.',
    )


def _shape_advice(got: tuple[int, ...], due: tuple[int, ...]) -> str:
    if got == due[::-1]:
        return 'It looks transposed: try .T.'
    if len(got) > len(due) and got[len(got) - len(due) :] == due:
        return (
            f'Write .sum({"0" if len(got) - len(due) == 1 else tuple(range(len(got) - len(due)))}) if the sum is meant.'
        )
    try:
        return f'Write ops.broadcast_to(..., {due}) if that is meant.' if np.broadcast_shapes(got, due) == due else ''
    except ValueError:
        return ''


def _tuple_text(cell, inputs: tuple) -> str:
    names = ['d' + n for n in input_names(cell, inputs)]
    return f'({names[0]},)' if len(names) == 1 else ', '.join(names)


def _kind(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return f'{article(type(value).__name__)} of {len(value)}'
    return (
        'nothing' if value is None else 'a bare Tensor' if isinstance(value, Tensor) else article(type(value).__name__)
    )


def _wrong(error: type[Exception], cell, said: str) -> Exception:
    """The sentence, with the place of the bprop and the user's line."""
    method = getattr(cell, 'source', cell).bprop
    code = getattr(method, '__func__', method).__code__
    return error(
        f'{type(cell).__name__}.bprop {said}\n  its bprop: {place(code.co_filename, code.co_firstlineno)}{users_line()}'
    )


def _bad_signature(cell, inputs: tuple, error: TypeError) -> Exception:
    names = ', '.join(['self', *input_names(cell, inputs), 'out', 'dout'])
    return _wrong(
        BpropSignatureError,
        cell,
        f'cannot be called: {error}. Write `def bprop({names})`: the inputs, then out and dout.',
    )
