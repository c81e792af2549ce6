"""jvp, a derivative along a direction; jacfwd and jacrev, all of a Jacobian, a column or a row at a time."""

from collections.abc import Callable

import numpy as np

from .core.differentiate import differentiate, name_of
from .core.errors import GradArgumentError, NotATensorError, SensError, article, plural, users_line
from .core.grad import check_arguments, check_function, check_positions, read_again, run_once, split_aux, vjp
from .core.primitives import ones_like
from .core.tensor import Tensor, is_float, wrap
from .linear import say_not_linear
from .ops import stack


def jvp(fn: Callable, inputs: Tensor | tuple, v: Tensor | tuple, has_aux: bool = False) -> tuple:
    """fn's value, and its derivative along v (the Jacobian times v).

    The gradient J.T u is linear in u. Its derivative with respect to u along v is J v, so every rule serves here too
    (j-towns.github.io/2017/06/12/A-new-trick.html). Raises ValueError where v does not fit the inputs.

    >>> import minicell as ms
    >>> print(ms.jvp(lambda x: x * x, ms.Tensor(3.0), ms.Tensor(10.0)))
    (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 60))
    """
    check_function('jvp', fn, has_aux=has_aux)
    xs, along = (tuple(a) if isinstance(a, (tuple, list)) else (a,) for a in (inputs, v))
    places = tuple(range(len(xs)))
    check_arguments(fn, xs, places)
    if not all(isinstance(t, Tensor) for t in along):
        raise SensError(f'v holds Tensors, one for each input of {name_of(fn)}, but got {v!r:.60}.{users_line()}')
    if [(t.shape, t.dtype) for t in along] != [(t.shape, t.dtype) for t in xs]:
        raise SensError(f'v needs a Tensor of the same shape and dtype for each input of {name_of(fn)}.{users_line()}')
    out, push = linearize(fn, xs, has_aux)
    slopes = push(along)
    slope = slopes[0] if len(slopes) == 1 else tuple(slopes)
    if not has_aux:
        return out, slope
    out, further = split_aux(fn, out)
    return out, slope, further


def linearize(fn: Callable, xs: tuple, has_aux: bool = False) -> tuple[object, Callable]:
    """fn's value, and a function from directions to the derivatives of its outputs along them; fn runs once.

    The cotangent u is 1 where J.T u is differentiated: that matters for a bprop alone that is not linear in dout.
    """
    gradient = run_once(fn, xs, (), has_aux)
    back = lambda *u: tuple(read_again(gradient, u)[0])
    back.is_slope = True
    us = tuple(ones_like(t) for t in gradient.outputs if is_float(t))

    def push(along: tuple) -> list[Tensor]:
        slopes = differentiate(back, us, {}, tuple(range(len(us))), sens=along)[1]
        say_not_linear(gradient, fn, back, us, along, slopes)
        return slopes

    return gradient.result, push


def jacrev(fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """A function that returns the Jacobian of fn, row by row: one run forward, and one back for each number of out.

    Its shape is that of the output, then that of the input. Of several outputs, and of several positions, it returns a
    tuple (outputs outside). has_aux: only the first output counts, and the others come second.

    >>> import minicell as ms
    >>> print(ms.jacrev(lambda x: x * x)(ms.Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]
    """
    return _jacobian('jacrev', fn, grad_position, has_aux, _rows)


def jacfwd(fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """The same column by column: one run for each number of the input, which is less where the output is larger.

    >>> import minicell as ms
    >>> print(ms.jacfwd(lambda x: x * x)(ms.Tensor([1.0, 3.0])))
    [[2. 0.]
     [0. 6.]]
    """
    return _jacobian('jacfwd', fn, grad_position, has_aux, _columns)


def _jacobian(who: str, fn: Callable, grad_position: object, has_aux: bool, read: Callable) -> Callable:
    check_function(who, fn, has_aux=has_aux)

    def jacobian(*args: object, **kwargs: object) -> object:
        positions = _positions(who, fn, grad_position, args)
        further, several = [], []

        def of_these(*chosen: Tensor) -> tuple:
            given = list(args)
            for k, t in zip(positions, chosen, strict=True):
                given[k] = t
            out = fn(*given, **kwargs)
            if has_aux:
                out, further[:] = split_aux(fn, out)[0], [split_aux(fn, out)[1]]
            several[:] = [isinstance(out, (tuple, list))]
            outs = tuple(out) if several[0] else (out,)
            for t in outs or (None,):
                if not isinstance(t, Tensor) or not is_float(t):
                    got = article(f'{t.dtype} Tensor' if isinstance(t, Tensor) else type(t).__name__)
                    got = 'nothing' if t is None else got
                    raise NotATensorError(
                        f'{who}: {name_of(fn)} returned {got}, and there is no Jacobian of that: return Tensors of '
                        f'floats, alone or in a tuple, and anything else behind them, with has_aux=True.{users_line()}'
                    )
            return outs

        of_these.__name__ = name_of(fn)
        table = read(of_these, tuple(args[k] for k in positions))
        table = [parts if isinstance(grad_position, tuple) else parts[0] for parts in table]
        found = tuple(table) if several[0] else table[0]
        return (found, further[0]) if has_aux else found

    return jacobian


def _positions(who: str, fn: Callable, grad_position: object, args: tuple) -> tuple[int, ...]:
    positions = check_positions(grad_position, None)
    if max(positions, default=-1) >= len(args) or not positions:
        raise GradArgumentError(
            f'{who}: grad_position is {grad_position!r}, but the function was called with '
            f'{plural(len(args), "argument")}.{users_line()}'
        )
    check_arguments(fn, args, positions)
    return positions


def _one_by_one(t: Tensor) -> list[Tensor]:
    """For each number of t: a Tensor of its shape with a 1 there, and 0 elsewhere."""
    return [wrap(row.reshape(t.shape)) for row in np.eye(t.size, dtype=t.array.dtype)]


def _table(parts: tuple, axis: int, out: Tensor, x: Tensor) -> Tensor:
    """The rows, or the columns, in one Tensor."""
    shape = out.shape + x.shape
    return stack(parts, axis).reshape(shape) if parts else wrap(np.zeros(shape, out.array.dtype))


def _rows(fn: Callable, xs: tuple[Tensor, ...]) -> list[tuple[Tensor, ...]]:
    outs, back = vjp(fn, *xs)
    zeros = [wrap(np.zeros_like(t.array)) for t in outs]
    table = []
    for k, out in enumerate(outs):
        rows = [back(*zeros[:k], one, *zeros[k + 1 :]) for one in _one_by_one(out)]
        parts = zip(*rows, strict=True) if rows else ((),) * len(xs)  # (of an output without numbers)
        table.append(tuple(_table(part, 0, out, x) for part, x in zip(parts, xs, strict=True)))
    return table


def _columns(fn: Callable, xs: tuple[Tensor, ...]) -> list[tuple[Tensor, ...]]:
    zeros = [wrap(np.zeros_like(t.array)) for t in xs]
    outs, push = linearize(fn, xs)
    by_input = []
    for k, x in enumerate(xs):
        columns = []
        for one in _one_by_one(x):
            columns.append(push((*zeros[:k], one, *zeros[k + 1 :])))
        parts = zip(*columns, strict=True) if columns else ((),) * len(outs)
        by_input.append([_table(part, -1, t, x) for part, t in zip(parts, outs, strict=True)])
    return list(zip(*by_input, strict=True))
