"""Kept on self: what bprop reads on self is not what it was when the Cell was called.

    class Mask(nn.Cell):
        def construct(self, x):
            self.cache['mask'] = x > 0      # right for one call
            return ops.relu(x)
        def bprop(self, x, out, dout):
            return (dout * self.cache['mask'],)     # after two calls: the second call's mask for both

KeptOnSelfWarning, where construct keeps a Tensor in an attribute; and before backward, where anything that bprop reads
on self (a number, an array, what stands in a list or dict, an inner Cell's settings) has changed since a call.

What bprop reads is found in its bytecode when the class is defined; if it hands self on, that is everything. A Cell
whose bprop reads nothing of self pays one look at an attribute, 10 ns a call; one that reads two numbers 0.8 µs, a
seventh of a small takeover. What construct keeps outside self, in a closure say, is for check_bprop to see.
"""

import dis
from collections import deque
from itertools import pairwise
from operator import is_
from types import CodeType, FunctionType

import numpy as np

from ..core import doors, tape
from ..core.cell import Cell
from ..core.errors import MinicellWarning, warn_user
from ..core.tensor import Tensor, tensors_in

EVERYTHING = frozenset({'*'})
OURS = {'_params', '_cells', '_primitives', '_auto_prefix', '_phase', '_hooks', '_around', '_graphs'}
PLAIN = int, float, bool, complex, str, bytes, type(None)  # compared as they are
FIXED = *PLAIN, Tensor, FunctionType  # the same object is the same value
LONG = 1000  # so many numbers of an array are looked at, evenly spread


class KeptOnSelfWarning(MinicellWarning):
    """What the bprop of a Cell reads on self is another call's, or was changed since the call."""


def look_at(cell, name: str, value: object) -> None:
    """An attribute of a Cell is set."""
    if tape.hidden_address and cell.bprop is not None and name not in cell._params and tensors_in(value):
        mine = type(cell).__name__
        said.add((id(cell), name))
        warn_user(
            f'{mine}.construct keeps a Tensor in self.{name}, and {mine} has its own bprop. Each call overwrites '
            f"it, so that bprop finds the last call's value, whichever call it is asked about. Return it as a "
            f'further output, and bprop gets the right one in out.',
            KeptOnSelfWarning,
        )


# ---- what bprop reads: found once, when the class is defined -------------------------------------------------------


def learn(kind: type) -> None:
    """A class of Cells is defined."""
    found: set = set()
    if kind.bprop is not None:
        _collect(kind, 'bprop', found, set())
    kind._reads = EVERYTHING if '*' in found else frozenset(found) or None


def _collect(kind: type, name: str, found: set, seen: set) -> None:
    """The attributes of self that a method reads, it and what it calls on self; '*': self itself is handed on."""
    if name in seen:
        return
    seen.add(name)
    methods = [base.__dict__[name] for base in kind.__mro__ if name in base.__dict__ and not _ours(base)]
    functions = [getattr(m, 'fget', None) or getattr(m, '__func__', m) for m in methods]
    codes = [f.__code__ for f in functions if isinstance(f, FunctionType)]
    if not codes and not hasattr(Cell, name):
        found.add(name)
    for code in codes:
        me = code.co_varnames[:1] or ('',)
        for used in _used_of(code, me[0]):
            if used == '*':
                found.add(used)
            else:
                _collect(kind, used, found, seen)


def _ours(base: type) -> bool:
    return base.__module__ in ('minicell.core.cell', 'minicell.nn.cell')


def _used_of(code: CodeType, me: str) -> set:
    """Names behind `self.` in some code and in the functions written in it; '*' where self stands alone."""
    used = set(code.co_names) - {'super'} if 'super' in code.co_names else set()
    steps = [s for s in dis.get_instructions(code) if s.opname not in ('CACHE', 'COPY', 'EXTENDED_ARG')]
    for step, then in pairwise(steps):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if me in names and step.opname.startswith(('LOAD_FAST', 'LOAD_DEREF')):
            if names[-1] == me and then.opname in ('LOAD_ATTR', 'LOAD_METHOD', 'LOAD_SUPER_ATTR'):
                used.add(then.argval)
            elif names[-1] != me or then.opname not in ('STORE_ATTR', 'DELETE_ATTR'):
                used.add('*')
    for const in code.co_consts:
        if isinstance(const, CodeType) and me in const.co_freevars:
            used |= _used_of(const, me)
    return used


# ---- what that was at each call, and what it is before backward ----------------------------------------------------


class Seen:
    """A Cell, and what its bprop would have read after each of its calls: each state once."""

    def __init__(self, cell) -> None:
        self.cell, self.states = cell, []
        self.values, self.fixed = [], -1  # the attributes; how many it had, where the same objects are the same values


calls: dict = {}  # id of a Cell -> Seen, while a gradient is open
said: set = set()  # what was said: (id of the Cell, attribute)
doors.over += [calls.clear, said.clear]


def called(cell) -> None:
    """A Cell that reads something on self was taken over."""
    own, names, seen = cell.__dict__, cell._reads, calls.get(id(cell))
    values = own.values() if names is EVERYTHING else map(own.get, names)
    if seen is None:
        seen = calls[id(cell)] = Seen(cell)
    elif seen.fixed == len(own) and all(map(is_, values, seen.values)):
        return
    seen.values = [*(own.values() if names is EVERYTHING else map(own.get, names))]
    read = own.keys() - OURS if names is EVERYTHING else names
    seen.fixed = len(own) if all(isinstance(own.get(n), FIXED) for n in read) else -1
    now = state(cell, names)
    if not seen.states or seen.states[-1] != now:
        seen.states.append(now)


def state(cell, names: frozenset = EVERYTHING, depth: int = 3) -> dict:
    """These attributes, each as something that can be compared later."""
    own = cell.__dict__
    wanted = own.keys() - OURS if names is EVERYTHING else names
    return {n: _frozen(own[n] if n in own else getattr(type(cell), n, None), depth) for n in wanted}


class Same:
    """An object, equal to nothing but itself."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    __hash__ = None


def _frozen(value: object, depth: int) -> object:
    if type(value) in PLAIN:
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        some = np.asarray(value).flat[:: 1 + np.size(value) // LONG]
        return np.shape(value), value.dtype.str, repr(some.tolist()) if value.dtype.hasobject else some.tobytes()
    if depth and isinstance(value, Cell):
        return state(value, depth=depth - 1)
    if depth and isinstance(value, dict):
        return type(value), [(_frozen(k, 0), _frozen(v, depth - 1)) for k, v in value.items()]
    if depth and isinstance(value, (list, tuple, set, frozenset, deque)):
        return type(value), [_frozen(v, depth - 1) for v in value]
    return Same(value)


def compare(seen: Seen) -> None:
    """Warn of each attribute that is not what it was after some call."""
    cell, now = seen.cell, state(seen.cell, seen.cell._reads)
    changed = {n for old in seen.states for n in old.keys() | now.keys() if n not in old or old[n] != now.get(n)}
    for name in sorted(changed):
        if (id(cell), name) not in said:
            said.add((id(cell), name))
            mine = type(cell).__name__
            warn_user(
                f'{mine}.bprop reads self.{name}, and that has changed since {mine} was called: bprop finds what it is '
                f'now, not what it was in that call. If construct keeps it, return it as a further output, and bprop '
                f'gets the right one in out; if it is a setting, make it an input, or set it after the gradient.',
                KeptOnSelfWarning,
            )


def played(gradient) -> None:
    """A function has returned, and backward will come."""
    for seen in calls.values():
        compare(seen)
    if gradient.read_later:
        gradient.calls = list(calls.values())


def opening(gradient) -> None:
    """A gradient begins; that of a vjp may come back to be read."""
    for seen in gradient.calls if gradient.played and gradient.read_later else ():
        compare(seen)


doors.called = called
doors.played.append(played)
doors.opening.append(opening)
