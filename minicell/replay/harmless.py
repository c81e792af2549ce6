"""Calling the user's code again, so that nobody can tell afterwards: every object that it can reach is put back.

What cannot be put back is not called again: a file that is open, an iterator. A file that the code wants to write to is
refused when it does.
"""

import contextlib
import dis
import io
import logging
import random
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from ctypes import string_at
from functools import lru_cache, partial
from operator import is_, is_not
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ..core.cell import Cell
from ..core.dtype import DType, float16, float32, float64
from ..core.tensor import Tensor
from ..core.watch import aside
from ..ops.hooks import HookHandle
from ..traps.bytecode import is_library_module, of_library, parts

WRITING = 'wax+'
LEARNED = '_reads', '_learned'  # what a trap keeps on a class
CLOCKS = 'time', 'datetime', 'secrets', 'uuid'
CHANGES = ('os.remove', 'os.rename', 'os.mkdir', 'os.rmdir', 'os.truncate', 'subprocess.Popen', 'os.system')
CHANGES += ('socket.connect', 'socket.sendto', 'os.symlink', 'os.link', 'os.chmod', 'os.chdir', 'sqlite3.connect')
CHANGES += 'os.putenv', 'os.unsetenv'
FILL: dict[type, Callable] = {dict: dict.update, set: set.update}  # what fills each kind of container
FILL |= {kind: kind.extend for kind in (list, deque, bytearray)}
LOCK = threading.RLock()  # output, warnings and logging belong to all threads
ATOMS = int, float, bool, complex, str, bytes, type(None)
WIDER: dict[Any, Any] = {np.float16: np.float64, np.float32: np.float64, float16: float64, float32: float64}
WIDER |= {np.dtype('f2'): np.dtype('f8'), np.dtype('f4'): np.dtype('f8'), np.dtype: lambda *a: widened(np.dtype(*a))}
# what may be a key as well stands for one that nobody has, so that construct raises, and is called in its own dtypes
WIDER |= dict.fromkeys(('float16', 'float32', 'half', 'single', 'f2', 'f4', 'e', 'f'), 'float64')
WIDER |= {order + kind: order + 'f8' for order in '<=>|' for kind in ('f2', 'f4')}


class Harm(Exception):
    """Why something is not called again."""


def widened(value: Any) -> Any:
    """What stands for what the user's code has while it is called in Float64: a module where every float is that."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float64) if type(value) is np.ndarray and value.dtype in WIDER else value
    if isinstance(value, CodeType):
        consts = tuple(map(widened, value.co_consts))
        return value if all(map(is_, consts, value.co_consts)) else value.replace(co_consts=consts)
    if isinstance(value, ModuleType) and hasattr(value, 'float64'):  # NumPy, or minicell
        return type(value.__name__, (), {'__getattr__': lambda _, name: widened(getattr(value, name))})()
    return WIDER.get(value, value) if isinstance(value, type | DType | np.dtype | str) else value


class Kept:
    """What some code can reach, as it is now: `restore()` puts it back."""

    def __init__(self, *roots: object) -> None:
        self.back: list[Callable[[], object]] = []
        self.tensors: list[Tensor] = []
        self.wider: list[tuple[Callable, object]] = []  # where something stands that may be another in Float64
        self.seen: dict[int, object] = {}
        todo = list(roots)
        with LOCK:  # another thread may be running what changes it, and will put it back
            while todo:
                value = todo.pop()
                if id(value) not in self.seen:
                    self.seen[id(value)] = value  # kept alive, so that no other object gets its id
                    todo += self.keep(value)
        legacy, plain, source = np.random.get_state(), random.getstate(), np.random.get_bit_generator()
        usual = legacy[0] == 'MT19937' and not legacy[3]  # (3: half of a pair of normal numbers is kept elsewhere)
        memory = lambda: usual and string_at(source.ctypes.state_address, 2500)
        drawn = memory()  # to put the state back takes 25 µs, and to see that nothing was drawn takes one
        numpys = lambda: None if usual and memory() == drawn else np.random.set_state(legacy)
        self.back += [numpys, lambda: random.setstate(plain)]

    def restore(self) -> None:
        """Put everything back."""
        failed = []
        for put in self.back:
            try:
                put()
            except Exception as error:  # the others still count
                failed.append(error)
        if failed:
            raise Harm(f'something that it changed cannot be put back ({failed[0]})')

    def widen(self) -> None:
        """Turn all Tensors to Float64, and Float32 where the user's code names it, until they are put back."""
        for t in self.tensors:
            if t.array.dtype.kind == 'f':
                t.array = t.array.astype(np.float64)
        stands = {id(value): widened(value) for _, value in self.wider}  # the same for the same, wherever it stands
        self.wider = [(put, value) for put, value in self.wider if stands[id(value)] is not value]
        for put, value in self.wider:
            put(stands[id(value)])

    def keep(self, value: Any) -> list:
        """Keep one object; what it leads to."""
        back = self.back.append
        if isinstance(value, Tensor):
            self.tensors.append(value)
            return self.of_object(value)
        if isinstance(value, np.ndarray):
            numbers = value.copy()
            if value.flags.writeable:
                back(lambda: _array(value, numbers))
            return [*(value.flat if value.dtype.kind == 'O' else ()), *self.of_object(value)]
        if isinstance(value, dict | list | deque | bytearray | set):
            kind = next(k for k in FILL if isinstance(value, k))
            held = list(value.items() if kind is dict else value)
            back(lambda: _refill(kind, value, held))
            places = enumerate(held) if kind is not dict and kind is not set else held if kind is dict else ()
            self.wider += [(partial(kind.__setitem__, value, at), part) for at, part in places]
            parts = [part for _, part in held] if kind is dict else [p for p in held if not isinstance(p, ATOMS)]
            return [*parts, *(self.of_object(value) if type(value) is not kind else ())]
        if isinstance(value, tuple | frozenset):
            return list(value)
        if isinstance(value, np.random.Generator):
            return [value.bit_generator]
        if isinstance(value, np.random.RandomState | random.Random):
            name = 'state' if isinstance(value, random.Random) else '_state'
            state = getattr(value, f'get{name}')()
            back(lambda: getattr(value, f'set{name}')(state))
        elif isinstance(value, FunctionType):
            return self.of_function(value)
        elif isinstance(value, MethodType):
            return [value.__self__, value.__func__]
        elif isinstance(value, BuiltinFunctionType):
            return [value.__self__] if not isinstance(value.__self__, ModuleType | type(None)) else []
        elif isinstance(value, partial):
            return [value.func, value.args, value.keywords]
        elif isinstance(value, np.random.BitGenerator):
            numbers = value.state
            back(lambda: setattr(value, 'state', numbers))
        elif isinstance(value, type):
            return self.of_class(value)
        elif isinstance(value, io.StringIO | io.BytesIO):
            held = value.getvalue(), value.tell()
            back(lambda: (value.seek(0), value.truncate(), value.write(held[0]), value.seek(held[1])))
        elif isinstance(value, io.IOBase) and value not in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            raise Harm('it can reach an open file, and what is written there cannot be taken back')
        elif isinstance(value, Iterator):
            raise Harm(f'it can reach an iterator ({type(value).__name__}), which cannot be put back')
        elif not isinstance(value, ModuleType | BuiltinFunctionType) and (
            isinstance(value, Cell | HookHandle) or not of_library(type(value))
        ):
            return [type(value), *self.of_object(value)]
        return []

    def of_object(self, value: Any) -> list:
        """What stands in the slots of an object, and its dict of attributes."""
        names = [n for kind in type(value).__mro__ for n in vars(kind).get('__slots__', ())]
        slots = {n: getattr(value, n) for n in names if hasattr(value, n) and not n.startswith('__')}
        self.back += [partial(object.__setattr__, value, name, part) for name, part in slots.items()]
        return [*slots.values(), *([vars(value)] if hasattr(value, '__dict__') else [])]

    def named(self, value: Any, put: Callable) -> None:
        """Something that the user's code names: it is put back, and in Float64 it may be another."""
        self.back.append(partial(put, value))
        self.wider.append((put, value))

    def of_function(self, function: FunctionType) -> list:
        """What a function of the user's reads outside: its globals, closure and defaults."""
        if of_library(function):
            return []
        found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), vars(function)]
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # (not there yet)
                self.named(held := cell.cell_contents, partial(setattr, cell, 'cell_contents'))
                found.append(held)
        self.named(function.__code__, partial(setattr, function, '__code__'))
        space = function.__globals__
        for name, attributes in names(function.__code__).items():
            if name not in space:  # it may be made
                self.back.append(lambda name=name: space.pop(name, None))
                continue
            held = space[name]
            self.named(held, partial(space.__setitem__, name))
            if getattr(held, '__name__' if isinstance(held, ModuleType) else '__module__', '') in CLOCKS:
                raise Harm('it can read a clock, which cannot be put back')
            found += [held] if not isinstance(held, ModuleType) else []
            if isinstance(held, ModuleType) and not is_library_module(held):
                for each in attributes & vars(held).keys():
                    self.named(part := vars(held)[each], partial(setattr, held, each))
                    found.append(part)
        return [part for part in found if not isinstance(part, ModuleType)]

    def of_class(self, kind: type) -> list:
        """The attributes of a class of the user's, and of those that it comes from."""
        if of_library(kind):
            return []
        own = {n: v for n, v in vars(kind).items() if not n.startswith('__') and n not in LEARNED}
        self.back.append(lambda: _attributes(kind, own))
        self.wider += [(partial(type.__setattr__, kind, name), part) for name, part in own.items()]
        return [getattr(v, '__func__', getattr(v, 'fget', v)) for v in own.values()] + list(kind.__bases__)


def _refill(kind: type, value: Any, held: list) -> None:
    now = list(value.items() if kind is dict else value)
    flat = lambda items: [part for item in items for part in item] if kind is dict else items
    if len(now) != len(held) or any(map(is_not, flat(now), flat(held))):
        kind.clear(value)
        FILL[kind](value, held)  # (of its own, a Counter adds up)


def _attributes(kind: type, own: dict) -> None:
    now = {n: v for n, v in vars(kind).items() if not n.startswith('__') and n not in LEARNED}
    for name in now.keys() - own.keys():
        type.__delattr__(kind, name)
    for name in (n for n, v in own.items() if now.get(n) is not v):
        type.__setattr__(kind, name, own[name])


def _array(value: np.ndarray, numbers: np.ndarray) -> None:
    if value.shape != numbers.shape:
        value.shape = numbers.shape
    np.copyto(value, numbers)


@lru_cache(maxsize=1024)
def names(code: CodeType) -> dict[str, set[str]]:
    """The globals that some code reads or sets, and the names of all attributes that it asks for."""
    steps = [s for part in parts(code) for s in dis.get_instructions(part)]
    attributes = {s.argval for s in steps if s.opname.endswith(('_ATTR', '_METHOD'))}
    return {s.argval: attributes for s in steps if s.opname.endswith(('_GLOBAL', '_NAME'))}


# ---- files ----------------------------------------------------------------------------------------------------------

_installed: list = []  # the hook, which Python cannot forget again
_watched = threading.local()  # .harm: what was refused in this thread; None: nothing so far; missing: nobody looks


def _audit(event: str, args: tuple) -> None:
    """Python tells this of each file that is opened."""
    if hasattr(_watched, 'harm') and (event in CHANGES or (event == 'open' and _writes(*args))):
        _watched.harm = f'it wants to change something outside ({event})'
        raise PermissionError('minicell calls this only to look at its numbers, and lets it write nothing')


def _writes(path: object, mode: str | None, flags: int) -> bool:
    return '__pycache__' not in str(path) and (bool(set(mode or '') & set(WRITING)) or bool(flags & 3))


@contextlib.contextmanager
def untouched(kept: Kept) -> Iterator[None]:
    """What runs inside leaves nothing behind: no output, no warning, no state. Raises Harm where it would."""
    if not _installed:
        _installed.append(sys.addaudithook(_audit))
    with LOCK:
        silent, handle = io.StringIO(), logging.Logger.handle
        _watched.harm = None
        try:
            said, heard = contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent)
            with aside(), warnings.catch_warnings(), np.errstate(all='ignore'), said, heard:
                warnings.simplefilter('ignore')
                logging.Logger.handle = lambda logger, record: None  # (`disable` empties the caches of all loggers)
                yield
        finally:
            harm = _watched.harm
            try:
                logging.Logger.handle = handle
                del _watched.harm
                kept.restore()
            except BaseException:  # an interrupt, perhaps before its first line
                kept.restore()
                raise
            if harm:
                raise Harm(harm)
