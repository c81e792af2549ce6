"""Checks of cotangents: that what a bprop returned is one gradient per input, each with the shape of its input.

A correct result passes quickly. For a wrong one the error says which Cell and which input it is about, what bprop
returned, and what it should return. At the end: the check of a sens.
"""

import inspect
import sys
from collections.abc import Iterable

import numpy as np

from . import errors
from .errors import article, plural, users_line, where_is
from .primitives import cast_to
from .tensor import Tensor, is_float, tensors_in
from .trap import joined


def input_names(cell, inputs: tuple) -> list[str]:
    """The names of the inputs in the signature of construct."""
    names = []
    for p in inspect.signature(getattr(cell, '_stands_for', cell).construct).parameters.values():
        several = p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        names += [f'{p.name}[{k}]' for k in range(len(inputs) - len(names))] if several else [p.name]
    return names[: len(inputs)]


def check_result(cell, inputs: tuple, returned: object) -> Iterable[tuple]:
    """Pairs (Tensor, gradient or None) for all Tensors in the inputs and internal_params. Raises for a wrong result."""
    params = cell.internal_params
    if type(returned) is tuple and len(returned) == len(inputs) and not params:  # the usual case, quickly
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
            said = (
                f'has internal_params ({", ".join(p.name for p in params)}), so it returns a tuple and a dict, as in '
                f'`return (dx,), {{self.w: dw}}`, but it returned {_kind(returned)}.'
            )
            raise _wrong(errors.BpropTupleError, cell, said)
        returned, by_param = returned
    if returned is None:
        said = f'returned nothing. End it with `return {_tuple_text(cell, inputs)}`: one gradient per input.'
        raise _wrong(errors.BpropTypeError, cell, said)
    if not isinstance(returned, (tuple, list)):
        write = f'write `return {_tuple_text(cell, inputs)}`.'
        said = f'returned {_kind(returned)}, but a tuple is due, one gradient per input: {write}'
        raise _wrong(errors.BpropTupleError, cell, said)
    if len(returned) != len(inputs):
        got, names = plural(len(returned), 'gradient'), ', '.join(input_names(cell, inputs))
        write = f'write `return {_tuple_text(cell, inputs)}`, with None for an input that has no gradient.'
        said = f'returned {got} for {plural(len(inputs), "input")} ({names}): {write}'
        raise _wrong(errors.BpropCountError, cell, said)
    pairs = []
    for k, (x, d) in enumerate(zip(inputs, returned, strict=True)):
        pairs += _pairs_of_input(cell, inputs, k, x, d)
    return pairs + _pairs_of_params(cell, params or (), by_param)


def _pairs_of_input(cell, inputs: tuple, k: int, x: object, d: object) -> list[tuple]:
    """The pairs for one input. The gradient of a tuple, list or dict is a tuple with one gradient for each part."""
    if isinstance(x, Tensor):
        return [(x, _checked(cell, inputs, k, x, d))]
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, (tuple, list)) else ()
    if d is None or not parts:
        return [(t, _checked(cell, inputs, k, t, None)) for t in tensors_in(x)]
    if not isinstance(d, (tuple, list)) or len(d) != len(parts):
        if not tensors_in(x):
            return []
        said = (
            f'returned {_kind(d)} for its input {input_names(cell, inputs)[k]}, which is '
            f'{article(type(x).__name__)} of {len(parts)}: return a tuple of as many gradients in its place, with None '
            'for what is no Tensor.'
        )
        raise _wrong(errors.BpropTupleError, cell, said)
    return [pair for v, p in zip(parts, d, strict=True) for pair in _pairs_of_input(cell, inputs, k, v, p)]


def _pairs_of_params(cell, params, given: dict) -> list[tuple]:
    params, by_id = {id(p): p for p in params}.values(), {id(key): d for key, d in given.items()}
    for p in params:
        if id(p) not in by_id:
            said = f'returned no gradient for the Parameter {p.name} of internal_params: add it to the dict, as a key'
            raise _wrong(errors.BpropCountError, cell, f'{said}. If it has no gradient, its value is None.')
    pairs = [(p, _checked(cell, (), p.name, p, by_id[id(p)])) for p in params]
    for key in given:
        if not any(key is p for p in params):
            got = f'the Parameter {key.name},' if hasattr(key, 'name') else _kind(key)
            said = f'returned a gradient for {got} which is not in internal_params: the keys are Parameters.'
            raise _wrong(errors.BpropCountError, cell, said)
    return pairs


def _checked(cell, inputs: tuple, k: int | str, x: Tensor, d: object) -> Tensor | None:
    """One gradient in the dtype of its input. Raises where it is wrong."""
    if d is None or not is_float(x):
        if is_float(x):
            joined.declared_none(x)
        return None
    if isinstance(d, Tensor) and d.array.shape == x.array.shape:
        if d.array.dtype is x.array.dtype:
            return d
        if d.array.dtype.kind in 'fiu':
            return cast_to(d, x.array.dtype, sys._getframe(1))
    name = k if isinstance(k, str) else input_names(cell, inputs)[k]
    if not isinstance(d, Tensor):
        said = f'returned {_kind(d)} as the gradient of {name}: a Tensor is due (or None).'
        raise _wrong(errors.BpropTypeError, cell, said)
    if d.shape != x.shape:
        said = (
            f'returned a gradient of shape {d.shape} for {name}, which has shape {x.shape}. A gradient has the '
            f'shape of its input; it is never summed or broadcast into place. {_shape_advice(d.shape, x.shape)}'
        )
        raise _wrong(errors.BpropShapeError, cell, said)
    write = f'write .astype({name}.dtype) if that is meant.'
    raise _wrong(errors.DTypeError, cell, f'returned {article(d.dtype)} Tensor as the gradient of {name}: {write}')


def _shape_advice(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    extra = len(got) - len(wanted)
    if got == wanted[::-1]:
        return 'It looks transposed: try .T.'
    if extra > 0 and got[extra:] == wanted:
        return f'Write .sum({"0" if extra == 1 else tuple(range(extra))}) if the sum is meant.'
    try:
        fits = np.broadcast_shapes(got, wanted) == wanted
    except ValueError:
        return ''
    return f'Write ops.broadcast_to(..., {wanted}) if that is meant.' if fits else ''


def _tuple_text(cell, inputs: tuple) -> str:
    names = ['d' + n for n in input_names(cell, inputs)]
    return f'({names[0]},)' if len(names) == 1 else ', '.join(names)


def _kind(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return f'{article(type(value).__name__)} of {len(value)}'
    return 'nothing' if value is None else article('bare Tensor' if isinstance(value, Tensor) else type(value).__name__)


def _wrong(error: type[Exception], cell, said: str) -> Exception:
    """An error of this class that says where the bprop is written, and which line of the user's called it."""
    method = getattr(cell, '_stands_for', cell).bprop
    code = getattr(getattr(method, '__func__', method), '__code__', None)  # (a partial or an object has none)
    place = f'\n  its bprop: {where_is(code.co_filename, code.co_firstlineno)}' if code else ''
    return error(f'{type(cell).__name__}.bprop {said}{place}{users_line()}')


def bad_signature(cell, names: list[str], error: TypeError) -> Exception:
    """The error for a bprop that does not take the arguments it is called with."""
    names = ', '.join(['self', *names, 'out', 'dout'])
    what = 'cannot be called' if callable(cell.bprop) else f'is {article(type(cell.bprop).__name__)}, and no function'
    said = f'{what}: {error}. Write `def bprop({names})`: the inputs, then out and dout.'
    return _wrong(errors.BpropSignatureError, cell, said)


def cotangents(sens: object, out: object, outputs: list[Tensor]) -> list[Tensor]:
    """The Tensors in sens. Raises unless there is one for each float output, with the shape and dtype of the output."""
    given, outs = tensors_in(_in_order(sens, out)), [t for t in outputs if is_float(t)]
    if len(given) == len(outputs):  # sens mirrors the output, with a Tensor for an output of integers too
        given = [s for s, t in zip(given, outputs, strict=True) if is_float(t)]
    if len(given) != len(outs):
        got = plural(len(given), 'Tensor')
        raise errors.SensError(f'sens has {got}, but there are {plural(len(outs), "float output")}.{users_line()}')
    for t, s in zip(outs, given, strict=True):
        if s.shape != t.shape or s.array.dtype != t.array.dtype:
            raise errors.SensError(
                f'sens is {s.dtype} {s.shape}, but the output it belongs to is {t.dtype} {t.shape}: '
                f'they must be the same.{users_line()}'
            )
    return given


def _in_order(sens: object, out: object) -> object:
    """sens with the parts of its dicts in the order of the output's."""
    if isinstance(sens, tuple) and len(sens) == 1 and not (isinstance(out, (tuple, list)) and len(out) == 1):
        sens = sens[0]
    if isinstance(sens, dict) and isinstance(out, dict):
        if sens.keys() != out.keys():
            raise errors.SensError(f'sens has the keys {[*sens]}, but those of the output are {[*out]}.{users_line()}')
        return tuple(_in_order(sens[k], out[k]) for k in out)
    if isinstance(sens, (tuple, list)) and isinstance(out, (tuple, list)) and len(sens) == len(out):
        return tuple(map(_in_order, sens, out))
    return sens
