"""Writing into a Tensor's memory: `x[i] = v`, `assign`, and what every other write goes through.

No gradient passes a write. What backward needs of the old value is guarded: see traps/written.py.
"""

import numpy as np

from .. import tracing
from ..core import tape
from ..core.dtype import BY_NUMPY, promote
from ..core.errors import DTypeError, OperandError, ShapeError, article, users_line
from ..core.grad import is_parameter
from ..core.primitives import CAST, getframe
from ..core.tape import NOWHERE
from ..core.tensor import LENT, Tensor, as_array, frozen, wrap
from ..core.trap import joined
from ..errors import IndexWriteError, ParameterError
from .primitive import primitive


def plain_index(index: object) -> object:
    """The same index for NumPy: Tensors become arrays of its own, read-only, because backward will use them again."""
    if isinstance(index, Tensor):
        index.leave('x[i] with an index made', chooses=True)
        return frozen(index.array.copy())
    if isinstance(index, tuple):
        return tuple(plain_index(i) for i in index)
    return frozen(np.array(index)) if isinstance(index, (list, np.ndarray)) else index


def write_index(tensor: Tensor, index: object, value: object, frame) -> None:
    """`tensor[index] = value`, in place; refused where a gradient would have to pass through it."""
    recorded = isinstance(value, Tensor) and tape.address(value) >= tape.recorded_from
    inside, at = tape.hidden_address, tape.address(tensor)
    if inside and type(tensor) is Tensor and not tape.recorded_from <= at < NOWHERE and at != inside + 1:  # no input
        if recorded:
            tensor.at = inside  # construct's own: the Cell's bprop knows what it computes
    elif tape.recorded_from != NOWHERE and (recorded or (type(tensor) is Tensor and at >= tape.recorded_from)):
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
    elif not tensor.array.flags.writeable:
        if tensor.at != LENT:
            raise IndexWriteError(
                f'{what} writes into memory that others use too: that of a cotangent, a gradient inside a gradient or '
                f'a number, perhaps through a view. Write into a copy: v = v.copy().{users_line(frame)}'
            )
        tensor.array, tensor.at = tensor.array.copy(), -1
    for writing in joined.writing:
        writing(tensor, what, frame, source, how)
    return tensor.array


def overwrite(tensor: Tensor, value: object, what: str, frame, how: object = ...) -> None:
    """Write a Tensor or numbers, cast, into a Tensor's memory, at an index or by a ufunc; every view sees them."""
    source = value if isinstance(value, Tensor) else wrap(np.asarray(value))
    target, numbers = writable(tensor, what, frame, source, how), source.array
    if isinstance(how, np.ufunc):
        how(target, numbers, out=target, casting='same_kind')
        return
    if numbers.dtype is not target.dtype:
        numbers = CAST.kernel(numbers, target.dtype)
    try:
        target[how] = numbers.reshape(()) if numbers.size == 1 else numbers
    except IndexError as error:
        error.add_note(f'{what}: the shape is {tensor.shape}.{users_line(frame)}')
        raise


def setitem(self: Tensor, index: object, value: object) -> None:
    """`self[index] = value`."""
    write_index(self, index, value, getframe(1))


# ---- statements in the shape of an op ------------------------------------------------------------------------------


def assign(variable: Tensor, value: Tensor | float) -> Tensor:
    """Overwrite a Parameter with a value of its shape; returns that value, as a Tensor.

    The value's dtype has to fit into the Parameter's: integers into floats, Float16 into Float32, never the reverse.
    Raises ValueError for another shape, TypeError for a dtype that does not fit and for what is no Parameter.

    >>> b = Parameter(Tensor([1.0, 2.0, 3.0]), name='b')
    >>> print(ops.assign(b, Tensor([7, 8, 9])).asnumpy())
    [7. 8. 9.]
    """
    return _assigned('Assign', 'assign', ..., variable, value)


def assign_add(variable: Tensor, value: Tensor | float) -> Tensor:
    """Add a number, or a value of its shape, to a Parameter in place; returns the new value. Raises as `assign` does.

    >>> print(ops.assign_add(Parameter(2.0, name='n'), 3).asnumpy())
    5.0
    """
    return _assigned('AssignAdd', 'assign_add', np.add, variable, value)


def assign_sub(variable: Tensor, value: Tensor | float) -> Tensor:
    """Subtract a number, or a value of its shape, from a Parameter in place; returns it. Raises as `assign` does."""
    return _assigned('AssignSub', 'assign_sub', np.subtract, variable, value)


def _assigned(name: str, op: str, how: object, variable: Tensor, value: Tensor | float) -> Tensor:
    """Write the value by `how`. Returns it as a Tensor; inside a graph the Parameter, which that knows."""
    frame = getframe(2)
    new = _fitting(name, variable, value, frame, scalars=how is not ...)
    overwrite(variable, new, f'ops.{op}({variable.name}, ...)', frame, how)
    if tracing.tracer is not None:
        return variable
    if tape.gradients:  # the Parameter's own memory, so that whoever uses it in a gradient is told of the write
        return wrap(variable.array, variable.at)
    return Tensor(variable)


def _fitting(name: str, variable: object, value: object, frame, scalars: bool) -> Tensor:
    """The value as a Tensor, once it is known to fit."""
    if not is_parameter(variable):
        got = f'but got {article(type(variable).__name__)}: a plain Tensor is not written but made anew'
        raise ParameterError(f"For '{name}', the 'variable' should be a Parameter, {got}.{users_line()}")
    given = value if isinstance(value, Tensor) else wrap(as_array(value))
    new, due = given.array, variable.array
    if new.shape != due.shape and not (scalars and not isinstance(value, Tensor) and new.ndim == 0):
        got = f"'value' shape: {new.shape}, 'variable' shape: {due.shape} (the Parameter {variable.name})"
        said = f"For '{name}','value' must have the same shape as 'variable'. But got {got}"
        raise ShapeError(f'{said}.{users_line(frame)}')
    if promote(due.dtype, new.dtype) != due.dtype:
        p, dtype = variable.name, BY_NUMPY[new.dtype]
        said = f'{dtype} does not fit into the Parameter {p}, which is {variable.dtype} and stays so'
        advice = f'write value.astype({p}.dtype) if the loss is meant'
        raise DTypeError(f"For '{name}', {said}: {advice}.{users_line(frame)}")
    return given


Assign = primitive('Assign', assign, 'Overwrite a Parameter.')
AssignAdd = primitive('AssignAdd', assign_add, 'Add to a Parameter in place.')
AssignSub = primitive('AssignSub', assign_sub, 'Subtract from a Parameter in place.')
