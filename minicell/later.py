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

    def find(name: str) -> object:
        if name in table:
            return import_module(f'.{name}', package)
        if name not in where:
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        value = space[name] = getattr(import_module(f'.{where[name]}', package), name)
        return value

    return find, lambda: sorted({*space, *where})
