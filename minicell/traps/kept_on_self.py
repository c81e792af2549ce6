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
from itertools import pairwise
from operator import is_
from types import CodeType, FunctionType

from ..core import doors, tape
from ..core.cell import Cell
from ..core.errors import MinicellWarning, warn_user
from ..core.tensor import Tensor, tensors_in
from .snapshot import snapshot

EVERYTHING = frozenset({'*'})
OURS = {'_params', '_cells', '_primitives', '_auto_prefix', '_phase', '_hooks', '_around', '_graphs'}
FIXED = int, float, bool, complex, str, bytes, type(None), Tensor, FunctionType  # the same object: the same value


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
    methods = [base.__dict__[name] for base in kind.__mro__ if name in base.__dict__ and name not in seen]
    functions = [getattr(m, 'fget', None) or getattr(m, '__func__', m) for m in methods]
    if name not in seen and not any(isinstance(f, FunctionType) for f in functions):
        found.add(name)
    seen.add(name)
    for f in functions:
        if isinstance(f, FunctionType) and not str(f.__module__).startswith('minicell.') and f.__code__.co_argcount:
            for used in _used(f.__code__, f.__code__.co_varnames[0]):
                found.add(used) if used == '*' else _collect(kind, used, found, seen)


def _used(code: CodeType, me: str) -> set:
    """Names behind `self.` in some code and in the functions written in it; '*' where self stands alone."""
    used = set(code.co_names) - {'super'} if 'super' in code.co_names else set()
    for step, then in pairwise(s for s in dis.get_instructions(code) if s.opname not in ('CACHE', 'COPY')):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if me in names and step.opname.startswith(('LOAD_FAST', 'LOAD_DEREF', 'STORE_FAST_LOAD_FAST')):
            attribute = names[-1] == me and then.opname.endswith(('_ATTR', 'LOAD_METHOD'))
            if not then.opname.startswith(('STORE_', 'DELETE_')):
                used.add(then.argval if attribute else '*')
    inner = [c for c in code.co_consts if isinstance(c, CodeType) and me in c.co_freevars]
    return used.union(*[_used(c, me) for c in inner])


# ---- what that was at each call, and what it is before backward ----------------------------------------------------

calls: dict = {}  # id of a Cell -> [it, the attributes at its last call, what they stood for after each call...]
said: set = set()  # what was said: (id of the Cell, attribute)
doors.over += [calls.clear, said.clear]


def called(cell) -> None:
    """A Cell that reads something on self was taken over."""
    seen = calls.get(id(cell)) or calls.setdefault(id(cell), [cell, None])
    own, names, before = cell.__dict__, _wanted(cell), seen[1]
    values = [*map(own.get, names)]
    if before is not None and len(values) == len(before) and all(map(is_, values, before)):
        return
    seen[1] = values if all(isinstance(v, FIXED) for v in values) else None
    now = state(cell, names)
    if now != seen[-1]:
        seen.append(now)


def _wanted(cell) -> frozenset:
    return cell.__dict__.keys() - OURS if cell._reads is EVERYTHING else cell._reads


def state(cell, names: frozenset, depth: int = 3) -> dict:
    """These attributes, as something to compare with later; of a Cell among them, all that it has."""
    own = cell.__dict__
    found = {n: own[n] if n in own else getattr(type(cell), n, None) for n in names}
    inside = lambda v: state(v, v.__dict__.keys() - OURS, depth - 1) if isinstance(v, Cell) and depth else snapshot(v)
    return {n: inside(v) for n, v in found.items()}


def compare(seen: list) -> None:
    """Warn of each attribute that is not what it was after some call."""
    cell, _, *states = seen
    now, mine = state(cell, _wanted(cell)), type(cell).__name__
    changed = {n for old in states for n in old.keys() | now.keys() if old.get(n) != now.get(n)}
    for name in sorted(n for n in changed if (id(cell), n) not in said):
        said.add((id(cell), name))
        warn_user(
            f'{mine}.bprop reads self.{name}, and that has changed since {mine} was called: bprop finds what it is '
            f'now, not what it was in that call. If construct keeps it, return it as a further output, and bprop '
            f'gets the right one in out; if it is a setting, make it an input, or set it after the gradient.',
            KeptOnSelfWarning,
        )


def played(gradient) -> None:
    """A function has returned, and backward will come; that of a vjp later, and perhaps again."""
    gradient.calls = list(calls.values())
    for seen in gradient.calls:
        compare(seen)


def opening(gradient) -> None:
    """A gradient begins, or comes back to be read."""
    for seen in gradient.calls if gradient.played else ():
        compare(seen)


doors.called = called
doors.played.append(played)
doors.opening.append(opening)
