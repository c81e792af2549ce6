"""How an op is made from a rule: it converts its operands, runs the kernel, and records an entry if one is wanted.

Where nobody wants a gradient, an op pays 260 ns (of one Tensor) or 350 ns (of two) on top of NumPy's own 340 ns: for a
look at its operands, a Tensor for the result, and one comparison. (`.github/cost.py` measures it.)
"""

import re
import sys
from collections.abc import Callable

import numpy as np

from . import tape
from .dtype import BY_NUMPY, float32, promote
from .errors import DTypeError, OperandError, ShapeError, article, users_line, why_refused
from .rules import FAIL, Binary, Bundle, NoRule, Plain, Rule, Shaped, Unary, item
from .tape import note, place, place_hidden
from .tensor import Tensor, as_array, blank, wrap
from .trap import mine

getframe = sys._getframe

# ---- operands ------------------------------------------------------------------------------------------------------
# A training loop uses the same few numbers again and again: type -> float dtype -> number -> Tensor of rank 0
CONSTANTS, KEPT = {float: {}, int: {}}, 1_000  # at most so many per type and dtype
FLOAT32 = float32.numpy
AXIS = r'axis -?\d+ is out|no axis|of axes|axes don'  # an error about an axis
NUMBERS = (bool, int, float, complex, np.generic)


def constant(number: float, dtype: np.dtype) -> Tensor:
    """A Python number as a Tensor of rank 0."""
    with np.errstate(over='ignore'):
        made = wrap(np.asarray(number).astype(dtype))
    kind = type(number)
    if dtype.kind == 'f' and (kind is int or (kind is float and number)):  # 0.0 and -0.0 are equal as keys
        cache = CONSTANTS[kind].setdefault(dtype, {})
        if len(cache) < KEPT:
            made.array.setflags(False)  # a Tape shows it
            cache[number] = made
    return made


def operand(rule: Rule, value: object, other: np.dtype | None = None) -> Tensor:
    """An op's argument as a Tensor: a number gets the dtype of the other operand, if it is of that kind."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, NUMBERS):
        if isinstance(value, np.generic):
            value = value.item()
        kind = np.asarray(value).dtype.kind
        floats = 'c' if kind == 'c' else 'fc'
        if other is not None and (other.kind in floats or kind == 'b' or (kind == 'i' and other.kind in 'iu')):
            if kind == 'i' and other.kind in 'iu' and not np.iinfo(other).min <= value <= np.iinfo(other).max:
                advice = 'write x.astype(minicell.int64) first'
                raise DTypeError(f'{rule.name}: {value} is no {BY_NUMPY[other]}: {advice}.{users_line()}')
            return constant(value, other)
        return wrap(as_array(value))
    if isinstance(value, (list, tuple)):
        return Tensor(value)
    raise not_a_tensor(rule, value, None, 'Tensors and numbers')


def not_a_tensor(rule: Rule, value: object, frame, takes: str = 'a Tensor') -> OperandError:
    """The error for an argument that is not a Tensor."""
    of_numbers = isinstance(value, (np.ndarray, list, tuple, *NUMBERS))  # Tensor(value) works for these alone
    advice = 'write Tensor(...) around it' if of_numbers else 'call it' if callable(value) else 'give its numbers'
    got = article(type(value).__name__)
    return OperandError(f'{rule.name} takes {takes}, but got {got}: {advice}.{users_line(frame)}')


def check_tensor(rule: Rule, value: object, frame=None) -> Tensor:
    """The argument of an op that takes Tensors only."""
    if not isinstance(value, Tensor):
        raise not_a_tensor(rule, value, frame)
    return value


def promoted(rule: Rule, x: object, y: object, floats: bool = False) -> tuple[Tensor, Tensor]:
    """Both operands as Tensors of one dtype. A Tensor whose dtype changes is cast, with an entry on the tape."""
    taken = 'fc' if floats else 'fciub'  # a number beside another dtype takes its own
    beside = lambda t: t.array.dtype if isinstance(t, Tensor) and t.array.dtype.kind in taken else None
    a = operand(rule, x, beside(y))
    b = operand(rule, y, beside(a))
    both = a.array.dtype if a.array.dtype == b.array.dtype else promote(a.array.dtype, b.array.dtype)
    both = both if both.kind in taken else float32.numpy
    frame = getframe(2)
    return (
        a if a.array.dtype == both else cast_to(a, both, frame),
        b if b.array.dtype == both else cast_to(b, both, frame),
    )


def misfit(rule: Rule, inputs: tuple, error: Exception, frame) -> Exception:
    """The error for inputs that a kernel refused; an open Tape records it."""
    shapes, why = ' and '.join(str(t.shape) for t in inputs), why_refused([t.shape for t in inputs], error)
    wrong = 'have no such axes' if re.search(AXIS, why) else 'do not fit'
    said = ShapeError(f'{rule.name}: shapes {shapes} {wrong} ({why}).{users_line(frame)}')
    if hasattr(rule, 'owner') or type(error) is IndexError:  # (a kernel of the user's raises the user's own error)
        said = error
        said.add_note(f'{rule.name}: of shapes {shapes}.{users_line(frame)}')
    elif isinstance(error, TypeError) or 'negative integer powers' in str(error):
        dtypes = ' and '.join(BY_NUMPY[t.array.dtype].title for t in inputs)
        said = DTypeError(f'{rule.name} does not take {dtypes}: {error}{users_line(frame)}')
    if tape.looking:
        note(FAIL, rule, said, None, frame)
    return said


def refuse_dtype(rule: Rule, x: Tensor, frame) -> None:
    """Raise for an op that takes floats only."""
    got = f'{article(x.dtype)} Tensor: write x.astype(minicell.float32)'
    raise DTypeError(f'{rule.name} works on floats, but got {got}.{users_line(frame)}')


# ---- forward -------------------------------------------------------------------------------------------------------


def unary(name: str, kernel: Callable, dx: Callable, floats: bool = False, divides: bool = False) -> Callable:
    """An op of one Tensor, with the rule dx(g, out, x).

    floats: it refuses integers and Bools; divides: it converts them to Float32, as a division does.
    """
    kernel = (rule := Unary(name, kernel, dx)).kernel
    floats = floats or divides

    def op(input):
        try:
            value, at = input.array, input.at
        except AttributeError:
            raise not_a_tensor(rule, input, getframe(1)) from None
        if floats and value.dtype is not FLOAT32 and value.dtype.kind not in 'fc':
            if not divides:
                refuse_dtype(rule, input, getframe(1))
            input = cast_to(input, float32.numpy, getframe(1))
            value = input.array
        out = blank()
        try:
            out.array = kernel(value)
        except (ValueError, TypeError) as error:
            raise misfit(rule, (input,), error, getframe(1)) from None
        if at < tape.recorded_from:
            out.at = -1
            if tape.looking:
                note(rule, input, (), out, getframe(1))
        elif at < tape.hidden_from:
            f = getframe(1)
            try:
                out.at = mine.tick()
                tape.record((rule, input, (), out, f.f_code, f.f_lasti))
            except AttributeError:  # in another thread
                out.at = place_hidden(rule, input, (), out, at, f)
        elif at >= tape.trusted_from:
            out.at = tape.hidden_address
        else:
            out.at = place_hidden(rule, input, (), out, at, getframe(1))
        return out

    return named(op, rule)


def binary(
    name: str,
    kernel: Callable,
    dx: Callable | None,
    dy: Callable | None,
    floats: bool = False,
    convert: Callable = promoted,
) -> Callable:
    """An op of two Tensors, or a Tensor and a number. Its rules are dx(g, out, x, y) and dy; None: no gradient passes.

    floats: integers and Bools become Float32, as in a division. convert: makes two Tensors of one dtype from other
    operands. The parameter `up` of the op says how many frames up the user's line is: 1, or 2 for `1 - x`.
    """
    kernel = (rule := Binary(name, kernel, dx, dy) if dx else Plain(name, kernel)).kernel
    no_gradient = dx is None
    constants = CONSTANTS if convert is promoted else {}  # {}: it takes no numbers

    def op(input, other, up=1):  # (as a keyword-only parameter, `up` would cost an operator 5 %)
        if type(other) is not Tensor and type(other) in constants:
            try:
                other = constants[type(other)][input.array.dtype][other]
            except (KeyError, AttributeError):
                input, other = convert(rule, input, other, floats)
        try:
            xv, yv = input.array, other.array
            ready = xv.dtype is yv.dtype and not (floats and xv.dtype.kind not in 'fc')
        except AttributeError:
            ready = False
        if not ready:
            input, other = convert(rule, input, other, floats)
            xv, yv = input.array, other.array
        out = blank()
        try:
            out.array = kernel(xv, yv)
        except (ValueError, TypeError) as error:
            raise misfit(rule, (input, other), error, getframe(up)) from None
        at = input.at
        if other.at > at:
            at = other.at
        if at < tape.recorded_from or no_gradient:
            out.at = -1
            if tape.looking:
                note(rule, *(((input, other), ()) if no_gradient else (input, other)), out, getframe(up))
        elif at < tape.hidden_from:
            f = getframe(up)
            try:
                out.at = mine.tick()
                tape.record((rule, input, other, out, f.f_code, f.f_lasti))
            except AttributeError:  # in another thread
                out.at = place_hidden(rule, input, other, out, at, f)
        # (unless the other operand, with the smaller address, is a captured value)
        elif at >= tape.trusted_from and not tape.recorded_from <= input.at + other.at - at < tape.trusted_from:
            out.at = tape.hidden_address
        else:
            out.at = place_hidden(rule, input, other, out, at, getframe(up))
        return out

    return named(op, rule)


def place_several(rule: Rule, x: object, y: object, out: object, floats: list[Tensor], at: int, frame) -> None:
    """Record an op with several outputs: one entry for all of them, and an Item for each float output."""
    bundle = place(rule, x, y, Bundle(out), at if floats else -1, frame)
    recorded = tape.recorded_from <= bundle.at < tape.NOWHERE
    for k, t in enumerate(floats):
        t.at = tape.tick() if recorded else bundle.at
        if recorded:
            tape.record((item, bundle, k, t, frame.f_code, frame.f_lasti))


def apply(rule: Rule, x: Tensor, attributes: tuple, frame) -> Tensor:
    """The output of a rule with one input and static arguments; `frame` is the caller's."""
    if not isinstance(x, Tensor):
        raise not_a_tensor(rule, x, frame)
    try:
        value = rule.kernel(x.array, *attributes)
    except (ValueError, IndexError) as error:
        raise misfit(rule, (x,), error, frame) from None
    return place(rule, x, attributes, wrap(value), x.at, frame)


def apply_many(rule: Rule, inputs: tuple, attributes: tuple, frame) -> Tensor:
    """The output of a rule with any number of inputs; `frame` is the caller's."""
    try:
        value = rule.kernel(*attributes, *[t.array for t in inputs])
    except (ValueError, IndexError) as error:
        raise misfit(rule, inputs, error, frame) from None
    return place(rule, inputs, attributes, wrap(value), max([t.at for t in inputs], default=-1), frame)


def plain(name: str, kernel: Callable, kind: type[Plain] = Plain) -> Callable:
    """An op of one Tensor through which no gradient passes."""
    rule = kind(name, kernel)

    def op(input):
        frame = getframe(1)
        return apply_plain(rule, (check_tensor(rule, input, frame),), frame)

    return named(op, rule)


def apply_plain(rule: Plain, inputs: tuple, frame, *attributes: object) -> Tensor:
    """The output of a rule through which no gradient passes."""
    try:
        out = wrap(rule.kernel(*[t.array for t in inputs], *attributes))
    except (ValueError, TypeError) as error:
        raise misfit(rule, inputs, error, frame) from None
    if tape.looking:
        note(rule, inputs, attributes, out, frame)
    return out


def named(op: Callable, rule: Rule) -> Callable:
    """Name the op after its primitive, for tracebacks and `help`."""
    op.__name__ = op.__qualname__ = rule.name
    op.rule = rule
    return op


def on_both(op: Callable, kernel: Callable | None = None, two: bool = False) -> Callable:
    """A function for formulas: the op if the first argument is a Tensor, its kernel if it is an array.

    two: it has two arguments, which makes the call three times as fast.
    """
    kernel = kernel or op.rule.kernel
    if two:
        return lambda g, x: op(g, x) if isinstance(g, Tensor) else kernel(g, x)
    return lambda g, *rest: op(g, *rest) if isinstance(g, Tensor) else kernel(g, *rest)


# ---- what the core itself needs: zeros, ones, and casts for promotion ----------------------------------------------

zeros_like = plain('ZerosLike', np.zeros_like, Shaped)
ones_like = plain('OnesLike', np.ones_like, Shaped)


def _cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """x in another dtype. From floats to integers a NaN has none, about which NumPy is not to warn."""
    if dtype.kind in 'fc' or x.dtype.kind not in 'fc':  # (errstate takes as long as the cast)
        return x.astype(dtype)
    with np.errstate(invalid='ignore'):
        return x.astype(dtype)


CAST = Unary('Cast', _cast, lambda g, out, x, dtype: g.astype(x.dtype))
REAL = 'the rules are for real numbers, so give its real and its imaginary part as two'
COMPLEX = NoRule('Cast', CAST.kernel, f'it makes a complex Tensor, and {REAL} Tensors.')
CUT = Plain('Cast', CAST.kernel)


def cast_to(x: Tensor, dtype: np.dtype, frame=None) -> Tensor:
    """x in another dtype. A gradient passes only from floats to floats."""
    if dtype.kind in 'fc' and x.array.dtype.kind in 'fc':
        return apply(COMPLEX if x.array.dtype.kind != 'c' == dtype.kind else CAST, x, (dtype,), frame or getframe(2))
    return place(CUT, (x,), (dtype,), wrap(_cast(x.array, dtype)), -1, frame or getframe(2))
