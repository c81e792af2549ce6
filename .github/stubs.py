"""Writes what a type checker reads of names that only a running Python can tell: minicell's `.pyi` files.

Ops are made by functions, Tensor and Tape get their methods from a table, and `minicell/lazy.py` loads names when they
are first asked for. So the signatures are read from the imported package: of every module from which a public name is
handed on. After a public name or signature has changed: run this. stub.py has what is common to all of these files.
"""

import inspect
import sys
import types
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / '.github')]

from stub import CONSTRUCTED, JITTED, OVERLOADS, OWN, Stub, homes, is_written  # noqa: E402

import minicell  # noqa: E402
from minicell import names, nn, ops  # noqa: E402


def of_classes(module: str, *classes: type) -> str:
    """The stub of a module whose classes get their methods elsewhere."""
    stub = Stub(module, classes[0].__name__)
    for cls in classes:
        stub.written_class(cls)
    return stub.text()


def of_home(module: str, handed: set[str]) -> str:
    """The stub of a module of which these names are handed on."""
    stub, space = Stub(module), import_module(module)
    classes = [value for name in handed if inspect.isclass(value := getattr(space, name))]
    bases = {base.__name__ for cls in classes for base in cls.__mro__ if base.__module__ == module}
    for name in sorted({*handed, *(name for name in bases if name[0] != '_')}):
        value = getattr(space, name)
        if inspect.ismodule(value):
            stub.named(name, value.__name__.rpartition('.')[0])
        elif name in OVERLOADS:
            stub.overloads(name, value)
        elif inspect.isclass(value) and value.__module__ != module:
            stub.named(name, value.__module__)
        elif inspect.isclass(value):
            stub.home_class(value)
        elif inspect.isfunction(value):
            stub.function(name, value)
        else:
            stub.lines.append(f'{name}: {OWN[type(value)]}')
    return stub.text()


def of_cell() -> str:
    """The base of all Cells."""
    stub = Stub('minicell.nn.cell', 'Cell')
    stub.written(CONSTRUCTED)
    stub.written_class(nn.Cell)
    return stub.text()


def of_dtype() -> str:
    """The dtypes by name."""
    from minicell.core import dtype

    stub = Stub('minicell.core.dtype', 'DType')
    stub.written_class(dtype.DType)
    stub.lines += [f'{each.name}: DType' for each in dtype.ALL]
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
            stub.named(name, module)
    return stub.text()


def stubs() -> dict[str, str]:
    """Every stub by its path."""
    homes.clear()
    for module in ('minicell.common.initializer', 'minicell.amp'):
        space = vars(import_module(module))
        homes[module].update(name for name, value in space.items() if getattr(value, '__module__', '') == module)
    homes['minicell.ops.hooks'].add('HookHandle')  # what the hooks of a Tensor and a Cell return
    homes['minicell.common'].update([*minicell.common.__all__, 'Parameter', 'ParameterTuple', 'launch_blocking'])
    made = {
        'minicell': of_minicell(),
        'minicell.core.dtype': of_dtype(),
        'minicell.core.tensor': of_classes('minicell.core.tensor', minicell.Tensor),
        'minicell.graph.jitted': of_jit(),
        'minicell.nn.cell': of_cell(),
        'minicell.shown': of_classes('minicell.shown', minicell.Tape),
        'minicell.nn': of_nn(),
        'minicell.ops': of_ops(),
        'minicell.ops.primitive': of_classes('minicell.ops.primitive', ops.Primitive),
        'minicell.numpy': of_numpy(),
    }
    for module, handed in sorted(homes.items()):
        if module not in made and handed - MODULES:
            made[module] = of_home(module, handed)
    paths = {module: Path(import_module(module).__file__).relative_to(ROOT).with_suffix('.pyi') for module in made}
    return {paths[module].as_posix(): text for module, text in made.items()}


def main() -> None:
    """Write them."""
    for path, text in stubs().items():
        (ROOT / path).write_text(text, encoding='utf-8')


if __name__ == '__main__':
    sys.exit(main())
