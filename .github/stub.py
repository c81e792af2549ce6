"""One `.pyi` file while it is written, and what is said in it that no running Python can tell: see stubs.py."""

import ast
import inspect
import re
import sys
import textwrap
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, MutableMapping, Sequence, ValuesView
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import numpy

import minicell
from minicell import names, nn

homes: dict[str, set[str]] = defaultdict(set)  # of what is handed on: the module where it stands -> the names
HEAD = '# Written by .github/stubs.py, which a change of a public name or signature asks for again.\n'
EMPTY = inspect.Parameter.empty
# Some names of minicell are those of Python's own types, so here these get other ones.
OWN = {kind: f'_{kind.__name__}' for kind in (bool, int, float, str, complex, tuple, list, dict, set, type, object)}
ALIASES = [f'from builtins import {kind.__name__} as {alias}' for kind, alias in OWN.items()]
OPERANDS = {
    'input', 'other', 'x', 'y', 'exponent', 'dividend', 'divisor', 'value', 'tensor2', 'mat2', 'input_x',
}  # fmt: skip
AXES, PAIRS = {'axis', 'dim'}, {'kernel_size', 'stride', 'padding', 'dilation'}
# what is in them, where an annotation leaves it open
INSIDE = {
    tuple: 'Any, ...', list: 'Any', set: 'Any', dict: 'Any, Any', OrderedDict: 'Any, Any', ValuesView: 'Any',
    numpy.ndarray: 'Any, Any', numpy.dtype: 'Any', type: 'Any', MutableMapping: 'Any, Any',
}  # fmt: skip
# what those return that have no annotation, where it is no Tensor
RETURNS = {
    'dim': '_int', 'numel': '_int', 'is_floating_point': '_bool', '__contains__': '_bool', 'max': 'Any', 'min': 'Any',
    'launch_blocking': 'None',
    'itemsize': '_int', 'nbytes': '_int', 'ndim': '_int', 'size': '_int', 'strides': '_tuple[_int, ...]',
}  # fmt: skip
# what can be set, or is anything: older checkers let no method take the place of an attribute that is something else
ATTRIBUTES = {
    'training': '_bool', 'requires_grad': '_bool', 'phase': '_str', 'bprop_debug': '_bool', 'shown': '_str',
    'bprop': 'Any', 'kernel': 'Any', 'rule': 'Any', '__call__': 'Any',
}  # fmt: skip
# What an annotation of Python's own cannot say: that a Cell is called as its construct is, and what a gradient is
# called with. `P` are the parameters of the function that is given, and `R` is what it returns.
CALLED = {'Cell.__call__': '(self: Constructed[P, R], *args: P.args, **kwargs: P.kwargs) -> R'}
CONSTRUCTED = """\
class Constructed(Protocol[P, R]):
    def construct(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
"""
JITTED = """\
class Jitted(Generic[P, R]):
    traced: _int
    @property
    def graphs(self) -> _list[Graph]: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __get__(self, owner: None, kind: Any = ...) -> Self: ...
    @overload
    def __get__(self: Jitted[Concatenate[Any, Q], R], owner: _object, kind: Any = ...) -> Callable[Q, R]: ...
"""
FUNCTION, ONE, SEVERAL = 'Callable[P, Any]', 'Tensor', '_tuple[Tensor, ...]'
PLAIN = {'has_aux': 'Literal[False]', 'return_ids': 'Literal[False]', 'sens_param': 'Literal[False]'}
ASKED = [  # of grad: for what, and what the gradients are
    ({'grad_position': '_int', 'weights': 'None'}, ONE),
    ({'grad_position': '_tuple[_int, ...]', 'weights': 'None'}, SEVERAL),
    ({'grad_position': 'None', 'weights': 'Parameter'}, ONE),
    ({'grad_position': 'None', 'weights': 'Sequence[Parameter]'}, SEVERAL),
]
OVERLOADS = {
    'grad': [({'fn': FUNCTION, **asked, **PLAIN}, f'Callable[P, {given}]') for asked, given in ASKED],
    'value_and_grad': [
        ({'fn': 'Callable[P, R]', **asked, **PLAIN}, f'Callable[P, _tuple[R, {given}]]') for asked, given in ASKED
    ],
    'vjp': [
        (
            {'fn': 'Callable[..., R]', 'weights': 'None', 'has_aux': 'Literal[False]'},
            f'_tuple[R, Callable[..., {SEVERAL}]]',
        )
    ],
    'jit': [
        ({'function': 'Callable[P, R]'}, 'Jitted[P, R]'),
        ({'function': 'None'}, 'Callable[[Callable[P, R]], Jitted[P, R]]'),
    ],
}
# which defaults are among the values of an annotation: with any other one, the parameter has to be given
USUAL = {'None': type(None), '_int': int, 'Literal[False]': bool}
SLOTS = {'at': int, 'array': numpy.ndarray, 'name': str, 'title': str, 'numpy': numpy.dtype}
# which methods take less than those of the base
NARROWER = {'Parameter.__copy__', 'Parameter.__deepcopy__', 'CellDict.pop', 'CellDict.update'}
# what a call of these gives
KEPT = {'Parameter': minicell.Parameter, 'ParameterTuple': minicell.ParameterTuple, 'any': bool, 'bool': bool}
KEPT |= {'float': float, 'int': int}
HOMES = {
    'Callable': 'collections.abc', 'Sequence': 'collections.abc', 'Any': 'typing', 'Concatenate': 'typing',
    'Generic': 'typing', 'Literal': 'typing', 'Protocol': 'typing', 'Self': 'typing', 'overload': 'typing',
    'Parameter': 'minicell.common.parameter', 'Tensor': 'minicell.core.tensor', 'Graph': 'minicell.graph.ir',
}  # fmt: skip


def evaluated(function: Callable) -> inspect.Signature:
    """A signature whose annotations are objects, unless one of them names a class that stands elsewhere."""
    try:
        return inspect.signature(function, eval_str=True)
    except NameError:
        return inspect.signature(function)


class Stub:
    """One `.pyi` file while it is written."""

    def __init__(self, module: str, own: str = '', taken: str = '') -> None:
        self.module, self.own = module, own  # own: the class that is written here in full
        self.taken = taken  # the name of a class of its own, and of another one that stands elsewhere
        self.imports: set[str] = set()
        self.variables: set[str] = set()  # that stand for types
        self.lines: list[str] = []

    def spelled(self, kind: object, given: bool = False) -> str:
        """An annotation in words; given: that of a parameter, where a list does where a tuple does."""
        if kind is None or kind is types.NoneType:
            return 'None'
        if kind is Any:
            return self.of('typing', 'Any')
        if isinstance(kind, str):
            parts = kind.split(' | ')
            return ' | '.join(p if p in ('None', self.own) else self.of(*self.home(p)) for p in parts)
        origin, parts = get_origin(kind), get_args(kind)
        if origin in (Union, types.UnionType):
            return ' | '.join(dict.fromkeys(self.spelled(part, given) for part in parts))
        if kind is Callable or origin is Callable:
            return f'{self.of("collections.abc", "Callable")}[..., {self.of("typing", "Any")}]'
        if origin:
            inner = ', '.join('...' if part is ... else self.spelled(part, given) for part in parts)
            if given and origin is tuple and inner.endswith(', ...'):
                return f'{self.of("collections.abc", "Sequence")}[{inner.removesuffix(", ...")}]'
            return f'{self.bare(origin)}[{inner}]'
        if kind in INSIDE:
            self.of('typing', 'Any')
            return f'{self.bare(kind)}[{INSIDE[kind]}]'
        return kind.__name__ if kind.__name__ == self.own else self.bare(kind)

    def bare(self, kind: type) -> str:
        """A class without what is in it."""
        return OWN.get(kind) or self.of(kind.__module__, kind.__name__)

    def of(self, module: str, name: str) -> str:
        """A name that is imported, unless it is written in this very file."""
        module = module.partition('._')[0]  # Python 3.13 keeps Path in pathlib._local
        module = 'minicell.shown' if name == 'Tape' else module  # where it has all of its methods
        if name == self.taken:
            self.imports.add(f'from {module} import {name} as _{name}')
            return f'_{name}'
        if module != self.module and f'from {module} import {name} as {name}' not in self.lines:
            self.imports.add(f'from {module} import {name}')
        return name

    def home(self, name: str) -> tuple[str, str]:
        """Where a class stands that an annotation gives as a word."""
        found = getattr(minicell, name, None) or getattr(nn, name)
        return found.__module__, name

    def parameter(self, each: inspect.Parameter, several: bool) -> str:
        """A parameter; several: the function has more than one operand, and numbers do for each of them."""
        stars = {each.VAR_POSITIONAL: '*', each.VAR_KEYWORD: '**'}.get(each.kind, '')
        default = '' if each.default is EMPTY else ' = ...'
        return f'{stars}{each.name}: {self.kind(each, several)}{default}'

    def kind(self, each: inspect.Parameter, several: bool) -> str:
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and each.annotation is object:
            return self.spelled(Any)  # with this, a construct of other parameters is no mistake
        if each.annotation is not EMPTY:
            said = self.spelled(each.annotation, True)
            return self.operand() if said == 'Tensor | _float' else said
        if each.name in OPERANDS and each.default is EMPTY:
            return self.operand() if several else self.spelled(minicell.Tensor)
        if each.name in PAIRS:
            return '_int | _tuple[_int, ...]'
        if each.name in AXES:
            return f'_int | {self.of("collections.abc", "Sequence")}[_int] | None'
        if type(each.default) in (bool, str):
            return OWN[type(each.default)]
        return '_float' if type(each.default) in (int, float) else self.of('typing', 'Any')

    def operand(self) -> str:
        """What an op with several operands takes for one of them."""
        return ' | '.join(self.spelled(kind) for kind in (minicell.Tensor, complex, list, tuple))

    def signature(self, function: Callable, name: str, method: bool = False) -> str:
        """`(...) -> ...` of a function; as a method its first parameter is self."""
        told = evaluated(function)
        given = list(told.parameters.values())
        several = sum(p.name in OPERANDS and p.annotation is EMPTY and p.default is EMPTY for p in given) > 1
        texts = ['self'] if method else []
        star = False
        for each in given[method:]:
            star |= each.kind is each.VAR_POSITIONAL
            if each.kind is each.KEYWORD_ONLY and not star:
                texts.append('*')
                star = True
            texts.append(self.parameter(each, several))
            if each.kind is each.POSITIONAL_ONLY:  # (there is one at most)
                texts.append('/')
        return f'({", ".join(texts)}) -> {self.returned(name, told.return_annotation)}'

    def returned(self, name: str, annotation: object) -> str:
        """What a function returns. An object could not be used for anything: Any can."""
        if name in RETURNS:
            return self.spelled(Any) if RETURNS[name] == 'Any' else RETURNS[name]
        if annotation is EMPTY:
            return self.spelled(minicell.Tensor)
        return self.spelled(Any if annotation is object else annotation)

    def function(self, name: str, function: Callable) -> None:
        self.lines.append(f'def {name}{self.signature(function, name)}: ...')

    def overloads(self, name: str, function: Callable, open_end: bool = True) -> None:
        """A function that returns something else for other kinds of arguments; open_end: for all others, Any."""
        for kinds, returned in OVERLOADS[name]:
            given = []
            for each in evaluated(function).parameters.values():
                text = self.parameter(each, False)
                if kind := kinds.get(each.name):
                    text = f'{each.name}: {kind}' + ' = ...' * isinstance(each.default, USUAL.get(kind, ()))
                given.append('*, ' * (each.kind is each.KEYWORD_ONLY and '*' not in ''.join(given)) + text)
            self.written(f'@overload\ndef {name}({", ".join(given)}) -> {returned}: ...')
        if open_end:
            self.lines.append('@overload')
            self.function(name, function)

    def written(self, text: str) -> None:
        """Lines as they are, with what they need."""
        self.lines += text.splitlines()
        for name in re.findall(r'\w+', text):
            if name in HOMES:
                self.of(HOMES[name], name)
            elif name in ('P', 'Q', 'R'):
                kind = self.of('typing', 'TypeVar' if name == 'R' else 'ParamSpec')
                self.variables.add(
                    f"{name} = {kind}('{name}'{', covariant=True' * (self.own == 'Cell' and name == 'R')})"
                )

    def written_class(self, cls: type) -> None:
        """A class with all that it has when the package is loaded, and its base in the core has."""
        self.lines.append(f'class {cls.__name__}:')
        self.lines += [f'    {line}' for line in self.members(cls)]

    def home_class(self, cls: type) -> None:
        """A class with what it has beyond its bases; what a private base has is its own."""
        mine = [cls, *(kind for kind in cls.__mro__ if kind.__name__.startswith('_'))]
        bases = [base for kind in mine for base in vars(kind).get('__orig_bases__', kind.__bases__)]
        listed = ', '.join(self.spelled(base) for base in bases if base is not object and base not in mine)
        self.lines.append(f'class {cls.__name__}' + f'({listed})' * bool(listed) + ':')
        lines = [*self.members(cls, mine), *self.attributes(mine)]
        self.lines += [f'    {line}' for line in lines] or ['    pass']

    def attributes(self, kinds: list[type]) -> Iterator[str]:
        """What `__init__` keeps on self, under the type of its parameter where it is one, or of what is called."""
        seen: set[str] = set()
        for kind in kinds:
            made = vars(kind).get('__init__')
            if not inspect.isfunction(made) or made.__code__.co_filename != sys.modules[kind.__module__].__file__:
                continue
            told = evaluated(made).parameters
            for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(made)))):
                for target, value in pairs(node):
                    own, _, name = ast.unparse(target).partition('.')
                    if own != 'self' or not re.fullmatch(r'[a-z]\w*', name) or hasattr(kind, name) or name in seen:
                        continue
                    seen.add(name)
                    said = self.spelled(Any)
                    if isinstance(value, ast.Name) and value.id in told:
                        said = self.kind(told[value.id], False)
                    elif isinstance(value, ast.Call) and getattr(value.func, 'id', '') in KEPT:
                        said = self.spelled(KEPT[value.func.id])
                    yield f'{name}: {said}'

    def members(self, cls: type, own: Sequence[type] = ()) -> Iterator[str]:
        """A line for each; own: the classes whose members these are, if not all that it derives from."""
        gone = names.GONE.get(cls.__name__, '').split()
        found = {name: value for kind in reversed(own or cls.__mro__[:-1]) for name, value in vars(kind).items()}
        kinds = {
            name: kind for each in reversed(own or cls.__mro__) for name, kind in inspect.get_annotations(each).items()
        }
        above = set() if not own else {name for kind in cls.__mro__[:-1] if kind not in own for name in vars(kind)}
        for name, value in sorted(found.items()):
            plain = inspect.isfunction(value) and inspect.signature(value).return_annotation is EMPTY
            if name in above and (plain or isinstance(value, staticmethod)):
                continue  # what an override does, its base says
            if name in ATTRIBUTES and not inspect.isfunction(value):
                yield f'{name}: {self.spelled(Any) if ATTRIBUTES[name] == "Any" else ATTRIBUTES[name]}'
                continue
            if name in kinds:
                if not name.startswith('_'):
                    yield f'{name}: {self.spelled(kinds[name])}'
                continue
            public = not name.startswith('_') or (name.endswith('__') and inspect.isfunction(value))
            if not public or name in gone or name == '__annotate_func__':  # (the last is Python 3.14's own)
                continue
            if isinstance(value, types.MemberDescriptorType):
                yield f'{name}: {self.spelled(SLOTS.get(name, Any))}'
            elif isinstance(value, property):
                told = evaluated(value.fget).return_annotation
                yield f'@property\n    def {name}(self) -> {self.returned(name, told)}: ...'
                if own and value.fset:
                    given = [*evaluated(value.fset).parameters.values()][1]
                    yield f'@{name}.setter\n    def {name}(self, {self.parameter(given, False)}) -> None: ...'
            elif isinstance(value, classmethod):
                told = self.signature(value.__func__, name, True).replace('(self', '(cls', 1)
                yield f'@classmethod\n    def {name}{told}: ...'
            elif isinstance(value, staticmethod):
                yield f'@staticmethod\n    def {name}{self.signature(value.__func__, name)}: ...'
            elif name in ('__eq__', '__ne__'):
                yield f'def {name}(self, other: _object) -> {cls.__name__}: ...  # type: ignore[override]'
            elif called := CALLED.get(f'{cls.__name__}.{name}'):
                yield f'def {name}{called}: ...'
            elif inspect.isfunction(value):
                ignore = '  # type: ignore[misc]' * (name == '__rmul__')  # [0] * Tensor(2) is a list's own, too
                ignore += '  # type: ignore[override]' * (f'{cls.__name__}.{name}' in NARROWER)
                yield f'def {name}{self.signature(value, name, True)}: ...{ignore}'

    def made_class(self, cls: type) -> None:
        """A class that a function has made: its base, and what it is made with."""
        written = next(base for base in cls.__mro__[1:] if is_written(base) and base.__name__[0] != '_')
        base = self.of(written.__module__, written.__name__)
        told = evaluated(cls)
        settings = [self.parameter(each, False) for each in told.parameters.values()]
        self.lines.append(f'class {cls.__name__}({base}):')
        self.lines.append(f'    def __init__({", ".join(["self", *settings])}) -> None: ...')
        if (call := 'construct') in dir(cls):
            self.lines.append(f'    def {call}{self.signature(cls.construct, call, True)}: ...')

    def named(self, name: str, module: str) -> None:
        """A name that is handed on from the module where it stands."""
        module = 'minicell.shown' if name == 'Tape' else module
        self.imports.discard(f'from {module} import {name}')
        homes[module].add(name)
        self.lines.append(f'from {module} import {name} as {name}')

    def text(self) -> str:
        aliases = [line for line in ALIASES if re.search(rf'(?<!\w){line.split()[-1]}\b', '\n'.join(self.lines))]
        return HEAD + '\n'.join([*sorted({*self.imports, *aliases}), *sorted(self.variables), '', *self.lines]) + '\n'


def pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Who is assigned what."""
    for target in getattr(node, 'targets', [node.target] if isinstance(node, ast.AnnAssign) else []):
        if isinstance(target, ast.Tuple):
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(target.elts)
            yield from zip(target.elts, parts, strict=True)
        else:
            yield target, node.value


def is_written(value: object) -> bool:
    """Whether a checker finds this class or function in its module's text, with bases that it can read."""
    tree = ast.parse(Path(sys.modules[value.__module__].__file__).read_text(encoding='utf-8'))
    found = [node for node in tree.body if getattr(node, 'name', None) == value.__name__]
    return bool(found) and not any(isinstance(base, ast.Call) for base in getattr(found[0], 'bases', []))
