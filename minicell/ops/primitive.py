"""Primitive: the base of MindSpore's operator classes, and of primitives of one's own; and ops that keep something."""

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from operator import attrgetter
from types import MappingProxyType

import numpy as np

from ..core import tape
from ..core.dtype import BY_NUMPY, FLOAT16, DType
from ..core.errors import NoRuleError, article, plural, users_line
from ..core.primitives import apply_many, cast_to, check_tensor, getframe, misfit, operand, refuse_dtype
from ..core.rules import Many, Rule
from ..core.tape import place
from ..core.tensor import Tensor, frozen, lend, wrap
from ..errors import PrimitiveError
from .checks import must


class Primitive:
    """The base of operators: `ops.ReLU()` makes one, and calling it is the op.

    For a primitive of your own, write its kernel on NumPy arrays and its rule: the cotangent of each input, from the
    cotangent g of out. In plain operators, the rule serves every order of gradient. Without a rule, it has no gradient.

    >>> class Cube(ms.ops.Primitive):
    ...     def kernel(self, x):
    ...         return x * x * x
    ...     def rule(self, g, out, x):
    ...         return (g * 3 * x * x,)
    >>> cube = Cube()
    >>> print(cube(ms.Tensor(2.0)), ms.grad(cube)(ms.Tensor(2.0)), ms.grad(ms.grad(cube))(ms.Tensor(2.0)))
    8.0 12.0 12.0
    """

    # The call goes straight to the function, with no Python frame between, so that the tape sees the caller's own line.
    __call__ = property(attrgetter('function'))
    kernel: Callable | None = None
    rule: Callable | None = None
    settings: Mapping[str, object] = MappingProxyType({})  # what is printed

    @property
    def name(self) -> str:
        """The primitive's name."""
        return type(self).__name__

    @cached_property
    def function(self) -> Callable:
        """What a call runs; here for a primitive of one's own."""
        due = 'write `def kernel(self, x): ...`, from NumPy arrays to a NumPy array'
        must(self.kernel is not None, PrimitiveError, f'{self.name} has no kernel: {due}')
        rule = OwnRule(self)

        def op(*inputs):
            return apply_many(rule, tuple(operand(rule, x) for x in inputs), (), getframe(1))

        return op

    def __repr__(self) -> str:
        said = ', '.join(f'{name}={value}' for name, value in self.settings.items())
        return f'Prim[{self.name}]<{said}>' if said else f'Prim[{self.name}]'


def primitive(name: str, op: Callable, doc: str = '', init: Callable | None = None) -> type[Primitive]:
    """A class for an op: of no settings, or of those that `init` takes, which then makes the function."""
    doc = doc or f'The op {name} as a class: `ops.{name}()` makes an operator, and calling it is the op.'
    made = {'function': staticmethod(op)} if init is None else {'__init__': init}
    return type(name, (Primitive,), made | {'__doc__': doc, '__module__': 'minicell.ops'})


class OwnRule(Rule):
    """The rule of a primitive that the user wrote: held to what a bprop is held to."""

    def __init__(self, owner: Primitive) -> None:
        super().__init__(owner.name, self.run)
        self.owner = owner

    def run(self, *arrays: np.ndarray) -> np.ndarray:
        """The user's kernel on what is lent to it; what it returns of that is copied."""
        value = self.owner.kernel(*map(frozen, arrays))
        if getattr(value, 'dtype', None) not in BY_NUMPY:
            got = article(str(getattr(value, 'dtype', type(value).__name__)))
            said = f'{self.name}.kernel returned {got}: return a NumPy array of numbers, such as np.array(..., x.dtype)'
            raise PrimitiveError(f'{said}.{users_line()}')
        return np.array(value)

    def vjp(self, g, offset, x, y, out):
        name = self.name
        due = 'Write `def rule(self, g, out, ...)`: one cotangent for each input'
        said = f"Illegal primitive {name}'s bprop not defined: {name} has a kernel and no rule. {due}"
        must(self.owner.rule is not None, NoRuleError, said)
        if isinstance(g, Tensor):
            given = self.owner.rule(*[t if t.at >= tape.recorded_from else lend(t) for t in (g, out, *x)])
        else:
            given = self.owner.rule(*map(frozen, (g, out.array, *[t.array for t in x])))
        if not isinstance(given, (tuple, list)) or len(given) != len(x):
            got = plural(len(given), 'cotangent') if isinstance(given, (tuple, list)) else article(type(given).__name__)
            due = 'return a tuple, one cotangent an input'
            raise PrimitiveError(f'{name}.rule returned {got} for {plural(len(x), "input")}: {due}.{users_line()}')
        given = [self._cotangent(k, t, d, isinstance(g, Tensor)) for k, (t, d) in enumerate(zip(x, given, strict=True))]
        return [(t, d if t.at >= offset else None) for t, d in zip(x, given, strict=True)]

    def _cotangent(self, k: int, t: Tensor, d: object, on_tensors: bool) -> object:
        """What the rule returned for input k, in the input's dtype, or an error."""
        if d is None:
            return None
        numbers = d.array if isinstance(d, Tensor) else np.asarray(d)
        if numbers.dtype.kind not in 'fiu' or numbers.shape != t.shape or not (isinstance(d, Tensor) or not on_tensors):
            got = f'{article(type(d).__name__)} of {numbers.dtype} and shape {numbers.shape} for input {k}'
            due = f'return {"a Tensor" if on_tensors else "an array"} of real numbers and shape {t.shape}'
            raise PrimitiveError(f'{self.name}.rule returned {got}: {due}.{users_line()}')
        if on_tensors:
            return d if d.dtype is t.dtype else cast_to(d, t.array.dtype)
        return numbers.astype(t.array.dtype)  # a copy: the rule may keep it, and use it again


def floats(rule: Rule, x: object, frame=None) -> Tensor:
    """The argument of an op that takes a Tensor of real floats."""
    if check_tensor(rule, x, frame).array.dtype.kind != 'f':
        refuse_dtype(rule, x, frame)
    return x


def in_dtype(dtype: DType | None, x: Tensor) -> Tensor:
    """x in the dtype that an op was given, if it was given one: the op's caller is at the cast."""
    return x if dtype is None else cast_to(x, dtype.numpy, getframe(2))


# ---- sums of many numbers: of Float16 in Float32, or what is small would be rounded away -----------------------------


def in_float32(formula: Callable) -> Callable:
    """A kernel, or a formula, that adds up: it runs on Float32 where it gets arrays of Float16."""

    @wraps(formula)
    def run(x, *rest):
        if x.dtype is not FLOAT16:  # (a Tensor's ops do this each)
            return formula(x, *rest)
        with np.errstate(over='ignore'):
            wide = [v.astype(np.float32) if getattr(v, 'dtype', None) is FLOAT16 else v for v in (x, *rest)]
            return formula(*wide).astype(FLOAT16)

    return run


def add_up(x: np.ndarray, axis: tuple | int | None = None, keepdims: bool = False) -> np.ndarray:
    """The sum of an array."""
    return add_halves(x, axis, keepdims) if x.dtype is FLOAT16 else np.add.reduce(x, axis, None, None, keepdims)


add_halves = in_float32(add_up)

# ---- ops whose kernel keeps something for the way back: the softmax of a loss, the columns of a convolution ----------


class Saving(Many):
    """Any number of Tensors in, one out; `keeping(*attributes, *arrays)` gives the output and what to keep.

    Formulas are `dx(g, out, *attributes, kept, *inputs)`. What was kept are bare numbers that know nothing of their
    derivatives, so that a formula which runs on Tensors computes it again, or says what it is; from a graph it is None.
    """

    def __init__(self, name: str, keeping: Callable, vjps: tuple) -> None:
        super().__init__(name, lambda *inputs: keeping(*inputs)[0], vjps)
        self.keeping = keeping

    def raw(self, inputs, attributes):
        return inputs, (*attributes, None)

    def attributes(self, y):
        return y[:-1]


def apply_saving(rule: Saving, inputs: tuple, attributes: tuple, frame) -> Tensor:
    """Play such a rule forward, called at `frame`."""
    try:
        value, kept = rule.keeping(*attributes, *[t.array for t in inputs])
    except ValueError as error:
        raise misfit(rule, inputs, error, frame) from None
    return place(rule, inputs, (*attributes, kept), wrap(value), max([t.at for t in inputs]), frame)
