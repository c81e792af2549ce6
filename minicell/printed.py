"""The printed form of a Tensor, to the character as MindSpore prints it."""

from math import copysign

import numpy as np

from .core.dtype import NUMPY_1
from .core.errors import users_line
from .core.tensor import Tensor

EDGE = 3  # how many numbers stand on either side of ' ... '
LONG = {1: 1000}  # from how many numbers on an axis is cut, by rank
PER_LINE = {'f': 12, 'i': 24, 'u': 24, 'b': 12}  # numbers a line in rank 1
WIDTH = {4: 11, 8: 15}  # of a float with so many digits: with its sign, and an exponent of two digits


def number(value: object, kind: str, digits: int) -> str:
    """One number: `1.50000000e+00`, ` True`, `-20`, `1+2j`."""
    if kind == 'c':
        return f'{value.real:.6g}{value.imag:+.6g}j'
    if value != value:
        return '-nan' if copysign(1, value) < 0 else 'nan'
    return f'{value:.{digits}e}' if kind == 'f' else f'{value!s:>5}' if kind == 'b' else str(value)


def text(array: np.ndarray, title: str) -> str:
    """`Tensor(shape=[2], dtype=Float32, value= [ 1.50000000e+00, -2.25000000e+00])`."""
    head = f'Tensor(shape={list(array.shape)}, dtype={title}, value='
    if array.ndim == 0:
        value = array.item()
        shown = f'{value:.6g}' if isinstance(value, float) else number(value, array.dtype.kind, 0).strip()
        return f'{head} {shown})'
    if array.size == 0:
        return f'{head} )' if array.ndim == 1 else f'{head}\n)'
    kind, digits = array.dtype.kind, 4 if array.dtype == np.float16 else 8
    shown = _cut(array)
    cells = [number(v, kind, digits) for v in np.ravel(shown).tolist()]
    width = 0 if kind == 'c' else WIDTH[digits] if kind == 'f' else max(len(c) for c in cells)
    cells = np.array([c.rjust(width) for c in cells], dtype=object).reshape(shown.shape)
    body = _nest(cells, array.shape, 0)
    if array.ndim == 1:
        per_line = PER_LINE.get(kind, 12)
        if array.shape[0] <= LONG[1]:  # a full line is ended, the last one too
            parts = [', '.join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
            body = '[' + ',\n '.join(parts) + ('\n ]' if len(cells) % per_line == 0 else ']')
        return f'{head} {body})'
    return f'{head}\n{body})'


def _cut(array: np.ndarray) -> np.ndarray:
    """The numbers that are printed: three from each end of an axis that is too long."""
    for axis, length in enumerate(array.shape):
        if length > LONG.get(array.ndim, 2 * EDGE):
            array = np.take(array, [*range(EDGE), *range(length - EDGE, length)], axis=axis)
    return array


def _nest(cells: np.ndarray, shape: tuple[int, ...], depth: int) -> str:
    rows = list(cells) if cells.ndim == 1 else [_nest(row, shape[1:], depth + 1) for row in cells]
    between = ', ' if cells.ndim == 1 else ',\n' + ' ' * (depth + 1)
    if shape[0] > len(rows):
        rows = [*rows[:EDGE], '...', *rows[EDGE:]]
        if cells.ndim == 1:
            return '[' + ', '.join(rows[:EDGE]) + ' ... ' + ', '.join(rows[EDGE + 1 :]) + ']'
        pad = '\n' + ' ' * (depth + 1)
        return '[' + between.join(rows[:EDGE]) + f',{pad}...{pad}' + between.join(rows[EDGE + 1 :]) + ']'
    return '[' + between.join(rows) + ']'


def repr_method(self: Tensor) -> str:
    """`repr(t)`."""
    return text(np.asarray(self.array), str(self.dtype))


def str_method(self: Tensor) -> str:
    """`print(t)`: as NumPy has it, before it wrote 1234567. of Float32 as 1.234567e+06."""
    with np.printoptions(legacy=False if NUMPY_1 else '1.25'):
        return str(np.asarray(self.array))


def format_method(self: Tensor, spec: str) -> str:
    """`f'{t}'`."""
    if spec:
        raise TypeError(f'a Tensor has no format {spec!r}: write float(t) for a number, or t.asnumpy().{users_line()}')
    return str(self)
