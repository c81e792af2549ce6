"""Pieces of a Tensor, copies of it, and sums of its parts: split, tile, masks, triangles, segments."""

from collections.abc import Callable
from functools import reduce

import numpy as np

from ..core.errors import DTypeError, OperandError, ShapeError
from ..core.primitives import apply, apply_plain, check_tensor, getframe, named, on_both, unary
from ..core.rules import Plain, Rule, Unary
from ..core.tensor import Tensor, wrap
from ..errors import LabelError, SettingError
from .arithmetic import add, choose, logical_and
from .checks import must, must_be, only
from .create import lengths
from .primitive import in_dtype, in_float32
from .shape import BROADCAST, GETITEM, RESHAPE, SCATTER, counted
from .write import plain_index


@in_float32
def _from_tiles(g, out, x, dims):
    """Every tile's cotangent, added."""
    lengths = (1,) * (len(dims) - len(x.shape)) + tuple(x.shape)
    both = [n for pair in zip(dims, lengths, strict=True) for n in pair]
    return g.reshape(tuple(both)).sum(tuple(range(0, len(both), 2))).reshape(tuple(x.shape))


# fmt: off
TILE = Unary('Tile', np.tile, _from_tiles)
# Each number counts in its own sum and in all that follow. (Of Bools, how many are True is no Bool.)
CUMSUM = Unary('CumSum', in_float32(lambda x, axis: np.cumsum(x, axis, np.int64 if x.dtype.kind == 'b' else x.dtype)),
               in_float32(lambda g, out, x, axis: g.sum((axis,), keepdims=True) - _cumsum(g, axis) + g))
SPLIT, GATHER, SELECTED, SEGMENTS = (Plain(k, None) for k in ('Split', 'Gather', 'MaskedSelect', 'UnsortedSegmentSum'))
CONTIGUOUS = Unary('Contiguous', lambda x: np.array(x, order='C'), lambda g, out, x: g)
_cumsum = on_both(lambda g, axis: apply(CUMSUM, g, (axis,), getframe(2)), CUMSUM.kernel)
identity = unary('Identity', np.copy, lambda g, out, x: g)
NONZERO = Plain('NonZero', np.argwhere)
# fmt: on


def _length(rule: Rule, x: object, axis: int, frame) -> tuple[Tensor, int]:
    x = check_tensor(rule, x, frame)
    return x, x.shape[counted(rule, (x,), axis, x.ndim, frame)]


def _stretches(x: Tensor, ends: list[int], axis: int, frame) -> tuple[Tensor, ...]:
    return tuple([_at(x, axis, slice(a, b), frame) for a, b in zip([0, *ends], ends, strict=False)])


def _pieces(x: Tensor, each: int, n: int, axis: int, frame) -> tuple[Tensor, ...]:
    """Of one length, but for the last; of an axis of length 0, it is the one there is."""
    return _stretches(x, [min(a + each, n) for a in range(0, n or 1, each or 1)], axis, frame)


def _at(x: Tensor, axis: int, index: object, frame) -> Tensor:
    return apply(GETITEM, x, ((*(slice(None),) * (axis % x.ndim), index),), frame)


def nonzero(input: Tensor) -> Tensor:
    """Where the numbers are not 0: the places, a row each. In a graph, whose shapes are fixed, it is refused.

    >>> print(ops.nonzero(Tensor([0.0, 5.0, 7.0])))
    [[1]
     [2]]
    """
    check_tensor(NONZERO, input, getframe(1)).leave('nonzero()', chooses=True)
    return apply_plain(NONZERO, (input,), getframe(1))


def split(
    tensor: Tensor, split_size_or_sections: object = None, axis: int = 0, *, split_size=None, dim: int | None = None
) -> tuple[Tensor, ...]:
    """Pieces along an axis: of one length (but the last may be shorter), or of several, which have to add up.

    >>> [p.tolist() for p in ops.split(ops.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    axis, lengths = axis if dim is None else dim, split_size_or_sections if split_size is None else split_size
    x, n = _length(SPLIT, tensor, axis, getframe(1))
    if isinstance(lengths, int):
        must(lengths >= 1, SettingError, f'split: a piece has a length of at least 1, but got {lengths}')
        return _pieces(x, lengths, n, axis, getframe(1))
    fits = sum(lengths) == n and min(lengths, default=0) >= 0
    must(fits, SettingError, f'split: lengths of {tuple(lengths)} do not add up to {n}')
    return _stretches(x, np.cumsum(lengths).tolist(), axis, getframe(1))


def chunk(input: Tensor, chunks: int, axis: int = 0, *, dim: int | None = None) -> tuple[Tensor, ...]:
    """As many pieces along an axis, of one length but for the last."""
    axis = axis if dim is None else dim
    must(chunks >= 1, SettingError, f'chunk: there is at least 1 piece, but got {chunks}')
    x, n = _length(SPLIT, input, axis, getframe(1))
    return _pieces(x, -(-n // chunks), n, axis, getframe(1))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The Tensors that stand along an axis, without it."""
    x, n = _length(SPLIT, input, dim, frame := getframe(1))
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
    only('gather', 0, batch_dims=batch_dims)
    return _at(x, axis, plain_index(_places(input_indices)), getframe(1))


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
    places[dim] = _places(index).array
    return apply(GETITEM, x, (tuple(places),), getframe(1))


def _places(index: Tensor) -> Tensor:
    whole = check_tensor(GATHER, index).array.dtype.kind in 'iu'
    must(whole, DTypeError, f'gather takes integer indices, but got {index.dtype}')
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
    _length(CUMSUM, x, axis, getframe(1))
    return apply(CUMSUM, in_dtype(dtype, x), (axis,), getframe(1))


def cumsum_method(x: Tensor, axis: int | None = None, dtype: object = None, *, dim: int | None = None) -> Tensor:
    """As `ops.cumsum`; without an axis, over all numbers in a row."""
    axis = axis if dim is None else dim
    if axis is None:
        x, axis = apply(RESHAPE, x, ((-1,),), getframe(1)), 0
    return apply(CUMSUM, in_dtype(dtype, x), (axis,), getframe(1))


def _triangle(rule: Rule, keep: Callable) -> Callable:
    def op(input, diagonal=0):
        x = check_tensor(rule, input, getframe(1))
        must(x.ndim > 1, ShapeError, f'{rule.name} takes a Tensor of at least two axes, but got {x.shape}')
        return choose(wrap(keep(np.ones(x.shape, bool), diagonal)), x, 0, getframe(1))

    return named(op, rule)


# What stands on and above, or on and below, a diagonal; zeros elsewhere. ValueError for less than two axes.
triu, tril = _triangle(Plain('Triu', None), np.triu), _triangle(Plain('Tril', None), np.tril)


def masked_fill(input_x: Tensor, mask: Tensor, value: Tensor | float) -> Tensor:
    """value where the mask is True, else the Tensor. Raises TypeError where the mask is not Bool."""
    return choose(mask, value, input_x, getframe(1))


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The numbers where the mask is True, in a row; both are broadcast. Raises TypeError where the mask is not Bool.

    >>> print(ops.masked_select(Tensor([1.0, 2.0, 3.0]), Tensor([True, False, True])))
    [1. 3.]
    """
    x, mask = check_tensor(SELECTED, input), check_tensor(SELECTED, mask)
    must(mask.array.dtype == bool, DTypeError, f'MaskedSelect takes a Bool Tensor as its mask, but got {mask.dtype}')
    mask, frame = logical_and(mask, wrap(np.ones(x.shape, bool))), getframe(1)
    return apply(GETITEM, apply(BROADCAST, x, (mask.shape,), frame), (plain_index(mask),), frame)


def addn(x: tuple[Tensor, ...]) -> Tensor:
    """The sum of several Tensors of one shape. Raises TypeError for a Tensor alone, ValueError for other shapes."""
    must_be(x, (tuple, list), OperandError, 'AddN takes a tuple or list of Tensors')
    must(len({np.shape(getattr(t, 'array', t)) for t in x}) == 1, ShapeError, 'AddN takes Tensors of one shape')
    *rest, last = x
    return add(reduce(add, rest), last, 2) if rest else last


def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The sums of those that have the same id: each row goes into the sum of its id, and with an id below 0 into none.

    The ids are integers (else TypeError) below num_segments (RuntimeError), one for each row or number (ValueError).

    >>> print(ops.unsorted_segment_sum(Tensor([1.0, 2.0, 3.0]), Tensor([0, 1, 0]), 2))
    [4. 2.]
    """
    x, ids, frame = check_tensor(SEGMENTS, input_x), _places(segment_ids), getframe(1)
    (count,), places = lengths(num_segments), plain_index(ids)
    said = f'UnsortedSegmentSum: ids of shape {ids.shape} and {count} sums do not fit an input of shape {x.shape}'
    must(ids.shape == x.shape[: ids.ndim] and count >= 1, ShapeError, said)
    said = f'UnsortedSegmentSum: the id {places.max(initial=0)} is not below num_segments, {count}'
    must(places.max(initial=0) < count, LabelError, said)
    places = np.where(places < 0, count, places)  # one row more, which is cut off
    sums = apply(SCATTER, x, ((places,), (count + 1, *x.shape[ids.ndim :])), frame)
    return apply(GETITEM, sums, ((slice(count),),), frame)


def contiguous(input: Tensor) -> Tensor:
    """The Tensor, or where its numbers do not lie in a row, as after a transpose, a copy in which they do."""
    return input if input.array.flags.c_contiguous else apply(CONTIGUOUS, input, (), getframe(1))
