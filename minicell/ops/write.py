"""Writing into a Tensor's memory: `x[i] = v`, and what every other write goes through."""

import sys

import numpy as np

from ..core import tape
from ..core.errors import OperandError, users_line
from ..core.tape import NOWHERE
from ..core.tensor import Tensor, memory, wrap
from ..traps import bypassed, written
from ..traps.written import IndexWriteError


def plain_index(index: object) -> object:
    """The same index for NumPy: Tensors in it become arrays, of their own, because backward will use them again."""
    if isinstance(index, Tensor):
        index.leave('x[i] with an index made', chooses=True)
        return index.array.copy()
    if isinstance(index, tuple):
        return tuple(plain_index(i) for i in index)
    return np.array(index) if isinstance(index, (list, np.ndarray)) else index


def write_index(tensor: Tensor, index: object, value: object, frame) -> None:
    """`tensor[index] = value`, in place; refused where a gradient would have to pass through it."""
    recorded = isinstance(value, Tensor) and tape.address(value) >= tape.start
    inside, at = tape.hidden_address, tape.address(tensor)
    if inside and type(tensor) is Tensor and not tape.start <= at < NOWHERE and at != inside + 1:  # no input
        if recorded:
            tensor.at = inside  # construct's own: the Cell's bprop knows what it computes
    elif tape.start != NOWHERE and (recorded or (type(tensor) is Tensor and at >= tape.start)):
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
    elif tape.gradients and (cell := bypassed.whose_out(tensor)):
        raise IndexWriteError(
            f'{cell}.bprop writes into its out, by {what}: that is what construct returned, and others use it too. '
            f'Write into a copy: out = out.copy().{users_line(frame)}'
        )
    elif not tensor.array.flags.writeable or (tape.gradients and _lent(tensor.array)):
        tensor.array = tensor.array.copy()
    written.wrote(tensor, what, frame, source, how)
    return tensor.array


def _lent(array: np.ndarray) -> bool:
    """Whether a bprop that is running was given this memory, as dout, as out or as an input: others use it too."""
    return any(memory(t.array) is memory(array) for t in bypassed.lent())


def overwrite(tensor: Tensor, value: object, what: str, frame, index: object = ...) -> None:
    """Write a Tensor or numbers into the memory of a Tensor, cast to its dtype; every view of it sees them."""
    source = value if isinstance(value, Tensor) else wrap(np.asarray(value))
    target = writable(tensor, what, frame, source, index)
    with np.errstate(invalid='ignore'):
        numbers = source.array.astype(target.dtype, copy=False)
        try:
            target[index] = numbers.reshape(()) if numbers.size == 1 else numbers
        except IndexError as error:
            error.add_note(f'{what}: the shape is {tensor.shape}.{users_line(frame)}')
            raise


def setitem(self: Tensor, index: object, value: object) -> None:
    """`self[index] = value`."""
    write_index(self, index, value, sys._getframe(1))
