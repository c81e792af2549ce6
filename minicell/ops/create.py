"""Ops that make Tensors from shapes and numbers, or of random ones: no gradient passes through them. And dropout."""

from collections.abc import Callable

import numpy as np

from ..core import primitives, tape
from ..core.dtype import ALL, BY_NUMPY, DType, float32
from ..core.errors import DTypeError, OperandError, ShapeError, article, users_line
from ..core.primitives import apply_many, apply_plain, cast_to, check_tensor, getframe, named
from ..core.rules import Many, Plain, Shaped
from ..core.tensor import Tensor, as_array, map_tensors, wrap
from ..errors import LeavesTapeError, SettingError
from .checks import must, numbers
from .primitive import Primitive, floats

BY_NAME = {name: d for d in ALL for name in (d.name, d.title.lower())}  # as a user may write them


def hot(labels: np.ndarray, depth: int, on: object, off: object, dtype: np.dtype) -> np.ndarray:
    """The kernel of `one_hot`."""
    out = np.full((labels.size, depth), off, dtype)
    flat = labels.reshape(-1)
    inside = (flat >= 0) & (flat < depth)
    out[np.flatnonzero(inside), flat[inside]] = on
    return out.reshape((*labels.shape, depth))


def _source(seed: int | None) -> object:
    return np.random if seed is None else np.random.default_rng(seed)


def _mask(x: np.ndarray, keep: float, rank: int, seed: int | None) -> np.ndarray:
    """One throw for each index of the first `rank` axes; what follows shares it."""
    thrown = _source(seed).random(x.shape[:rank]) < keep
    return np.array(np.broadcast_to(thrown.reshape(thrown.shape + (1,) * (x.ndim - rank)), x.shape))


FILL, EYE, RANGE = Shaped('Fill', np.full), Shaped('Eye', np.eye), Shaped('Range', np.arange)
SPACED = Shaped('LinSpace', lambda start, end, steps: np.linspace(start, end, steps, dtype=np.float32))
STOP, ONE_HOT = Plain('StopGradient', np.array), Plain('OneHot', hot)
NORMAL = Shaped('StandardNormal', lambda shape, seed, dtype: _source(seed).normal(0, 1, shape).astype(dtype))
UNIFORM = Shaped('UniformReal', lambda low, high, shape, seed, to: _source(seed).uniform(low, high, shape).astype(to))
MASK = Shaped('DropoutMask', _mask)
# (x * mask / keep_prob): linear in x, so that its rule is itself
DROPOUT = Many('Dropout', lambda scale, x, m: x * m * scale, (lambda g, out, scale, x, m: g * m * scale, None))


def as_numpy(dtype: object, only: bool = False) -> np.dtype:
    """The NumPy dtype of a minicell, NumPy or Python type, or a name; `only`: of minicell's alone. Else a TypeError."""
    if isinstance(dtype, str) and not only:
        dtype = BY_NAME.get(dtype.lower(), dtype)
    if isinstance(dtype, DType):
        return dtype.numpy
    try:
        found = None if dtype is None else np.dtype(dtype)  # NumPy would take None for float64
    except TypeError:
        found = None
    if only or found not in BY_NUMPY:
        raise TypeError(f'{dtype!r} is not a dtype: use one of minicell.float32, minicell.int64, minicell.bool_ ...')
    return found


def lengths(shape: object, error: type[Exception] = DTypeError, least: int | None = None) -> tuple[int, ...]:
    """A shape from an int, a tuple, a list or a Tensor of ints, of at least so much. Raises the error for others."""
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    found = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    fits = all(isinstance(n, (int, np.integer)) and (least is None or n >= least) for n in found)
    must(fits, error, f'a shape is an int, or a tuple or list of them, but got {shape!r}')
    return found


def _dtype(dtype: DType | None) -> np.dtype:
    return float32.numpy if dtype is None else as_numpy(dtype, only=True)


def fill(type: DType, shape: int | tuple[int, ...], value: float) -> Tensor:
    """A Tensor of one value.

    >>> print(ms.ops.fill(ms.float32, (2,), 20))
    [20. 20.]
    """
    return apply_plain(FILL, (), getframe(1), lengths(shape), _number(value), as_numpy(type, only=True))


def _number(value: object) -> object:
    return value.item() if isinstance(value, Tensor) else value


def full(size: int | tuple[int, ...], fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """A Tensor of one value, of the value's own dtype unless one is given."""
    wanted = as_array(_number(fill_value), dtype).dtype
    return apply_plain(FILL, (), getframe(1), lengths(size), _number(fill_value), wanted)


def zeros(size: int | tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """A Tensor of zeros, Float32 unless a dtype is given."""
    return apply_plain(FILL, (), getframe(1), lengths(size), 0, _dtype(dtype))


def ones(shape: int | tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """A Tensor of ones, Float32 unless a dtype is given."""
    return apply_plain(FILL, (), getframe(1), lengths(shape), 1, _dtype(dtype))


def _like(rule: Plain) -> Callable:
    def op(input, *, dtype=None):
        x = check_tensor(rule, input, getframe(1))
        return apply_plain(rule, (x,), getframe(1), None if dtype is None else _dtype(dtype))

    return named(op, rule)


# Zeros and ones in the shape, and unless one is given the dtype, of a Tensor.
zeros_like, ones_like = _like(primitives.zeros_like.rule), _like(primitives.ones_like.rule)


def arange(start: float = 0, end: float | None = None, step: float = 1, *, dtype: DType | None = None) -> Tensor:
    """Numbers from start to before end: Int64, or Float32 where one is a float. ValueError if step leads nowhere."""
    start, end, step = map(_number, (0, start, step) if end is None else (start, end, step))
    leads = step and (end - start) * step >= 0
    must(leads, SettingError, f'arange: a step of {step} does not lead from {start} to {end}')
    return apply_plain(RANGE, (), getframe(1), start, end, step, as_array([start, end, step], dtype).dtype)


def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Tensor:
    """Ones on the diagonal."""
    return apply_plain(EYE, (), getframe(1), n, m, 0, _dtype(dtype))


def full_like(input: Tensor, fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """One value in the shape, and unless one is given the dtype, of a Tensor."""
    x = check_tensor(FILL, input, getframe(1))
    wanted = x.array.dtype if dtype is None else _dtype(dtype)
    return apply_plain(FILL, (), getframe(1), x.shape, _number(fill_value), wanted)


def linspace(start: float, end: float, steps: int) -> Tensor:
    """`steps` numbers at even distances, from start to end.

    >>> print(ops.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    """
    (steps,) = lengths(steps)
    return apply_plain(SPACED, (), getframe(1), _number(start), _number(end), steps)


def stop_gradient(value: Tensor | tuple) -> Tensor | tuple:
    """The same numbers as a constant: no gradient passes. In a tuple, list or dict (else TypeError), each Tensor's.

    >>> print(ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0)))
    3.0
    """
    frame = getframe(1)
    if isinstance(value, Tensor):
        return apply_plain(STOP, (value,), frame)
    from ..traps.results import odd  # the traps are loaded by the first gradient

    if (part := odd(value)) is not None:
        got, due = article(type(part).__name__), 'Tensors, alone or in tuples, lists and dicts'
        said = f'stop_gradient takes {due}, but got {got}, into which nobody looks: stop the Tensors in it'
        raise OperandError(f'{said}.{users_line(frame)}')
    return map_tensors(value, lambda t: apply_plain(STOP, (t,), frame))


def tensor(input_data: object = None, dtype: DType | None = None) -> Tensor:
    """A new Tensor: `Tensor(...)` as MindSpore's function.

    >>> tensor([1.0, 2.0])
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    return Tensor(input_data, dtype)


def constant(what: str, value: Tensor) -> np.ndarray:
    """The numbers of what the formulas take for a constant."""
    if tape.address(value) >= tape.recorded_from != tape.NOWHERE and not tape.hidden_address:
        raise LeavesTapeError(
            f'{what} is a constant of the loss, and this one is being differentiated: its gradient would silently be '
            f'0. Write ops.stop_gradient(...) around it if that is meant.{users_line()}'
        )
    value.leave(what)
    return value.array


def one_hot(indices: Tensor, depth: int, on_value: float = 1, off_value: float = 0, axis: int = -1) -> Tensor:
    """Rows with on_value where an index points, outside 0 .. depth - 1 nowhere. TypeError for indices that are no ints.

    >>> print(ops.one_hot(Tensor([0, 2]), 3))
    [[1 0 0]
     [0 0 1]]
    """
    x = check_tensor(ONE_HOT, indices)
    must(x.array.dtype.kind in 'iu', DTypeError, f'one_hot takes integer indices, but got {x.dtype}')
    on, off = (constant('on_value', v) if isinstance(v, Tensor) else v for v in (on_value, off_value))
    dtype = on_value.array.dtype if isinstance(on_value, Tensor) else as_array(on_value).dtype
    out = apply_plain(ONE_HOT, (x,), getframe(1), int(depth), on, off, dtype)
    return out if axis == -1 else wrap(np.moveaxis(out.array, -1, axis))


# ---- random numbers, from np.random or from a seed of their own, and dropout: a random mask -------------------------

BETWEEN = 'lies between 0.0 and 1.0', lambda p: 0 <= p <= 1
_share = numbers(*BETWEEN)


def randn(*size: int, dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers around 0, as the normal distribution has them: randn(2, 3), randn((2, 3)), and randn() for one number.

    >>> ops.randn(2, 3).shape
    (2, 3)
    """
    shape = lengths(size[0] if len(size) == 1 else size) if size else (1,)
    wanted = _dtype(dtype)
    fits = wanted.kind == 'f' and min(shape, default=0) >= 0
    must(fits, SettingError, f'randn takes lengths of at least 0 and a float dtype, but got {shape} and {dtype}')
    return apply_plain(NORMAL, (), getframe(1), shape, seed, wanted)


def uniform(shape: tuple[int, ...], minval: Tensor, maxval: Tensor, seed=None, dtype: DType = float32) -> Tensor:
    """Numbers evenly spread between two."""
    ends = tuple(check_tensor(UNIFORM, end, getframe(1)) for end in (minval, maxval))
    return apply_plain(UNIFORM, ends, getframe(1), lengths(shape), seed, _dtype(dtype))


def _drop(x: object, keep: float, rank: int | None, frame, seed: int | None = None) -> tuple[Tensor, Tensor]:
    mask = apply_plain(MASK, (floats(DROPOUT, x, frame),), frame, keep, x.ndim if rank is None else rank, seed)
    return apply_many(DROPOUT, (x, mask), (1 / keep if keep else 0.0,), frame), mask


def dropout(input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """Each number is dropped with probability p, and the others are divided by 1 - p: the mean stays.

    Not training: the input itself. seed: for a mask that can be had again. TypeError for integers, ValueError for a p
    outside 0 .. 1.

    >>> print(ops.dropout(Tensor([1.0, 2.0]), p=0.0))
    [1. 2.]
    """
    _share('dropout', p=p)
    return _drop(input, 1.0 - p, None, getframe(1), seed)[0] if training and p else input


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of a Tensor (N, C, H, W) are dropped with probability p, the others divided by 1 - p."""
    _share('dropout2d', p=p)
    _check_rank('dropout2d', input)
    return _drop(input, 1.0 - p, 2, getframe(1))[0] if training and p else input


def _check_rank(name: str, x: object) -> None:
    rank = check_tensor(DROPOUT, x).ndim
    must(rank == 4, ShapeError, f"For '{name}', the rank of input must be equal to 4, (N, C, H, W), but got {rank}")


class Dropout(Primitive):
    """Each number is kept with probability keep_prob (0 .. 1): (x * mask / keep_prob, mask), the mask in x's dtype."""

    def __init__(self, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> None:
        _share('Dropout', keep_prob=keep_prob)
        self.keep_prob = keep_prob
        self.settings = {'keep_prob': keep_prob, 'Seed0': Seed0, 'Seed1': Seed1, 'side_effect_hidden': True}

        def drop(x):
            out, mask = _drop(x, keep_prob, None, getframe(1))
            return out, cast_to(mask, x.array.dtype, getframe(1))

        self.function = drop


class Dropout2D(Primitive):
    """Each channel of a Tensor (N, C, H, W) is kept with probability keep_prob: (x * mask / keep_prob, mask).

    keep_prob is a float in 0 .. 1, and with 0 all are zeros. The mask is Bool, of x's shape, the same over a channel.

    >>> y, mask = ops.Dropout2D(1.0)(ops.ones((1, 2, 1, 1)))
    >>> print(y.shape, mask.dtype)
    (1, 2, 1, 1) Bool
    """

    def __init__(self, keep_prob: float = 0.5) -> None:
        numbers(*BETWEEN, float)('Dropout2D', keep_prob=keep_prob)
        self.keep_prob = keep_prob

        def channels(x):
            _check_rank('Dropout2D', x)
            return _drop(x, keep_prob, 2, getframe(1))

        self.function = channels
