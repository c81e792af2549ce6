"""jacrev and jacfwd: all of a Jacobian, a row or a column at a time."""

from collections.abc import Callable

import numpy as np

from .core.errors import GradArgumentError, NotATensorError, article, plural, users_line
from .core.grad import check_function, check_positions, jvp, split_aux, vjp
from .core.tensor import Tensor, is_float, wrap
from .ops import stack


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
        positions = _positions(who, grad_position, args)
        further, several = [], []

        def of_these(*chosen: Tensor) -> tuple:
            given = list(args)
            for k, t in zip(positions, chosen, strict=True):
                given[k] = t
            out = fn(*given, **kwargs)
            if has_aux:
                out, further[:] = split_aux(fn, out)[0], [split_aux(fn, out)[1]]
            several[:] = [isinstance(out, tuple)]
            return out if several[0] else (out,)

        of_these.__name__ = getattr(fn, '__name__', who)
        table = read(of_these, tuple(args[k] for k in positions))
        table = [parts if isinstance(grad_position, tuple) else parts[0] for parts in table]
        found = tuple(table) if several[0] else table[0]
        return (found, further[0]) if has_aux else found

    jacobian.is_gradient = True
    return jacobian


def _positions(who: str, grad_position: object, args: tuple) -> tuple[int, ...]:
    positions = check_positions(grad_position, None)
    if max(positions, default=-1) >= len(args) or not positions:
        raise GradArgumentError(
            f'{who}: grad_position is {grad_position!r}, but the function was called with '
            f'{plural(len(args), "argument")}.{users_line()}'
        )
    for k in positions:
        if not isinstance(args[k], Tensor) or not is_float(args[k]):
            got = f'{article(args[k].dtype)} Tensor' if isinstance(args[k], Tensor) else article(type(args[k]).__name__)
            raise NotATensorError(
                f'There is nothing to differentiate: argument {k} is {got}, not a Tensor of floats.{users_line()}'
            )
    return positions


def _one_by_one(t: Tensor) -> list[Tensor]:
    """For each number of t: a Tensor of its shape with a 1 there, and 0 elsewhere."""
    return [wrap(row.reshape(t.shape)) for row in np.eye(t.size, dtype=t.array.dtype)]


def _rows(fn: Callable, xs: tuple[Tensor, ...]) -> list[tuple[Tensor, ...]]:
    outs, back = vjp(fn, *xs)
    zeros = [wrap(np.zeros_like(t.array)) for t in outs]
    table = []
    for k, out in enumerate(outs):
        rows = [back(*zeros[:k], one, *zeros[k + 1 :]) for one in _one_by_one(out)]
        table.append(
            tuple(stack(part).reshape(out.shape + x.shape) for part, x in zip(zip(*rows, strict=True), xs, strict=True))
        )
    return table


def _columns(fn: Callable, xs: tuple[Tensor, ...]) -> list[tuple[Tensor, ...]]:
    zeros = [wrap(np.zeros_like(t.array)) for t in xs]
    by_input = []
    for k, x in enumerate(xs):
        columns = []
        for one in _one_by_one(x):
            outs, slopes = jvp(fn, xs, (*zeros[:k], one, *zeros[k + 1 :]))
            columns.append(slopes if isinstance(slopes, tuple) else (slopes,))
        by_input.append(
            [
                stack(part, -1).reshape(t.shape + x.shape)
                for part, t in zip(zip(*columns, strict=True), outs, strict=True)
            ]
        )
    return list(zip(*by_input, strict=True))
