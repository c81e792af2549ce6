"""Names that are loaded by the first who asks for them: an import is a wait for everybody, each time."""

from collections.abc import Callable
from importlib import import_module


def later(space: dict, table: dict[str, str]) -> tuple[Callable, Callable]:
    """`__getattr__` and `__dir__` of a package: `table` says for each of its modules which names come from there.

    Such a module is itself found too. Any other name is an AttributeError.

    >>> space = {'__name__': 'minicell'}
    >>> find, names = later(space, {'dtype': 'DType float32'})
    >>> find('float32'), 'DType' in names()
    (mindspore.float32, True)
    """
    package = space['__name__']
    where = {name: module for module, names in table.items() for name in names.split()}
    modules = {module.rpartition('.')[2]: module for module in table}

    def find(name: str) -> object:
        if name in where:
            value = space[name] = getattr(import_module(f'.{where[name]}', package), name)
            return value
        if name in modules:
            return import_module(f'.{modules[name]}', package)
        raise AttributeError(f'module {package!r} has no attribute {name!r}')

    return find, lambda: sorted({*space, *where})
