"""Pieces of a Tensor and copies of it: split, tile, cumulated sums, a triangle."""

import sys

import numpy as np

from ..core.arithmetic import choose
from ..core.errors import DTypeError, ShapeError, users_line
from ..core.primitives import apply, cast_to, check_tensor, misfit, on_both, unary
from ..core.rules import Plain, Rule, UnaryWith
from ..core.tensor import Tensor, wrap
from ..errors import SettingError
from .checks import must, must_be
from .shape import GETITEM, RESHAPE
from .write import plain_index

getframe = sys._getframe


def _from_tiles(g, out, x, dims):
    """Every tile's cotangent, added."""
    lengths = (1,) * (len(dims) - len(x.shape)) + tuple(x.shape)
    both = [n for pair in zip(dims, lengths, strict=True) for n in pair]
    return g.reshape(tuple(both)).sum(tuple(range(0, len(both), 2))).reshape(tuple(x.shape))


# fmt: off
TILE = UnaryWith('Tile', np.tile, _from_tiles)
# Each number counts in its own sum and in all that follow.
CUMSUM = UnaryWith('CumSum', lambda x, axis: np.cumsum(x, axis, x.dtype),
                   lambda g, out, x, axis: g.sum((axis,), keepdims=True) - _cumsum(g, axis) + g)
SPLIT, TRIANGLE, GATHER = Plain('Split', None), Plain('Triu', None), Plain('Gather', None)
_cumsum = on_both(lambda g, axis: apply(CUMSUM, g, (axis,), getframe(2)), CUMSUM.kernel)
identity = unary('Identity', np.copy, lambda g, out, x: g)
# fmt: on


def _length(rule: Rule, x: object, axis: int, frame) -> tuple[Tensor, int]:
    x = check_tensor(rule, x, frame)
    if not -x.ndim <= axis < x.ndim:
        raise misfit(rule, (x,), ValueError(f'there is no axis {axis}'), frame)
    return x, x.shape[axis]


def _stretches(x: Tensor, ends: list[int], axis: int, frame) -> tuple[Tensor, ...]:
    return tuple([_at(x, axis, slice(a, b), frame) for a, b in zip([0, *ends], ends, strict=False)])


def _at(x: Tensor, axis: int, index: object, frame) -> Tensor:
    return apply(GETITEM, x, ((*(slice(None),) * (axis % x.ndim), index),), frame)


def split(
    tensor: Tensor, split_size_or_sections: object = None, axis: int = 0, *, split_size=None, dim: int | None = None
) -> tuple[Tensor, ...]:
    """Pieces along an axis: of this length each (the last may be shorter), or of these lengths.

    Raises ValueError where the lengths do not add up.

    >>> [p.tolist() for p in ops.split(ops.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    frame = getframe(1)
    axis, lengths = axis if dim is None else dim, split_size_or_sections if split_size is None else split_size
    x, n = _length(SPLIT, tensor, axis, frame)
    if isinstance(lengths, int):
        must(lengths >= 1, SettingError, f'split: a piece has a length of at least 1, but got {lengths}')
        return _stretches(x, [min(a + lengths, n) for a in range(0, n, lengths)], axis, frame)
    fits = sum(lengths) == n and min(lengths, default=0) >= 0
    must(fits, SettingError, f'split: lengths of {tuple(lengths)} do not add up to {n}')
    return _stretches(x, np.cumsum(lengths).tolist(), axis, frame)


def chunk(input: Tensor, chunks: int, axis: int = 0, *, dim: int | None = None) -> tuple[Tensor, ...]:
    """As many pieces along an axis, of one length but for the last."""
    axis = axis if dim is None else dim
    must(chunks >= 1, SettingError, f'chunk: there is at least 1 piece, but got {chunks}')
    x, n = _length(SPLIT, input, axis, getframe(1))
    each = -(-n // chunks)
    return _stretches(x, [min(a + each, n) for a in range(0, n, each)], axis, getframe(1))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The Tensors that stand along an axis, without it."""
    x, n = _length(SPLIT, input, dim, getframe(1))
    frame = getframe(1)
    return tuple([_at(x, dim, k, frame) for k in range(n)])


def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """As `unbind`."""
    return unbind(input_x, axis)


def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = 0) -> Tensor:
    """What stands at these places of an axis. Raises IndexError out of range, ValueError for batch_dims other than 0.

    >>> print(ops.gather(Tensor([5.0, 6.0, 7.0]), Tensor([2, 0]), 0))
    [7. 5.]
    """
    x, _ = _length(GATHER, input_params, axis, getframe(1))
    if batch_dims:
        raise SettingError(f'gather: batch_dims is 0 here, but got {batch_dims!r}.{users_line(getframe(1))}')
    return _at(x, axis, plain_index(_places(input_indices, getframe(1))), getframe(1))


def gather_method(input: Tensor, *where: object, **named: object) -> Tensor:
    """x.gather(input_indices, axis, batch_dims) as `ops.gather`; x.gather(dim, index): number by number.

    >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).gather(1, Tensor([[1], [0]])))
    [[2.]
     [3.]]
    """
    if not isinstance(where[0] if where else named.get('dim'), int):
        return gather(input, *where, **named)
    dim, index = (lambda dim, index: (dim, index))(*where, **named)
    x, _ = _length(GATHER, input, dim, getframe(1))
    places = list(np.indices(index.shape, sparse=True))
    places[dim] = _places(index, getframe(1)).array
    return apply(GETITEM, x, (tuple(places),), getframe(1))


def _places(index: Tensor, frame) -> Tensor:
    if check_tensor(GATHER, index, frame).array.dtype.kind not in 'iu':
        raise DTypeError(f'gather takes integer indices, but got {index.dtype}.{users_line(frame)}')
    return index


def tile(input: Tensor, dims: tuple[int, ...] | None = None, *, reps: tuple[int, ...] | None = None) -> Tensor:
    """The Tensor again and again, dims times along each axis.

    >>> print(ops.tile(Tensor([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    x, dims = check_tensor(TILE, input, getframe(1)), dims if reps is None else reps
    must_be(dims, (tuple, list), DTypeError, 'tile: dims is a tuple')
    must(min(dims, default=0) >= 0, SettingError, f'tile: dims holds numbers of at least 0, but got {tuple(dims)}')
    return apply(TILE, x, ((1,) * (x.ndim - len(dims)) + tuple(dims),), getframe(1))


def cumsum(x: Tensor, axis: int, dtype: object = None) -> Tensor:
    """The sums of all that stands before, along an axis.

    >>> print(ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.]
    """
    x, _ = _length(CUMSUM, x, axis, getframe(1))
    return apply(CUMSUM, x if dtype is None else cast_to(x, dtype.numpy), (axis,), getframe(1))


def cumsum_method(x: Tensor, axis: int | None = None, dtype: object = None, *, dim: int | None = None) -> Tensor:
    """As `ops.cumsum`; without an axis, over all numbers in a row."""
    axis = axis if dim is None else dim
    if axis is None:
        x, axis = apply(RESHAPE, x, ((-1,),), getframe(1)), 0
    return apply(CUMSUM, x if dtype is None else cast_to(x, dtype.numpy), (axis,), getframe(1))


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """What stands on and above a diagonal; zeros elsewhere. Raises ValueError for a Tensor of less than two axes."""
    x = check_tensor(TRIANGLE, input, getframe(1))
    if x.ndim < 2:
        raise ShapeError(f'Triu takes a Tensor of at least two axes, but got {x.shape}.{users_line(getframe(1))}')
    return choose(wrap(np.triu(np.ones(x.shape, bool), diagonal)), x, 0, getframe(1))
