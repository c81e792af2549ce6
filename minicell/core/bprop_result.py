"""Is what a bprop returned a gradient? A tuple is due, one gradient per input, each of its input's shape.

What is right passes quickly. What is wrong gets a sentence: which Cell, which input, what came, what was due.
"""

import inspect
import sys
from collections.abc import Iterable

import numpy as np

from . import doors
from .errors import (
    BpropCountError,
    BpropShapeError,
    BpropSignatureError,
    BpropTupleError,
    BpropTypeError,
    DTypeError,
    article,
    plural,
    users_line,
    where_is,
)
from .primitives import cast_to
from .tensor import Tensor, is_float, tensors_in


def input_names(cell, inputs: tuple) -> list[str]:
    """What construct calls its inputs."""
    names = []
    for p in inspect.signature(getattr(cell, 'source', cell).construct).parameters.values():
        several = p.kind is p.VAR_POSITIONAL
        names += [f'{p.name}[{k}]' for k in range(len(inputs) - len(names))] if several else [p.name]
    return names[: len(inputs)]


def check_result(cell, inputs: tuple, returned: object) -> Iterable[tuple]:
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
            f'returned nothing. End it with `return {_tuple_text(cell, inputs)}`: one gradient per input.',
        )
    if not isinstance(returned, (tuple, list)):
        raise _wrong(
            BpropTupleError,
            cell,
            f'returned {_kind(returned)}, but a tuple is due, one gradient per input: write `return '
            f'{_tuple_text(cell, inputs)}`.',
        )
    if len(returned) != len(inputs):
        names = input_names(cell, inputs)
        raise _wrong(
            BpropCountError,
            cell,
            f'returned {plural(len(returned), "gradient")} for {plural(len(inputs), "input")} ({", ".join(names)}): '
            f'write `return {_tuple_text(cell, inputs)}`, with None for an input that has no gradient.',
        )
    pairs = []
    for k, (x, d) in enumerate(zip(inputs, returned, strict=True)):
        if isinstance(x, Tensor):
            pairs.append((x, _checked(cell, inputs, k, x, d)))
        else:
            pairs += _inside(cell, inputs, k, x, d)
    return pairs + _checked_params(cell, params or (), by_param)


def _inside(cell, inputs: tuple, k: int, x: object, d: object) -> list[tuple]:
    """The pairs for an input that is a tuple, list or dict: its gradient is a tuple with a place for each part."""
    if isinstance(x, Tensor):
        return [(x, _checked(cell, inputs, k, x, d))]
    inner = tensors_in(x)
    if d is None or not inner:
        return [(t, _checked(cell, inputs, k, t, None)) for t in inner]
    parts = x.values() if isinstance(x, dict) else x
    if not isinstance(d, (tuple, list)) or len(d) != len(parts):
        raise _wrong(
            BpropTupleError,
            cell,
            f'returned {_kind(d)} for its input {input_names(cell, inputs)[k]}, which is '
            f'{article(type(x).__name__)} of {len(parts)}: return a tuple of as many gradients in its place, with None '
            'for what is no Tensor.',
        )
    return [pair for v, p in zip(parts, d, strict=True) for pair in _inside(cell, inputs, k, v, p)]


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
        if is_float(x):
            for told in doors.declared_none:
                told()
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
            f'shape of its input; it is never summed or broadcast into place. {_shape_advice(d.shape, x.shape)}',
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
    bare = 'a bare Tensor' if isinstance(value, Tensor) else article(type(value).__name__)
    return 'nothing' if value is None else bare


def _wrong(error: type[Exception], cell, said: str) -> Exception:
    """The sentence, with the place of the bprop and the user's line."""
    method = getattr(cell, 'source', cell).bprop
    code = getattr(getattr(method, '__func__', method), '__code__', None)  # (a partial or an object has none)
    stands = f'\n  its bprop: {where_is(code.co_filename, code.co_firstlineno)}' if code else ''
    return error(f'{type(cell).__name__}.bprop {said}{stands}{users_line()}')


def bad_signature(cell, inputs: tuple, error: TypeError) -> Exception:
    """What to say when a bprop cannot be called as it is called."""
    names = ', '.join(['self', *input_names(cell, inputs), 'out', 'dout'])
    what = 'cannot be called' if callable(cell.bprop) else f'is {article(type(cell.bprop).__name__)}, and no function'
    return _wrong(
        BpropSignatureError, cell, f'{what}: {error}. Write `def bprop({names})`: the inputs, then out and dout.'
    )
