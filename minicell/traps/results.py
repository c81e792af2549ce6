"""Results: what a function or a Cell returns has no gradient that could be followed, or another than was meant.

    class Net(nn.Cell):
        def construct(self, x):
            yield x * 2                     # what comes out of a generator later goes past the bprop
        def bprop(self, x, out, dout): ...

ResultError for a Cell with its own bprop; for a differentiated function, NoPathWarning says what it returned.

    def f(x, y):
        return x * float(y)                 # y leaves the tape here
    ms.grad(f, 1)(x, y)                     # 0, and nobody ever computed it

NoPathWarning names the argument. It is silent where 0 is meant: a bprop that returned None, a slope that is straight.

    ms.grad(lambda x: (x * 2, x * 3))(x)    # 5: the gradient of the sum, as MindSpore has it

ImplicitSumWarning says so. `has_aux=True`, or a sens for each output, says which one is meant.

One float Tensor costs nothing, any other result 0.3 µs for each of its parts; a gradient pays one comparison.
"""

import gc
from collections.abc import Iterator
from types import CodeType

import numpy as np

from ..core import tape
from ..core.differentiate import name_of
from ..core.dtype import DType
from ..core.errors import article, users_line
from ..core.grad import is_parameter
from ..core.primitives import REAL
from ..core.tensor import Tensor, tensors_in
from ..core.trap import Trap
from ..errors import ImplicitSumWarning, NoPathWarning, ResultError
from .bytecode import of_library
from .takeovers import trap as takeovers

MANY = 10_000  # of the parts of a result
PLAIN = Tensor, bool, int, float, complex, str, bytes, np.ndarray, np.generic, DType, type, type(None)


def odd(value: object) -> object:
    """The first part of a result that may hide a Tensor, or None."""
    if isinstance(value, dict):
        if any(isinstance(key, Tensor) for key in value):
            return value
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return next((part for part in map(odd, value) if part is not None), None)
    return None if isinstance(value, PLAIN) and not (isinstance(value, np.ndarray) and value.dtype.hasobject) else value


def held(part: object) -> Iterator[Tensor]:
    """The Tensors that an object of any kind holds, however deep: those that Python's garbage collector would find."""
    seen, found = {}, [part]
    while found and len(seen) < MANY:
        value = found.pop()
        if isinstance(value, Tensor):
            yield value
        elif (
            id(value) not in seen
            and not (isinstance(value, CodeType) or (isinstance(value, type) and of_library(value)))
            and not (type(value) is dict and '__builtins__' in value)  # of a whole module
        ):
            seen[id(value)] = value
            is_array = isinstance(value, np.ndarray) and value.dtype == object
            found += value.ravel().tolist() if is_array else gc.get_referents(value)


class Results(Trap):
    """Looks at what Cells and differentiated functions return."""

    def returned(self, cell, inputs: tuple, result: object, inside: int, at: int, frame) -> None:
        """A Cell taken over at an address returned something other than one float Tensor that it made inside."""
        given = {t.at for t in tensors_in((inputs, cell.internal_params or ()))} | {inside}
        outputs = tensors_in(result)
        handed_on = [t for t in outputs if tape.address(t) >= tape.recorded_from and t.at not in given]
        if handed_on:
            takeovers.uses(cell, handed_on, frame)
        part = odd(result) if at >= tape.recorded_from else None
        if part is not None:
            name = type(cell).__name__
            raise ResultError(
                f'construct of {name} returned {article(type(part).__name__)}. {name} has its own bprop, which answers '
                f'for Tensors: what comes out of anything else goes past it. Return a Tensor, or a tuple, list or '
                f'dict of Tensors.{users_line(frame)}'
            )
        for t in outputs:
            if t.array.dtype.kind == 'c' and at >= tape.recorded_from:
                said = f'construct of {type(cell).__name__} returned {article(t.dtype)} Tensor: {REAL} Tensors'
                raise ResultError(f'{said}.{users_line(frame)}')

    def ran_forward(self, gradient) -> None:
        """Tensors under differentiation that the function hid beside others are lost."""
        if isinstance(gradient.result, (tuple, list)) and not gradient.result:
            raise ResultError(
                f'{name_of(gradient.function)} returned {gradient.result}: a Tensor is due.{users_line()}'
            )
        part = None if type(gradient.result) is Tensor or gradient.aux else odd(gradient.result)
        if part is None or not gradient.outputs:
            return
        if any(t.at >= gradient.offset and not is_parameter(t) for t in held(part)):
            NoPathWarning.warn(
                f'{name_of(gradient.function)} returned {article(type(part).__name__)} that holds a Tensor, beside '
                f'others: nobody looks into it, so that its part of the gradient is 0. Return the Tensor itself.',
            )

    def _mean(self, gradient, unreached: list) -> None:
        """Inside another gradient: a slope may well be straight in what its function depends on."""
        addresses = [*[gradient.inputs[k].at for k in gradient.positions], *gradient.weights_before]
        meant = {at for k, at in enumerate(addresses) if k not in unreached}
        others = [x for k, x in enumerate(gradient.inputs) if k not in gradient.positions]
        if others := {t.at for t in tensors_in((*others, *gradient.named.values())) if t.at >= tape.recorded_from}:
            entries = gradient.entries[gradient.begin : gradient.end]
            meant |= others & {t.at for rule, x, y, *_ in entries for t in rule.tensors(x, y)}
        for each in tape.gradients[:-1]:
            each.meant.update(meant)

    def declared_none(self, t: Tensor) -> None:
        """That no cotangent comes here is meant."""
        for gradient in tape.gradients:
            gradient.meant.add(t.at)

    def finished(self, gradient, gradients: list, unreached: list, finite: bool) -> None:
        function, inputs = gradient.function, len(gradient.positions)
        if len(tape.gradients) > 1:
            self._mean(gradient, unreached)
        if getattr(function, 'replayed', False):  # a graph: it was warned of when it was traced
            return
        # the slope of a straight line has no path to its cotangent
        for k in unreached if not getattr(function, 'is_slope', False) else ():
            leaf = gradient.leaves[k]
            if leaf.array.size and leaf.at not in gradient.meant:
                kind = 'nothing' if gradient.result is None else article(type(gradient.result).__name__)
                due = f' It returned {kind}: return Tensors, alone or in a tuple.'
                due = ' Use the Tensor itself, and ops, where its gradient is wanted.' if gradient.outputs else due
                what = f'argument {gradient.positions[k]}' if k < inputs else f'the Parameter {leaf.name}'
                NoPathWarning.warn(
                    f'The gradient of {name_of(function)} with respect to {what} is 0 because nothing connects them: '
                    f'no recorded op leads from it to the output. (A computed zero is not reported.){due}',
                )
        if gradient.summed > 1:
            ImplicitSumWarning.warn(
                f'{name_of(function)} has {gradient.summed} float outputs, and ones were used as the cotangent of '
                f'each: what you get is the gradient of their sum. Return or pick the one you mean, or give sens.',
            )


trap = Results()
