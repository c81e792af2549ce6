"""Rules: what an entry of the tape knows about the way back.

A rule's formulas (`dx`, `dy`) are written once, in plain operators. On arrays they give numbers. On Tensors their own
operators go on the tape, so that the gradient can be differentiated again. `vjp` returns a cotangent for each input;
`vjp_arrays` and `vjp_tensors` add it to `cts` instead, the cotangents by address, from the address `mark` on. The rules
that run most often write these two out: with the general one alone, grad(grad) takes 12 % longer.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from .errors import NoRuleError, users_line
from .tape import NOWHERE
from .tensor import Tensor


class Marker:
    """What stands in the place of a rule in a note: an entry that only tells what happened."""

    def __init__(self, name: str) -> None:
        self.name = name


NOTES = ['enter', 'leave', 'begin', 'back', 'pull', 'give', 'end', 'fail', 'write', 'report', 'step', 'stepped']
ENTER, LEAVE, BEGIN, BACK, PULL, GIVE, END, FAIL, WRITE, REPORT, STEP, STEPPED = map(Marker, NOTES)


def fit(g, shape: tuple[int, ...]):
    """Sum a gradient (array or Tensor) down to the shape that was broadcast."""
    extra = g.ndim - len(shape)
    if extra:
        axes = tuple(range(extra))
        g = g.sum(axes) if type(g) is Tensor else np.add.reduce(g, axes)
    if g.shape != shape:
        axes = tuple([i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1])
        g = g.sum(axes, keepdims=True)
    return g


class Rule:
    """What every primitive has: a name, a kernel on arrays, and (but for those that end a gradient) a way back."""

    def __init__(self, name: str, kernel: Callable) -> None:
        self.name = name
        self.kernel = kernel

    def title(self, entry: tuple) -> str:
        """How a sentence calls this entry."""
        return self.name

    def tensors(self, x: object, y: object) -> tuple:
        """The Tensors among an entry's inputs."""
        return (x,)

    def attributes(self, y: object) -> tuple:
        """The static arguments of an entry."""
        return y

    def raw(self, inputs: tuple, attributes: tuple) -> tuple:
        """The x and y of an entry, from its inputs and static arguments."""
        return inputs, attributes

    def play(self, arrays: list, attributes: tuple) -> object:
        """The kernel's result."""
        return self.kernel(*arrays, *attributes)

    def back(self, g: object, inputs: tuple, attributes: tuple, out: Tensor) -> tuple:
        """`vjp` for an entry that is not on a tape: (input, gradient) pairs for all inputs."""
        return self.vjp(g, -NOWHERE, *self.raw(inputs, attributes), out)

    def values_read(self, entry: tuple) -> list:
        """The arrays that the way back reads."""
        return []

    def vjp_tensors(self, g, cts: list, mark: int, x: object, y: object, out: object) -> None:
        """Add to `cts` what each input gets."""
        for t, d in self.vjp(g, mark, x, y, out):
            i = t.at - mark
            if d is not None and i >= 0:
                c = cts[i]
                cts[i] = d if c is None else c + d

    vjp_arrays = vjp_tensors


class Unary(Rule):
    """One Tensor in, one out."""

    def __init__(self, name: str, kernel: Callable, dx: Callable) -> None:
        super().__init__(name, kernel)
        self.dx = dx

    def vjp_arrays(self, g, cts, mark, x, y, out):
        i = x.at - mark
        if i >= 0:
            d = self.dx(g, out.array, x.array)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp_tensors(self, g, cts, mark, x, y, out):
        i = x.at - mark
        if i >= 0:
            d = self.dx(g, out, x)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp(self, g, mark, x, y, out):
        return ((x, self.dx(g, out, x) if type(g) is Tensor else self.dx(g, out.array, x.array)),)

    def raw(self, inputs, attributes):
        return inputs[0], attributes

    def values_read(self, entry):
        return _values(self.dx, entry[3], (entry[1],))


class UnaryWith(Unary):
    """The same with static arguments, which stand in `y`."""

    def vjp_arrays(self, g, cts, mark, x, y, out):
        i = x.at - mark
        if i >= 0:
            d = self.dx(g, out.array, x.array, *y)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp_tensors(self, g, cts, mark, x, y, out):
        i = x.at - mark
        if i >= 0:
            d = self.dx(g, out, x, *y)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp(self, g, mark, x, y, out):
        return ((x, self.dx(g, out, x, *y) if type(g) is Tensor else self.dx(g, out.array, x.array, *y)),)


class Binary(Rule):
    """Two Tensors in, broadcast against each other, one out."""

    def __init__(self, name: str, kernel: Callable, dx: Callable, dy: Callable) -> None:
        super().__init__(name, kernel)
        self.dx = dx
        self.dy = dy

    def vjp_arrays(self, g, cts, mark, x, y, out):
        xv, yv = x.array, y.array
        i = x.at - mark
        if i >= 0:
            d = self.dx(g, out.array, xv, yv)
            if d.shape != xv.shape:
                d = fit(d, xv.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d
        i = y.at - mark
        if i >= 0:
            d = self.dy(g, out.array, xv, yv)
            if d.shape != yv.shape:
                d = fit(d, yv.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp_tensors(self, g, cts, mark, x, y, out):
        i = x.at - mark
        if i >= 0:
            d = self.dx(g, out, x, y)
            if d.array.shape != x.array.shape:
                d = fit(d, x.array.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d
        i = y.at - mark
        if i >= 0:
            d = self.dy(g, out, x, y)
            if d.array.shape != y.array.shape:
                d = fit(d, y.array.shape)
            c = cts[i]
            cts[i] = d if c is None else c + d

    def vjp(self, g, mark, x, y, out):
        a, b, o = (x, y, out) if type(g) is Tensor else (x.array, y.array, out.array)
        dx = fit(self.dx(g, o, a, b), a.shape) if x.at >= mark else None
        dy = fit(self.dy(g, o, a, b), b.shape) if y.at >= mark else None
        return (x, dx), (y, dy)

    def raw(self, inputs, attributes):
        return inputs

    def tensors(self, x, y):
        return (x, y)

    def attributes(self, y):
        return ()

    def values_read(self, entry):
        _, x, y, out, _, _ = entry
        return [v for d, t in ((self.dx, x), (self.dy, y)) if t.at >= 0 for v in _values(d, out, (x, y))]


class Many(Rule):
    """Any number of Tensors in (a tuple), one out; `y` holds the static arguments.

    `vjps` has one function an input (None: no gradient), or is a function from the input's number to that function:
    `dx(g, out, *attributes, *inputs)`.
    """

    def __init__(self, name: str, kernel: Callable, vjps: tuple | Callable) -> None:
        super().__init__(name, kernel)
        self.of = vjps if callable(vjps) else vjps.__getitem__

    def vjp_arrays(self, g, cts, mark, x, y, out):
        values = (*y, *[t.array for t in x])
        for k, t in enumerate(x):
            i = t.at - mark
            if i >= 0 and (dx := self.of(k)):
                d = dx(g, out.array, *values)
                if d.shape != t.array.shape:
                    d = fit(d, t.array.shape)
                c = cts[i]
                cts[i] = d if c is None else c + d

    def vjp(self, g, mark, x, y, out):
        values, o = (x, out) if type(g) is Tensor else ([t.array for t in x], out.array)
        return [
            (t, fit(dx(g, o, *y, *values), t.array.shape) if t.at >= mark and (dx := self.of(k)) else None)
            for k, t in enumerate(x)
        ]

    def tensors(self, x, y):
        return x

    def play(self, arrays, attributes):
        return self.kernel(*attributes, *arrays)

    def values_read(self, entry):
        _, x, y, out, _, _ = entry
        return [v for k, t in enumerate(x) if t.at >= 0 and (dx := self.of(k)) for v in _values(dx, out, x, len(y))]


class NoRule(Rule):
    """A primitive whose backward nobody has written; `of` says what it belongs to."""

    def __init__(self, name: str, kernel: Callable, because: str) -> None:
        super().__init__(name, kernel)
        self.because = because

    def vjp(self, g, mark, x, y, out):
        raise NoRuleError(
            f"Illegal primitive {self.name}'s bprop not defined: {self.because} "
            f'Give the Cell that calls it a bprop of its own that uses ops which have rules.{users_line()}'
        )

    def tensors(self, x, y):
        return x


class Plain(Rule):
    """A primitive that ends every gradient: its output is no float, or no function of the values (`zeros_like`)."""

    def tensors(self, x, y):
        return x

    def back(self, g, inputs, attributes, out):
        return ()


class Leaf(Rule):
    """x entered a gradient as out: the identity."""

    def __init__(self) -> None:
        super().__init__('Leaf', None)

    def vjp(self, g, mark, x, y, out):
        return ((x, g),)


class Parts:
    """The cotangents of an entry with several outputs, as far as they have arrived."""

    __slots__ = ('of',)

    def __init__(self, of: dict) -> None:
        self.of = of

    def __add__(self, other: 'Parts') -> 'Parts':
        return Parts(self.of | other.of)  # each output has one address, so that no number arrives twice


class Bundle:
    """What an entry with several outputs leaves on the tape; each output then is an `Item` of it."""

    __slots__ = ('at', 'out')

    def __init__(self, out: object, at: int) -> None:
        self.out = out
        self.at = at


class Item(Rule):
    """Output number `y` of the bundle `x`."""

    def __init__(self) -> None:
        super().__init__('TupleGetItem', None)

    def vjp(self, g, mark, x, y, out):
        return ((x, Parts({y: g})),)

    def attributes(self, y):
        return (y,)


leaf, item = Leaf(), Item()


def _values(formula: Callable, out: Tensor, inputs: tuple, attributes: int = 0) -> list:
    """The arrays among out and the inputs that a formula reads: its parameters are g, out, attributes, inputs."""
    code = formula.__code__
    names, read = code.co_varnames, reads(formula)
    if code.co_flags & 0x04 and names[code.co_argcount] in read:
        return [t.array for t in inputs]
    pairs = zip((names[1], *names[2 + attributes : code.co_argcount]), (out, *inputs), strict=False)
    return [t.array for name, t in pairs if name in read]


@lru_cache(maxsize=4096)
def reads(function: Callable) -> frozenset[str]:
    """The parameters whose *values* a rule reads (naming `x.shape` or `x.dtype` is no reading), found in its own code.

    >>> reads(lambda g, out, x, y: g * y) == {'g', 'y'}, reads(lambda g, out, x: g.reshape(x.shape)) == {'g'}
    (True, True)
    """
    import dis  # needed only once a write has happened

    code = function.__code__
    parameters = frozenset(code.co_varnames[: code.co_argcount + bool(code.co_flags & 0x04)])
    if code.co_cellvars:  # a nested function reads some of them
        return parameters
    found, last = set(), []
    for step in dis.get_instructions(code):
        if last and not (step.opname == 'LOAD_ATTR' and step.argval in ('shape', 'dtype')):
            found.update(last)
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        last = list(names) if step.opname.startswith('LOAD_FAST') else []
        found.update(last[:-1])
        last = last[-1:]
    return parameters & found
