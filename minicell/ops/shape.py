"""Ops that move numbers and change none: reshape, transpose, broadcast, concat, stack, indexing."""

from functools import reduce
from math import prod

import numpy as np

from ..core.dtype import promote
from ..core.errors import DTypeError, OperandError, ShapeError
from ..core.primitives import CAST, apply, apply_many, cast_to, check_tensor, getframe, misfit, on_both, operand
from ..core.rules import Many, Unary, sum_to_shape
from ..core.tensor import Tensor
from .checks import must, must_be
from .create import as_numpy
from .primitive import in_float32
from .write import plain_index


def _ints(shape: tuple) -> tuple[int, ...]:
    """reshape(2, 3), reshape((2, 3)) and reshape(Tensor) all mean the same."""
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0].tolist() if isinstance(shape[0], Tensor) else shape[0]
    return tuple(int(n) for n in shape)


def _spread(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    out = np.empty(shape, x.dtype)  # np.broadcast_to takes several times as long, and gives a read-only view
    out[...] = x
    return out


@in_float32
def _scatter(g: np.ndarray, index: object, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, g.dtype)
    np.add.at(out, index, g)  # an index may name a place twice
    return out


def _inverse(axes: tuple[int, ...]) -> list[int]:
    return sorted(range(len(axes)), key=[a % len(axes) for a in axes].__getitem__)


# fmt: off
RESHAPE = Unary('Reshape', lambda x, shape: x.reshape(shape), lambda g, out, x, shape: g.reshape(x.shape))
TRANSPOSE = Unary('Transpose', np.transpose, lambda g, out, x, axes: g.transpose(_inverse(axes)))
EXPAND = Unary('ExpandDims', np.expand_dims, lambda g, out, x, axis: g.reshape(x.shape))
SQUEEZE = Unary('Squeeze', np.squeeze, lambda g, out, x, axis: g.reshape(x.shape))
BROADCAST = Unary('BroadcastTo', _spread, lambda g, out, x, shape: sum_to_shape(g, x.shape))
GETITEM = Unary('StridedSlice', lambda x, i: x[i], lambda g, out, x, i: scatter(g, i, x.shape))
SCATTER = Unary('ScatterNd', _scatter, lambda g, out, x, i, shape: g[i])
# Of several into one, input k gets its own stretch of the cotangent.
CONCAT = Many('Concat', lambda axis, ends, *inputs: np.concatenate(inputs, axis),
              lambda k: lambda g, out, axis, ends, *x: g[(slice(None),) * axis + (slice(ends[k], ends[k + 1]),)])
STACK = Many('Stack', lambda axis, *inputs: np.stack(inputs, axis),
             lambda k: lambda g, out, axis, *inputs: g[(slice(None),) * axis + (k,)])
# fmt: on
scatter = on_both(lambda g, index, shape: apply(SCATTER, g, (index, shape), getframe(2)), _scatter)


def reshape(input: Tensor, shape: int | tuple[int, ...]) -> Tensor:
    """The same numbers in another shape; one length may be -1. Raises ValueError where the counts differ.

    >>> ops.reshape(Tensor([1, 2, 3, 4]), (2, -1)).shape
    (2, 2)
    """
    return apply(RESHAPE, input, (_ints((shape,)),), getframe(1))


def reshape_method(input: Tensor, *sizes: int, shape: tuple[int, ...] | None = None) -> Tensor:
    """As `ops.reshape`; the lengths may also stand one by one: MindSpore's `x.reshape(2, -1)`, `x.view(2, -1)`."""
    return apply(RESHAPE, input, (_ints(sizes or (shape,)),), getframe(1))


def transpose(input: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The axes in another order. Raises ValueError for axes that are no permutation."""
    return apply(TRANSPOSE, input, (_ints((dims,)),), getframe(1))


def transpose_method(input: Tensor, *axes: int, dim0: int | None = None, dim1: int | None = None) -> Tensor:
    """The axes in another order, or reversed; of two, one by one, each takes the other's place: `x.transpose(0, 2)`.

    >>> ops.zeros((2, 3, 4)).transpose(0, 2).shape
    (4, 3, 2)
    """
    axes = axes if dim0 is None else (dim0, dim1)
    if len(axes) == 2 and isinstance(axes[0], int):
        return _swapped(input, *axes, getframe(1))
    axes = _ints(axes) if axes else tuple(reversed(range(input.ndim)))
    return apply(TRANSPOSE, input, (axes,), getframe(1))


def permuted(input: Tensor, *axis: int) -> Tensor:
    """The axes in another order, one by one or as a tuple: MindSpore's `x.permute(2, 0, 1)`."""
    return apply(TRANSPOSE, input, (_ints(axis),), getframe(1))


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Two axes exchanged. Raises ValueError for an axis that is not there."""
    return _swapped(input, axis0, axis1, getframe(1))


def _swapped(x: Tensor, axis0: int, axis1: int, frame) -> Tensor:
    rank = check_tensor(TRANSPOSE, x, frame).ndim
    a, b = (counted(TRANSPOSE, (x,), axis, rank, frame) for axis in (axis0, axis1))
    axes = list(range(rank))
    axes[a], axes[b] = b, a
    return apply(TRANSPOSE, x, (tuple(axes),), frame)


def broadcast_to(input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The Tensor repeated along axes of length 1 or missing ones; -1: as long as it is. ValueError for a misfit."""
    return apply(BROADCAST, input, (_as_long(input, tuple(shape)),), getframe(1))


def broadcast_method(input: Tensor, *sizes: int) -> Tensor:
    """As `ops.broadcast_to`; the lengths may also stand one by one: MindSpore's `x.broadcast_to(2, 3)`."""
    return apply(BROADCAST, input, (_as_long(input, _ints(sizes)),), getframe(1))


def _as_long(x: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with the Tensor's own lengths for -1, where it has that axis."""
    if -1 not in shape:
        return shape
    missing = len(shape) - x.ndim
    return tuple([x.shape[k - missing] if n == -1 and k >= missing else n for k, n in enumerate(shape)])


def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """A new axis of length 1. Raises TypeError where axis is no int."""
    must(isinstance(axis, (int, np.integer)), DTypeError, f'ExpandDims: the axis is an int, but got {axis!r}')
    return apply(EXPAND, input_x, (axis,), getframe(1))


def squeeze(input: Tensor, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Without the axes of length 1: all, or those named. Raises ValueError where a named axis is longer."""
    return apply(SQUEEZE, input, (tuple(axis) or None if isinstance(axis, (list, tuple)) else axis,), getframe(1))


def flatten(input: Tensor, order: str = 'C', *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """The axes from start_dim to end_dim as one; order 'F': of the transposed Tensor. ValueError for no such axes.

    >>> ops.flatten(Tensor([[[1, 2]], [[3, 4]]])).shape
    (2, 2)
    """
    return _flattened(input, order, start_dim, end_dim, getframe(1))


def flatten_method(input: Tensor, *axes: int | str, order: str = 'C', start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """As `ops.flatten`, but from axis 0 on: MindSpore's `x.flatten()`, `x.flatten(1)`, `x.flatten('C', start_dim=1)`.

    >>> Tensor([[[1, 2]], [[3, 4]]]).flatten().shape
    (4,)
    """
    if axes and isinstance(axes[0], str):
        order, *axes = axes
    start_dim, end_dim = (*axes, *(start_dim, end_dim)[len(axes) :])
    return _flattened(input, order, start_dim, end_dim, getframe(1))


def _flattened(x: Tensor, order: str, start: int, end: int, frame) -> Tensor:
    must_be(order, str, DTypeError, "Flatten: order is 'C' or 'F'")
    must(order in ('C', 'F'), ShapeError, f"Flatten: order is 'C' or 'F', but got {order!r}")
    check_tensor(RESHAPE, x, frame)
    if order == 'F':
        x = apply(TRANSPOSE, x, (tuple(reversed(range(x.ndim))),), frame)
    if x.ndim < 2:
        return apply(RESHAPE, x, ((-1,),), frame)
    a, b = (counted(RESHAPE, (x,), axis, x.ndim, frame) for axis in (start, end))
    if b < a:
        raise misfit(RESHAPE, (x,), ValueError(f'axis {end} stands before axis {start}'), frame)
    return apply(RESHAPE, x, ((*x.shape[:a], prod(x.shape[a : b + 1]), *x.shape[b + 1 :]),), frame)


spread = on_both(broadcast_to, _spread, two=True)


def cast(input: Tensor, dtype: object) -> Tensor:
    """The Tensor, or number, in a dtype of minicell's (`x.astype` takes more); to integers, it ends the gradient.

    >>> print(ms.ops.cast(ms.Tensor([1.7]), ms.int32))
    [1]
    """
    x = (check_tensor if isinstance(input, (list, tuple)) else operand)(CAST, input)
    return cast_to(x, as_numpy(dtype, only=True), getframe(1))


def astype(input: Tensor, dtype: object, copy: bool = True) -> Tensor:
    """As `ops.cast`; the dtype may also be its name, NumPy's, or Python's int, float and bool."""
    return cast_to(input, as_numpy(dtype), getframe(1))


def _same_dtype(rule: Many, tensors: tuple | list, frame) -> tuple[Tensor, ...]:
    must(not isinstance(tensors, Tensor), OperandError, f'{rule.name} takes a tuple or list of Tensors, and no Tensor')
    tensors = [check_tensor(rule, t, frame) for t in tensors]
    must(tensors, ShapeError, f'{rule.name} needs at least one Tensor')
    widest = reduce(promote, [t.array.dtype for t in tensors])
    return tuple(t if t.array.dtype == widest else cast_to(t, widest, frame) for t in tensors)


def counted(rule: Many, tensors: tuple, axis: int, rank: int, frame) -> int:
    """An axis counted from the front. Raises ValueError where there is none of that number."""
    if not -rank <= axis < rank:
        raise misfit(rule, tensors, ValueError(f'there is no axis {axis}'), frame)
    return axis % rank


def concat(tensors: tuple[Tensor, ...], axis: int = 0) -> Tensor:
    """Tensors one after the other along an axis. Raises ValueError where their other axes differ."""
    frame = getframe(1)
    tensors = _same_dtype(CONCAT, tensors, frame)
    axis = counted(CONCAT, tensors, axis, tensors[0].ndim, frame)
    ends = [0]
    for t in tensors:
        ends.append(ends[-1] + (t.shape[axis] if t.ndim > axis else 0))
    return apply_many(CONCAT, tensors, (axis, tuple(ends)), frame)


def stack(tensors: tuple[Tensor, ...], axis: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new axis. Raises ValueError where the shapes differ."""
    frame = getframe(1)
    tensors = _same_dtype(STACK, tensors, frame)
    return apply_many(STACK, tensors, (counted(STACK, tensors, axis, tensors[0].ndim + 1, frame),), frame)


def getitem(input: Tensor, index: object) -> Tensor:
    """`x[index]` with integers, slices, None, ..., integer or Bool Tensors. Raises IndexError out of range."""
    return apply(GETITEM, input, (plain_index(index),), getframe(1))
