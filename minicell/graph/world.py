"""The world of a trace: what it reads of Python, what it writes there, and what it draws.

A profile function looks at each function of the user's, and at each layer, where it begins. What its globals, its
closure and its arguments lead to is known from then on, and so are the attributes that its code names: each of them is
kept, as it is then, of whatever is known, because no one can tell by which way an object comes to the code that reads
it. Compared again before a replay, a change means a new trace; compared when the trace is over, it means that the
function itself wrote it, which later calls would not do. What the trace makes itself is never known, and may change.
"""

import array
import dis
import os
import re
import sys
from abc import ABCMeta, get_cache_token
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from functools import cached_property, lru_cache, partial
from operator import attrgetter, is_
from types import CodeType, FunctionType, MappingProxyType, MemberDescriptorType, MethodType, ModuleType
from typing import NamedTuple
from weakref import getweakrefcount, ref

import numpy as np

from .. import tracing
from ..common.parameter import Parameter
from ..core import cell as core_cell
from ..core.errors import HOME
from ..core.primitives import apply_plain
from ..core.rules import Many, Rule
from ..core.tensor import Tensor, wrap
from ..errors import GraphPrintWarning
from ..nn.cell import Cell
from ..traps.bytecode import STDLIB, is_library, is_library_module, of_library
from ..traps.snapshot import snapshot

MAKES = {Tensor.__init__.__code__, wrap.__code__}
SHOWS = {getattr(Tensor, f'__{name}__').__code__ for name in ('repr', 'str', 'format')}
LAYERS = os.path.join(HOME, 'nn') + os.sep, core_cell.__file__
# each call of a graph draws anew in these
REPLAYED = {apply_plain.__code__, Rule.run_kernel.__code__, Many.run_kernel.__code__}
CHANGING = list, dict, set, deque, MappingProxyType
VIEWS = type({}.keys()), type({}.values()), type({}.items())
BYTES = np.ndarray, bytearray, memoryview, array.array
NEVER = bool, int, float, complex, str, bytes, type(None), range, slice, np.generic, Tensor
MEMO = type(lru_cache(id))
CALLING = MethodType, type(len), partial, staticmethod, classmethod, property, cached_property, MEMO
CALLED = '__self__', '__func__', '__wrapped__', 'func', 'args', 'keywords', 'fget', 'fn'  # ms.jit has it as fn
EVERY = re.compile('vars|__dict__|(get|has|set|del)attr|attrgetter|methodcaller|as(dict|tuple)|replace|(deep)?copy')
DRAWN = re.compile(
    r'time\.(?!sleep).*|.*Random\.(random|getrandbits)|date(time)?\.(now|utcnow|today)|builtins\.input|_uuid.*'
    r'|(_?io|posix|nt)\.(open|read|urandom|listdir|scandir|stat|getcwd)|gc\.(is|get).*|sys\.get(recursion|ref|switch).*'
    r'|.*(IO|Reader|Wrapper|Buffered\w+)\.(read.*|get.*|tell)'
)
SAYING = tuple(at + name for at in STDLIB for name in ('logging', 'warnings', 'linecache', 'traceback'))  # by a clock
functions_parts = attrgetter('__code__', '__defaults__', '__kwdefaults__')


class Read(NamedTuple):
    """Where some values are read, what they were, and what they are called: each by a name, or all by one."""

    read: Callable[[], Iterable]
    was: tuple
    names: tuple[str, ...]

    def holds(self) -> bool:
        """Whether they are what they were: the same objects, or equal numbers."""
        now = tuple(self.read())
        return len(now) == len(self.was) and (all(map(is_, now, self.was)) or snapshot(now) == snapshot(self.was))

    def grew(self) -> bool:
        """Whether this is a list of plain numbers that was appended to: in a bprop, a log, as MindSpore takes it.

        (An `if` on its length is frozen, and shown with the graph, as any `if` on a value of Python's.)
        """
        now = tuple(self.read())
        log = getattr(self.read, 'func', None) is _items and isinstance(self.read.args[0], list)
        return (
            log and len(now) > len(self.was) == sum(map(is_, now, self.was)) and all(isinstance(v, NEVER) for v in now)
        )

    def changed(self) -> str:
        """The name of one that is another now."""
        pairs = zip(self.read(), self.was, self.names, strict=False)
        return next((name for now, was, name in pairs if snapshot(now) != snapshot(was)), self.names[-1])


def _is_users(kind: type) -> bool:
    """Whether a class can be changed, and is the user's; one that was made by exec calls its module 'builtins'."""
    return not kind.__flags__ & 1 << 8 and (kind.__module__ == 'builtins' or not of_library(kind))


@lru_cache(maxsize=1024)
def names_of(code: CodeType) -> tuple[list[str], frozenset[str], set[str], bool]:
    """The globals and the attributes that code names (in texts too), those that it writes, whether it may read any."""
    texts = {s for c in code.co_consts for s in (c if isinstance(c, tuple) else (c,)) if isinstance(s, str)}
    steps, inside = list(dis.get_instructions(code)), [c for c in code.co_consts if isinstance(c, CodeType)]
    spaces = {s.argval for s in steps if s.opname.endswith(('_GLOBAL', '_NAME'))}
    written = {s.argval for s in steps if s.opname == 'STORE_ATTR'}
    steps += [step for c in inside for step in dis.get_instructions(c)]
    attributes = {s.argval for s in steps if s.opname.endswith(('_ATTR', '_METHOD'))}
    attributes |= {*filter(str.isidentifier, texts), code.co_name, 'construct', 'bprop', '_value_'}
    attributes |= {'_phase'} & {f'_{name}' for name in attributes}  # the phase is behind a property
    file = code.co_filename  # a layer may have its settings by name; what every Cell does reads none
    layer = file.startswith(LAYERS[0]) and not file.endswith(('cell.py', 'hooks.py'))
    every = any(EVERY.fullmatch(name) for c in (code, *inside) for name in c.co_names) and (
        layer or not file.startswith(HOME)
    )
    return sorted(spaces | texts if 'globals' in spaces else spaces), frozenset(attributes), written, every


def _spaces(value: object) -> list[Mapping]:
    """Where the attributes of a module, a class or an object stand, as far as they may change."""
    if not isinstance(value, Cell) and str(type(value).__module__).partition('.')[0] == 'minicell':
        return []
    kinds = (*(value.__mro__ if isinstance(value, type) else ()), *type(value).__mro__)
    own = getattr(value, '__dict__', None)
    return [own] * isinstance(own, dict) + [vars(kind) for kind in kinds if _is_users(kind)]


def form(p: Parameter) -> tuple:
    """What Python may decide by: the same object for the same form."""
    return _same(p.array.shape, p.array.dtype, p.name, p.requires_grad)


_same = lru_cache(maxsize=4096)(lambda *form: form)


def _items(value: Iterable) -> tuple:
    return (*value, *value.values()) if isinstance(value, (dict, MappingProxyType)) else tuple(value)


def _content(cell: object) -> tuple:
    try:
        return (cell.cell_contents,)
    except ValueError:  # not given yet
        return ()


stored = Tensor.array


def _array(t: Tensor) -> np.ndarray:
    """In the place of a Tensor's array while a function that names one is traced: does the user's code ask for it?"""
    if tracing.tracer is not None and not is_library(sys._getframe(1).f_code.co_filename):
        tracing.tracer.refuse_value(t, '.array')
    return stored.__get__(t)


ASKED = property(_array, stored.__set__)


class World:
    """Watches one trace."""

    def __init__(self, tracer: object, function: Callable, given: object) -> None:
        self.tracer = tracer
        self.reads: dict[object, Read] = {}
        self.given: dict[object, Read] = {}  # of arguments, whose content is part of the signature
        self.spaces: dict[int, tuple[object, dict, str]] = {}  # modules, objects, classes, and what is read there
        self.known: dict[int, object] = {}  # what was there before the trace, and was found
        self.owners: dict[int, tuple[object, list]] = {}  # of that, what has attributes, and where they stand
        self.names: set[str] = set()  # the attributes that code has named so far, and those that it writes
        self.written: set[str] = set()
        self.made: dict[int, Tensor] = {}  # Tensors that were made since, but for the results of ops
        self.seen: set = set()
        self.kernel: object = None  # the frame of what a graph calls in every replay
        self.refused: Exception | None = None
        self.printing = False
        self.generators: dict[int, list] = {}  # NumPy's, and their states
        self.forms: dict[Parameter, tuple] = {}
        self.reach(np.random.rand, 'np.random')
        self.reach(function, tracer.name)
        self.reach(given, 'an argument', True)

    def watch(self, frame: object, event: str, called: object) -> None:
        """What sys.setprofile calls."""
        if tracing.tracer is not self.tracer:  # an optimizer, which runs in every replay
            return
        try:
            if self.kernel is not None:
                if event == 'return' and frame is self.kernel:
                    self._look_at_generators(refuse=False)
                    self.kernel = None
            elif event == 'call':
                self._begins(frame, frame.f_code)
            elif event == 'c_return':
                self.printing = self.printing and called is not print
            elif event == 'return' and frame.f_code in MAKES:
                made = frame.f_locals.get('self', called)
                self.made[id(made)] = made
            elif event == 'c_call':
                self._called(frame, called)
            elif event == 'return' and not is_library(frame.f_code.co_filename):
                self._look_at_generators()
        except Exception as error:
            self.refused = error
            raise

    def _begins(self, frame: object, code: CodeType) -> None:
        if code in REPLAYED:
            self._look_at_generators()
            self.kernel = frame
        elif (users := not is_library(code.co_filename)) or code.co_filename.startswith(LAYERS):
            every = self._learn(code)
            if users:
                self._names(frame.f_globals, names_of(code)[0], '', True, every)
                if 'array' in names_of(code)[1]:
                    Tensor.array = ASKED  # until the trace is over
            for name, value in list(frame.f_locals.items()) if every else ():
                if id(value) in self.known:  # what the trace made itself may change as it likes
                    self.reach(value, name, id(value) in self.given, every)
        elif code in SHOWS and not (self.printing or is_library(frame.f_back.f_code.co_filename)):
            self.tracer.refuse_value(frame.f_locals[code.co_varnames[0]], 'str()')
        elif code.co_name == 'raw_input':  # a notebook's input
            self.tracer.refuse('random', 'input()')

    def _called(self, frame: object, called: object) -> None:
        """A function that is not written in Python: one that gives the user another value each time?"""
        owner = getattr(called, '__self__', None)
        name = f'{getattr(owner, "__name__", type(owner).__name__)}.{called.__name__}'
        if name == 'builtins.print' and not is_library(frame.f_code.co_filename):
            self.printing = True
            GraphPrintWarning.warn(
                f'print inside the graph of {self.tracer.name}: it runs once, now, while the graph is traced, and not '
                f'in later calls.',
            )
        if DRAWN.fullmatch(name):
            while frame is not None and is_library(file := frame.f_code.co_filename):
                if file.startswith((HOME, *SAYING)) or ('-packages' in file and name.startswith('time')):
                    return
                frame = frame.f_back
            self.tracer.refuse('random', f'{name.lstrip("_")}()', frame)

    def _look_at_generators(self, refuse: bool = True) -> None:
        for kept in self.generators.values():
            generator, was = kept
            kept[1] = _state(generator)
            if refuse and kept[1] != was:
                self.tracer.refuse('random', 'a random number of NumPy')

    def _learn(self, code: CodeType) -> frozenset:
        """Code has begun: keep the attributes that it names of all that is known. Its names, if it may read any."""
        _, names, written, every = names_of(code)
        if fresh := (names - self.names) | (written - self.written):
            self.names |= fresh
            self.written |= written
            for value, spaces in [*self.owners.values()]:
                self._attributes(value, spaces, fresh)
        return names if every else frozenset()

    def reach(self, value: object, label: str, given: bool = False, every: frozenset = frozenset()) -> None:
        """Keep how a value is now, and what names find in it; where code may read any attribute, all that it has."""
        key = id(value), given, every
        if isinstance(value, Parameter):
            self.forms.setdefault(value, form(value))
        if isinstance(value, NEVER) or key in self.seen:
            return
        self.seen.add(key)
        self.known[id(value)] = value
        kind, parts = type(value), ()
        if isinstance(value, (*CHANGING, tuple, frozenset)):
            if isinstance(value, CHANGING):
                self._keep(id(value), partial(_items, value), label, given)
            parts = _items(value)
        elif isinstance(value, BYTES):
            self._keep(id(value), lambda: (snapshot(value),), label, given)
        elif isinstance(value, (np.random.Generator, np.random.RandomState)):
            self.generators.setdefault(id(value), [value, _state(value)])
        elif hasattr(kind, '__next__') and kind.__module__ in ('builtins', 'itertools'):
            self.tracer.refuse('random', f'the next value of {label}, an iterator from outside,')
        elif isinstance(value, (ref, *VIEWS)):
            parts = (value() if isinstance(value, ref) else value.mapping,)
        elif isinstance(value, ContextVar):
            self._keep(id(value), lambda: (value.get(None),), label)
        elif isinstance(value, ABCMeta) and _is_users(value):
            self._keep(ABCMeta, lambda: (get_cache_token(),), f'what counts as {value.__name__}')
        elif isinstance(value, FunctionType):
            parts = self._function(value, label)
        elif isinstance(value, CALLING) or str(kind.__module__).startswith('minicell.graph'):
            parts = [part for n in CALLED if not isinstance(part := getattr(value, n, None), ModuleType)]
        for part in parts:
            self.reach(part, label, given, every)
        if spaces := _spaces(value):
            self.owners[id(value)] = value, spaces
            self._attributes(value, spaces, self.names, every)

    def _keep(self, key: object, read: Callable, label: str, given: bool = False) -> None:
        kept = self.given if given else self.reads
        if key not in kept:
            kept[key] = Read(read, tuple(read()), (label,))

    def _function(self, function: FunctionType, label: str) -> list:
        """What a function brings along; of a library's, only the functions that it calls."""
        code, inside = function.__code__, function.__closure__ or ()
        if is_library(code.co_filename):
            calls = [v for cell in inside for v in _content(cell) if callable(v)]
            return [*calls, getattr(function, 'registry', None)]  # of functools.singledispatch
        self._keep(id(function), partial(functions_parts, function), label)
        for name, cell in zip(code.co_freevars, inside, strict=True):
            self._keep(id(cell), partial(_content, cell), name)
            for value in _content(cell):
                self.reach(value, name)
        return [*(function.__defaults__ or ()), function.__kwdefaults__]

    def _names(self, space: Mapping, names: Iterable[str], owner: str, deep: bool, every: frozenset) -> None:
        """Keep what some names stand for: in a module, an object or a class."""
        kept = self.spaces.setdefault(id(space), (space, {}, owner))[1]
        for name in names:
            value = space.get(name)
            kept.setdefault(name, value)
            value = os.environ if value is os.getenv else value
            if deep or isinstance(value, (ModuleType, list, dict)) or value is os.environ:
                self.reach(value, owner + name, False, every)

    def _attributes(self, value: object, spaces: list, names: Set, every: frozenset = frozenset()) -> None:
        """Keep those attributes of a module, a class or an object that have one of these names, or all that it has."""
        module = isinstance(value, ModuleType)
        found = {name for space in spaces for name in names & space.keys()} | (names & self.written)
        if not module and (every or (isinstance(value, (Mapping, Sequence, Set)) and not isinstance(value, CHANGING))):
            found |= every | (spaces[0].keys() - {'_graphs'})
        if isinstance(value, Cell):
            found.add('bprop')  # it may be given one later
        if isinstance(value, FunctionType) and '__annotations__' in names:
            self.reach(value.__annotations__, f'{value.__name__}.__annotations__')
        owner = f'{(value if isinstance(value, (type, ModuleType, FunctionType)) else type(value)).__name__}.'
        for space in spaces:
            self._names(space, sorted(found), owner, not (module and is_library_module(value)), every)
        for name in sorted(found):
            if isinstance(getattr(type(value), name, None), MemberDescriptorType):
                self._keep((id(value), name), lambda name=name: (getattr(value, name, None),), owner + name)
                self.reach(getattr(value, name, None), owner + name, False, every)

    def check(self, parameters: list[Parameter]) -> list[Read]:
        """Refuse what the function wrote itself; what it read, for later: these Parameters too."""
        if self.refused is not None:  # and somebody caught it
            raise self.refused
        self._look_at_generators()
        reads = [
            Read(partial(map, space.get, tuple(kept)), tuple(kept.values()), tuple(owner + name for name in kept))
            for space, kept, owner in self.spaces.values()
            if kept
        ] + [*self.reads.values()]
        owners = [value for value, _ in self.owners.values() if not getweakrefcount(value)]  # those may have to die
        reads.append(Read(partial(map, type, owners), (*map(type, owners),), ('the class of an object',) * len(owners)))
        self.forms = dict(zip(parameters, map(form, parameters), strict=True)) | self.forms
        if self.forms:
            names = tuple(f'the name, shape or requires_grad of {p.name}' for p in self.forms)
            reads.append(Read(partial(map, form, tuple(self.forms)), tuple(self.forms.values()), names))
        grown = [read for read in reads if read.grew()] if self.tracer.name.endswith('.bprop') else []
        for read in (*reads, *self.given.values()):
            if not read.holds() and read not in grown:
                self.tracer.refuse('written', read.changed())
        return [read for read in reads if read not in grown]


def _state(generator: np.random.Generator | np.random.RandomState) -> object:
    seen = getattr(generator, 'bit_generator', None)
    return snapshot(seen.state if seen else generator.get_state(legacy=False))
