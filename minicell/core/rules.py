"""Rules: how backward passes an entry of the tape.

A rule's formulas (`dx`, `dy`) are written once, in plain operators. On arrays they give numbers. On Tensors their own
operators are recorded, so that the gradient can be differentiated again. `vjp` returns (input, cotangent) pairs.
`vjp_arrays` and `vjp_tensors` add the cotangents to the list `cts` instead, where the cotangent of the Tensor t has the
index `t.at - offset`; a negative index means that t is constant for this gradient. The rules that run most often write
these two out, because grad(grad) takes 12 % longer with the general method.
"""

from collections.abc import Callable, Iterable

import numpy as np

from .dtype import FLOAT16, in_its_dtype
from .errors import NoRuleError, users_line
from .tape import NOWHERE
from .tensor import Tensor, map_tensors, wrap


class Marker:
    """Takes the place of a rule in a note, an entry that only says what happened."""

    def __init__(self, name: str) -> None:
        self.name = name

    tensors = staticmethod(lambda x, y: ())  # no cotangent passes a note
    event = staticmethod(lambda at, x, y, out, where, made: None)  # what a Tape makes of one (watch.py)


NOTES = ['enter', 'leave', 'begin', 'back', 'pull', 'give', 'end', 'fail', 'write']
ENTER, LEAVE, BEGIN, BACK, PULL, GIVE, END, FAIL, WRITE = map(Marker, NOTES)


def sum_to_shape(g, shape: tuple[int, ...]):
    """Sum a gradient, an array or a Tensor, to the shape that an input had before it was broadcast."""
    if g.shape == shape:
        return g
    on_arrays = not isinstance(g, Tensor)
    if on_arrays and g.dtype is FLOAT16:
        return sum_to_shape(g.astype(np.float32), shape).astype(FLOAT16)
    if extra := g.ndim - len(shape):
        axes = tuple(range(extra))
        g = np.add.reduce(g, axes) if on_arrays else g.sum(axes)
    if g.shape != shape:
        g = g.sum(tuple([i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1]), keepdims=True)
    return g


def add_up(pairs: Iterable[tuple], cts: list, offset: int) -> None:
    """Add the cotangents of these Tensors to `cts`."""
    for t, d in pairs:
        i = t.at - offset
        if d is not None and i >= 0:
            c = cts[i]
            cts[i] = d if c is None else c + d


class Rule:
    """A primitive: its name, its kernel on arrays, and its backward (except where no gradient passes)."""

    def __init__(self, name: str, kernel: Callable) -> None:
        self.name = name
        self.kernel = kernel and in_its_dtype(kernel)

    def title(self, entry: tuple) -> str:
        """What a message calls this entry."""
        return self.name

    def tensors(self, x: object, y: object) -> tuple:
        """The Tensors among an entry's inputs."""
        return x if isinstance(x, tuple) else (x,)

    def attributes(self, y: object) -> tuple:
        """The static arguments of an entry."""
        return y if isinstance(y, tuple) else ()

    def raw(self, inputs: tuple, attributes: tuple) -> tuple:
        """The x and y of an entry, from its inputs and static arguments."""
        return inputs, attributes

    def without(self, addresses: set[int], x: object, y: object) -> tuple:
        """The same x and y, with constants in place of the Tensors at these addresses."""
        return map_tensors((x, y), lambda t: wrap(t.array) if t.at in addresses else t)

    def run_kernel(self, arrays: list, attributes: tuple) -> object:
        """The kernel's result."""
        return self.kernel(*arrays, *attributes)

    def vjp_tensors(self, g, cts: list, offset: int, x: object, y: object, out: object) -> None:
        """Add the cotangents of the inputs to `cts`."""
        add_up(self.vjp(g, offset, x, y, out), cts, offset)

    vjp_arrays = vjp_tensors  # where `vjp` takes both


class Unary(Rule):
    """One input, one output; `y` holds the static arguments."""

    def __init__(self, name: str, kernel: Callable, dx: Callable) -> None:
        super().__init__(name, kernel)
        self.dx = in_its_dtype(dx)

    def vjp_arrays(self, g, cts, offset, x, y, out):
        i = x.at - offset
        if i >= 0:
            d = self.dx(g, out.array, x.array, *y)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp_tensors(self, g, cts, offset, x, y, out):
        i = x.at - offset
        if i >= 0:
            d = self.dx(g, out, x, *y)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp(self, g, offset, x, y, out):
        return ((x, self.dx(g, out, x, *y) if type(g) is Tensor else self.dx(g, out.array, x.array, *y)),)

    def raw(self, inputs, attributes):
        return inputs[0], attributes


class Binary(Rule):
    """Two inputs, which are broadcast against each other, and one output."""

    def __init__(self, name: str, kernel: Callable, dx: Callable, dy: Callable) -> None:
        super().__init__(name, kernel)
        self.dx, self.dy = in_its_dtype(dx), in_its_dtype(dy)

    def vjp_arrays(self, g, cts, offset, x, y, out):
        xv, yv = x.array, y.array
        i = x.at - offset
        if i >= 0:
            d = self.dx(g, out.array, xv, yv)
            if d.shape != xv.shape:
                d = sum_to_shape(d, xv.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d
        i = y.at - offset
        if i >= 0:
            d = self.dy(g, out.array, xv, yv)
            if d.shape != yv.shape:
                d = sum_to_shape(d, yv.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp_tensors(self, g, cts, offset, x, y, out):
        i = x.at - offset
        if i >= 0:
            d = self.dx(g, out, x, y)
            if d.array.shape != x.array.shape:
                d = sum_to_shape(d, x.array.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d
        i = y.at - offset
        if i >= 0:
            d = self.dy(g, out, x, y)
            if d.array.shape != y.array.shape:
                d = sum_to_shape(d, y.array.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp(self, g, offset, x, y, out):
        a, b, o = (x, y, out) if type(g) is Tensor else (x.array, y.array, out.array)
        dx = sum_to_shape(self.dx(g, o, a, b), a.shape) if x.at >= offset else None
        dy = sum_to_shape(self.dy(g, o, a, b), b.shape) if self.dy and y.at >= offset else None
        return (x, dx), (y, dy)

    def raw(self, inputs, attributes):
        return inputs

    def tensors(self, x, y):
        return (x, y)


class Many(Rule):
    """Any number of inputs in a tuple, one output; `y` holds the static arguments.

    `vjps` holds one formula `dx(g, out, *attributes, *inputs)` per input (None: no gradient), or is a function from the
    index of an input to its formula.
    """

    def __init__(self, name: str, kernel: Callable, vjps: tuple | Callable) -> None:
        super().__init__(name, kernel)
        self.of = vjps if callable(vjps) else [dx and in_its_dtype(dx) for dx in vjps].__getitem__

    def vjp_arrays(self, g, cts, offset, x, y, out):
        values = *y, *[t.array for t in x]
        for k, t in enumerate(x):
            i = t.at - offset
            if i >= 0 and (dx := self.of(k)):
                d, c = sum_to_shape(dx(g, out.array, *values), t.array.shape), cts[i]
                cts[i] = d if c is None else c + d

    def vjp(self, g, offset, x, y, out):
        values, o = (x, out) if type(g) is Tensor else ([t.array for t in x], out.array)
        return [
            (t, sum_to_shape(dx(g, o, *y, *values), t.array.shape) if t.at >= offset and (dx := self.of(k)) else None)
            for k, t in enumerate(x)
        ]

    def run_kernel(self, arrays, attributes):
        return self.kernel(*attributes, *arrays)


class NoRule(Rule):
    """A primitive without a backward: differentiating it is an error."""

    def __init__(self, name: str, kernel: Callable, because: str) -> None:
        super().__init__(name, kernel)
        self.because = because

    def vjp(self, g, offset, x, y, out):
        raise NoRuleError(
            f"Illegal primitive {self.name}'s bprop not defined: {self.because} "
            f'Give the Cell that calls it a bprop of its own that uses ops which have rules.{users_line()}'
        )


class Plain(Rule):
    """A primitive through which no gradient passes: a comparison, a cast to integers, a rounding."""

    def vjp(self, g, offset, x, y, out):
        return ()


class Shaped(Plain):
    """One whose output does not depend on the values that it is given, but on their shape alone."""


class Leaf(Rule):
    """The identity: a gradient replaced its input x by the leaf out."""

    def vjp(self, g, offset, x, y, out):
        return ((x, g),) if x.at < NOWHERE else ()  # else hidden, inside the takeover that runs


class Parts:
    """The cotangents that have arrived at an entry with several outputs, by the index of the output."""

    __slots__ = ('of',)

    def __init__(self, of: dict) -> None:
        self.of = of

    def __add__(self, other: 'Parts') -> 'Parts':
        return Parts(self.of | other.of)  # an Item adds the cotangents of its own output


class Bundle:
    """The outputs of an entry that has several; an `Item` entry for each follows on the tape."""

    __slots__ = ('at', 'out')

    def __init__(self, out: object, at: int = -1) -> None:
        self.out = out
        self.at = at


class Item(Rule):
    """Output number `y` of the bundle `x`."""

    def vjp(self, g, offset, x, y, out):
        return ((x, Parts({y: g})),)

    def attributes(self, y):
        return (y,)


leaf, item = Leaf('Leaf', None), Item('TupleGetItem', None)
