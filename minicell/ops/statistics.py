"""What is made of sums and products: variance, norm, product, clipping. Composed of ops, hence right to any order."""

from collections.abc import Callable
from functools import reduce
from math import inf

import numpy as np

from ..core.dtype import FLOAT16
from ..core.errors import DTypeError, ShapeError, article
from ..core.primitives import apply, binary, cast_to, check_tensor, getframe
from ..core.rules import Rule, Unary
from ..core.tensor import Tensor
from ..errors import SettingError
from .arithmetic import ONE, abs, add, masked, maximum, minimum, not_equal, sqrt, square, where, zero_like
from .checks import must, only
from .primitive import add_up
from .reduce import SUM, _axes, _count, _over, amax, amin, mean, sum
from .shape import concat, reshape, squeeze, transpose


def _length_dx(g, out, x, axis, keepdims):
    """x / |x|; at 0, where a norm has a kink, 0 in every order."""
    at_0 = out == 0
    return x * _over(where(at_0, zero_like(g), g / where(at_0, ONE[out.dtype], out)), x.shape, axis, keepdims)


VARIANCE = Rule('Var', None)
NORM = Unary('LpNorm', lambda x, axis, keepdims: np.sqrt(add_up(x * x, axis, keepdims)), _length_dx)


def _in_float32(op: Callable, x: Tensor, *rest: object) -> Tensor:
    """An op of a Float16 Tensor: only its result is rounded, and what it adds up may be larger than Float16 can be."""
    with np.errstate(over='ignore'):
        return cast_to(op(cast_to(x, np.dtype(np.float32)), *rest), np.dtype(np.float16))


def _real(rule: Rule, x: object) -> Tensor:
    """The argument of an op whose numbers are real: of complex ones, a square is no length."""
    said = f'{rule.name} is for real numbers, but got {article(check_tensor(rule, x).dtype)} Tensor'
    must(x.array.dtype.kind != 'c', DTypeError, f'{said}: give its real and its imaginary part as two')
    return x


def var(input: Tensor, axis=None, ddof=0, keepdims=False, *, dim=None, correction=0, keepdim=False) -> Tensor:
    """The mean square distance from the mean; ddof=1 divides by one less than the count. TypeError for integers.

    >>> print(ops.var(Tensor([1.0, 3.0])))
    1.0
    """
    axis, ddof, keepdims = axis if dim is None else dim, ddof or correction, keepdims or keepdim
    if isinstance(input, Tensor) and input.array.dtype is FLOAT16:
        return _in_float32(var, input, axis, ddof, keepdims)
    must(_real(VARIANCE, input).ndim or not _axes(axis), ShapeError, f'var: there is no axis {axis!r} in shape ()')
    away = square(input - mean(input, axis, keep_dims=True))
    return sum(away, axis, keepdims) / (_count(input.shape, _axes(axis)) - int(ddof))


def std(input: Tensor, axis=None, ddof=0, keepdims=False, *, dim=None, correction=0, keepdim=False) -> Tensor:
    """The square root of `var`."""
    axis, ddof, keepdims = axis if dim is None else dim, ddof or correction, keepdims or keepdim
    if isinstance(input, Tensor) and input.array.dtype is FLOAT16:
        return _in_float32(std, input, axis, ddof, keepdims)
    return sqrt(var(input, axis, ddof, keepdims))


def norm(A: Tensor, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The length of a vector, or the norm of a matrix.

    Without ord, the root of the sum of squares over dim. With it, over one axis: the p-norm of a vector, inf and -inf
    its largest and smallest, 0 how many numbers are not 0; over two, that of a matrix: 'fro', and 1, -1, inf, -inf.
    At 0, where the Euclidean length has a kink, the gradient is 0. Integers become Float32. ValueError for another ord.

    >>> print(ops.norm(Tensor([3.0, 4.0])))
    5.0
    """
    x = _real(NORM, A)
    if dtype is not None or x.array.dtype.kind not in 'f':
        x = cast_to(x, np.dtype(np.float32) if dtype is None else dtype.numpy)
    if x.array.dtype is FLOAT16:
        return _in_float32(norm, x, ord, dim, keepdim)
    axes = _axes(dim)
    axes = tuple(range(x.ndim)) if axes is None else axes
    if ord is None or ord == 'fro' or (ord == 2 and len(axes) < 2):
        return apply(NORM, x, (axes or None, keepdim), getframe(1))
    if len(axes) == 2 and ord in (1, -1, inf, -inf):
        inner, outer = sorted([a % x.ndim for a in axes], reverse=ord in (inf, -inf))
        best = (amax if ord > 0 else amin)(sum(abs(x), inner, True), outer, True)
        return best if keepdim else squeeze(best, axes)
    said = "norm: ord is None or 'fro', for one axis a number, for two 1, -1, inf or -inf"
    must(len(axes) == 1 and not isinstance(ord, str), SettingError, f'{said}, but got {ord!r} for {len(axes)} axes')
    if ord in (inf, -inf):
        return (amax if ord > 0 else amin)(abs(x), axes, keepdim)
    if ord == 0:
        return sum(not_equal(x, 0).astype(x.dtype), axes, keepdim)
    total = sum(abs(x) if ord == 1 else abs(x) ** ord, axes, keepdim)
    return total if ord == 1 else total ** (1 / ord)


def prod(input: Tensor, axis=None, keep_dims=False, dtype=None, *, dim=None, keepdim=False) -> Tensor:
    """The product over an axis, several, or all: halves are multiplied until one is left, so that a 0 harms nothing.

    (The product divided by x, the textbook's gradient, is 0 / 0 there.) Integers are multiplied as Int64.

    >>> print(ms.grad(ms.ops.prod)(ms.Tensor([2.0, 0.0, 5.0])))
    [ 0. 10.  0.]
    """
    x = check_tensor(SUM, input)
    if dtype is not None or x.array.dtype.kind in 'iub':
        x = cast_to(x, np.dtype(np.int64) if dtype is None else dtype.numpy)
    rank, keep_dims, axis = x.ndim, keep_dims or keepdim, dim if axis is None else axis
    if x.array.dtype is FLOAT16:
        return _in_float32(prod, x, axis, keep_dims)
    asked = _axes(axis, rank)
    asked = range(rank) if asked is None else asked
    axes = tuple(a % rank for a in asked if -rank <= a < rank)
    said = f'prod: axis {axis!r} is not there, or twice, for shape {x.shape}'
    must(len(set(axes)) == len(asked), ShapeError, said)
    rest = tuple(a for a in range(rank) if a not in axes)
    shape, count = x.shape, _count(x.shape, axes)
    due = tuple([1 if a in axes else n for a, n in enumerate(shape) if keep_dims or a in rest])
    if not count:
        return Tensor(np.ones(due, x.array.dtype))
    x = reshape(transpose(x, (*axes, *rest)) if rank else x, (count, *[shape[a] for a in rest]))
    while count > 1:
        half = count // 2
        product = x[:half] * x[half : 2 * half]
        x = concat((product, x[2 * half :]), 0) if count % 2 else product
        count -= half
    return reshape(x, due)


def clip_by_value(x: Tensor | tuple, clip_value_min: object = None, clip_value_max: object = None) -> Tensor | tuple:
    """x, or each Tensor of a tuple, cut off below and above; None leaves a side open. ValueError where both are None.

    >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 2.0]), -1, 1))
    [-1.   0.5  1. ]
    """
    open = clip_value_min is None and clip_value_max is None
    must(not open, SettingError, 'clip_by_value: at least one of the two bounds is due')
    if isinstance(x, (tuple, list)):
        return tuple([clip_by_value(t, clip_value_min, clip_value_max) for t in x])
    x = check_tensor(maximum.rule, x, getframe(1))
    # (the user's line, two frames away, is where the last op was called: what it makes is what the line is)
    x = x if clip_value_min is None else maximum(x, clip_value_min, up=1 + (clip_value_max is None))
    return x if clip_value_max is None else minimum(x, clip_value_max, up=2)


# At a tie the slope is x's.
_at_least = binary('Maximum', np.maximum, lambda g, out, x, y: masked(g, x >= y), lambda g, out, x, y: masked(g, x < y))
_at_most = binary('Minimum', np.minimum, lambda g, out, x, y: masked(g, x <= y), lambda g, out, x, y: masked(g, x > y))


def clamp(input: Tensor, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """As `clip_by_value`, but at a bound the slope is that inside. ValueError where both are None.

    >>> print(ops.clamp(Tensor([-2.0, 0.5, 2.0]), max=1))
    [-2.   0.5  1. ]
    """
    must(min is not None or max is not None, SettingError, 'clamp: at least one of the two bounds is due')
    x = input if min is None else _at_least(input, min, up=1 + (max is None))
    return x if max is None else _at_most(x, max, up=2)


def clip_by_global_norm(x: tuple[Tensor, ...], clip_norm: float = 1.0, use_norm: None = None) -> tuple[Tensor, ...]:
    """Tensors, such as gradients, made shorter by one factor where all together are longer than clip_norm.

    >>> print([t.tolist() for t in ops.clip_by_global_norm((Tensor([3.0]), Tensor([4.0])), 2.5)])
    [[1.5], [2.0]]
    """
    only('clip_by_global_norm', None, use_norm=use_norm)
    must(isinstance(x, (tuple, list)) and x, DTypeError, 'clip_by_global_norm takes a tuple of Tensors')
    in_dtype = lambda t, dtype: t if t.array.dtype == dtype else cast_to(t, dtype)
    wide = [in_dtype(t, np.promote_types(t.array.dtype, np.float32)) for t in x]
    length = maximum(sqrt(reduce(add, [sum(square(t)) for t in wide])), clip_norm)
    return tuple([in_dtype(w * clip_norm / length, t.array.dtype) for w, t in zip(wide, x, strict=True)])
