"""Reductions: sum, mean, max, min, prod, argmax."""

from collections.abc import Callable
from math import prod as product

import numpy as np

from ..core.dtype import FLOAT16, float16, float32
from ..core.errors import DTypeError, users_line
from ..core.primitives import apply, apply_plain, cast_to, check_tensor, getframe, named, on_both
from ..core.rules import Plain, Unary
from ..core.tensor import Tensor, wrap
from ..errors import SettingError
from .arithmetic import choose, exp, maximum, minimum, where, zero_like
from .checks import must
from .primitive import add_up, floats, in_float32
from .shape import spread

WIDE = {FLOAT16: np.dtype(np.float32), float16: float32}


def _kept(g, shape, axis, keepdims):
    """A reduced Tensor with its axes of length 1 back in place, ready to be broadcast to this shape."""
    if keepdims or axis is None or axis == (0,) or g.ndim == len(shape):  # (a missing first axis is broadcast too)
        return g
    axes = [a % len(shape) for a in axis]
    return g.reshape(tuple([1 if i in axes else n for i, n in enumerate(shape)]))


def _over(g, shape, axis, keepdims):
    """The cotangent of a sum, for each of its terms."""
    return spread(_kept(g, shape, axis, keepdims), shape)


def _count(shape, axis):
    return product(shape) if axis is None else product([shape[a] for a in axis])


def _ties(g, out, x, axis, keepdims):
    """The cotangent of a maximum, shared evenly among the places that hold it."""
    best = x == _kept(out, x.shape, axis, keepdims)
    share = _over(g, x.shape, axis, keepdims)
    counts = WIDE.get(share.dtype, share.dtype)  # there may be more of them than Float16 can hold
    hits = best.astype(counts).sum(axis, keepdims=keepdims)
    each = where(best, share, zero_like(share)) / _over(hits, x.shape, axis, keepdims)
    return each if counts is share.dtype else each.astype(share.dtype)


@in_float32
def _logsumexp(x: np.ndarray, axis: tuple[int, ...] | None, keepdims: bool) -> np.ndarray:
    top = np.max(x, axis, keepdims=True)
    top = np.where(np.isfinite(top), top, np.zeros((), x.dtype))
    with np.errstate(divide='ignore'):
        out = np.log(np.add.reduce(np.exp(x - top), axis, None, None, True)) + top
    return out if keepdims else np.squeeze(out, axis)


_exp = on_both(exp)
# fmt: off
SUM = Unary('ReduceSum', add_up, lambda g, out, x, axis, keepdims: _over(g, x.shape, axis, keepdims))
LOGSUMEXP = Unary('LogSumExp', _logsumexp, lambda g, out, x, axis, keepdims:
                      _over(g, x.shape, axis, keepdims) * _exp(x - _over(out, x.shape, axis, keepdims)))
MEAN = Unary('ReduceMean', lambda x, axis, keepdims: np.mean(x, axis, keepdims=keepdims),
             # (times 1 / count: the count itself may be more than Float16 can hold)
             lambda g, out, x, axis, keepdims: _over(g, x.shape, axis, keepdims) * (1 / (_count(x.shape, axis) or 1)))
MAX = Unary('ReduceMax', lambda x, axis, keepdims: np.max(x, axis, keepdims=keepdims), _ties)
MIN = Unary('ReduceMin', lambda x, axis, keepdims: np.min(x, axis, keepdims=keepdims), _ties)
# fmt: on


def _to_the_first(where_best: Callable) -> Callable:
    """The rule of a best number along an axis: the cotangent goes where it stands; of equal ones, to the first."""

    def mask(x, axis):
        out = np.zeros(x.shape, bool)
        np.put_along_axis(out, where_best(x, axis, keepdims=True), True, axis)
        return out

    rule = Plain('Mask', mask)
    first = on_both(lambda x, axis: apply_plain(rule, (x,), getframe(2), axis), mask)

    def dx(g, out, x, axis, keepdims):
        share = _over(g, x.shape, (axis,), keepdims)
        return where(first(x, axis), share, zero_like(share))

    return dx


MAX_AT = Unary('ArgMaxWithValue', MAX.kernel, _to_the_first(np.argmax))
MIN_AT = Unary('ArgMinWithValue', MIN.kernel, _to_the_first(np.argmin))
ARGMAX = Plain('Argmax', lambda x, axis, keepdims: np.asarray(np.argmax(x, axis, keepdims=keepdims)))
ARGMIN = Plain('Argmin', lambda x, axis, keepdims: np.asarray(np.argmin(x, axis, keepdims=keepdims)))
ANY = Plain('ReduceAny', lambda x, axis, keepdims: np.any(x, axis, keepdims=keepdims))
EVERY = Plain('ReduceAll', lambda x, axis, keepdims: np.all(x, axis, keepdims=keepdims))

# The axis is called axis or dim, and what keeps it keepdims, keep_dims or keepdim: MindSpore's ops each have their own
# words, and its methods of that name take another pair as well. An axis is an int, a tuple of them, or None for all.


def _axes(axis: object, rank: int = 1) -> tuple[int, ...] | None:
    """None or () means all axes, as in MindSpore; and of rank 0 there is an axis 0. Raises TypeError for no integer."""
    if axis is None:
        return None
    axes = tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    for a in axes:
        if not isinstance(a, (int, np.integer)) or isinstance(a, bool):
            raise DTypeError(f'an axis is an int, or a tuple of them, but got {axis!r}.{users_line()}')
    return axes if axes and (rank or axes[0] not in (0, -1)) else None


def sum(input: Tensor, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False) -> Tensor:
    """The sum over an axis, several, or all. Bool and small integers are added as Int64. ValueError for no such axis.

    >>> print(ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
    [4. 6.]
    """
    x = input if dtype is None else cast_to(input, dtype.numpy)
    axes = None if dim is axis is None else _axes(axis if dim is None else dim, x.ndim)
    out = apply(SUM, x, (axes, keepdim or keepdims), getframe(1))
    return out if dtype is None or out.dtype is dtype else cast_to(out, dtype.numpy)


def mean(x: Tensor, axis=None, keep_dims=False, *, dtype=None, dim=None, keepdim=False) -> Tensor:
    """The mean over an axis, several, or all, of a float Tensor. Raises TypeError for integers.

    >>> print(ops.mean(Tensor([1.0, 2.0])))
    1.5
    """
    x = check_tensor(MEAN, x)
    x = x if dtype is None else cast_to(x, dtype.numpy)
    if x.array.dtype.kind not in 'fc':
        said = 'the mean of integers is no integer. Write x.astype(minicell.float32).mean()'
        raise DTypeError(f'ReduceMean of {x.dtype}: {said}.{users_line(getframe(1))}')
    axes = None if axis is dim is None else _axes(dim if axis is None else axis, x.ndim)
    return apply(MEAN, x, (axes, keep_dims or keepdim), getframe(1))


def _with_places(rules: tuple, input: Tensor, axis: int | None, keepdims: bool, frame) -> tuple[Tensor, Tensor]:
    rule, rule_at, places, _ = rules
    x = check_tensor(rule, input, frame)
    if axis is None or not x.ndim:
        return apply(rule, x, (_axes(axis, x.ndim), False), frame), wrap(np.zeros((), np.int64))
    must(isinstance(axis, (int, np.integer)), DTypeError, f'{rule.name}: here the axis is an int, but got {axis!r}')
    values = apply(rule_at, x, (axis, keepdims), frame)
    return values, apply_plain(places, (x,), frame, axis, keepdims)


def _limited(rules: tuple, x: object, initial: object, where: Tensor | None, frame) -> Tensor:
    """Where the mask is False, `initial`; and elsewhere what is beyond it. Raises ValueError for a mask alone."""
    if initial is where is None:
        return x
    must(initial is not None, SettingError, f'{rules[0].name}: where goes with initial, which counts elsewhere')
    x = rules[3](check_tensor(rules[0], x, frame), initial)
    return x if where is None else choose(where, x, initial, frame)


def max(input: Tensor, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The largest values along an axis and where they stand, as Int64; of equal ones the first, which has the gradient.

    Without an axis the largest value of all, with a 0, as in MindSpore; there equal ones share the gradient evenly.
    initial is the least there can be; where the mask `where` is False, it stands for the number. The axis is an int.

    >>> values, places = ops.max(Tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    >>> print(values, places)
    [5. 7.] [1 0]
    """
    x = _limited(LARGEST, input, initial, where, getframe(1))
    return _with_places(LARGEST, x, axis, keepdims, getframe(1))


def min(input: Tensor, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The smallest values along an axis and where they stand: as `max`."""
    x = _limited(SMALLEST, input, initial, where, getframe(1))
    return _with_places(SMALLEST, x, axis, keepdims, getframe(1))


LARGEST, SMALLEST = (MAX, MAX_AT, ARGMAX, maximum), (MIN, MIN_AT, ARGMIN, minimum)


def _method(rules: tuple) -> Callable:
    def method(
        input,
        *places,
        axis=None,
        keepdims=False,
        initial=None,
        where=None,
        return_indices=False,
        dim=None,
        keepdim=False,
    ):
        frame = getframe(1)
        input = _limited(rules, input, initial, where, frame)
        if places:
            first, *more = places
            keepdims = more[0] if more else keepdims
            dim, axis = (first, None) if isinstance(first, int) else (None, first)
        if dim is not None or return_indices:
            return _with_places(rules, input, axis if dim is None else dim, keepdims or keepdim, frame)
        if isinstance(axis, int) and input.ndim:
            return apply(rules[1], input, (axis, keepdims), frame)
        return apply(rules[0], input, (_axes(axis, input.ndim), keepdims), frame)

    return named(method, rules[0])


# Tensor's own: x.max() and x.max(axis=0) are the values, x.max(0) and x.max(dim=0) come with where they stand.
max_method, min_method = _method(LARGEST), _method(SMALLEST)


def _reduction(rules: tuple) -> Callable:
    def op(input, axis=None, keepdims=False, *, initial=None, where=None):
        x = _limited(rules, check_tensor(rules[0], input, getframe(1)), initial, where, getframe(1))
        return apply(rules[0], x, (_axes(axis, x.ndim), keepdims), getframe(1))

    return named(op, rules[0])


# The values alone, over any axes; equal ones share the gradient evenly.
amax, amin = _reduction(LARGEST), _reduction(SMALLEST)


def argmax(input: Tensor, dim=None, keepdim=False, *, axis=None, keepdims=False) -> Tensor:
    """Where the largest value is, as Int64; no gradient passes.

    >>> print(ops.argmax(Tensor([1.0, 3.0, 2.0])))
    1
    """
    x = check_tensor(ARGMAX, input, getframe(1))
    return apply_plain(ARGMAX, (x,), getframe(1), axis if dim is None else dim, keepdim or keepdims)


def argmin(input: Tensor, axis=None, keepdims=False, *, dim=None, keepdim=False) -> Tensor:
    """Where the smallest value is, as Int32 (of a number, Int64); no gradient passes."""
    x = check_tensor(ARGMIN, input, getframe(1))
    out = apply_plain(ARGMIN, (x,), getframe(1), dim if axis is None else axis, keepdim or keepdims)
    return cast_to(out, np.dtype(np.int32)) if x.ndim else out


def _flag(rule: Plain) -> Callable:
    def op(input, axis=None, keep_dims=False, *, dim=None, keepdim=False):
        x = check_tensor(rule, input, getframe(1))
        axes = _axes(dim if axis is None else axis, x.ndim)
        return apply_plain(rule, (x,), getframe(1), axes, keep_dims or keepdim)

    return named(op, rule)


# Whether any, or every, value over the axes is not 0, as Bool.
any, all = _flag(ANY), _flag(EVERY)


def logsumexp(input: Tensor, dim: int | tuple[int, ...], keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))) over an axis or several, without its overflow.

    >>> print(ops.logsumexp(Tensor([1000.0, 1000.0]), 0) - 1000)
    0.69317627
    """
    return apply(LOGSUMEXP, x := floats(LOGSUMEXP, input), (_axes(dim, x.ndim), keepdim), getframe(1))
