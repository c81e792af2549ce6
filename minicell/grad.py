"""Gradients: mark the inputs, play the function, read the tape back.

Nested gradients share one tape. The outermost reads arrays and keeps nothing; an inner one computes with Tensors, so
that all it does while reading back is recorded, and the outer one reads over that as over everything else. Gradients go
by position: each marked argument enters the function as a Tensor of its own, so that one object given twice is two
inputs.
"""

import gc
from collections.abc import Callable
from functools import wraps

import numpy as np

from . import tape
from .errors import (
    GradArgumentError,
    GradPositionError,
    NotATensorError,
    SensError,
    article,
    plural,
    users_line,
)
from .ops.create import ones_like, zeros_like
from .ops.rules import leaf
from .tape import BACK, BEGIN, END, FAIL, GIVE, OFF, PULL, check_unwritten, memory, note
from .tensor import Tensor, is_float, wrap


def tensors_in(value: object) -> list[Tensor]:
    """The Tensors in nested tuples, lists and dicts, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [t for item in value for t in tensors_in(item)] if isinstance(value, (tuple, list)) else []


def name_of(function: Callable) -> str:
    """How a sentence calls a function or a Cell."""
    return getattr(function, '__name__', None) or type(function).__name__


def differentiate(
    function: Callable, inputs: tuple, named: dict, positions: tuple, weights: tuple = (), sens=None, aux=False
) -> tuple[object, list[Tensor], list[Tensor]]:
    """What function(*inputs) returns, its gradients for the inputs at these positions, and for these weights.

    sens: the cotangents of its outputs (ones where None); aux: only the first output is differentiated.
    """
    was = tape.state()
    flat = tape.start == OFF or tape.hiding  # nobody differentiates this gradient again: arrays will do
    own = tape.start == OFF and not tape.looking  # nobody else needs this tape: it shrinks while it is read
    paused = own and gc.isenabled()
    if paused:
        gc.disable()  # the tape makes no cycles, and the collector would walk all of it again and again
    if own:
        tape.own_list()
    tape.deeper(1)
    weights = tuple(weights)
    marked = list({id(w): w for w in weights if w.requires_grad}.values())
    before = [w.at for w in marked]
    try:
        arguments, leaves = list(inputs), []
        for k in positions:
            if inputs[k].at >= OFF and not flat:
                tape.escaped(name_of(function), inputs[k].at, tape.caller())
            arguments[k] = wrap(inputs[k].array, tape.tick())
            leaves.append(arguments[k])
            tape.record((leaf, inputs[k], None, arguments[k], None, 0))
        for w, at in zip(marked, before, strict=True):
            w.at = tape.tick()
            leaves.append(w)
            tape.record((leaf, wrap(w.array, at), None, w, None, 0))
        mark = leaves[0].at if leaves else tape.tick()
        if not leaves:
            tape.record((leaf, None, None, None, None, 0))
        if tape.looking:
            sources = (*[inputs[k] for k in positions], *marked)
            note(BEGIN, function, (tuple(leaves), sources), tape.depth, tape.caller(2))
        if flat:
            tape.record_from(mark)
        result = function(*arguments, **named)
        outputs = result[0] if aux else result
        for t in tensors_in(outputs):
            if t.at >= OFF and not was[5]:
                tape.escaped('the output of a differentiated function', t.at, tape.caller())
        if flat:
            tape.record_from(OFF)
        seeds = _seeds(outputs, sens, mark, flat)
        if tape.looking:
            note(BACK, tuple(seeds), None, None, None)
        cotangents = _read_back(mark, seeds, len(leaves), flat, own)
        gradients = _finish(cotangents, leaves, flat)
        if tape.looking:
            note(END, tuple(gradients), None, None, None)
    finally:
        hiding, depends = was[5], False
        if hiding:
            depends = any(t.at >= was[4] for t in tensors_in(inputs)) or any(at >= was[4] for at in before)
        tape.restore(was)
        for w, at in zip(marked, before, strict=True):
            w.at = at
        tape.deeper(-1)
        if paused:
            gc.enable()
    if depends:
        for t in gradients:
            t.at = hiding
    by_weight = dict(zip(map(id, marked), gradients[len(positions) :], strict=True))
    return (
        result,
        gradients[: len(positions)],
        [by_weight[id(w)] if id(w) in by_weight else zeros_like(w) for w in weights],
    )


def _seeds(outputs: object, sens: object, mark: int, flat: bool) -> list[tuple]:
    """Each output that depends on a marked input, with the cotangent that it starts from."""
    outs = [t for t in tensors_in(outputs) if is_float(t)]
    if sens is None:
        given = [np.ones(t.shape, t.array.dtype) if flat else ones_like(t) for t in outs]
    else:
        given = tensors_in(sens)
        for t, s in zip(outs, given, strict=False):
            if s.shape != t.shape or s.array.dtype != t.array.dtype:
                raise SensError(
                    f'sens is {s.dtype} {s.shape}, but the output it belongs to is {t.dtype} {t.shape}: '
                    f'they must be the same.{users_line()}'
                )
        if len(given) != len(outs):
            raise SensError(
                f'sens has {plural(len(given), "Tensor")}, but there are '
                f'{plural(len(outs), "float output")}.{users_line()}'
            )
        given = [s.array for s in given] if flat else given
    return [(t, g) for t, g in zip(outs, given, strict=True) if mark <= t.at < OFF]


def _read_back(mark: int, seeds: list, leaves: int, flat: bool, own: bool) -> list:
    """The cotangents of the marked inputs."""
    entries, base = tape.entries, mark - tape.first
    cts = [None] * (len(entries) - base)
    for t, g in seeds:
        c = cts[t.at - mark]
        cts[t.at - mark] = g if c is None else c + g
    written = tape.written
    if own:
        pop, take = entries.pop, cts.pop
        for _ in range(len(cts) - leaves):
            entry = pop()
            g = take()
            if g is not None:
                if written:
                    check_unwritten(entry, mark + len(cts))
                rule, x, y, out, _, _ = entry
                rule.pull(g, cts, mark, x, y, out)
        return cts
    pending = entries[base:]
    for k in range(len(pending) - 1, leaves - 1, -1):
        g = cts[k]
        if g is None:
            continue
        cts[k] = None
        entry = pending[k]
        rule, x, y, out, _, _ = entry
        if tape.looking:
            note(PULL, entry, g, None, None)
        try:
            if written:
                check_unwritten(entry, mark + k)
            gave = rule.vjp(g, mark, x, y, out)
        except Exception as error:
            if tape.looking:
                note(FAIL, rule, error, entry, None)
            raise
        if tape.looking:
            note(GIVE, entry, tuple(gave), None, None)
        for t, d in gave:
            i = t.at - mark
            if d is not None and i >= 0:
                c = cts[i]
                cts[i] = d if c is None else c + d
    return cts[:leaves]


def _finish(cotangents: list, leaves: list, flat: bool) -> list[Tensor]:
    """Cotangents as Tensors of their own memory; zeros where none arrived."""
    if not flat:
        return [zeros_like(t) if g is None else g for g, t in zip(cotangents, leaves, strict=True)]
    taken = {id(memory(t.array)) for t in leaves}
    found = []
    for g, t in zip(cotangents, leaves, strict=True):
        if g is None:
            g = np.zeros_like(t.array)
        root = memory(g)
        if id(root) in taken:
            g = g.copy()  # a rule may hand on what it was given; writing into one gradient must not change another
        else:
            taken.add(id(root))
        found.append(wrap(g))
    return found


# ---- MindSpore's ways to ask ---------------------------------------------------------------------------------------


def _check_positions(grad_position: object, weights: object) -> tuple[int, ...]:
    if grad_position is None:
        if weights is None:
            raise GradArgumentError('`grad_position` and `weight` can not be None at the same time.')
        return ()
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if not positions or not all(isinstance(p, int) and not isinstance(p, bool) for p in positions):
        raise NotATensorError(f'grad_position is an int, a tuple of ints, or None, but got {grad_position!r}.')
    if min(positions) < 0 or len(set(positions)) < len(positions):
        raise GradArgumentError(f'grad_position counts from 0 and names each argument once, but got {grad_position!r}.')
    return positions


def _check_arguments(function: Callable, inputs: tuple, positions: tuple[int, ...]) -> None:
    for p in positions:
        if p >= len(inputs):
            raise GradPositionError(
                f'Position index {p} is exceed input size. {name_of(function)} was called with '
                f'{plural(len(inputs), "argument")}, so that grad_position goes from 0 to '
                f'{len(inputs) - 1}.{users_line()}'
            )
        x = inputs[p]
        if not isinstance(x, Tensor):
            raise NotATensorError(
                f'There is nothing to differentiate: argument {p} of {name_of(function)} is '
                f'{article(type(x).__name__)}, not a Tensor. Write Tensor(...) around it.{users_line()}'
            )
        if not is_float(x):
            raise NotATensorError(
                f'There is nothing to differentiate: argument {p} of {name_of(function)} is {article(x.dtype)} Tensor, '
                f'and only floats have gradients. Write x.astype(minicell.float32).{users_line()}'
            )


def _check_weights(weights: object) -> tuple:
    found = weights if isinstance(weights, (tuple, list)) else (weights,)
    for w in found:
        if not hasattr(w, 'requires_grad'):
            raise NotATensorError(f'weights holds Parameters, but got {article(type(w).__name__)}.{users_line()}')
    return tuple(found)


def value_and_grad(
    fn: Callable,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: object = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable:
    """A function that returns fn's value and its gradients.

    grad_position: which arguments (an int, or a tuple of ints; None: none); weights: a Parameter, or a list of them.
    has_aux: only the first output is differentiated. return_ids: each gradient comes with its position or name.
    Several outputs, and outputs with several numbers, are differentiated as if summed.

    Raises ValueError or TypeError for a grad_position that is none, RuntimeError for one that is too large, TypeError
    where there is no float Tensor.

    >>> import minicell as ms
    >>> value, slope = ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
    >>> print(value, slope)
    9.0 6.0
    """
    positions = _check_positions(grad_position, weights)
    params = () if weights is None else _check_weights(weights)

    @wraps(fn, updated=())
    def value_and_gradient(*args, **kwargs):
        _check_arguments(fn, args, positions)
        out, by_place, by_weight = differentiate(fn, args, kwargs, positions, params, aux=has_aux)
        if has_aux and not (isinstance(out, tuple) and len(out) > 1):
            raise GradArgumentError(f'has_aux=True needs more than one output, but {name_of(fn)} returned one.')
        if return_ids:
            by_place = [(p, g) for p, g in zip(positions, by_place, strict=True)]
            by_weight = [(w.name, g) for w, g in zip(params, by_weight, strict=True)]
        dx = by_place[0] if len(positions) == 1 else tuple(by_place)
        dw = tuple(by_weight) if isinstance(weights, (tuple, list)) else (by_weight or [None])[0]
        gradients = dx if weights is None else dw if grad_position is None else (dx, dw)
        return out, gradients

    return value_and_gradient


def grad(
    fn: Callable,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: object = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable:
    """A function that returns fn's gradients; the arguments are those of `value_and_grad`.

    >>> import minicell as ms
    >>> print(ms.grad(ms.grad(lambda x: x * x * x))(ms.Tensor(2.0)))
    12.0
    """
    both = value_and_grad(fn, grad_position, weights, has_aux, return_ids)

    @wraps(fn, updated=())
    def gradient(*args, **kwargs):
        out, gradients = both(*args, **kwargs)
        return (gradients, out[1:]) if has_aux else gradients

    return gradient


def get_grad(gradients: tuple, identifier: object) -> Tensor:
    """The gradient of a position or a Parameter, among what `grad(..., return_ids=True)` returned.

    Raises RuntimeError where it is not there.
    """
    key = getattr(identifier, 'name', identifier)
    pending = [gradients]
    while pending:
        g = pending.pop()
        if isinstance(g, tuple):
            if len(g) == 2 and isinstance(g[1], Tensor) and g[0] == key:
                return g[1]
            pending.extend(g)
    raise GradPositionError(f'Can not find the gradient for position or Parameter {identifier}')


class GradOperation:
    """MindSpore's older way to ask: `GradOperation(get_all=True)(net)(x, y)`.

    get_all: all float Tensor arguments, as a tuple; else the first. get_by_list: the weights too (for a Cell without a
    list, its trainable ones). sens_param: the last argument is the cotangent of the output.

    >>> import minicell as ms
    >>> f = ms.ops.GradOperation(get_all=True)(lambda x, y: x * y)
    >>> f(ms.Tensor(3.0), ms.Tensor(5.0))
    (Tensor(shape=[], dtype=Float32, value= 5), Tensor(shape=[], dtype=Float32, value= 3))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, value in (('get_all', get_all), ('get_by_list', get_by_list), ('sens_param', sens_param)):
            if not isinstance(value, bool):
                raise NotATensorError(
                    f"For 'GradOperation', '{name}' is a bool, but got {article(type(value).__name__)}."
                )
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Callable, weights: object = None) -> Callable:
        """The function that returns the gradients of fn."""

        def gradient(*args, **kwargs):
            sens = kwargs.pop('sens', None)
            if self.sens_param and sens is None:
                if not args:
                    raise SensError(f'sens_param=True: the last argument is sens, but there is none.{users_line()}')
                *args, sens = args
            params = weights
            if params is None and self.get_by_list:
                params = fn.trainable_params() if hasattr(fn, 'trainable_params') else ()
            params = _check_weights(params) if self.get_by_list else ()
            places = tuple(k for k, a in enumerate(args) if isinstance(a, Tensor) and is_float(a))
            if not self.get_all and not (self.get_by_list and params):
                _check_arguments(fn, tuple(args), (0,))
            if self.get_all and not places:
                raise NotATensorError(
                    f'There is nothing to differentiate: {name_of(fn)} was called without a float Tensor.{users_line()}'
                )
            wanted = places if self.get_all else () if self.get_by_list else (0,)
            _, by_place, by_weight = differentiate(fn, tuple(args), kwargs, wanted, params, sens)
            dx = tuple(by_place) if self.get_all else (by_place or [None])[0]
            return (
                (dx, tuple(by_weight))
                if self.get_by_list and self.get_all
                else tuple(by_weight)
                if self.get_by_list
                else dx
            )

        return gradient
