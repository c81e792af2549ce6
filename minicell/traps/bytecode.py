"""What some code reads, found in its bytecode: paths such as x.shape, self.cache['mask'] and STATE['rate'].

Only the place at the end of a path counts; and of what is only called in a statement, such as a log, nothing. A path
goes through what is stored, and ends before what is computed anew each time, as a row of a Tensor is: no code of the
user's runs to follow it, and nothing gets onto a Tape.
"""

import builtins
import dis
import gc
import inspect
import os
import sys
from _thread import _local as local
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache, partial
from itertools import islice
from operator import length_hint
from types import BuiltinMethodType, CodeType, FunctionType, GeneratorType, MethodType, MethodWrapperType, ModuleType
from weakref import ReferenceType

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
ATTRIBUTE, GLOBAL = ('LOAD_ATTR', 'LOAD_METHOD'), ('LOAD_GLOBAL', 'LOAD_NAME')
CHANGE = 'STORE_ATTR', 'STORE_SUBSCR', 'STORE_SLICE', 'DELETE_ATTR', 'DELETE_SUBSCR'
CONSTANT, SETS = ('LOAD_CONST', 'LOAD_SMALL_INT'), ('STORE_GLOBAL', 'STORE_NAME', 'STORE_DEREF')
SUBSCRIPT = ('BINARY_SUBSCR', ''), ('BINARY_OP', '[]')  # the second since Python 3.14, as is LOAD_SMALL_INT
LOADS = (*GLOBAL, 'LOAD_DEREF', 'LOAD_FAST', 'STORE_FAST_LOAD_FAST')
WRITES = {'append', 'appendleft', 'extend', 'insert', 'add', 'update', 'setdefault', 'pop', 'popleft', 'clear'}
WRITES |= {'remove', 'discard', 'write', 'set', 'popitem', 'rotate'}
TAKES = {'pop', 'popleft', 'popitem', 'rotate'}  # what the next one finds is not what this one found
GENERATORS = {'default_rng', 'RandomState', 'Random'}  # of random numbers
CALLED = FunctionType, BuiltinMethodType, MethodType, MethodWrapperType, type
DRAWS = 'bit_generator', 'get_state', 'getstate'  # what a generator of random numbers has
ELSEWHERE, LARGE = (ModuleType, type, Tensor), 1 << 16  # bytes of an array
MEMO = type(lru_cache(id))  # a function that keeps what it returned
WHOLE = '__dict__', '__class__'  # who has these may read anything
OURS = {'_params', '_cells', '_primitives', '_auto_prefix', '_phase', '_hooks', '_around', '_graphs'}


@lru_cache(maxsize=4096)
def paths(code: CodeType) -> list[tuple[str, str, tuple, bool]]:
    """What some code reads, without the functions written in it: (name, how, steps, changed).

    how: the instruction that loads the name; steps: what is read of it, attributes, and (key,) for a constant key;
    changed: what stands at the end is stored or deleted, counted up as in `x.n += 1`, or called to be changed, as in
    `x.append(1)`; None: it is called in a statement of its own and given no variable to fill, as a log is. A step
    '()': it is called to take something out, as in `x.pop()`, or makes a generator of random numbers without a seed.
    """
    steps, counted, stated, last = [], set(), set(), None
    for step in dis.get_instructions(code):
        if step.opname not in BETWEEN:
            counted |= {len(steps)} if last == 'COPY' else set()
            if step.opname == 'POP_TOP' and steps and steps[-1].opname.startswith('CALL'):
                stated.add((steps[-1].positions[::2], steps[-1].positions[1::2]))  # where it begins, and ends
            steps.append(step)
        last = step.opname
    given = [s.positions[::2] for s in steps if s.opname.startswith(LOADS[2:])] if stated else ()
    stated = {a for a, b in stated if None not in (*a, *b) and not any(a < p < b for p in given if None not in p)}
    steps += steps[-1:] * 2
    found, cells = [], {*code.co_cellvars, *code.co_freevars}
    for k, step in enumerate(steps[:-2]):
        if not step.opname.startswith(LOADS) or ('FAST' in step.opname and step.argval in cells):  # to hand a cell on
            continue
        *before, name = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        found += [(other, step.opname, (), False) for other in before]
        path, is_count = [], False
        while (then := steps[k + 1]).opname in ATTRIBUTE or (steps[k + 2].opname, steps[k + 2].argrepr) in SUBSCRIPT:
            is_count = k + (1 if then.opname in ATTRIBUTE else 2) in counted
            if is_count or then.opname not in ATTRIBUTE + CONSTANT or isinstance(then.argval, slice):
                break
            path.append(then.argval if then.opname in ATTRIBUTE else (then.argval,))
            k += 1 if then.opname in ATTRIBUTE else 2
        ends = then.opname, steps[k + 2].opname if then.opname in CONSTANT else ''
        last, is_statement = str((name, *path)[-1]), step.positions[::2] in stated
        changed = is_count or any(end in CHANGE for end in ends) or last in WRITES
        unseeded = last in GENERATORS and then.opname == 'CALL' and not then.arg
        if unseeded or last == 'rotate' or (last in TAKES and not is_statement):
            path.append('()')
        found.append((name, step.opname, tuple(path), None if is_statement and not changed else changed))
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
    return thing.__module__ in sys.builtin_module_names or is_library_module(sys.modules.get(thing.__module__))


def places(kind: type | None, function: FunctionType | None = None) -> dict[str, Callable]:
    """What the bprop of a class (or a function) reads on self and outside: its name, and what finds it for a Cell.

    It and the user's own functions that it calls. '*': self itself is handed on, so that it may be anything there.
    """
    todo, seen = [(function, None)] if function else [(f, kind) for f in methods(kind, 'bprop')], set()
    found = {} if todo or kind.bprop is None else {'self.bprop': partial(on_self, 'bprop')}
    called = {}  # the same of what is only called in a statement: of what, and what finds it
    while todo:
        function, of = todo.pop()  # a method of the Cell's class, or of another one of the user's
        if function in seen or (of_library(function) and function is not os.getenv):
            continue
        seen.add(function)
        code, given = function.__code__, defaults(function)
        free = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        found |= {n: lambda cell, f=function, n=n: defaults(f)[n] for n, v in given.items() if not is_code(v)}
        found |= {text: partial(outer, space, None, name) for text, space, name in _by_name(function)}
        for name, steps, changed in taken(code, next(iter(given), None) if of else None, free):
            if name is None and (more := methods(of, steps[0]) if steps else ()):
                todo += [(f, of) for f in more]
            elif name is not None and of not in (None, kind):
                continue
            elif name is None and not steps:
                found |= {} if changed or of is not kind else {'*': True}
            else:
                root, text = partial(outer, function.__globals__, free.get(name), name), name
                if name is None and of is kind:
                    root, text, steps = partial(on_self, steps[0]), f'self.{steps[0]}', steps[1:]
                elif name is None:  # what a class of the user's has for all
                    root, text = partial(outer, {'of': of}, None, 'of'), of.__name__
                    if steps[0] not in class_data(of):
                        continue
                if steps[-1:] == ('()',):
                    maker = at_end(root, steps[:-1], None)  # NumPy itself, which loads np.random when it is asked for
                    whose = getattr(maker, '__name__' if isinstance(maker, ModuleType) else '__module__', None)
                    if changed or str(whose).startswith(('numpy', 'random')):
                        of_it = steps[:-2] if changed else steps[:-1]
                        found[f'{text}{text_of(steps[:-1])}()'] = partial(at_end, root, of_it)
                    continue
                value, path = None if text[:5] == 'self.' else at_end(root, steps, None), steps
                while steps and value is not None and at_end(root, steps[:-1], None) is value:
                    steps = steps[:-1]  # a method
                value = value.__wrapped__ if isinstance(value, MEMO) else value
                if isinstance(value, FunctionType):
                    todo.append((value, None))
                elif changed is None:
                    called[text + text_of(steps)] = text + text_of(steps[:-1]), partial(at_end, root, steps)
                elif isinstance(value, type) and not (changed or of_library(value)):  # bprop may make one
                    todo += [(f, value) for n in ('__init__', '__call__', *code.co_names) for f in methods(value, n)]
                    named = [n for n in class_data(value) if n in code.co_names]
                    found |= {f'{value.__name__}.{n}': partial(at_end, root, (*steps, n)) for n in named}
                elif not (changed or (is_code(value) and steps == path) or is_ours(value)):  # (unless of a class)
                    found[text + text_of(steps)] = partial(at_end, root, steps) if steps else root
    found |= {n: read for n, (of, read) in called.items() if any(f.startswith((f'{of}.', f'{of}[')) for f in found)}
    return {name: read for name, read in found.items() if '*' not in found or name[:5] != 'self.'}


def defaults(function: FunctionType) -> dict[str, object]:
    """The default of each parameter now; a class where there is none."""
    return {n: p.default for n, p in inspect.signature(function, follow_wrapped=False).parameters.items()}


def methods(kind: type | None, name: str) -> list[FunctionType]:
    """The functions under a name in a class and its bases: of a method, or of a property, a cached one too."""
    found = [vars(base)[name] for base in getattr(kind, '__mro__', ()) if name in vars(base)]
    found = [each.func if isinstance(each, cached_property) else getattr(each, 'fget', None) or each for each in found]
    found = [inspect.unwrap(getattr(each, '__func__', each)) for each in found]
    return [each for each in found if isinstance(each, FunctionType)]


def taken(code: CodeType, me: str | None, free: dict) -> Iterator[tuple[str | None, tuple, bool]]:
    """The paths to values that the code, and the functions written in it, take from outside, or (None) from `me`."""
    if me and 'super' in code.co_names:
        yield from ((None, (name,), False) for name in code.co_names if name != 'super')
    for part in parts(code):
        sets = {s.argval for s in dis.get_instructions(part) if s.opname in SETS}
        for name, how, steps, changed in paths(part):
            if name == me and how not in GLOBAL and (part is code or me in part.co_freevars):
                yield None, steps if steps and isinstance(steps[0], str) and steps[0] not in WHOLE else (), changed
            elif name not in sets and (how in GLOBAL or (how == 'LOAD_DEREF' and name in free)):
                yield name, steps, changed


def text_of(steps: tuple) -> str:
    """A path as it is written."""
    return ''.join(f'[{s[0]!r}]' if isinstance(s, tuple) else f'.{s}' for s in steps)


def is_code(value: object) -> bool:
    """Whether this is a module, a class or a function, and no method of an object."""
    nobody = ModuleType, type, type(None)
    return isinstance(value, (ModuleType, *CALLED)) and isinstance(getattr(value, '__self__', None), nobody)


def is_ours(value: object) -> bool:
    """Whether this is minicell's, and tells nothing: a dtype, an op."""
    return str(type(value).__module__).startswith('minicell.') and not isinstance(value, (Tensor, Cell))


def _by_name(function: FunctionType) -> Iterator[tuple[str, dict, str]]:
    """What a function may read by globals()['name'], and of the modules that it imports: how, where, its name."""
    code = function.__code__
    spaces = [('globals()[{!r}]', function.__globals__, 'co_consts')] if 'globals' in code.co_names else []
    for part in parts(code):
        steps = dis.get_instructions(part)
        imported = [s.argval for s in steps if s.opname == 'IMPORT_NAME' and s.argval in sys.modules]
        for text, space, kind in (*spaces, *[(f'{n}.{{}}', vars(sys.modules[n]), 'co_names') for n in imported]):
            names = [n for n in getattr(part, kind) if isinstance(n, str)]  # one may not be there yet
            yield from ((text.format(n), space, n) for n in names if not is_code(space.get(n)))


def outer(space: dict, closure: object, name: str, cell: object = None) -> object:
    """What a name stands for outside, whichever Cell asks; MISSING: nothing yet."""
    try:
        return space.get(name, vars(builtins).get(name, MISSING)) if closure is None else closure.cell_contents
    except ValueError:
        return MISSING


def on_self(name: str, cell: object) -> object:
    """What a Cell has under a name: what would compute it, where that is no method and no property of the user's."""
    value = stored(cell, name)
    return inspect.getattr_static(cell, name) if value is COMPUTED else value


def at_end(root: Callable, steps: tuple, cell: object) -> object:
    """What stands at the end of a path now; of what is computed, as by a property, its object."""
    value = root(cell)
    for step in steps:
        part = stored(value, step)
        if part is COMPUTED or (isinstance(part, CALLED) and not isinstance(value, (ModuleType, type))):
            break
        value = part
    return value


def stored(value: object, step: str | tuple) -> object:
    """What stands at an attribute, or at a (key,), of a value; COMPUTED where some code would have to tell."""
    if value is MISSING or isinstance(value, Tensor):  # (its numbers are what counts; a row is a new Tensor each time)
        return COMPUTED
    own, is_class = getattr(value, '__dict__', {}), isinstance(value, type)
    if step in own and not is_class:
        return own[step]
    kind, of_dict = type(value), isinstance(value, dict)
    if isinstance(step, tuple):
        getter = getattr(kind, '__getitem__', None)
        file = getattr(getattr(getter, '__code__', None), 'co_filename', '')
        if getter not in ROWS and not file.startswith((HOME, '<frozen', *STDLIB)):  # (os.environ has Python's own)
            return COMPUTED
        try:
            return dict.get(value, step[0], MISSING) if of_dict else value[step[0]]  # (a defaultdict makes one)
        except (LookupError, TypeError):
            return MISSING
    kinds = (*value.__mro__, *kind.__mro__) if is_class else kind.__mro__
    found = next((vars(k)[step] for k in kinds if step in vars(k)), MISSING)
    if isinstance(found, SLOTS) and not is_class:
        return getattr(value, step, MISSING)
    if found is MISSING:  # perhaps a `__getattr__` knows; of a dict, mostly that it is a key
        key = dict.get(value, step, COMPUTED) if of_dict else COMPUTED
        return key if hasattr(kind, '__getattr__') or '__getattr__' in own else MISSING
    found = found.__func__ if is_class and isinstance(found, staticmethod) else found
    by_code = hasattr(type(found), '__get__') and not (is_class and isinstance(found, FunctionType))
    return COMPUTED if by_code else found


def inside(value: object, seen: dict) -> object:
    """A value as something to compare with later: numbers, and of any object what it holds or stands at, each once.

    Of a large array or container it is a sample; past a thousand objects, and of what tells nothing, the object itself.
    """
    if isinstance(value, ReferenceType) and not isinstance(value(), Tensor):  # (that may go)
        value = value()
    value = sample(value)
    if isinstance(value, type) and id(value) not in seen and not of_library(value):
        seen[id(value)] = value
        return Identity(value), {n: inside(v, seen) for n, v in class_data(value).items()}
    if id(value) in seen or len(seen) > 1000 or isinstance(value, ELSEWHERE):
        return Identity(value)
    further = lambda v: inside(v, seen)
    if isinstance(value, (FunctionType, MethodType, BuiltinMethodType)):
        seen[id(value)] = value
        held, cells = getattr(value, '__self__', None), getattr(value, '__closure__', None) or ()
        if of_library(value) and held is None:
            return Identity(value)
        own = []
        if isinstance(value, FunctionType) and not is_library(value.__code__.co_filename):
            own = [further(vars(value)), *[further(read(None)) for read in outside_of(value).values()]]
        return Identity(value), further(held), [further(outer({}, c, '')) for c in cells], own
    if isinstance(value, (list, dict)):
        seen[id(value)] = value
    found = snapshot(value, lambda v: v if v is value else further(v))
    if found is not value:
        return found, further(vars(value)) if hasattr(value, '__dict__') and vars(value) else None
    seen[id(value)] = value
    if isinstance(value, GeneratorType):
        return Position((value.gi_frame and (value.gi_frame.f_lasti, further(value.gi_frame.f_locals)),))
    if isinstance(value, Iterator) and type(value).__module__ in ('builtins', 'itertools'):
        return Position((repr(value), length_hint(value), *map(further, gc.get_referents(value))))
    if of_library(type(value)) and not isinstance(value, (local, Cell)):
        try:
            made = type(value), further(value.__reduce_ex__(4)[1:])  # where random numbers stand, or a file in memory
            return Position(made) if isinstance(value, Iterator) or any(hasattr(value, n) for n in DRAWS) else made
        except Exception:  # it says in many ways that it cannot be copied
            pass
    held = vars(value) if isinstance(value, local) else object.__getstate__(value)
    own, slots = held if isinstance(held, tuple) else (held, None)
    found = {**({} if of_library(kind := type(value)) else class_data(kind)), **(own or {}), **(slots or {})}
    made = kind, {n: further(v) for n, v in found.items() if n not in OURS}
    return Position(made) if isinstance(value, Iterator) else made


def class_data(kind: type) -> dict:
    """What the user's classes of an object hold, but for methods and what Python keeps there."""
    found = {n: v for k in kind.__mro__[::-1] if not of_library(k) for n, v in vars(k).items()}
    return {n: v for n, v in found.items() if not (n.startswith('_') or hasattr(v, '__get__'))}


outside_of = lru_cache(maxsize=256)(partial(places, None))  # of one function, which is analysed once


class Position(tuple):
    """Where an iterator, or a generator of random numbers, stands."""


def positions(state: object) -> list[Position]:
    """All of them in what `inside` returned."""
    if isinstance(state, Position):
        return [state]
    parts = state.values() if isinstance(state, dict) else state if isinstance(state, (tuple, list)) else ()
    return [each for part in parts for each in positions(part)]


def sample(value: object) -> object:
    """A value, or of a large one a thousand parts: the first and last of a container, some of an array."""
    if isinstance(value, np.ndarray) and value.nbytes > LARGE:
        return value.flat[np.linspace(0, value.size - 1, 1000).astype(int)]
    if isinstance(value, (list, dict)) and len(value) > LARGE // 64:
        rows = value.items() if isinstance(value, dict) else value
        return [*islice(rows, 500), *islice(reversed(rows), 500)]
    return value
