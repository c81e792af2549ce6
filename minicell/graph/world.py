"""The world of a trace: what it reads of Python, what it writes there, and what it draws.

A profile function looks at each function of the user's, and at each layer, where it begins. The names in its code lead
from its globals, its closure and its arguments to all that it may read, and what stands there is kept as it is then.
Compared again before each replay, a change means a new trace; compared when the trace is over, it means that the
function itself wrote it, which later calls would not do.
"""

import array
import dis
import io
import os
import random
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from datetime import date
from functools import cache, partial
from operator import attrgetter, is_
from types import BuiltinMethodType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import NamedTuple

import numpy as np

from .. import tracing
from ..core import cell as core_cell
from ..core.errors import HOME, users_line, warn_user
from ..core.primitives import apply_plain
from ..core.rules import Many, Rule
from ..core.tensor import Tensor
from ..errors import GraphPrintWarning, GraphValueError
from ..nn.cell import Cell
from .snapshot import snapshot

STDLIB = os.path.dirname(os.__file__) + os.sep
LAYERS = os.path.join(HOME, 'nn') + os.sep, core_cell.__file__
CHANGE = list, dict, set, deque
NEVER = bool, int, float, complex, str, bytes, type(None), range, slice, np.generic, Tensor
BYTES = np.ndarray, bytearray, memoryview, array.array
# who names one of these may read any attribute
EVERY = frozenset('vars __dict__ getattr hasattr attrgetter methodcaller asdict astuple replace copy deepcopy'.split())
DRAWN = {
    'builtins': {'input'},
    'time': {f'{clock}{ns}' for clock in ('time', 'perf_counter', 'monotonic', 'process_time') for ns in ('', '_ns')}
    | {'thread_time', 'localtime', 'gmtime', 'ctime', 'strftime'},
    **dict.fromkeys(('_io', 'io', 'posix', 'nt'), {'open', 'read', 'urandom', 'listdir', 'scandir', 'stat'}),
}
SAY = tuple(STDLIB + name for name in ('logging', 'warnings', 'linecache', 'traceback'))  # they look at the clock, too
functions_of = attrgetter('__code__', '__defaults__', '__kwdefaults__')


class Read(NamedTuple):
    """Where some values are read, what they were, and what they are called: each by a name, or all by one."""

    read: Callable[[], Iterable]
    was: tuple
    names: tuple[str, ...]

    def holds(self) -> bool:
        """Whether they are what they were: the same objects, or equal numbers."""
        now = tuple(self.read())
        return len(now) == len(self.was) and (all(map(is_, now, self.was)) or snapshot(now) == snapshot(self.was))

    def changed(self) -> str:
        """The name of one that is another now."""
        pairs = zip(self.read(), self.was, self.names, strict=False)
        return next((name for now, was, name in pairs if snapshot(now) != snapshot(was)), self.names[-1])


@cache
def is_library(file: str) -> bool:
    """Whether code in a file is nobody's who learns here: Python's own, minicell's, or installed."""
    return file.startswith((HOME, '<frozen', STDLIB)) or 'site-packages' in file or 'dist-packages' in file


def _is_librarys(module: ModuleType | None) -> bool:
    file = getattr(module, '__file__', None)
    return is_library(file) if file else getattr(module, '__name__', '') in sys.builtin_module_names


@cache
def _is_users(kind: type) -> bool:
    """Whether a class can be changed, and is the user's."""
    module = None if kind.__module__ == 'builtins' else sys.modules.get(kind.__module__)
    return not kind.__flags__ & 1 << 8 and not _is_librarys(module)


class Names(NamedTuple):
    """The names in a function's code."""

    globals: tuple[str, ...]
    attributes: tuple[str, ...]
    every: bool


@cache
def names_of(code: CodeType | None) -> Names:
    """What it may read; a text may be a name too, as in getattr(x, 'k')."""
    if code is None:
        return Names((), (), False)
    texts = {s for c in code.co_consts for s in (c if isinstance(c, tuple) else (c,)) if isinstance(s, str)}
    spaces = {s.argval for s in dis.get_instructions(code) if s.opname.endswith(('_GLOBAL', '_NAME'))}
    if 'globals' in code.co_names:
        spaces |= texts
    attributes = {*code.co_names, *filter(str.isidentifier, texts), code.co_name, 'construct', 'bprop'}
    every = not EVERY.isdisjoint(code.co_names) and not code.co_filename.startswith(HOME)
    return Names(tuple(sorted(spaces)), tuple(sorted(attributes)), every)


def _numbers(value: object) -> tuple:
    """An array's content, which may be large, as one number."""
    a = np.asarray(value)
    return a.shape, a.dtype.str, hash(a.tobytes())


def _items(value: Iterable) -> tuple:
    return (*value, *value.values()) if isinstance(value, dict) else tuple(value)


def _content(cell: object) -> tuple:
    try:
        return (cell.cell_contents,)
    except ValueError:  # not given yet
        return ()


class World:
    """Watches one trace."""

    def __init__(self, tracer: object, function: Callable, given: object) -> None:
        self.tracer = tracer
        self.reads: dict[int, Read] = {}
        self.given: dict[int, Read] = {}  # of arguments, whose content is part of the signature
        self.spaces: dict[int, tuple[object, dict, str]] = {}  # modules, objects, classes: their names that are read
        self.known: dict[int, object] = {}  # what was there before the trace, and was found
        self.seen: set = set()
        self.kernel: object = None  # the frame of what a graph calls in every replay: there, anything may be drawn
        self.refused: Exception | None = None
        self.generators: dict[int, object] = {}
        self.reach(np.random.rand, None, 'np.random')
        self.reach(function, None, tracer.name)
        self.reach(given, None, 'an argument', True)
        self.states = self._states()

    # ---- while the function runs -----------------------------------------------------------------------------------

    def watch(self, frame: object, event: str, called: object) -> None:
        """What sys.setprofile calls."""
        if tracing.tracer is not self.tracer:  # an optimizer, which runs in every replay
            return
        try:
            if self.kernel is not None:
                if event == 'return' and frame is self.kernel:
                    self.kernel, self.states = None, self._states()
            elif event == 'c_call':
                if called.__name__ == 'print' and not is_library(frame.f_code.co_filename):
                    warn_user(
                        f'print inside the graph of {self.tracer.name}: it runs once, now, while the graph is traced, '
                        f'and not in later calls.',
                        GraphPrintWarning,
                    )
                self._called(frame, called)
            elif event == 'call':
                self._begins(frame, frame.f_code)
            elif event == 'return' and not is_library(frame.f_code.co_filename):
                self._look_at_generators()
        except Exception as error:
            self.refused = error
            raise

    def _begins(self, frame: object, code: CodeType) -> None:
        if code in REPLAYED:
            self._look_at_generators()
            self.kernel = frame
        elif not is_library(code.co_filename):
            self._names(frame.f_globals, names_of(code).globals, '', code)
            for name, value in list(frame.f_locals.items()):
                if id(value) in self.known:  # what the trace made itself may change as it likes
                    self.reach(value, code, name, id(value) in self.given)
        elif code.co_argcount and code.co_filename.startswith(LAYERS):
            layer = frame.f_locals.get(code.co_varnames[0])
            if isinstance(layer, Cell) and id(layer) in self.known:
                self.reach(layer, code, type(layer).__name__)
        elif code.co_name == 'raw_input':  # a notebook's input
            self._refuse_draw('input()')

    def _called(self, frame: object, called: object) -> None:
        """A function that is not Python's was called: by the user, for a value of Python's that is another each time?"""
        owner, name = getattr(called, '__self__', None), called.__name__
        if isinstance(owner, ModuleType):
            drawn, name = name in DRAWN.get(owner.__name__, ()), f'{owner.__name__.lstrip("_")}.{name}()'
        else:
            drawn = (
                (isinstance(owner, random.Random) and name in ('random', 'getrandbits'))
                or (isinstance(owner, type) and issubclass(owner, date) and name in ('now', 'today', 'utcnow'))
                or (isinstance(owner, io.IOBase) and name.startswith('read'))
            )
            name = f'{getattr(owner, "__name__", type(owner).__name__)}.{name}()'
        if drawn:
            while frame is not None and is_library(file := frame.f_code.co_filename):
                if file.startswith((HOME, *SAY)) or ('-packages' in file and name.startswith('time')):
                    return
                frame = frame.f_back
            self._refuse_draw(name)

    def _states(self) -> list:
        generators = self.generators.values()
        return [
            snapshot(g.bit_generator.state if hasattr(g, 'bit_generator') else g.get_state(legacy=False))
            for g in generators
        ]

    def _look_at_generators(self) -> None:
        if self._states()[: len(self.states)] != self.states:
            self._refuse_draw('NumPy draws random numbers')

    def _refuse_draw(self, what: str) -> None:
        raise GraphValueError(
            f'{what} inside the graph of {self.tracer.name}: Python gets this value once, now, while the graph is '
            f'traced, and every later call would use it again. Get it outside and give it as an argument (as a Tensor, '
            f'a new one needs no new trace), or use ops.randn or ops.dropout, which draw in every call.{users_line()}'
        )

    # ---- from a value to what can be read of it --------------------------------------------------------------------

    def reach(self, value: object, code: CodeType | None, label: str, given: bool = False) -> None:
        """Keep how a value is now, and whatever the names in a function's code find in it."""
        key = id(value), code, given
        if isinstance(value, NEVER) or key in self.seen:
            return
        self.seen.add(key)
        self.known[id(value)] = value
        more: tuple = ()
        if isinstance(value, (*CHANGE, tuple, frozenset)):
            if isinstance(value, CHANGE):
                self._keep(value, partial(_items, value), label, given)
            more = _items(value)
        elif isinstance(value, BYTES):
            self._keep(value, partial(_numbers, value), label, given)
        elif isinstance(value, (np.random.Generator, np.random.RandomState)):
            if id(value) not in self.generators:
                self.generators[id(value)] = value
                self.states = self._states()
        elif hasattr(type(value), '__next__') and type(value).__module__ in ('builtins', 'itertools'):
            raise GraphValueError(
                f'{label} is an iterator, and the graph of {self.tracer.name} has it from outside: it would move on '
                f'once, while the graph is traced, and not in later calls. Call next outside, and give the value as an '
                f'argument.{users_line()}'
            )
        elif isinstance(value, (MethodType, BuiltinMethodType)):
            more = () if isinstance(value.__self__, ModuleType) else (value.__self__, getattr(value, '__func__', None))
        elif isinstance(value, partial):
            more = value.func, value.args, value.keywords
        elif isinstance(value, (staticmethod, classmethod)):
            more = (value.__func__,)
        elif isinstance(value, ContextVar):
            self._keep(value, lambda: (value.get(None),), label)
        elif isinstance(value, FunctionType):
            more = self._function(value, label)
        for part in more:
            self.reach(part, code, label, given)
        if code is not None:
            self._attributes(value, code, label)

    def _keep(self, value: object, read: Callable, label: str, given: bool = False) -> None:
        kept = self.given if given else self.reads
        if id(value) not in kept:
            kept[id(value)] = Read(read, tuple(read()), (label,))

    def _function(self, function: FunctionType, label: str) -> tuple:
        """What a function brings along; of a function from a library, only the functions that it calls."""
        inside = function.__closure__ or ()
        if is_library(function.__code__.co_filename):
            return tuple(v for cell in inside for v in _content(cell) if callable(v))
        self._keep(function, partial(functions_of, function), label)
        for name, cell in zip(function.__code__.co_freevars, inside, strict=True):
            self._keep(cell, partial(_content, cell), name)
            for value in _content(cell):
                self.reach(value, function.__code__, name)
        return (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())

    def _names(self, space: object, names: Iterable[str], owner: str, code: CodeType, deep: bool = True) -> None:
        """Keep what some names stand for: in a module, an object or a class."""
        kept = self.spaces.setdefault(id(space), (space, {}, owner))[1]
        for name in names:
            value = space.get(name)
            kept.setdefault(name, value)
            if deep or isinstance(value, ModuleType) or value is os.environ:
                self.reach(value, code, owner + name)
            elif value is os.getenv:
                self.reach(os.environ, code, 'os.environ')

    def _attributes(self, value: object, code: CodeType, label: str) -> None:
        """Keep those attributes of a module, a class or an object that a function's code names."""
        _, names, every = names_of(code)
        space = getattr(value, '__dict__', None)
        if isinstance(value, ModuleType):
            owner = value.__name__.rpartition('.')[2] + '.'
            self._names(space, [n for n in names if n in space], owner, code, not _is_librarys(value))
            return
        if type(value).__module__.partition('.')[0] == 'minicell' and not isinstance(value, Cell):
            self.reach(getattr(value, 'fn', None), code, label)  # what ms.jit was given
            return
        owner = f'{getattr(value, "__name__", type(value).__name__)}.'
        kinds = [k for k in (value if isinstance(value, type) else type(value)).__mro__ if _is_users(k)]
        in_class = [n for n in names if any(n in vars(k) for k in kinds)]
        for kind in kinds:
            self._names(vars(kind), in_class, f'{kind.__name__}.', code)
            for name in in_class:
                slot = vars(kind).get(name)
                if isinstance(slot, MemberDescriptorType) and not isinstance(value, type):
                    self._keep(slot, lambda name=name: (getattr(value, name, None),), owner + name)
        if isinstance(space, dict):
            if every or (isinstance(value, (Mapping, Sequence, Set)) and not isinstance(value, CHANGE)):
                names = [n for n in {**space, **dict.fromkeys(names)} if n != '_graphs']
            self._names(space, [n for n in names if every or n in space or n in in_class], owner, code)
            self.reach(space.get('__wrapped__'), code, label)

    # ---- when it is over -------------------------------------------------------------------------------------------

    def check(self) -> list[Read]:
        """Refuse what the function wrote itself; what it read, for later."""
        if self.refused is not None:  # and somebody caught it
            raise self.refused
        self._look_at_generators()
        spaces = [
            Read(partial(map, space.get, tuple(kept)), tuple(kept.values()), tuple(owner + name for name in kept))
            for space, kept, owner in self.spaces.values()
            if kept
        ]
        reads = [*spaces, *self.reads.values()]
        for read in (*reads, *self.given.values()):
            if not read.holds():
                self.tracer.refuse_written(read.changed())
        return reads


REPLAYED = {apply_plain.__code__, Rule.play.__code__, Many.play.__code__}
