"""Kept on self: what bprop reads on self is not what it was when the Cell was called.

    class Mask(nn.Cell):
        def construct(self, x):
            self.cache['mask'] = x > 0      # right for one call
            return ops.relu(x)
        def bprop(self, x, out, dout):
            return (dout * self.cache['mask'],)     # after two calls: the second call's mask for both

KeptOnSelfWarning, where construct keeps a Tensor in an attribute; and before backward, where anything that bprop reads
on self (a number, an array, what stands in a list or dict, an inner Cell's settings) has changed since a call, or what
it reads by a global, a closure or a default (bytecode.py); and after it, where bprop has drawn the next value of an
iterator or of random numbers. A bprop that takes something out of a row is asked at each of its calls whether the row
holds what it held at that very call, as a stack does. LeavesTapeWarning at second order, where these are numbers that
construct took from a Tensor: of what they depend on, NumPy knows nothing.

What bprop reads is found in its bytecode when the class is defined; if it hands self on, that is everything. A Cell
whose bprop reads nothing pays one look at an attribute, 10 ns a call; one that reads two numbers 0.8 µs, a seventh of a
small takeover.
"""

import sys
from array import array
from collections import deque
from functools import lru_cache
from inspect import getattr_static, unwrap
from types import CodeType

import numpy as np

from ..core import cell as core_cell
from ..core import tape
from ..core.bprop_result import input_names
from ..core.cell import Takeover, addresses_by_class
from ..core.errors import frames
from ..core.grad import paused
from ..core.tensor import Tensor, map_tensors, tensors_in
from ..core.trap import Trap
from ..errors import KeptOnSelfWarning, LeavesTapeWarning
from .bytecode import MISSING, OURS, TAKES, at_end, class_data, inside, places, positions, taken, text_of
from .snapshot import snapshot

NOTHING = inside(MISSING, {})
FIXED = int, float, bool, complex, str, bytes, type(None), Tensor  # the same object: the same value
WHOLE = np.dtype(bool), *map(np.dtype, np.typecodes['AllInteger'])
ENDS, ROWS = tuple(f'.{method}()' for method in TAKES), (dict, list, deque, set, array, bytearray)
CALLS = core_cell.call.__code__, core_cell._call_with_any_inputs.__code__


def say_replaced(name: str) -> None:
    """A Cell of this class was called, and has another bprop now."""
    KeptOnSelfWarning.warn(
        f'{name}.bprop was replaced since {name} was called: the new one is asked for the gradient of that call, too. '
        f'Replace it after the gradient.',
    )


class Reads:
    """What the bprop of a class reads besides its arguments: attributes of self, and values outside."""

    called = False  # whether a Cell of this class was: by then all that its bprop calls is defined

    def __init__(self, kind: type) -> None:
        found = places(kind)
        self.all_of_self = found.pop('*', False)
        taken = [n.rpartition('.') for n in found if n.endswith(ENDS)]  # self.row.pop()
        self.rows = {n: (ROWS if how == 'popitem()' else ROWS[1:], found.pop(f'{n}.{how}')) for n, _, how in taken}
        self.places = {n: read for n, read in found.items() if n.partition('[')[0] not in self.rows}

    def values(self, cell) -> dict[str, object]:
        """All of it, as it is now."""
        found = {name: read(cell) for name, read in self.places.items()}
        if self.all_of_self:
            found |= {f'self.{n}': v for n, v in {**class_data(type(cell)), **vars(cell)}.items() if n not in OURS}
        return found | {name: read(cell) for name, (_, read) in self.rows.items()} if self.rows else found


class Taking(Takeover):
    """The rule of a call whose bprop takes something out of a row: that has to hold what it held at this call."""

    def vjp(self, g, offset, x, y, out):
        cell = getattr(y, '_stands_for', y)
        for name, row in rows_of(cell).items():
            was = self.was.get(name, ())
            if row and (len(row) != len(was) or any(a is not b for a, b in zip(row, was, strict=True))):  # (else none)
                trap.say_changed(cell, name)
        return super().vjp(g, offset, x, y, out)


def rows_of(cell) -> dict[str, list]:
    """What its bprop takes the next one from, as it is now. (Of a dict, one may take what has a key.)"""
    found = {name: (kinds, read(cell)) for name, (kinds, read) in cell._reads.rows.items()}
    return {name: [*row] for name, (kinds, row) in found.items() if isinstance(row, kinds)}


class Handed:
    """An object that a Cell was given beside Tensors, arrays, lists and dicts: bprop finds what it is then."""

    def __init__(self, cell, name: str, value: object, paths: list) -> None:
        read = lambda _: {f'its input {name}{text_of(path)}': at_end(lambda _: value, path, None) for path in paths}
        self.cell, self._reads, self.values, self.rows = cell, self, read, ()


def read_of_input(cell, k: int) -> list[tuple]:
    """What the code of its bprop reads of the parameter for input k (with *args, perhaps all): it may write a log."""
    code = getattr(unwrap(getattr(cell.bprop, '__func__', cell.bprop)), '__code__', None)
    return _read_of(code, k + hasattr(cell.bprop, '__func__')) if code else [()]


@lru_cache(maxsize=256)
def _read_of(code: CodeType, place: int) -> list[tuple]:
    own = code.co_varnames[: code.co_argcount][place : place + 1]
    return [p for name, p, changed in taken(code, own[0], {}) if name is None and changed is False] if own else [()]


def name_of(cell) -> str:
    """The name of the class whose bprop reads."""
    return type(cell.cell if isinstance(cell, Handed) else cell).__name__


def state(cell) -> dict:
    """What bprop reads, by name, as something to compare with later."""
    reads = cell._reads
    return {name: inside(value, {}) for name, value in reads.values(cell).items() if name not in reads.rows}


def held(value: object) -> list:
    """A value, and what it holds: none is another object now, unless somebody has put it there."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [value, *inner, *getattr(value, '__dict__', {}).values()]


class KeptOnSelf(Trap):
    """Keeps what each bprop reads, as it was at each call."""

    def __init__(self) -> None:
        self.calls: dict = {}  # id of a Cell -> [it, what it read at its last call, what that stood for after each...]
        self.said: set = set()  # what was said: (id of the Cell, name)
        # numbers that construct keeps for bprop, which the second derivative takes for constants
        self.asking: dict = {}  # id of a Cell -> what its bprop read before its running construct asked for numbers
        self.out_of_reach: dict = {}  # id of a Cell -> (it, the names of what its construct then made of them)
        self.taken: dict = {}  # (id of a Cell, address of its call) -> what its bprop takes from, as it was then
        self.books = self.calls, self.said, self.asking, self.out_of_reach, self.taken

    def attribute(self, cell, name: str, value: object) -> None:
        if name in ('bprop', '__class__'):
            ran = [g.entries for g in (*tape.gradients, *paused) if g.has_run]
            takeovers = [entry[2] for entries in (tape.entries * bool(tape.gradients), *ran) for entry in entries]
            if any(getattr(each, '_stands_for', each) is cell for each in takeovers):
                say_replaced(type(cell).__name__)
        if tape.hidden_address and cell.bprop is not None and name not in cell._params and tensors_in(value):
            mine = type(cell).__name__
            self.said.add((id(cell), f'self.{name}'))
            KeptOnSelfWarning.warn(
                f'{mine}.construct keeps a Tensor in self.{name}, and {mine} has its own bprop. Each call overwrites '
                f"it, so that bprop finds the last call's value, whichever call it is asked about. Return it as a "
                f'further output, and bprop gets the right one in out.',
            )

    def met(self, kind: type) -> None:
        """It may have been given another bprop since."""
        if kind.__dict__.get('_learned', Reads) is not kind.bprop:
            reads = Reads(kind)
            kind._reads = reads if reads.places or reads.rows or reads.all_of_self else None
            kind._learned = kind.bprop
            kind._written = [getattr_static(kind, 'bprop')]  # of which a descriptor makes another function each time

    defined = met

    def called(self, cell, inputs: tuple, left: tuple) -> None:
        for k, given in enumerate(inputs):
            paths = () if isinstance(given, FIXED) else read_of_input(cell, k)
            if paths and snapshot(given) != snapshot(left[k]):
                KeptOnSelfWarning.warn(
                    f'construct of {type(cell).__name__} changes its input {input_names(cell, inputs)[k]}, and bprop '
                    f'gets it as it was before. Return what bprop needs as a further output: it finds that in out.',
                )
            found = []
            map_tensors(given if paths else (), id, rest=found.append)
            for value in found:
                if not isinstance(value, (*FIXED, np.ndarray)):
                    handed = Handed(cell, input_names(cell, inputs)[k], value, paths if value is given else [()])
                    seen = self.calls.setdefault((id(value), id(cell)), [handed, None])
                    seen.append(state(seen[0]))
        reads = cell._reads
        if reads is None:
            return
        if not reads.called:
            reads.__init__(type(cell))
            reads.called = True
        if reads.rows:
            self.taken[id(cell), tape.first_address + len(tape.entries)] = rows_of(cell)
        seen = self.calls.get(id(cell)) or self.calls.setdefault(id(cell), [cell, None])
        if seen[1] is not None and not self.asking and all(read(cell) is value for read, value in seen[1]):
            return
        values = reads.values(cell)
        if id(cell) in self.asking:
            was = self.asking.pop(id(cell))
            names = [n for n, v in values.items() if n not in was or [*map(id, held(v))] != [*map(id, was[n])]]
            whole = [n for n in names if isinstance(values[n], int) or getattr(values[n], 'dtype', None) in WHOLE]
            names = [n for n in names if n not in whole]  # (a mask has no slope)
            if names:
                self.out_of_reach[id(cell)] = cell, names
        fixed = not reads.all_of_self and all(isinstance(v, FIXED) for v in values.values())
        seen[1] = [(read, values[name]) for name, read in reads.places.items()] if fixed else None
        now = state(cell)
        if len(seen) == 2 or now != seen[-1]:
            seen.append(now)

    def compare(self, seen: list, own: set) -> dict:
        """Warn of each thing that is not what it was after some call, but for what bprop writes of its `own`."""
        cell, _, *states = seen
        now = state(cell)
        names = {n for old in states for n in old | now if old.get(n) != now.get(n) and old.get(n) != NOTHING}
        for name in sorted(n for n in names if (id(cell), n) not in own):
            self.say_changed(cell, name)
        return now

    def say_changed(self, cell, name: str) -> None:
        """Warn, once, that what bprop reads under this name is not what it was at the call."""
        mine = name_of(cell)
        if (id(cell), name) not in self.said:
            self.said.add((id(cell), name))
            KeptOnSelfWarning.warn(
                f'{mine}.bprop reads {name}, and that has changed since {mine} was called: bprop finds what it is '
                f'now, not what it was in that call. If construct keeps it, return it as a further output, and bprop '
                f'gets the right one in out; if it is a setting, make it an input, or set it after the gradient.',
            )

    def ran_forward(self, gradient) -> None:
        """Backward will come; that of a vjp later, and perhaps again."""
        if not addresses_by_class:  # no Cell was taken over
            return
        gradient.calls, gradient.written_back = list(self.calls.values()), set()
        gradient.kinds = {kind: (kind._learned, kind._written) for kind in addresses_by_class}
        self.opening(gradient)
        for key, was in self.taken.items():
            k = key[1] - gradient.offset + gradient.begin
            if gradient.begin <= k < gradient.end and isinstance(gradient.entries[k][0], Takeover):
                rule = Taking('Takeover', None)
                rule.was = was
                entry = gradient.entries[k] = rule, *gradient.entries[k][1:]
                tape.entries[key[1] - tape.first_address] = entry  # (a vjp has a list of its own)
        if self.out_of_reach and not gradient.on_arrays:
            self.say_constant([e[2] for e in gradient.entries[gradient.begin : gradient.end]])

    def opening(self, gradient) -> None:
        """It is about to be read, for the first time or again."""
        gradient.states = [self.compare(seen, gradient.written_back) for seen in getattr(gradient, 'calls', ())]
        for kind, (bprop, written) in getattr(gradient, 'kinds', {}).items():
            if kind.bprop is not bprop and getattr_static(kind, 'bprop') is not written[0]:
                say_replaced(kind.__name__)

    def closing(self, gradient) -> None:
        """What its bprops wrote themselves, such as a log, is no change when it is read again."""
        states = getattr(gradient, 'states', ())  # (an interrupt may have come before there were any)
        for seen, before in zip(gradient.calls, states, strict=True) if states else ():
            if seen[1] is None or gradient.read_later:  # (else nothing that it reads can be written into)
                self.moved(seen[0], before, gradient.written_back)

    def moved(self, cell, before: dict, own: set) -> None:
        """A bprop has run: what it wrote itself is its `own`; what gives another value each time must not be there."""
        now, mine = state(cell), name_of(cell)
        for name in [n for n in now if now[n] != before.get(n) or n[-2:] == '()']:
            own.add((id(cell), name))
            drawn = name[-2:] == '()' or positions(now[name]) != positions(before.get(name))
            if drawn and (id(cell), name) not in self.said:
                self.said.add((id(cell), name))
                KeptOnSelfWarning.warn(
                    f'{mine}.bprop takes the next value of {name}: that is not the one which construct took, and '
                    f'another one each time. Take it in construct, return it as a further output, and bprop finds it '
                    f'in out.',
                )

    def numbers_asked(self, tensor, how: str, chooses: bool) -> None:
        """Perhaps they leave the construct of a Cell with a bprop, perhaps to be kept for that."""
        if not tape.hidden_address or chooses or tensor.at < tape.NOWHERE:
            return
        cell = next((each.f_locals['cell'] for each in frames(sys._getframe(1)) if each.f_code in CALLS), None)
        if getattr(cell, '_reads', None) is not None and id(cell) not in self.asking:
            self.asking[id(cell)] = {n: held(v) for n, v in cell._reads.values(cell).items()}

    def say_constant(self, cells: list) -> None:
        """The way back through these Cells will be differentiated."""
        for cell, names in [each for each in self.out_of_reach.values() if any(each[0] is cell for cell in cells)]:
            for name in [n for n in names if (id(cell), n, 2) not in self.said]:
                self.said.add((id(cell), name, 2))
                mine = type(cell).__name__
                LeavesTapeWarning.warn(
                    f'{mine}.bprop reads {name}, which construct of {mine} made of numbers that it took from a Tensor: '
                    f'for a gradient of the gradient these are constants, and their part of it is silently 0. Compute '
                    f'them in bprop, by ops, or return them as a further output.',
                )


trap = KeptOnSelf()
