"""Tensor: an ndarray and its place on the tape. Its operators come from ops."""

import sys
from collections.abc import Iterator
from functools import partial

import numpy as np

from .. import tracing
from ..traps import kept, written
from . import printed, tape
from .dtype import ALL, BY_NUMPY, DType, as_numpy, float32, int64
from .errors import (
    DTypeError,
    IndexWriteError,
    LeavesTapeError,
    LeavesTapeWarning,
    OperandError,
    TensorSettingError,
    article,
    users_line,
    warn_user,
)


class Tensor:
    """Numbers of one dtype in a shape. As in MindSpore, Python floats are Float32, ints Int64; NumPy keeps its own.

    Raises TypeError for what holds no numbers (a string, None, a dict, a ragged list), and for a dtype that is none of
    minicell's.

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
        shape: tuple[int, ...] | None = None,
        init: object = None,
    ) -> None:
        if dtype is not None and not isinstance(dtype, DType):
            names = ', '.join(map(repr, ALL))
            raise DTypeError(f"For 'Tensor', the 'dtype' should be one of [{names}], but got {dtype!r}.{users_line()}")
        if shape is not None or init is not None:
            input_data = _drawn(input_data, dtype, shape, init)
        if tape.start != tape.OFF or tracing.tracer is not None:
            for part in tensors_in(input_data):
                part._leave(f'{type(self).__name__}(...)')
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

    @property
    def ndim(self) -> int:
        """How many axes."""
        return self.array.ndim

    @property
    def size(self) -> int:
        """How many numbers."""
        return self.array.size

    @property
    def itemsize(self) -> int:
        """How many bytes a number takes."""
        return self.array.itemsize

    @property
    def nbytes(self) -> int:
        """How many bytes all of them take."""
        return self.array.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """How many bytes apart neighbours are, on each axis."""
        return self.array.strides

    def dim(self) -> int:
        """How many axes."""
        return self.array.ndim

    def numel(self) -> int:
        """How many numbers."""
        return self.array.size

    def is_floating_point(self) -> bool:
        """Whether the numbers are Float16, Float32 or Float64."""
        return self.array.dtype.kind == 'f'

    @staticmethod
    def from_numpy(array: np.ndarray) -> 'Tensor':
        """A Tensor with a copy of the numbers. Raises TypeError for what is no array."""
        if not isinstance(array, np.ndarray):
            raise DTypeError(f'from_numpy takes a NumPy array, but got {article(type(array).__name__)}.{users_line()}')
        return Tensor(array)

    def asnumpy(self) -> np.ndarray:
        """The numbers as a read-only NumPy array that shares memory with the Tensor.

        >>> Tensor([1.0, 2.0]).asnumpy()
        array([1., 2.], dtype=float32)
        """
        self._leave('asnumpy()')
        view = np.asarray(self.array).view()
        view.flags.writeable = False
        return view

    numpy = asnumpy

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        if (
            kept.address(self) >= tape.start != tape.OFF and not tape.hiding
        ):  # inside a Cell with its own bprop NumPy may compute
            raise LeavesTapeError(
                'NumPy cannot follow a gradient: this Tensor is being differentiated, and what NumPy makes of it would '
                'silently have the gradient 0. Use the op of the same name from minicell.ops, or .asnumpy() where only '
                f'the number is wanted.{users_line(sys._getframe(1))}'
            )
        if tracing.tracer is not None:
            tracing.tracer.refuse_value(self, 'a NumPy array made')
        return np.array(self.array, dtype) if copy else np.asarray(self.asnumpy(), dtype)

    def _leave(self, how: str) -> None:
        """Say that numbers taken out of a gradient are constants from there on; refuse it in a graph."""
        if tracing.tracer is not None:
            tracing.tracer.refuse_value(self, how)
        if tape.start <= self.at < tape.OFF and not tape.hiding:  # a Cell's own bprop knows what construct computes
            warn_user(
                f'{how} of a Tensor that is being differentiated: whatever is computed from these numbers is a '
                f'constant, and its part of the gradient is silently 0. (For looking at the numbers this is fine.)',
                LeavesTapeWarning,
            )

    def init_data(self) -> 'Tensor':
        """The Tensor itself: MindSpore's initializers draw their numbers here, minicell's have them already."""
        return self

    def item(self) -> int | float | bool:
        """The number of a Tensor that has one element."""
        self._leave('item()')
        return self._only()

    def tolist(self) -> list | int | float | bool:
        """The numbers as nested Python lists."""
        self._leave('tolist()')
        return self.array.tolist()

    def _only(self) -> int | float | bool:
        if self.array.size != 1:
            raise ValueError(
                f'Only one element tensors can be converted to Python scalars, but this has shape {self.shape}'
            )
        return self.array.item()

    def __float__(self) -> float:
        self._leave('float()')
        return float(self._only())

    def __int__(self) -> int:
        self._leave('int()')
        return int(self._only())

    def __bool__(self) -> bool:
        if tracing.tracer is not None:
            tracing.tracer.refuse_value(self, 'bool()')
        return bool(self._only())

    def __index__(self) -> int:
        if tracing.tracer is not None:
            tracing.tracer.refuse_value(self, 'an index made')
        value = self._only()
        if not isinstance(value, int):
            raise OperandError(f'a Tensor of dtype {self.dtype} is no index: use an integer Tensor')
        return value

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError('len() of a Tensor of rank 0')
        return len(self.array)

    def __iter__(self) -> Iterator['Tensor']:
        if not self.array.ndim:
            raise TypeError('a Tensor of rank 0 cannot be iterated over')
        return (self[i] for i in range(len(self.array)))

    def __setitem__(self, index: object, value: object) -> None:
        write_index(self, index, value, sys._getframe(1))

    def __repr__(self) -> str:
        return printed.text(np.asarray(self.array), str(self.dtype))

    def __str__(self) -> str:
        return printed.plain(np.asarray(self.array))

    def __format__(self, spec: str) -> str:
        if spec:
            raise TypeError(f'a Tensor has no format {spec!r}: write float(t) for a number, or t.asnumpy()')
        return str(self)

    def __copy__(self) -> 'Tensor':
        return Tensor(self)

    def __deepcopy__(self, memo: dict) -> 'Tensor':
        return Tensor(self)


# glibc gives free memory back to the system at once, and the next array pays for each of its pages anew, which can
# double the time of a training step. Once a block of this size has come and gone, it keeps as much: mallopt(3),
# M_MMAP_THRESHOLD.
np.empty(31 << 20, np.uint8)

blank = partial(object.__new__, Tensor)  # a Tensor that has nothing yet: the fastest way to make one
BORROWED = -2  # the place of a Tensor around an array that others use too: a write copies it first


def wrap(value: np.ndarray, at: int = -1) -> Tensor:
    """A Tensor around an array of a dtype that minicell has, without a copy."""
    tensor = blank()
    tensor.array = value
    tensor.at = at
    return tensor


def is_float(tensor: Tensor) -> bool:
    """Whether a gradient can pass: Float16, Float32, Float64 and the complex dtypes."""
    return tensor.array.dtype.kind in 'fc'


def as_array(data: object, dtype: DType | None = None) -> np.ndarray:
    """A new array with the numbers of `data`, by MindSpore's rules for dtypes."""
    wanted = dtype.numpy if dtype is not None else None
    if isinstance(data, Tensor):
        return np.array(data.array, wanted)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data, wanted)
    elif isinstance(data, (bool, int, float, complex)):
        array = np.array(data, wanted or _default(np.asarray(data).dtype))
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
        got = (
            f'{data!r:.60} that contain unsupported element'
            if isinstance(data, (list, tuple))
            else article(type(data).__name__)
        )
        raise DTypeError(
            f'For Tensor, the input_data is {got}. Give a number, a NumPy array, or lists of numbers whose rows have '
            f'equal lengths.{users_line()}'
        )
    return array


def tensors_in(value: object) -> list[Tensor]:
    """The Tensors in nested tuples, lists and dicts, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [t for item in value for t in tensors_in(item)] if isinstance(value, (tuple, list)) else []


def _default(found: np.dtype) -> np.dtype:
    return float32.numpy if found == np.float64 else found


def _plain(item: object) -> object:
    if isinstance(item, Tensor):
        return item.array
    return [_plain(i) for i in item] if isinstance(item, (list, tuple)) else item


def _of_list(found: np.dtype, data: object) -> np.dtype:
    """As for one number; but Tensors alone keep their dtype."""
    if _all_tensors(data):
        return found
    return int64.numpy if found == np.int32 else _default(found)


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


def tensor(input_data: object = None, dtype: DType | None = None) -> Tensor:
    """A new Tensor: `Tensor(...)` as MindSpore's function.

    >>> tensor([1.0, 2.0])
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    return Tensor(input_data, dtype)


def plain_index(index: object) -> object:
    """The same index for NumPy: Tensors in it become arrays, of their own, because backward will use them again."""
    if isinstance(index, Tensor):
        if tracing.tracer is not None:
            tracing.tracer.refuse_value(index, 'x[i] with an index made')
        return index.array.copy()
    if isinstance(index, tuple):
        return tuple(plain_index(i) for i in index)
    return np.array(index) if isinstance(index, (list, np.ndarray)) else index


def write_index(tensor: Tensor, index: object, value: object, frame) -> None:
    """`tensor[index] = value`, in place; refused where a gradient would have to pass through it."""
    recorded = isinstance(value, Tensor) and kept.address(value) >= tape.start
    if tape.hiding and type(tensor) is Tensor and not tape.start <= kept.address(tensor) < tape.OFF:
        if recorded:
            tensor.at = tape.hiding  # construct's own: the Cell's bprop knows what it computes
    elif tape.start != tape.OFF and (recorded or (type(tensor) is Tensor and kept.address(tensor) >= tape.start)):
        raise IndexWriteError(
            'x[i] = v writes in place, and the tape cannot pass a gradient through that: the gradient would silently '
            'be wrong. Build the value instead: ops.select(mask, v, x), ops.stack or ops.concat of the parts, or write '
            f'into a copy that is not differentiated.{users_line(frame)}'
        )
    if not isinstance(value, Tensor) and np.asarray(value).dtype.kind not in 'biufc':
        raise OperandError(f'x[i] = v takes a Tensor or numbers, but got {value!r:.60}.{users_line(frame)}')
    overwrite(tensor, value, 'x[i] = v', frame, plain_index(index))


def writable(tensor: Tensor, what: str, frame, source: Tensor | None = None, how: object = ...) -> np.ndarray:
    """The memory of a Tensor, about to be written by `what`, called at `frame`: the tape is told first.

    source and how tell a graph what to do again: the Tensor that is written, and an index, or a ufunc such as np.add.
    """
    if not isinstance(tensor.array, np.ndarray):
        tensor.array = np.array(tensor.array)  # NumPy hands out rank 0 as a scalar, which cannot be written
    elif tensor.at == BORROWED or not tensor.array.flags.writeable:
        tensor.array = tensor.array.copy()
    written.wrote(tensor, what, frame, source, how)
    return tensor.array


def overwrite(tensor: Tensor, value: object, what: str, frame, index: object = ...) -> None:
    """Write a Tensor or numbers into the memory of a Tensor, cast to its dtype; every view of it sees them."""
    source = value if isinstance(value, Tensor) else wrap(np.asarray(value))
    memory = writable(tensor, what, frame, source, index)
    with np.errstate(invalid='ignore'):
        numbers = source.array.astype(memory.dtype, copy=False)
        memory[index] = numbers.reshape(()) if numbers.size == 1 else numbers


__all__ = ['Tensor', 'as_array', 'as_numpy', 'is_float', 'overwrite', 'plain_index', 'wrap', 'writable', 'write_index']
