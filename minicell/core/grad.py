"""The ways to ask for a gradient: grad, value_and_grad and vjp. (jvp is in ../jacobian.py.)"""

import inspect
from collections.abc import Callable
from copy import copy
from functools import wraps
from weakref import WeakSet

from .differentiate import Gradient, differentiate, name_of
from .errors import GradArgumentError, GradPositionError, NotATensorError, SensError, article, plural, users_line
from .primitives import REAL
from .tensor import Tensor, is_float

paused: WeakSet = WeakSet()  # gradients that may be read later


def check_positions(grad_position: object, weights: object) -> tuple[int, ...]:
    """grad_position as a tuple of ints, or an error."""
    if grad_position is None:
        if weights is None:
            raise GradArgumentError('`grad_position` and `weight` can not be None at the same time.' + users_line())
        return ()
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    got = f'but got {grad_position!r}'
    if not all(isinstance(p, int) and not isinstance(p, bool) for p in positions):
        raise NotATensorError(f'grad_position is an int, a tuple of ints, or None, {got}.{users_line()}')
    if min(positions, default=0) < 0 or len(set(positions)) < len(positions):
        raise GradArgumentError(f'grad_position counts from 0 and names each argument once, {got}.{users_line()}')
    return positions


def check_function(who: str, fn: object, **flags: object) -> None:
    """Raise TypeError unless fn can be called and each flag is a bool."""
    if not callable(fn):
        raise NotATensorError(f'{who} takes a function or a Cell, but got {article(type(fn).__name__)}.{users_line()}')
    for name, value in flags.items():
        if not isinstance(value, bool):
            got = article(type(value).__name__)
            raise NotATensorError(f"For '{who}', '{name}' is a bool, but got {got}.{users_line()}")


def bind_by_place(fn: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments in the order of fn's signature, so that those given by name have positions too."""
    try:
        signature = inspect.signature(getattr(fn, 'construct', fn))
    except ValueError:  # a builtin without a signature
        return args, kwargs
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise NotATensorError(f'{name_of(fn)} cannot be called like this: {error}.{users_line()}') from None
    return given.args, given.kwargs


def take_sens(args: tuple, kwargs: dict) -> tuple[tuple, object]:
    """The arguments without sens, and sens, which is given by name or as the last argument."""
    sens = kwargs.pop('sens', None)
    if sens is None and args:
        *args, sens = args
    if sens is None:
        said = 'the last argument is sens, a Tensor like the output, but there is none, or it is None'
        raise SensError(f'sens_param=True: {said}.{users_line()}')
    return tuple(args), sens


def check_arguments(function: Callable, inputs: tuple, positions: tuple[int, ...]) -> None:
    """Raise unless there is a float Tensor at each of these positions."""
    for p in positions:
        if p >= len(inputs):
            count = f'grad_position goes from 0 to {len(inputs) - 1}'
            count = count if inputs else 'there is none (with sens_param=True, the last one is sens)'
            raise GradPositionError(
                f'Position index {p} is exceed input size. {name_of(function)} was called with '
                f'{plural(len(inputs), "argument")}, so that {count}.{users_line()}'
            )
        x = inputs[p]
        if not isinstance(x, Tensor) or not is_float(x):
            got = f'{article(type(x).__name__)}, not a Tensor. Write Tensor(...) around it'
            if isinstance(x, Tensor):
                got = f'{article(x.dtype)} Tensor, and only floats have gradients. Write x.astype(minicell.float32)'
            said = f'There is nothing to differentiate: argument {p} of {name_of(function)} is {got}'
            raise NotATensorError(f'{said}.{users_line()}')
        if x.array.dtype.kind == 'c':
            got = f'Argument {p} of {name_of(function)} is {article(x.dtype)} Tensor'
            raise NotATensorError(f'{got}: {REAL} arguments.{users_line()}')


def is_parameter(w: object) -> bool:
    """Whether this is a Parameter (the core must not import common/parameter.py, which imports it)."""
    return isinstance(w, Tensor) and hasattr(w, 'requires_grad')


def check_weights(weights: object) -> tuple:
    """The weights as a tuple. Raises TypeError unless all are Parameters."""
    found = weights if isinstance(weights, (tuple, list)) else (weights,)
    for w in found:
        if not is_parameter(w):
            raise NotATensorError(f'weights holds Parameters, but got {article(type(w).__name__)}.{users_line()}')
        if w.array.dtype.kind == 'c':
            raise NotATensorError(f'The Parameter {w.name} is {article(w.dtype)} one: {REAL} Parameters.{users_line()}')
    return tuple(found)


def value_and_grad(
    fn: Callable,
    grad_position: int | tuple[int, ...] | None = 0,
    weights: object = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """A function that returns fn's value and its gradients.

    grad_position: which arguments (an int, or a tuple of ints; None: none), in the order of fn's signature; weights: a
    Parameter, or a list of them. has_aux: only the first output is differentiated. return_ids: each gradient comes with
    its position or name. sens_param: the last argument is the cotangent of the output; else several outputs, and
    outputs with several numbers, are differentiated as if summed.

    Raises ValueError or TypeError for an invalid grad_position, RuntimeError for one that is too large, TypeError where
    the argument is not a float Tensor.

    >>> value, slope = ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
    >>> print(value, slope)
    9.0 6.0
    """
    positions = check_positions(grad_position, weights)
    check_function('grad', fn, has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    params = () if weights is None else check_weights(weights)
    last = max(positions, default=-1)

    @wraps(fn, updated=())
    def value_and_gradient(*args, **kwargs):
        sens = None
        if sens_param:
            args, sens = take_sens(args, kwargs)
        if last >= len(args):
            args, kwargs = bind_by_place(fn, args, kwargs)
        if grad_position == ():
            raise GradPositionError(f'grad_position is (): name an argument, or write None.{users_line()}')
        check_arguments(fn, args, positions)
        out, by_place, by_weight = differentiate(fn, args, kwargs, positions, params, sens, has_aux)
        if has_aux:
            split_aux(fn, out)  # raises if there is only one output
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
    sens_param: bool = False,
) -> Callable:
    """A function that returns fn's gradients; the arguments are those of `value_and_grad`.

    >>> print(ms.grad(ms.grad(lambda x: x * x * x))(ms.Tensor(2.0)))
    12.0
    """
    both = value_and_grad(fn, grad_position, weights, has_aux, return_ids, sens_param)

    @wraps(fn, updated=())
    def gradient(*args, **kwargs):
        out, gradients = both(*args, **kwargs)
        return (gradients, out[1:]) if has_aux else gradients

    return gradient


def vjp(fn: Callable, *inputs: Tensor, weights: object = None, has_aux: bool = False) -> tuple:
    """fn's value and a function from the cotangent of its output to the gradients of its inputs (a tuple).

    With weights, that function returns (gradients of the inputs, gradients of the weights). has_aux: only the first
    output is differentiated, and the others come third (one by itself, several as a tuple).

    >>> out, back = ms.vjp(lambda x: x * x, ms.Tensor([1.0, 3.0]))
    >>> print(out, back(ms.Tensor([1.0, 10.0])))
    [1. 9.] (Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  6.00000000e+01]),)
    """
    check_function('vjp', fn, has_aux=has_aux)
    params = () if weights is None else check_weights(weights)
    check_arguments(fn, inputs, tuple(range(len(inputs))))
    gradient = run_once(fn, inputs, params, has_aux)

    def back(*sens: Tensor) -> tuple:
        by_place, by_weight = read_again(gradient, sens)
        if weights is None:
            return tuple(by_place)
        return tuple(by_place), by_weight[0] if hasattr(weights, 'requires_grad') else tuple(by_weight)

    if not has_aux:
        return gradient.result, back
    out, further = split_aux(fn, gradient.result)
    return out, back, further


def run_once(fn: Callable, inputs: tuple, params: tuple = (), has_aux: bool = False) -> Gradient:
    """A gradient whose function has run, and which can be read several times."""
    gradient = Gradient(fn, inputs, {}, tuple(range(len(inputs))), params, has_aux, later=True)
    paused.add(gradient)  # the values that backward needs may be overwritten before it is read
    gradient.while_open(gradient.run_forward)
    return gradient


def read_again(gradient: Gradient, sens: tuple) -> tuple[list[Tensor], list[Tensor]]:
    """The gradients of the inputs and of the weights, from these cotangents of the outputs."""
    if gradient.restore is not None:  # it is being read: what `open` keeps would be overwritten
        gradient = copy(gradient)
        gradient.restore = None
    return gradient.while_open(gradient.read, sens)


def split_aux(fn: Callable, outputs: object) -> tuple[object, object]:
    """The first output; and the second, or a tuple of all others."""
    if not isinstance(outputs, tuple) or len(outputs) < 2:
        said = f'has_aux=True needs more than one output, but {name_of(fn)} returned one'
        raise GradArgumentError(f'{said}.{users_line()}')
    return outputs[0], outputs[1] if len(outputs) == 2 else outputs[1:]
