"""Writes what a type checker reads of names that only a running Python can tell: minicell's `.pyi` files.

Ops are made by functions, Tensor and Tape get their methods from a table, and `minicell/lazy.py` loads names when they
are first asked for. So the signatures are read from the imported package. Whatever is written down in a module that a
checker can read itself is only named here. After a public name or signature has changed: run this.
"""

import ast
import inspect
import re
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator, ValuesView
from pathlib import Path
from typing import Any, Union, get_args, get_origin

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy  # noqa: E402

import minicell  # noqa: E402
from minicell import names, nn, ops  # noqa: E402

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
    numpy.ndarray: 'Any, Any',
}  # fmt: skip
# what those return that have no annotation, where it is no Tensor
RETURNS = {
    'dim': '_int', 'numel': '_int', 'is_floating_point': '_bool', '__contains__': '_bool', 'max': 'Any', 'min': 'Any',
    'itemsize': '_int', 'nbytes': '_int', 'ndim': '_int', 'size': '_int', 'strides': '_tuple[_int, ...]',
}  # fmt: skip
# what can be set, or is anything: older checkers let no method take the place of an attribute that is something else
ATTRIBUTES = {
    'training': '_bool', 'requires_grad': '_bool', 'phase': '_str', 'bprop_debug': '_bool', 'shown': '_str',
    'bprop': 'Any', 'kernel': 'Any', 'rule': 'Any', '__call__': 'Any',
}  # fmt: skip
# What an annotation of Python's own cannot say: that a Cell is called as its construct is, and what a gradient is called
# with. `P` are the parameters of the function that is given, and `R` is what it returns.
CALLED = {'Cell.__call__': '(self: Constructed[P, R], *args: P.args, **kwargs: P.kwargs) -> R'}
CONSTRUCTED = '''\
class Constructed(Protocol[P, R]):
    def construct(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
'''
JITTED = '''\
class Jitted(Generic[P, R]):
    traced: _int
    @property
    def graphs(self) -> _list[Graph]: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __get__(self, owner: None, kind: _type[Any] | None = ...) -> Self: ...
    @overload
    def __get__(self: Jitted[Concatenate[Any, Q], R], owner: _object, kind: _type[Any] | None = ...) -> Callable[Q, R]: ...
'''
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
                self.variables.add(f"{name} = {kind}('{name}'{', covariant=True' * (self.own == 'Cell' and name == 'R')})")

    def written_class(self, cls: type) -> None:
        """A class with all that it has when the package is loaded, and its base in the core has."""
        self.lines.append(f'class {cls.__name__}:')
        self.lines += [f'    {line}' for line in self.members(cls)]

    def members(self, cls: type) -> Iterator[str]:
        """A line for each."""
        gone = names.GONE.get(cls.__name__, '').split()
        found = {name: value for kind in reversed(cls.__mro__[:-1]) for name, value in vars(kind).items()}
        kinds = {name: kind for each in reversed(cls.__mro__) for name, kind in inspect.get_annotations(each).items()}
        for name, value in sorted(found.items()):
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
                yield f'{name}: {"_int" if name == "at" else self.spelled(numpy.ndarray)}'
            elif isinstance(value, property):
                told = evaluated(value.fget).return_annotation
                yield f'@property\n    def {name}(self) -> {self.returned(name, told)}: ...'
            elif isinstance(value, staticmethod):
                yield f'@staticmethod\n    def {name}{self.signature(value.__func__, name)}: ...'
            elif name in ('__eq__', '__ne__'):
                yield f'def {name}(self, other: _object) -> {cls.__name__}: ...  # type: ignore[override]'
            elif called := CALLED.get(f'{cls.__name__}.{name}'):
                yield f'def {name}{called}: ...'
            elif inspect.isfunction(value):
                ignore = '  # type: ignore[misc]' * (name == '__rmul__')  # [0] * Tensor(2) is a list's own, too
                yield f'def {name}{self.signature(value, name, True)}: ...{ignore}'

    def made_class(self, cls: type) -> None:
        """A class that a function has made: its base, and what it is made with."""
        written = next(base for base in cls.__mro__[1:] if is_written(base))
        base = self.of(written.__module__, written.__name__)
        told = evaluated(cls)
        settings = [self.parameter(each, False) for each in told.parameters.values()]
        self.lines.append(f'class {cls.__name__}({base}):')
        self.lines.append(f'    def __init__({", ".join(["self", *settings])}) -> None: ...')
        if (call := 'construct') in dir(cls):
            self.lines.append(f'    def {call}{self.signature(cls.construct, call, True)}: ...')

    def named(self, name: str, module: str) -> None:
        """A name that is handed on from the module where it stands."""
        self.imports.discard(f'from {module} import {name}')
        self.lines.append(f'from {module} import {name} as {name}')

    def text(self) -> str:
        aliases = [line for line in ALIASES if re.search(rf'(?<!\w){line.split()[-1]}\b', '\n'.join(self.lines))]
        return HEAD + '\n'.join([*sorted({*self.imports, *aliases}), *sorted(self.variables), '', *self.lines]) + '\n'


def of_classes(module: str, *classes: type) -> str:
    """The stub of a module whose classes get their methods elsewhere."""
    stub = Stub(module, classes[0].__name__)
    for cls in classes:
        stub.written_class(cls)
    return stub.text()


def of_cell() -> str:
    """The base of all Cells."""
    stub = Stub('minicell.nn.cell', 'Cell')
    stub.written(CONSTRUCTED)
    stub.written_class(nn.Cell)
    return stub.text()


def of_grad() -> str:
    """The ways to ask for a gradient."""
    from minicell.core import grad

    stub = Stub('minicell.core.grad')
    for name in ('grad', 'value_and_grad', 'vjp'):
        stub.overloads(name, getattr(grad, name))
    return stub.text()


def of_jit() -> str:
    """What makes a graph of a function."""
    from minicell.graph.jitted import jit

    stub = Stub('minicell.graph.jitted')
    stub.written(JITTED)
    stub.overloads('jit', jit, open_end=False)
    return stub.text()


def of_ops() -> str:
    """Every op, as a function and as a class."""
    stub = Stub('minicell.ops', taken='DType')
    for name, value in [(name, getattr(ops, name)) for name in dir(ops)]:  # some load when asked for
        module = getattr(value, '__module__', None) or ''
        if name.startswith('_') or not module.startswith('minicell') or module in HELPERS or name in HELPERS:
            continue
        if module in WHOLE or (inspect.isclass(value) and module != stub.module and is_written(value)):
            stub.named(name, module)
        elif inspect.isclass(value):
            stub.made_class(value)
        elif inspect.isfunction(value):
            stub.function(name, value)
    return stub.text()


# not for users: modules, and a name
HELPERS = {
    'minicell.ops.checks', 'minicell.names', 'minicell.lazy', 'minicell.core.errors', 'minicell.core.tensor',
    'primitive',
}  # fmt: skip
# what these offer is written down in full
WHOLE = {'minicell.core.grad', 'minicell.composite', 'minicell.jacobian'}


def is_written(value: object) -> bool:
    """Whether a checker finds this class or function in its module's text, with bases that it can read."""
    tree = ast.parse(Path(sys.modules[value.__module__].__file__).read_text(encoding='utf-8'))
    found = [node for node in tree.body if getattr(node, 'name', None) == value.__name__]
    return bool(found) and not any(isinstance(base, ast.Call) for base in getattr(found[0], 'bases', []))


def of_nn() -> str:
    """Cells by name."""
    stub = Stub('minicell.nn')
    for name in nn.__all__:
        value = getattr(nn, name)
        if is_written(value):
            stub.named(name, value.__module__)
        else:
            stub.made_class(value)
    return stub.text()


def of_numpy() -> str:
    """mindspore.numpy's names for ops."""
    import minicell.numpy as mnp

    stub = Stub('minicell.numpy')
    for name in mnp.SAME.split():
        stub.named(name, 'minicell.ops')
    for name, op in mnp.OTHER.items():  # (another name is handed on by no import in a stub)
        stub.function(name, getattr(ops, op))
    return stub.text()


MODULES = {'common', 'dtype', 'errors', 'nn', 'numpy', 'ops'}


def of_minicell() -> str:
    """What `import minicell as ms` offers."""
    stub = Stub('minicell')
    for name in sorted({*dir(minicell), *names.DTYPES}):
        value = getattr(minicell, name)
        module = getattr(value, '__module__', None) or getattr(type(value), '__module__', '')
        if name == '__version__' or isinstance(value, int):
            stub.lines.append(f'{name}: {OWN[type(value)]}')
        elif name.startswith('_') or module in ('minicell', 'minicell.lazy'):
            continue
        elif isinstance(value, types.ModuleType):  # others are there once somebody has imported them
            if name in MODULES:
                stub.named(name, value.__name__.rpartition('.')[0])
        elif isinstance(value, minicell.core.dtype.DType):
            stub.lines.append(f'{name}: {stub.of("minicell.core.dtype", "DType")}')
        elif name == 'from_numpy':
            stub.function(name, value)
        elif module.startswith('minicell'):
            stub.named(name, 'minicell.shown' if name == 'Tape' else module)
    return stub.text()


def stubs() -> dict[str, str]:
    """Every stub by its path."""
    return {
        'minicell/__init__.pyi': of_minicell(),
        'minicell/core/tensor.pyi': of_classes('minicell.core.tensor', minicell.Tensor),
        'minicell/core/grad.pyi': of_grad(),
        'minicell/graph/jitted.pyi': of_jit(),
        'minicell/nn/cell.pyi': of_cell(),
        'minicell/shown.pyi': of_classes('minicell.shown', minicell.Tape),
        'minicell/nn/__init__.pyi': of_nn(),
        'minicell/ops/__init__.pyi': of_ops(),
        'minicell/ops/primitive.pyi': of_classes('minicell.ops.primitive', ops.Primitive),
        'minicell/numpy.pyi': of_numpy(),
    }


def main() -> None:
    """Write them."""
    for path, text in stubs().items():
        (ROOT / path).write_text(text, encoding='utf-8')


if __name__ == '__main__':
    sys.exit(main())
