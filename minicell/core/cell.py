"""Cell: a function that may have its own backward rule, bprop. Then its bprop takes over from autodiff.

Forward, construct runs unrecorded, and one entry is recorded for the whole call. Backward calls
bprop(*inputs, out, dout) at that entry, and bprop_result.py checks that it returned a tuple with one gradient per
input, each with the shape of its input. nn/cell.py adds the rest of MindSpore's Cell: Parameters, inner Cells, names
and hooks.
"""

import inspect
import sys
import weakref
from collections.abc import Callable, Iterable

from . import tape
from .bprop_result import bad_signature, check_result, input_names
from .errors import HOME, CellError, caller, users_line
from .primitives import place_several, zeros_like
from .rules import ENTER, LEAVE, Parts, Rule, add_up
from .tape import NOWHERE, note
from .tensor import LENT, Tensor, blank, copied, exchange, is_float, lend, map_tensors, tensors_in, wrap
from .trap import books, captured, joined, mine

getframe = sys._getframe


class Cell:
    """A function that can be called and differentiated: `construct`, with or without a `bprop` of its own."""

    bprop: Callable | None = None
    internal_params: list | None = None  # the Parameters for which bprop returns gradients
    _around: Callable | None = None  # called instead of construct: for hooks, or a graph
    _bprop_debug = False  # whether `_report` is called after each bprop
    _reads: object | None = None  # attributes of self that bprop reads; None unless a trap asks

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        found = [kind.__dict__['bprop'] for kind in cls.__mro__ if kind is not Cell and 'bprop' in kind.__dict__]
        if cls.bprop is None and found and found[0] is not None:  # a mixin after Cell may define one
            cls.bprop = found[0]
        owner = vars(next(kind for kind in cls.__mro__ if 'construct' in vars(kind)))
        cls._construct = owner.get('_construct', owner['construct'])

    def construct(self, *inputs: object, **kwargs: object) -> object:
        """What the Cell computes; each class of Cells defines its own."""
        raise CellError(
            f"For 'Cell', the method 'construct' is not defined: write it in {type(self).__name__}.{users_line()}"
        )

    _construct = construct  # what a takeover calls: under its own name a trap may put one that tells of it

    def __call__(self, *args: object, **kwargs: object) -> object:
        if self._around is not None:
            return self._around(self, args, kwargs, getframe(1))
        # (what `takes_over` says, without a call: inside a takeover, hidden_from is not above recorded_from)
        if tape.looking or (tape.recorded_from < tape.hidden_from and self.bprop is not None):
            return call(self, args, kwargs, getframe(1))
        if kwargs or len(args) != 1:
            return self.construct(*args, **kwargs)
        return self.construct(args[0])  # Python calls faster without a star


# ---- forward: one entry for the whole call --------------------------------------------------------------------------

addresses_by_class: dict = {}  # class of Cells -> what `_new_address` returned
books.append(addresses_by_class)  # each outermost gradient has hidden addresses of its own
# class of Cells -> (code of construct, its signature, its arity or -1)
signatures: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def takes_over(cell: Cell) -> bool:
    """Whether a call of this Cell, in the thread that has the tape, is a takeover: inside one no other begins."""
    return cell.bprop is not None and not tape.hidden_address and (tape.recorded_from != NOWHERE or tape.looking)


def call(cell: Cell, args: tuple, kwargs: dict, frame) -> object:
    """Call a Cell that takes over, or any Cell under a Tape.

    In a takeover construct runs unrecorded, and one entry is recorded for the whole call.
    """
    try:
        tick = mine.tick
    except AttributeError:  # the gradient or the Tape belongs to another thread
        return cell.construct(*args, **kwargs)
    if tape.looking and not takes_over(cell):
        return watched(cell, args, kwargs, frame, cell.construct)
    inside, arity, reads = addresses_by_class.get(type(cell)) or _new_address(cell)
    x = args[0] if arity == 1 == len(args) else None
    one = type(x) is Tensor and tape.recorded_from <= x.at < NOWHERE
    if not one or kwargs or tape.looking or cell.internal_params:
        return _call_with_any_inputs(cell, args, kwargs, frame, inside, arity)
    given, at = blank(), x.at  # construct, and the entry, get a new Tensor
    given.array, given.at, args = x.array, inside + 1, (given,)  # (what it made, at `inside`, it may write)
    try:
        result = tape.hide(inside, cell, args, kwargs)
    finally:
        given.at = at
    if reads or captured:
        _tell_traps(cell, at, frame)
    plain = type(result) is Tensor and result.array.dtype.kind == 'f'
    # (else it is a captured value, or the input)
    if plain and (result.at == inside or result.at < tape.recorded_from):
        out = blank()
        out.array = result.array
        out.at = tick()
        tape.record((takeover_of_one, args, cell, out, frame.f_code, frame.f_lasti))
        return out
    return _leave_entry(cell, args, result, inside, at, frame)


def _new_address(cell: Cell) -> tuple[int, int, bool]:
    """For a class of Cells: the hidden address of what construct makes, its arity or -1, whether a trap watches self.

    Its inputs have the next address while construct runs.
    """
    kind, codes = type(cell), [getattr(f, '__code__', None) for f in (cell.construct, cell._construct)]
    found = signatures.get(kind)
    if found is None or found[0] != codes:  # a new class, or construct was defined again
        signature = inspect.signature(cell.construct)
        if found is not None and found[0][0] is not codes[0]:
            kind._construct = kind.construct
        by_position = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in signature.parameters.values())
        found = signatures[kind] = codes, signature, len(signature.parameters) if by_position else -1
    joined.met(kind)
    address = tape.generation + 2 * len(addresses_by_class), found[2], kind._reads is not None
    if tape.gradients:  # a Tape alone differentiates nothing, and the next gradient has other addresses
        addresses_by_class[kind] = address
    return address


def _call_with_any_inputs(cell: Cell, args: tuple, kwargs: dict, frame, inside: int, arity: int) -> object:
    """The same for any number of inputs, in lists and dicts too, and under a Tape."""
    by_position = len(args)
    if kwargs or arity != by_position:
        args, kwargs = bound(cell, args, kwargs)
    inputs = (*args, *kwargs.values()) if kwargs else args  # bprop gets all of them by position
    hidden, first, given = set(), tape.recorded_from, copied(inputs)
    plain = given is inputs
    users = [*inputs] if plain else tensors_in(given)
    # New ones: an old one that construct finds by a closure or self is a captured value
    new = [wrap(t.array, t.at) if type(t) is Tensor or not hasattr(t, 'twin') else t.twin() for t in users]
    mine = tuple(new)
    if cell.internal_params:
        new += cell.internal_params
        users += cell.internal_params
    addresses = [t.at for t in new]
    at = max(addresses, default=-1)
    if at >= NOWHERE:  # an input was made in a takeover: in a running one, a kept one, or a gradient that has ended
        at = tape.address(*new)
        enclosing, addresses = tape.enclosing_addresses(), [t.at for t in new]
        if at >= NOWHERE and at not in enclosing:
            at = min(-1, joined.escaped(type(cell).__name__, at, frame))  # which may raise; otherwise constant
        elif at < NOWHERE:  # for a gradient inside a takeover, what was made before it is constant
            hidden = enclosing
    try:
        for t in new:  # while construct runs, any other address on the tape is that of a captured value
            if t.at >= first:
                t.at = inside + 1
        if not plain:
            following, theirs = iter(mine), dict(zip(map(id, mine), users))  # noqa: B905 (Parameters follow)
            mine = exchange(inputs, lambda _: next(following))
        if kwargs:
            args, kwargs = mine[: len(args)], dict(zip(kwargs, mine[len(args) :], strict=True))
        else:
            args = mine
        if tape.looking:
            construct = lambda *a, **k: tape.hide(inside, cell, a, k)
            result = watched(cell, args, kwargs, frame, construct, copied(mine))
        else:
            result = tape.hide(inside, cell, args, kwargs)
    finally:
        for t, user, address in zip(new, users, addresses, strict=True):
            user.array = t.array
            if t.at == inside + 1:
                t.at = address
            elif t.at != address:  # construct has written it
                hidden = {*hidden, inside}
                t.at, user.at = address, t.at
        if not plain:  # wherever construct has put the new ones
            exchange(mine, lambda t: theirs.get(id(t), t))
    if hidden:
        given = map_tensors(given, lambda t: wrap(t.array) if t.at in hidden else t)
    _tell_traps(cell, at, frame, *((), ()) if plain else (given, inputs))
    if tape.looking:
        cell = joined.stand_in(cell, by_position)
    return _leave_entry(cell, given, result, inside, at, users_frame(frame) if tape.looking else frame)


def _tell_traps(cell: Cell, at: int, frame, given: tuple = (), left: tuple = ()) -> None:
    if captured:
        used = captured[:]
        captured.clear()
        joined.uses(cell, used, frame)
    if (given or cell._reads is not None) and at >= tape.recorded_from:
        joined.called(cell, given, left)


def watched(cell: Cell, args: tuple, kwargs: dict, frame, construct: Callable, inputs: tuple = ()) -> object:
    """Call construct between its two notes on the tape, ENTER and LEAVE."""
    by_place, named = ((), {}) if inputs else bound(cell, args, kwargs)
    inputs = inputs or (*by_place, *named.values())
    note(ENTER, cell, inputs, cell.bprop is not None, users_frame(frame))
    try:
        result = construct(*args, **kwargs)
    except BaseException as error:
        note(LEAVE, cell, error, None, None)
        raise
    note(LEAVE, cell, None, result, None)
    return result


def bound(cell: Cell, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments in the order of construct's signature, with its defaults: bprop is called with these."""
    if type(cell) not in signatures:
        _new_address(cell)
    signature = signatures[type(cell)][1]
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError:  # the call of construct raises the better error
        return args, kwargs
    given.apply_defaults()
    named, kinds = given.kwargs, signature.parameters.values()
    more = next((given.arguments[p.name].keys() for p in kinds if p.kind is p.VAR_KEYWORD), set())
    if len(more) > 1 and cell.bprop is not None:  # **keywords have no order: the names in bprop have one
        names = [*inspect.signature(cell.bprop).parameters]
        if not more <= {*names}:
            error = TypeError(f'it has to name {", ".join(sorted(more))}')
            raise bad_signature(cell, [*[*given.signature.parameters][:-1], *sorted(more)], error)
        named = dict(sorted(named.items(), key=lambda item: item[0] in more and names.index(item[0]) + 1))
    return given.args, named


def users_frame(frame) -> object:
    """For a Tape: the user's frame, where minicell itself (grad, or a layer) has called the Cell."""
    return (caller() or frame) if frame.f_code.co_filename.startswith(HOME) else frame


def _leave_entry(cell: Cell, inputs: tuple, result: object, inside: int, at: int, frame) -> object:
    """Record the call, and return its result in new Tensors, because construct may return one of its inputs."""
    if type(result) is not Tensor or result.array.dtype.kind == 'c' or tape.recorded_from <= result.at != inside:
        joined.returned(cell, inputs, result, inside, at, frame)
    if type(result) is Tensor:
        at = at if is_float(result) or result.at >= NOWHERE else -1
        return tape.place(takeover, inputs, cell, wrap(result.array), at, frame)
    out = map_tensors(result, lambda t: wrap(t.array))
    floats = [t for t in tensors_in(out) if is_float(t)]  # only these have addresses
    place_several(takeover, inputs, cell, out, floats, at, frame)
    return out if type(out) is tuple else map_tensors(out, lambda t: t)  # bprop gets lists and dicts of its own


# ---- backward: call bprop, check its result, add it to the cotangents ---------------------------------------------


class Takeover(Rule):
    """The rule of a takeover's entry: x holds the inputs of the Cell, and y is the Cell."""

    def title(self, entry):
        return type(entry[2]).__name__

    def vjp(self, g, offset, x, y, out):
        pairs = check_result(y, x, call_bprop(y, copied(x), out, g))
        on_tensors = any(type(d) is Tensor for d in (g.of.values() if isinstance(g, Parts) else (g,)))
        return pairs if on_tensors else _on_arrays(pairs)

    def tensors(self, x, y):
        return tuple(tensors_in(x))


class TakeoverOfOne(Takeover):
    """The same for one input, which is a Tensor: without the general check, a takeover takes 15 % less time."""

    def vjp_arrays(self, g, cts, offset, x, y, out):
        returned = call_bprop(y, x, out, g)
        if type(returned) is tuple and len(returned) == 1 and type(d := returned[0]) is Tensor:
            t, d = x[0], d.array
            v = t.array
            if d.shape == v.shape and d.dtype is v.dtype:
                i = t.at - offset
                if i >= 0:
                    c = cts[i]
                    cts[i] = d if c is None else c + d
                return
        add_up(_on_arrays(check_result(y, x, returned)), cts, offset)


takeover, takeover_of_one = Takeover('Takeover', None), TakeoverOfOne('Takeover', None)


def _on_arrays(pairs: Iterable[tuple]) -> list[tuple]:
    return [(t, d if d is None else d.array) for t, d in pairs]


def call_bprop(cell: Cell, inputs: tuple, out: object, g: object) -> object:
    """Call bprop with the cotangent g of out, an array or a Tensor. Returns its result unchecked."""
    if type(g) is Tensor:
        result, dout = out, g if tape.looking else lend(g)
    elif type(out) is Tensor:
        result, dout = out, blank()  # `lend`, written out
        dout.array = array = g[...]
        array.setflags(False)
        dout.at = LENT
    else:
        result, index = out.out, iter(range(len(tensors_in(out.out))))
        cotangent = lambda t: lend(d) if is_float(t) and (d := g.of.get(next(index))) is not None else zeros_like(t)
        result, dout = _as_tuples(result), _as_tuples(map_tensors(result, cotangent, rest=lambda _: None))
    try:
        if len(inputs) == 1:  # Python calls faster without a star
            returned = cell.bprop(inputs[0], result, dout)
        else:
            returned = cell.bprop(*inputs, result, dout)
    except Exception as error:
        if isinstance(error, TypeError) and error.__traceback__.tb_next is None:
            raise bad_signature(cell, input_names(cell, inputs), error) from None
        error.add_note(f'This came from the bprop of the Cell {type(cell).__name__}.')
        raise
    if cell._bprop_debug:
        cell._report(inputs, dout, returned)
    return returned


def _as_tuples(value: object) -> object:
    """Lists become tuples, as in MindSpore's bprop."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_as_tuples, value))
    return {k: _as_tuples(v) for k, v in value.items()} if isinstance(value, dict) else value
