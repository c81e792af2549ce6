"""Writing into a Parameter: a statement in the shape of an op. No gradient passes; what backward needs is guarded."""

import sys

import numpy as np

from .. import tracing
from ..core import tape
from ..core.dtype import BY_NUMPY, promote
from ..core.errors import DTypeError, ShapeError, article, users_line
from ..core.tensor import Tensor, as_array, wrap
from ..errors import ParameterError
from ..traps.written import sever
from .primitive import primitive
from .write import writable


def assign(variable: Tensor, value: Tensor | float) -> Tensor:
    """Overwrite a Parameter with a value of its shape; returns that value, as a Tensor.

    The value's dtype has to fit into the Parameter's: integers into floats, Float16 into Float32, never the reverse.
    Raises ValueError for another shape, TypeError for a dtype that does not fit and for what is no Parameter.

    >>> from minicell import Parameter, Tensor, ops
    >>> b = Parameter(Tensor([1.0, 2.0, 3.0]), name='b')
    >>> print(ops.assign(b, Tensor([7, 8, 9])).asnumpy())
    [7. 8. 9.]
    """
    frame = sys._getframe(1)
    new = _fitting('Assign', variable, value, frame, scalars=False)
    writable(variable, f'ops.assign({variable.name}, ...)', frame, new)[...] = new.array
    sever(variable, value)
    return _written(variable)


def assign_add(variable: Tensor, value: Tensor | float) -> Tensor:
    """Add a number, or a value of its shape, to a Parameter in place; returns the new value. Raises as `assign` does.

    >>> from minicell import Parameter, ops
    >>> print(ops.assign_add(Parameter(2.0, name='n'), 3).asnumpy())
    5.0
    """
    frame = sys._getframe(1)
    new = _fitting('AssignAdd', variable, value, frame)
    array = writable(variable, f'ops.assign_add({variable.name}, ...)', frame, new, np.add)
    np.add(array, new.array, out=array, casting='same_kind')
    sever(variable, value)
    return _written(variable)


def assign_sub(variable: Tensor, value: Tensor | float) -> Tensor:
    """Subtract a number, or a value of its shape, from a Parameter in place; returns it. Raises as `assign` does."""
    frame = sys._getframe(1)
    new = _fitting('AssignSub', variable, value, frame)
    array = writable(variable, f'ops.assign_sub({variable.name}, ...)', frame, new, np.subtract)
    np.subtract(array, new.array, out=array, casting='same_kind')
    sever(variable, value)
    return _written(variable)


def _written(variable: Tensor) -> Tensor:
    """The value that was written, as a Tensor; inside a graph, the Parameter, which the graph knows."""
    if tracing.tracer is not None:
        return variable
    if tape.gradients:  # the Parameter's own memory, so that whoever uses it in a gradient is told of the write
        return wrap(variable.array, variable.at)
    return Tensor(variable)


def _fitting(name: str, variable: object, value: object, frame, scalars: bool = True) -> Tensor:
    """The value as a Tensor, once it is known to fit."""
    if not (isinstance(variable, Tensor) and hasattr(variable, 'requires_grad')):
        raise ParameterError(
            f"For '{name}', the 'variable' should be a Parameter, but got {article(type(variable).__name__)}: a plain "
            f'Tensor is not written but made anew.{users_line(frame)}'
        )
    given = value if isinstance(value, Tensor) else wrap(as_array(value))
    new, due = given.array, variable.array
    if new.shape != due.shape and not (scalars and not isinstance(value, Tensor) and new.ndim == 0):
        raise ShapeError(
            f"For '{name}','value' must have the same shape as 'variable'. But got 'value' shape: {new.shape}, "
            f"'variable' shape: {due.shape} (the Parameter {variable.name}).{users_line(frame)}"
        )
    if promote(due.dtype, new.dtype) != due.dtype:
        raise DTypeError(
            f"For '{name}', {BY_NUMPY[new.dtype].title} does not fit into the Parameter {variable.name}, which is "
            f'{variable.dtype} and stays so: write value.astype({variable.name}.dtype) if the loss is '
            f'meant.{users_line(frame)}'
        )
    return given


Assign = primitive('Assign', assign, 'Overwrite a Parameter.')
AssignAdd = primitive('AssignAdd', assign_add, 'Add to a Parameter in place.')
AssignSub = primitive('AssignSub', assign_sub, 'Subtract from a Parameter in place.')
