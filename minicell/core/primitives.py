"""How an op is made from a rule: its operands, playing it forward, putting it on the tape."""

import re
import sys
from collections.abc import Callable

import numpy as np

from . import tape
from .dtype import BY_NUMPY, float32, promote
from .errors import DTypeError, OperandError, ShapeError, article, users_line
from .rules import FAIL, Binary, Bundle, Plain, Rule, Unary, UnaryWith, item
from .tape import hidden, mine, note, place
from .tensor import Tensor, as_array, blank, wrap

getframe = sys._getframe

# ---- operands ------------------------------------------------------------------------------------------------------
# A training loop asks for the same few numbers again: type -> float dtype -> number -> Tensor of rank 0
CONSTANTS, KEPT = {float: {}, int: {}}, 1_000  # at most so many numbers per dtype
FLOAT32 = float32.numpy
AXIS = re.compile(r'(axis -?\d+ is out|no axis|of axes|axes don)')  # an error that speaks of an axis
NUMBERS = (bool, int, float, complex, np.generic)


def constant(number: float, dtype: np.dtype) -> Tensor:
    """A Python number as a Tensor of rank 0."""
    with np.errstate(over='ignore'):
        made = wrap(np.asarray(number).astype(dtype))
    kind = type(number)
    if dtype.kind == 'f' and (kind is int or (kind is float and number)):  # 0.0 and -0.0 are equal as keys
        known = CONSTANTS[kind].setdefault(dtype, {})
        if len(known) < KEPT:
            known[number] = made
    return made


def operand(rule: Rule, value: object, other: np.dtype | None = None) -> Tensor:
    """An op's argument as a Tensor: a number takes the other operand's dtype, unless that would lose its kind."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, NUMBERS):
        if isinstance(value, np.generic):
            value = value.item()
        kind = np.asarray(value).dtype.kind
        floats = 'c' if kind == 'c' else 'fc'
        if other is not None and (other.kind in floats or kind == 'b' or (kind == 'i' and other.kind in 'iu')):
            if kind == 'i' and other.kind in 'iu' and not np.iinfo(other).min <= value <= np.iinfo(other).max:
                raise DTypeError(
                    f'{rule.name}: {value} is no {BY_NUMPY[other]}: write x.astype(minicell.int64) first.{users_line()}'
                )
            return constant(value, other)
        return wrap(as_array(value))
    if isinstance(value, (list, tuple)):
        return Tensor(value)
    raise no_tensor(rule, value, None, 'Tensors and numbers')


def no_tensor(rule: Rule, value: object, frame, due: str = 'a Tensor') -> OperandError:
    """What to say of an argument that is no Tensor, to an op that takes no numbers and no lists."""
    of_numbers = isinstance(value, (np.ndarray, list, tuple, *NUMBERS))  # of anything else no Tensor can be made
    advice = 'write Tensor(...) around it' if of_numbers else 'call it' if callable(value) else 'give its numbers'
    return OperandError(
        f'{rule.name} takes {due}, but got {article(type(value).__name__)}: {advice}.{users_line(frame)}'
    )


def the_tensor(rule: Rule, value: object, frame=None) -> Tensor:
    """The argument of such an op."""
    if not isinstance(value, Tensor):
        raise no_tensor(rule, value, frame)
    return value


def agree(rule: Rule, x: object, y: object, floats: bool = False) -> tuple[Tensor, Tensor]:
    """Both operands as Tensors of one dtype; a Tensor that has to change gets a Cast of its own on the tape."""
    a = operand(rule, x, _beside(y, floats))
    b = operand(rule, y, _beside(a, floats))
    both = promote(a.array.dtype, b.array.dtype)
    if floats and both.kind not in 'fc':
        both = float32.numpy
    frame = getframe(2)
    return (
        a if a.array.dtype == both else cast_to(a, both, frame),
        b if b.array.dtype == both else cast_to(b, both, frame),
    )


def _beside(other: object, floats: bool) -> np.dtype | None:
    """The dtype that a number beside this operand takes: of its own where integers become floats first."""
    if not isinstance(other, Tensor) or (floats and other.array.dtype.kind not in 'fc'):
        return None
    return other.array.dtype


def alike(rule: Rule, x: object, y: object, floats: bool = False) -> tuple[Tensor, Tensor]:
    """Both operands, for an op that takes Tensors of one dtype alone. Raises TypeError for anything else."""
    frame = getframe(2)
    x, y = the_tensor(rule, x, frame), the_tensor(rule, y, frame)
    if x.array.dtype != y.array.dtype:
        raise DTypeError(
            f'{rule.name} takes Tensors of one dtype, but got {x.dtype} and {y.dtype}: write '
            f'y.astype(x.dtype).{users_line(frame)}'
        )
    return x, y


def misfit(rule: Rule, inputs: tuple, error: Exception, frame) -> Exception:
    """What to say when a kernel refused its inputs; also left on the tape of whoever is looking."""
    shapes, why = ' and '.join(str(t.shape) for t in inputs), _why(inputs, error)
    wrong = 'have no such axes' if AXIS.search(why) else 'do not fit'
    said = ShapeError(f'{rule.name}: shapes {shapes} {wrong} ({why}).{users_line(frame)}')
    if hasattr(rule, 'owner') or type(error) is IndexError:  # (of the user's own kernel, the user's own error)
        said = error
        said.add_note(f'{rule.name}: of shapes {shapes}.{users_line(frame)}')
    elif isinstance(error, TypeError) or 'negative integer powers' in str(error):
        dtypes = ' and '.join(BY_NUMPY[t.array.dtype].title for t in inputs)
        said = DTypeError(f'{rule.name} does not take {dtypes}: {error}{users_line(frame)}')
    if tape.looking:
        note(FAIL, rule, said, None, frame)
    return said


def _why(inputs: tuple, error: Exception) -> str:
    if len(inputs) == 2:
        a, b = (t.shape for t in inputs)
        for n in range(1, min(len(a), len(b)) + 1):
            if a[-n] != b[-n] and 1 not in (a[-n], b[-n]) and 'matmul' not in str(error):
                return f'axis {-n} has {a[-n]} against {b[-n]}: they must be equal, or one of them 1'
        if 'matmul' in str(error) and a and b:
            which = 'last but one' if len(b) > 1 else 'only'
            return f'the last axis of the first, {a[-1]}, must be the {which} axis of the second, {b[-2:][0]}'
    return str(error)


def refuse_dtype(rule: Rule, x: Tensor, frame) -> None:
    """For ops on floats alone."""
    raise DTypeError(
        f'{rule.name} works on floats, but got {article(x.dtype)} Tensor: write x.astype(minicell.float32).'
        f'{users_line(frame)}'
    )


# ---- played forward ------------------------------------------------------------------------------------------------


def unary(name: str, kernel: Callable, dx: Callable, floats: bool = False, divides: bool = False) -> Callable:
    """An op of one Tensor. `dx(g, out, x)` is its rule; `floats`: it refuses integers and bools; `divides`: it does
    not, but makes them Float32 first, as a division does.
    """
    rule = Unary(name, kernel, dx)
    floats = floats or divides

    def op(input):
        try:
            value, at = input.array, input.at
        except AttributeError:
            raise no_tensor(rule, input, getframe(1)) from None
        if floats and value.dtype is not FLOAT32 and value.dtype.kind not in 'fc':
            if not divides:
                refuse_dtype(rule, input, getframe(1))
            input = cast_to(input, float32.numpy, getframe(1))
            value = input.array
        out = blank()
        out.array = kernel(value)
        if at < tape.start:
            out.at = -1
            if tape.looking:
                note(rule, input, (), out, getframe(1))
        elif at < tape.hidden_from:
            try:
                out.at = mine.tick()
            except AttributeError:
                out.at = hidden(rule, input, (), out, at, getframe(1))
            else:
                f = getframe(1)
                tape.record((rule, input, (), out, f.f_code, f.f_lasti))
        elif at >= tape.silent_from:
            out.at = tape.hidden_address
        else:
            out.at = hidden(rule, input, (), out, at, getframe(1))
        return out

    return named(op, rule)


def binary(
    name: str,
    kernel: Callable,
    dx: Callable | None,
    dy: Callable | None,
    floats: bool = False,
    align: Callable = agree,
) -> Callable:
    """An op of two Tensors (or a Tensor and a number). `dx(g, out, x, y)`, `dy`: its rules; None: it ends gradients.

    `floats`: what is no float becomes Float32 first, as in a division of integers. `align` makes Tensors of one dtype
    of two operands that are not. The op's own parameter `up` says how many frames away the caller is, for `1 - x`.
    """
    rule = Binary(name, kernel, dx, dy) if dx else Plain(name, kernel)
    ends = dx is None
    constants = CONSTANTS if align is agree else {}

    def op(input, other, up=1):  # (by keyword alone would cost an operator a twentieth)
        if type(other) is not Tensor and type(other) in constants:
            try:
                other = constants[type(other)][input.array.dtype][other]
            except (KeyError, AttributeError):
                input, other = align(rule, input, other, floats)
        try:
            xv, yv = input.array, other.array
            fit = xv.dtype is yv.dtype and not (floats and xv.dtype.kind not in 'fc')
        except AttributeError:
            fit = False
        if not fit:
            input, other = align(rule, input, other, floats)
            xv, yv = input.array, other.array
        out = blank()
        try:
            out.array = kernel(xv, yv)
        except (ValueError, TypeError) as error:
            raise misfit(rule, (input, other), error, getframe(up)) from None
        at = input.at
        if other.at > at:
            at = other.at
        if at < tape.start or ends:
            out.at = -1
            if tape.looking:
                note(rule, (input, other) if ends else input, () if ends else other, out, getframe(up))
        elif at < tape.hidden_from:
            try:
                out.at = mine.tick()
            except AttributeError:
                out.at = hidden(rule, input, other, out, at, getframe(up))
            else:
                f = getframe(up)
                tape.record((rule, input, other, out, f.f_code, f.f_lasti))
        elif at >= tape.silent_from and not tape.start <= input.at + other.at - at < tape.silent_from:
            out.at = tape.hidden_address
        else:
            out.at = hidden(rule, input, other, out, at, getframe(up))
        return out

    return named(op, rule)


def reflected(op: Callable) -> Callable:
    """`1 - x` calls x.__rsub__(1)."""
    kernel = op.rule.kernel

    def of(y, x):
        try:
            x = CONSTANTS[type(x)][y.array.dtype][x]
        except (KeyError, TypeError):  # not at hand, or no number: op takes care of it
            return op(x, y, up=2)
        if y.at >= tape.start or tape.looking:
            return op(x, y, up=2)
        out = blank()
        out.array = kernel(x.array, y.array)
        out.at = -1
        return out

    return of


def place_several(rule: Rule, x: object, y: object, out: object, floats: list[Tensor], at: int, frame) -> None:
    """Give the float outputs of an op that has several their addresses: one entry for all, and an Item for each."""
    bundle = Bundle(out, -1)
    if at >= tape.NOWHERE:  # of a gradient that is over, perhaps: a constant by now
        at = tape.address(*rule.tensors(x, y))
    if at < tape.start or not floats:
        if tape.looking:
            note(rule, x, y, bundle, frame)
    elif at < tape.hidden_from and hasattr(mine, 'tick'):
        bundle.at = tape.tick()
        tape.record((rule, x, y, bundle, frame.f_code, frame.f_lasti))
        for k, t in enumerate(floats):
            t.at = tape.tick()
            tape.record((item, bundle, k, t, frame.f_code, frame.f_lasti))
    else:
        address = hidden(rule, x, y, bundle, at, frame)
        for t in floats:
            t.at = address


def apply(rule: Rule, x: Tensor, attributes: tuple, frame) -> Tensor:
    """A unary rule with static arguments, called at `frame`."""
    if not isinstance(x, Tensor):
        raise no_tensor(rule, x, frame)
    try:
        value = rule.kernel(x.array, *attributes)
    except (ValueError, IndexError) as error:
        raise misfit(rule, (x,), error, frame) from None
    return place(rule, x, attributes, wrap(value), x.at, frame)


def apply_many(rule: Rule, inputs: tuple, attributes: tuple, frame) -> Tensor:
    """A rule of any number of inputs, called at `frame`."""
    try:
        value = rule.kernel(*attributes, *[t.array for t in inputs])
    except (ValueError, IndexError) as error:
        raise misfit(rule, inputs, error, frame) from None
    at = max([t.at for t in inputs], default=-1)
    return place(rule, inputs, attributes, wrap(value), at, frame)


def plain(name: str, kernel: Callable) -> Callable:
    """An op of one operand that ends every gradient."""
    rule = Plain(name, kernel)
    return named(lambda input: apply_plain(rule, (the_tensor(rule, input, getframe(1)),), getframe(1)), rule)


def apply_plain(rule: Plain, inputs: tuple, frame, *attributes: object) -> Tensor:
    """A primitive that ends every gradient."""
    try:
        out = wrap(rule.kernel(*[t.array for t in inputs], *attributes))
    except ValueError as error:
        raise misfit(rule, inputs, error, frame) from None
    if tape.looking:
        note(rule, inputs, attributes, out, frame)
    return out


def named(op: Callable, rule: Rule) -> Callable:
    """An op bears its primitive's name, for a traceback and for `help`."""
    op.__name__ = op.__qualname__ = rule.name
    op.rule = rule
    return op


def on_both(op: Callable, kernel: Callable | None = None) -> Callable:
    """For formulas: the op where the first argument is a Tensor, its kernel where it is an array."""
    kernel = kernel or op.rule.kernel
    return lambda g, *rest: op(g, *rest) if isinstance(g, Tensor) else kernel(g, *rest)


# ---- casts: here, because promotion needs them ---------------------------------------------------------------------

CAST = UnaryWith('Cast', lambda x, dtype: x.astype(dtype), lambda g, out, x, dtype: g.astype(x.dtype))
CUT = Plain('Cast', lambda x, dtype: x.astype(dtype))


def cast_to(x: Tensor, dtype: np.dtype, frame=None) -> Tensor:
    """x in another dtype; a gradient passes between floats, and only there."""
    if dtype.kind in 'fc' and x.array.dtype.kind in 'fc':
        return apply(CAST, x, (dtype,), frame or getframe(2))
    if x.array.dtype.kind in 'iub':
        return apply_plain(CUT, (x,), frame or getframe(2), dtype)
    with np.errstate(invalid='ignore'):  # a NaN has no integer
        return apply_plain(CUT, (x,), frame or getframe(2), dtype)
