"""Kept on self: what bprop reads on self is not what it was when the Cell was called.

    class Mask(nn.Cell):
        def construct(self, x):
            self.cache['mask'] = x > 0      # right for one call
            return ops.relu(x)
        def bprop(self, x, out, dout):
            return (dout * self.cache['mask'],)     # after two calls: the second call's mask for both

KeptOnSelfWarning, where construct keeps a Tensor in an attribute; and before backward, where anything that bprop reads
on self (a number, an array, what stands in a list or dict, an inner Cell's settings) has changed since a call, or what
it reads by a global, a closure or a default (bytecode.py).

What bprop reads is found in its bytecode when the class is defined; if it hands self on, that is everything. A Cell
whose bprop reads nothing pays one look at an attribute, 10 ns a call; one that reads two numbers 0.8 µs, a seventh of a
small takeover.
"""

from inspect import unwrap
from operator import is_
from types import CodeType, FunctionType

from ..core import doors, tape
from ..core.errors import warn
from ..core.tensor import Tensor, tensors_in
from ..errors import KeptOnSelfWarning
from .bytecode import GLOBAL, MISSING, OURS, inside, outside, parts, paths

NOTHING = inside(MISSING, set())
FIXED = int, float, bool, complex, str, bytes, type(None), Tensor, FunctionType  # the same object: the same value


def look_at(cell, name: str, value: object) -> None:
    """An attribute of a Cell is set."""
    if tape.hidden_address and cell.bprop is not None and name not in cell._params and tensors_in(value):
        mine = type(cell).__name__
        said.add((id(cell), f'self.{name}'))
        warn(
            f'{mine}.construct keeps a Tensor in self.{name}, and {mine} has its own bprop. Each call overwrites '
            f"it, so that bprop finds the last call's value, whichever call it is asked about. Return it as a "
            f'further output, and bprop gets the right one in out.',
            KeptOnSelfWarning,
        )


def learn(kind: type) -> None:
    """A class of Cells is defined, or taken over: it may have been given another bprop since."""
    if kind.__dict__.get('_learned', Reads) is not kind.bprop:
        reads = Reads(kind)
        kind._reads, kind._learned = reads if reads.names or reads.outside else None, kind.bprop


class Reads:
    """What the bprop of a class reads besides its arguments: attributes of self, and values outside."""

    def __init__(self, kind: type) -> None:
        self.names, self.functions, self.called = set(), [], False  # the name '*': self itself is handed on
        if kind.bprop is not None:
            self._collect(kind, 'bprop', set())
        self.outside = outside(self.functions)

    def _collect(self, kind: type, name: str, seen: set) -> None:
        """The attributes of self that a method reads, it and what it calls on self."""
        methods = [base.__dict__[name] for base in kind.__mro__ if name in base.__dict__ and name not in seen]
        functions = [getattr(m, 'fget', None) or unwrap(getattr(m, '__func__', m)) for m in methods]
        if name not in seen and not any(isinstance(f, FunctionType) for f in functions):
            self.names.add(name)
        seen.add(name)
        for f in functions:
            if isinstance(f, FunctionType) and not str(f.__module__).startswith('minicell.') and f.__code__.co_argcount:
                self.functions.append(f)
                for used in _used(f.__code__, f.__code__.co_varnames[0]):
                    self.names.add(used) if used == '*' else self._collect(kind, used, seen)

    def values(self, cell) -> dict[str, object]:
        """All of it, as it is now."""
        own, kinds, names = vars(cell), type(cell).__mro__, self.names
        if '*' in names:
            named = {n for f in self.functions for n in f.__code__.co_names}
            users = [kind for kind in kinds if not kind.__module__.startswith('minicell.')]
            names = (own.keys() | {n for kind in users for n in named & vars(kind).keys()}) - OURS
        found = {
            f'self.{n}': own[n] if n in own else next((vars(k)[n] for k in kinds if n in vars(k)), None) for n in names
        }
        return found | {name: read() for name, read in self.outside.items()}


def _used(code: CodeType, me: str) -> set:
    """Names behind `self.` in some code and in the functions written in it; '*' where self stands alone."""
    used = set(code.co_names) - {'super'} if 'super' in code.co_names else set()
    for part in parts(code):
        for name, how, steps, changed in paths(part) if part is code or me in part.co_freevars else ():
            if name == me and how not in GLOBAL and (steps or not changed):
                used.add(steps[0] if steps and isinstance(steps[0], str) else '*')
    return used


calls: dict = {}  # id of a Cell -> [it, what it read at its last call, what that stood for after each call...]
said: set = set()  # what was said: (id of the Cell, name)
doors.reset += [calls.clear, said.clear]


def called(cell) -> None:
    """A Cell whose bprop may read something besides what it is given was taken over."""
    reads = cell._reads
    if not reads.called:  # now all that its bprop calls is defined
        reads.called, reads.outside = True, outside(reads.functions)
    seen = calls.get(id(cell)) or calls.setdefault(id(cell), [cell, None])
    values, before = reads.values(cell), seen[1]
    if before is not None and values.keys() == before.keys() and all(map(is_, values.values(), before.values())):
        return
    seen[1] = values if all(isinstance(v, FIXED) for v in values.values()) else None
    now = state(cell)
    if len(seen) == 2 or now != seen[-1]:
        seen.append(now)


def state(cell) -> dict:
    """What bprop reads, by name, as something to compare with later."""
    return {name: inside(value, set()) for name, value in cell._reads.values(cell).items()}


def compare(seen: list, own: set) -> dict:
    """Warn of each thing that is not what it was after some call, but for what bprop writes of its `own`."""
    cell, _, *states = seen
    now, mine = state(cell), type(cell).__name__
    names = {n for old in states for n in old | now if old.get(n) != now.get(n) and old.get(n) != NOTHING}
    for name in sorted(n for n in names if (id(cell), n) not in said | own):
        said.add((id(cell), name))
        warn(
            f'{mine}.bprop reads {name}, and that has changed since {mine} was called: bprop finds what it is '
            f'now, not what it was in that call. If construct keeps it, return it as a further output, and bprop '
            f'gets the right one in out; if it is a setting, make it an input, or set it after the gradient.',
            KeptOnSelfWarning,
        )
    return now


def played(gradient) -> None:
    """A function has returned, and backward will come; that of a vjp later, and perhaps again."""
    gradient.calls, gradient.written_back = list(calls.values()), set()
    for seen in gradient.calls:
        compare(seen, gradient.written_back)


def opening(gradient) -> None:
    """A gradient begins, or comes back to be read."""
    gradient.states = [compare(seen, gradient.written_back) for seen in gradient.calls] if gradient.has_run else ()


def closing(gradient) -> None:
    """It is over, or pauses: what its bprops wrote themselves, such as a log, is no change when it is read again."""
    states = getattr(gradient, 'states', ())  # (an interrupt may have come before there were any)
    for seen, before in zip(gradient.calls if states else (), states, strict=True):
        now = state(seen[0])
        gradient.written_back |= {(id(seen[0]), n) for n in now if now[n] != before.get(n)}


doors.met, doors.called = learn, called
doors.ran_forward.append(played)
doors.opening.append(opening)
doors.closing.append(closing)
