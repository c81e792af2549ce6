"""What some code reads, found in its bytecode: paths such as x.shape, self.cache['mask'] and STATE['rate'].

Of values outside, which come by a global or a closure, only the place at the end of a path counts; and of a list that
the code only appends to, nothing. A path goes through what is stored, and ends before what is computed anew each time,
as a row of a Tensor is: no code of the user's runs to follow it, and nothing gets onto a Tape.
"""

import builtins
import dis
import inspect
import os
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, MethodWrapperType, ModuleType, SimpleNamespace

import numpy as np

from ..core.cell import Cell
from ..core.errors import HOME
from ..core.tensor import Tensor
from .snapshot import Identity, snapshot

MISSING, COMPUTED = 'not there yet', 'computed when it is asked for'
ROWS = [kind.__getitem__ for kind in (dict, list, tuple, deque, array, bytearray, np.ndarray)]
SLOTS = type(Tensor.at), type(np.ndarray.shape)
STDLIB = tuple(sorted({os.path.dirname(each.__file__) + os.sep for each in (os, inspect)}))  # in Pyodide, one is a zip
BETWEEN = 'CACHE', 'COPY', 'PUSH_NULL', 'PRECALL', 'NOP', 'EXTENDED_ARG'
ATTRIBUTE, GLOBAL, CHANGE = ('LOAD_ATTR', 'LOAD_METHOD'), ('LOAD_GLOBAL', 'LOAD_NAME'), ('STORE_', 'DELETE_')
CONSTANT, SETS = ('LOAD_CONST', 'LOAD_SMALL_INT'), ('STORE_GLOBAL', 'STORE_NAME', 'STORE_DEREF')
SUBSCRIPT = ('BINARY_SUBSCR', ''), ('BINARY_OP', '[]')  # the second since Python 3.14, as is LOAD_SMALL_INT
LOADS = (*GLOBAL, 'LOAD_DEREF', 'LOAD_FAST', 'STORE_FAST_LOAD_FAST')
WRITES = {'append', 'appendleft', 'extend', 'insert', 'add', 'update', 'setdefault', 'pop', 'popleft', 'clear'}
WRITES |= {'remove', 'discard', 'write', 'set'}
CALLED = FunctionType, BuiltinMethodType, MethodType, MethodWrapperType, type
OURS = {'_params', '_cells', '_primitives', '_auto_prefix', '_phase', '_hooks', '_around', '_graphs'}


@lru_cache(maxsize=4096)
def paths(code: CodeType) -> list[tuple[str, str, tuple, bool]]:
    """What some code reads, without the functions written in it: (name, how, steps, changed).

    how: the instruction that loads the name; steps: what is read of it, attributes, and (key,) for a constant key;
    changed: what stands at the end is stored or deleted.
    """
    steps = [s for s in dis.get_instructions(code) if s.opname not in BETWEEN]
    steps += steps[-1:] * 2
    found, cells = [], {*code.co_cellvars, *code.co_freevars}
    for k, step in enumerate(steps[:-2]):
        if not step.opname.startswith(LOADS) or ('FAST' in step.opname and step.argval in cells):  # to hand a cell on
            continue
        *before, name = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        found += [(other, step.opname, (), False) for other in before]
        path = []
        while (then := steps[k + 1]).opname in ATTRIBUTE or (steps[k + 2].opname, steps[k + 2].argrepr) in SUBSCRIPT:
            if then.opname not in ATTRIBUTE + CONSTANT or isinstance(then.argval, slice):
                break
            path.append(then.argval if then.opname in ATTRIBUTE else (then.argval,))
            k += 1 if then.opname in ATTRIBUTE else 2
        ends = then.opname, steps[k + 2].opname if then.opname in CONSTANT else ''
        found.append((name, step.opname, tuple(path), any(end.startswith(CHANGE) for end in ends)))
    return found


def parts(code: CodeType | None) -> Iterator[CodeType]:
    """Some code, and that of the functions and comprehensions written in it."""
    if code is not None:
        yield code
        for const in code.co_consts:
            if isinstance(const, CodeType):
                yield from parts(const)


@cache
def is_library(file: str) -> bool:
    """Whether code in a file is not the user's: Python's own, minicell's, or installed."""
    return file.startswith((HOME, '<frozen', *STDLIB)) or 'site-packages' in file or 'dist-packages' in file


def is_library_module(module: ModuleType | None) -> bool:
    """The same of a module; one without a file may be part of Python itself, or be typed by the user."""
    file = getattr(module, '__file__', None)
    return is_library(file) if file else getattr(module, '__name__', '') in sys.builtin_module_names


def of_library(thing: object) -> bool:
    """The same of a function or a class."""
    return is_library_module(sys.modules.get(thing.__module__))


def outside(functions: list) -> dict[str, Callable]:
    """What some functions, and the user's own ones that they call, read outside: its name, and what finds it."""
    reads, todo, seen = {}, list(functions), set()
    while todo:
        function = todo.pop()
        if function in seen or of_library(function):
            continue
        seen.add(function)
        code = function.__code__
        last = zip(code.co_varnames[: code.co_argcount][::-1], (function.__defaults__ or ())[::-1], strict=False)
        given = {**dict(last), **(function.__kwdefaults__ or {})}  # its defaults
        reads |= {name: lambda v=v: v for name, v in given.items() if not isinstance(v, (ModuleType, *CALLED))}
        free = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for name, steps in _paths_outside(code, free):
            read = partial(value_at, function.__globals__, free.get(name), name)
            value = read(steps)
            ours = str(type(value).__module__).startswith('minicell.') and not isinstance(value, (Tensor, Cell))
            if isinstance(value, FunctionType):
                todo.append(value)
            elif not ours and not isinstance(value, (ModuleType, *CALLED)):
                while steps and read(steps[:-1]) is value:
                    steps = steps[:-1]  # a method
                text = ''.join(f'[{s[0]!r}]' if isinstance(s, tuple) else f'.{s}' for s in steps)
                reads.setdefault(name + text, partial(read, steps))
    return reads


def _paths_outside(code: CodeType, free: dict) -> Iterator[tuple[str, tuple]]:
    """The paths to values that the code, and the functions written in it, take from outside and do not set."""
    for part in parts(code):
        sets = {s.argval for s in dis.get_instructions(part) if s.opname in SETS}
        for name, how, steps, changed in paths(part):
            taken = name not in sets and (how in GLOBAL or (how == 'LOAD_DEREF' and name in free))
            if taken and not changed and str((name, *steps)[-1]) not in WRITES:
                yield name, steps


def value_at(space: dict, cell: object, name: str, steps: tuple) -> object:
    """What stands there now; of what is computed, as by a property, its object. MISSING: there is nothing yet."""
    try:
        value = space[name] if cell is None else cell.cell_contents
    except (KeyError, ValueError):
        return MISSING if cell is not None or not hasattr(builtins, name) else builtins
    for step in steps:
        part = stored(value, step)
        if part is COMPUTED or (isinstance(part, CALLED) and not isinstance(value, (ModuleType, type))):
            break
        value = part
    return value


def stored(value: object, step: str | tuple) -> object:
    """What stands at an attribute, or at a (key,), of a value; COMPUTED where some code would have to tell."""
    kind, of_dict = type(value), isinstance(value, dict)
    if value is MISSING or isinstance(value, Tensor):  # (its numbers are what counts; a row is a new Tensor each time)
        return COMPUTED
    if isinstance(step, tuple):
        getter = getattr(kind, '__getitem__', None)
        file = getattr(getattr(getter, '__code__', None), 'co_filename', '')
        if getter not in ROWS and not file.startswith((HOME, '<frozen', *STDLIB)):  # (os.environ has Python's own)
            return COMPUTED
        try:
            return dict.get(value, step[0], MISSING) if of_dict else value[step[0]]  # (a defaultdict makes one)
        except (LookupError, TypeError):
            return MISSING
    own, is_class = getattr(value, '__dict__', {}), isinstance(value, type)
    if step in own and not is_class:
        return own[step]
    found = next((vars(k)[step] for k in (value if is_class else kind).__mro__ if step in vars(k)), MISSING)
    if isinstance(found, SLOTS) and not is_class:
        return getattr(value, step, MISSING)
    if found is MISSING:  # perhaps a `__getattr__` knows; of a dict, mostly that it is a key
        key = dict.get(value, step, COMPUTED) if of_dict else COMPUTED
        return key if hasattr(kind, '__getattr__') or '__getattr__' in own else MISSING
    found = found.__func__ if is_class and isinstance(found, staticmethod) else found
    by_code = hasattr(type(found), '__get__') and not (is_class and isinstance(found, FunctionType))
    return COMPUTED if by_code else found


def inside(value: object, seen: set, depth: int = 4) -> object:
    """A value as something to compare with later; of a Cell, or an object of the user's, all that it has, once."""
    users = not isinstance(value, (*CALLED, Tensor)) and not of_library(type(value))
    users = depth > 0 and (users or isinstance(value, (Cell, SimpleNamespace)))
    if users or isinstance(value, (list, dict)):
        if id(value) in seen:
            return Identity(value)
        seen.add(id(value))
    held = object.__getstate__(value) if users else None  # what stands in its __dict__, and in its __slots__
    own, slots = held if isinstance(held, tuple) else (held, None)
    parts = {n: inside(v, seen, depth - 1) for n, v in {**(own or {}), **(slots or {})}.items() if n not in OURS}
    further = lambda v: inside(v, seen, depth - 1) if v is not value else type(v) if users else Identity(v)
    computes = users and isinstance(value, Mapping) and not isinstance(value, dict)  # its values, perhaps
    return further(value) if computes else snapshot(value, further), parts
