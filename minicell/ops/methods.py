"""Tensor's operators and methods: the ops, under the names that MindSpore gives them there."""

import sys
from collections.abc import Callable

import numpy as np

from ..core import tape
from ..core.errors import DTypeError, OperandError
from ..core.primitives import CONSTANTS, cast_to
from ..core.tensor import Tensor, blank, map_tensors, wrap
from ..names import ALONE, DTYPES, OF_METHODS, OPERATORS, SAME, renamed
from ..printed import format_method, repr_method, str_method
from .checks import must_be
from .elementwise import add_scaled, subtract
from .pieces import contiguous, cumsum_method, gather_method, identity
from .reduce import max_method, min_method
from .shape import astype, broadcast_method, flatten_method, getitem, permuted, reshape_method, transpose_method
from .write import setitem


def from_numpy(array: np.ndarray) -> Tensor:
    """A Tensor with a copy of the numbers. Raises TypeError for what is no array."""
    must_be(array, np.ndarray, DTypeError, 'from_numpy takes a NumPy array')
    return Tensor(array)


def reflected(op: Callable) -> Callable:
    """The op with its operands exchanged: `1 - x` calls x.__rsub__(1)."""
    kernel = op.rule.kernel

    def of(y, x):
        try:
            x = CONSTANTS[type(x)][y.array.dtype][x]
        except (KeyError, TypeError):  # not a constant that was used before
            return op(x, y, up=2)
        if y.at >= tape.recorded_from or tape.looking:
            return op(x, y, up=2)
        out = blank()
        out.array = kernel(x.array, y.array)
        out.at = -1
        return out

    return of


OWN = {
    'ndim': property(lambda t: t.array.ndim, doc='The number of axes.'),
    'size': property(lambda t: t.array.size, doc='The number of elements.'),
    'itemsize': property(lambda t: t.array.itemsize, doc='How many bytes a number takes.'),
    'nbytes': property(lambda t: t.array.nbytes, doc='How many bytes all numbers take.'),
    'strides': property(lambda t: t.array.strides, doc='How many bytes apart neighbours are, on each axis.'),
    'dim': lambda t: t.array.ndim,
    'numel': lambda t: t.array.size,
    'is_floating_point': lambda t: t.array.dtype.kind == 'f',
    'from_numpy': staticmethod(from_numpy),
    'numpy': Tensor.asnumpy,
    'init_data': lambda input: input,  # MindSpore's initializers draw their numbers here
    'T': property(transpose_method),
    '__contains__': lambda input, value: bool((input == value).any()),
    'is_contiguous': lambda input: input.array.flags.c_contiguous,
    'data': property(lambda t: t.leave('.data') or wrap(t.array.copy()), doc='The numbers alone: no gradient passes.'),
}
NAMED = {
    setitem: '__setitem__', getitem: '__getitem__', format_method: '__format__', repr_method: '__repr__',
    str_method: '__str__', max_method: 'max', min_method: 'min', reshape_method: 'reshape view',
    transpose_method: 'transpose t', permuted: 'permute', flatten_method: 'ravel flatten', astype: 'astype to',
    broadcast_method: 'broadcast_to expand', identity: '__pos__ copy value', contiguous: 'contiguous',
    cumsum_method: 'cumsum', gather_method: 'gather', add_scaled: 'add', subtract: 'sub',
}  # fmt: skip
OWN |= {name: method for method, names in NAMED.items() for name in names.split()}

LOOKED_AT = {np.shape, np.ndim, np.size}  # these take no numbers


def by_numpy(tensor: Tensor, function: Callable, types: object, args: tuple, kwargs: dict) -> object:
    """A function of NumPy's gets arrays; else np.sum(x) would call x.sum with arguments of its own."""
    take = (lambda t: t.array) if function in LOOKED_AT else np.asarray
    return function(*map_tensors(args, take), **map_tensors(kwargs, take))


def _comparison(op: Callable, otherwise: bool) -> Callable:
    """`x == y`; what can be no operand, such as None, is not equal."""

    def compare(input, other):
        try:
            return op(input, other, up=2)
        except OperandError:
            if isinstance(other, np.ndarray):
                raise  # it could be meant
            return otherwise

    return compare


def _cast(dtype: str) -> Callable:
    wanted = np.dtype(dtype.rstrip('_'))
    return lambda input: cast_to(input, wanted, sys._getframe(1))


def give(ops: dict) -> None:
    """Tensor gets its methods, from the ops by name."""
    methods = {f'__{name}__': ops[op] for name, op in (OPERATORS | ALONE).items()}
    for name, op in OPERATORS.items():
        methods[f'__r{name}__'] = ops[op] if name in ('add', 'mul') else reflected(ops[op])
    methods |= {name: ops[name] for name in SAME.split()} | OWN
    methods |= {name: renamed(ops[name], names) for name, names in OF_METHODS.items()}
    methods |= {name: _cast(dtype) for name, dtype in DTYPES.items()}
    methods |= {
        '__array_function__': by_numpy,
        '__eq__': _comparison(ops['eq'], False),
        '__ne__': _comparison(ops['ne'], True),
    }
    for name, method in methods.items():
        setattr(Tensor, name, method)
