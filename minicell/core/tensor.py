"""Tensor: an ndarray and its address on the tape. The package ops adds its operators and methods."""

from __future__ import annotations  # or Python 3.14 takes int, float and bool for the methods of these names

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from operator import is_

import numpy as np

from . import tape
from .dtype import ALL, BY_NUMPY, NUMPY_1, DType, float32, int64
from .errors import DTypeError, OperandError, TensorSettingError, article, users_line
from .trap import joined


class Tensor:
    """An array of numbers of one dtype. As in MindSpore, Python floats become Float32, and ints Int64.

    NumPy arrays keep their dtype. Raises TypeError for input without numbers (a string, None, a dict, a ragged list),
    and for a dtype that minicell does not have.

    >>> Tensor([[0.5, 1.5]])
    Tensor(shape=[1, 2], dtype=Float32, value=
    [[ 5.00000000e-01,  1.50000000e+00]])
    >>> print(Tensor([1, 2]).dtype)
    Int64
    """

    __slots__ = ('__weakref__', 'array', 'at')
    __hash__ = object.__hash__

    def __init__(
        self,
        input_data: object = None,
        dtype: DType | None = None,
        shape: int | tuple[int, ...] | None = None,
        init: object = None,
    ) -> None:
        if dtype is not None and not isinstance(dtype, DType):
            names = ', '.join(map(repr, ALL))
            raise DTypeError(f"For 'Tensor', the 'dtype' should be one of [{names}], but got {dtype!r}.{users_line()}")
        if shape is not None or init is not None:
            input_data = _drawn(input_data, dtype, shape, init)
        if tape.recorded_from != tape.NOWHERE or tape.looking:
            for part in tensors_in(input_data):
                part.leave(f'{type(self).__name__}(...)')
        self.array = as_array(input_data, dtype)
        self.at = -1

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.array.shape

    @property
    def dtype(self) -> DType:
        """The type of the numbers."""
        return BY_NUMPY[self.array.dtype]

    def asnumpy(self) -> np.ndarray:
        """The numbers as a read-only NumPy array that shares memory with the Tensor.

        >>> Tensor([1.0, 2.0]).asnumpy()
        array([1., 2.], dtype=float32)
        """
        self.leave('asnumpy()')
        return read_only(self.array)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        self.leave(TO_NUMPY)
        return np.array(self.array, dtype) if copy else np.asarray(read_only(self.array), dtype)

    def leave(self, how: str, chooses: bool = False) -> None:
        """Tell the traps that Python or NumPy will see the numbers; chooses: only to choose what to compute."""
        for numbers_asked in joined.numbers_asked:
            numbers_asked(self, how, chooses)

    def item(self) -> int | float | bool:
        """The number in a Tensor with one element."""
        self.leave('item()')
        return self._only()

    def tolist(self) -> list | int | float | bool:
        """The numbers as nested Python lists."""
        self.leave('tolist()')
        return self.array.tolist()

    def _only(self) -> int | float | bool:
        if self.array.size != 1:
            raise ValueError(
                f'Only one element tensors can be converted to Python scalars, but got shape {self.shape}{users_line()}'
            )
        return self.array.item()

    def __float__(self) -> float:
        self.leave('float()')
        return float(self._only())

    def __int__(self) -> int:
        self.leave('int()')
        return int(self._only())

    def __bool__(self) -> bool:
        self.leave('bool()', chooses=True)
        return bool(self._only())

    def __index__(self) -> int:
        self.leave('an index made', chooses=True)
        value = self._only()
        if not isinstance(value, int):
            raise OperandError(f'a Tensor of dtype {self.dtype} is no index: use an integer Tensor')
        return value

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError(f'len() of a Tensor of rank 0{users_line()}')
        return len(self.array)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.array.ndim:
            raise TypeError('a Tensor of rank 0 cannot be iterated over')
        return (self[i] for i in range(len(self.array)))

    def __reduce__(self) -> tuple:
        """Pickle the numbers without the address, which has no meaning in another process or after the gradient."""
        self.leave('a pickle')
        return wrap, (np.array(self.array),)

    def __copy__(self, memo: object = None) -> Tensor:
        return Tensor(self)

    __deepcopy__ = __copy__


blank = partial(object.__new__, Tensor)  # an empty Tensor, made in the fastest way
LENT = -2  # the address of a constant that shares its memory with others
TO_NUMPY = 'a NumPy array made'  # the `how` of np.asarray(t) and of every NumPy function


def wrap(value: np.ndarray, at: int = -1) -> Tensor:
    """A Tensor that holds this very array. minicell must have its dtype."""
    tensor = blank()
    tensor.array = value
    tensor.at = at
    return tensor


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written, nor be made writeable again."""
    return np.asarray(memoryview(array).toreadonly())


def frozen(array: np.ndarray) -> np.ndarray:
    """A read-only view, also of a NumPy scalar; made faster than `read_only`."""
    view = array[...]
    view.setflags(False)
    return view


def lend(value: np.ndarray | Tensor) -> Tensor:
    """A cotangent, or another value that the engine uses too, as the user's code gets it: read-only.

    An index write makes it a copy of its own (ops/write.py), unless it is recorded; one into a view of it is refused.
    """
    if isinstance(value, Tensor):
        if value.at >= tape.recorded_from:
            value.array = frozen(value.array) if type(value) is Tensor else value.array
            return value
        value = value.array
    return wrap(frozen(value), LENT)


def is_float(tensor: Tensor) -> bool:
    """Whether a gradient can pass: for Float16, Float32, Float64 and the complex dtypes."""
    return tensor.array.dtype.kind in 'fc'


def as_array(data: object, dtype: DType | None = None) -> np.ndarray:
    """A new array with the numbers of `data`, with the dtype that MindSpore gives them."""
    wanted = dtype.numpy if dtype is not None else None
    if isinstance(data, Tensor):
        return np.array(data.array, wanted)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data, wanted)
    elif isinstance(data, (bool, int, float, complex)):
        if NUMPY_1 and wanted is not None and wanted.kind in 'iu' and np.array(data, wanted) != data:
            raise OverflowError(f'Python integer {data} out of bounds for {wanted}')  # as NumPy 2 says
        array = np.array(data, wanted or _of_list(np.asarray(data).dtype, data))
    elif isinstance(data, (list, tuple)):
        try:
            parts = [_plain(d) for d in data]
            array = np.array(parts)
        except ValueError:
            array = np.empty(0, object)
        if array.dtype.kind in 'biufc':
            array = array.astype(wanted or _of_list(array.dtype, data))
    else:
        array = np.empty(0, object)
    if array.dtype not in BY_NUMPY:
        listed = isinstance(data, (list, tuple))
        got = f'{data!r:.60} that contain unsupported element' if listed else article(type(data).__name__)
        raise DTypeError(
            f'For Tensor, the input_data is {got}. Give a number, a NumPy array, or lists of numbers whose rows have '
            f'equal lengths.{users_line()}'
        )
    return array


def tensors_in(value: object) -> list[Tensor]:
    """The Tensors in nested tuples, lists and dicts, in order."""
    if isinstance(value, Tensor):
        return [value]
    found, parts = [], value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    for part in parts:
        found += (part,) if isinstance(part, Tensor) else tensors_in(part)
    return found


def map_tensors(value: object, make, kind: type = Tensor, rest=lambda v: v) -> object:
    """The same nested structure with make(t) in place of each Tensor (or other kind), and rest(v) of what is none."""
    if isinstance(value, kind):
        return make(value)
    if isinstance(value, (tuple, list)):
        parts = [make(v) if isinstance(v, kind) else map_tensors(v, make, kind, rest) for v in value]
        if type(value) is list:
            return parts
        if isinstance(value, tuple):
            return tuple_like(value, parts)
        made = copy(value)
        made[:] = parts
        return made
    if isinstance(value, dict):
        parts = {k: map_tensors(v, make, kind, rest) for k, v in value.items()}
        if type(value) is dict:
            return parts
        made = copy(value)
        dict.update(made, parts)
        return made
    return rest(value)


def tuple_like(value: tuple, parts: list) -> tuple:
    """A tuple of the same class, with the same attributes and other parts."""
    made = tuple.__new__(type(value), parts)
    if hasattr(made, '__dict__'):
        made.__dict__.update(value.__dict__)
    return made


def copied(inputs: tuple, rest: Callable = lambda v: v) -> tuple:
    """The inputs with lists, dicts and arrays of their own; rest(v) of what is none of these, and no Tensor."""
    if [*map(type, inputs)] == [Tensor] * len(inputs):
        return inputs
    return map_tensors(inputs, lambda t: t, rest=lambda v: v.copy() if isinstance(v, np.ndarray) else rest(v))


def exchange(value: object, make: Callable) -> object:
    """value with make(t) in place of each Tensor t: in the user's own lists and dicts, which construct may change."""
    if isinstance(value, Tensor):
        return make(value)
    if isinstance(value, tuple):
        parts = [exchange(v, make) for v in value]
        return value if all(map(is_, parts, value)) else tuple_like(value, parts)
    if isinstance(value, list):
        list.__setitem__(value, slice(None), [make(v) if isinstance(v, Tensor) else exchange(v, make) for v in value])
    elif isinstance(value, dict):
        dict.update(value, {k: exchange(v, make) for k, v in value.items()})
    return value


def memory(array: np.ndarray) -> object:
    """The array that owns the memory of this one, which may be a view."""
    return array if array.base is None else array.base


def _plain(item: object) -> object:
    if isinstance(item, Tensor):
        return item.array
    return [_plain(i) for i in item] if isinstance(item, (list, tuple)) else item


def _of_list(found: np.dtype, data: object) -> np.dtype:
    """As for one number (whole ones are Int64, on 32 bits too), but a list of nothing but Tensors keeps their dtype."""
    if _all_tensors(data):
        return found
    return int64.numpy if found == np.int32 else float32.numpy if found == np.float64 else found


def _all_tensors(data: object) -> bool:
    if isinstance(data, (list, tuple)):
        return all(map(_all_tensors, data)) and bool(data)
    return isinstance(data, Tensor)


def _drawn(data: object, dtype: object, shape: object, init: object) -> np.ndarray:
    """The numbers of `Tensor(shape=..., dtype=..., init=...)`."""
    if data is not None or dtype is None or shape is None:
        raise TensorSettingError(
            f'a Tensor is made of input_data, or of shape, dtype and init together (init is an Initializer, and may be '
            f'left out for zeros).{users_line()}'
        )
    if init is not None and not hasattr(init, 'fill'):
        raise DTypeError(f'init is an Initializer, such as One(), but got {init!r}.{users_line()}')
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return np.asarray(np.zeros(shape) if init is None else init.fill(shape)).astype(dtype.numpy)
