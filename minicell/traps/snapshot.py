"""What of Python a graph or a bprop depends on: what has to be as it was for a trace, or a call, to hold."""

from array import array
from collections import OrderedDict, UserList, deque
from collections.abc import Callable, Mapping, MappingView
from contextvars import ContextVar
from functools import partial, partialmethod
from zlib import crc32

import numpy as np

from ..core.tensor import Tensor


class Identity:
    """In a snapshot: this very object. It stays alive, so that no other gets its address."""

    def __init__(self, of: object) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)


def snapshot(value: object, of: Callable = Identity) -> object:
    """What has to be equal for a trace to hold: the numbers of Python and NumPy, and `of` any other object."""
    if isinstance(value, Tensor):
        return of(value)
    if isinstance(value, (float, complex)):
        return type(value), repr(value)  # -0.0 is not 0.0 here, and NaN is NaN
    if isinstance(value, (bool, int, str, bytes, type(None), range)):
        return type(value), value
    if isinstance(value, (tuple, list, deque, UserList, MappingView)):
        return type(value), tuple(snapshot(v, of) for v in value)
    if isinstance(value, dict):
        rows = (OrderedDict if isinstance(value, OrderedDict) else dict).items(value)  # (it keeps another order)
        return type(value), tuple((k, snapshot(v, of)) for k, v in rows)
    if isinstance(value, (set, frozenset)):
        return type(value), frozenset(snapshot(v, of) for v in value)
    if isinstance(value, (partial, partialmethod)):
        return type(value), snapshot((value.func, value.args, value.keywords), of)
    if isinstance(value, Mapping):  # a ChainMap, one with weak keys
        key = lambda k: k if isinstance(k, str) else Identity(k)
        return type(value), tuple((key(k), snapshot(v, of)) for k, v in value.items())
    if isinstance(value, ContextVar):
        return ContextVar, snapshot(value.get(None), of)
    if isinstance(value, slice):
        return slice, snapshot((value.start, value.stop, value.step))
    if isinstance(value, (np.ndarray, np.generic, bytearray, memoryview, array)):
        numbers = np.asanyarray(value)
        if numbers.nbytes < 1 << 16 or numbers.dtype.kind not in 'biufc':
            return type(value), numbers.dtype.str, numbers.shape, numbers.tobytes()
        row = numbers.T if numbers.flags.f_contiguous else np.ascontiguousarray(numbers)  # a checksum copies nothing
        return type(value), numbers.dtype.str, numbers.shape, numbers.strides, crc32(row)
    return of(value)


class Cache(dict):
    """The graphs that a Cell keeps, the newest ones: a copy of the Cell, or one that was pickled, starts without."""

    MOST = 16

    def __setitem__(self, key: object, value: object) -> None:
        super().__setitem__(key, value)
        if len(self) > self.MOST:
            del self[next(iter(self))]

    def __deepcopy__(self, memo: dict) -> 'Cache':
        return Cache()

    def __reduce__(self) -> tuple:
        return Cache, ()
