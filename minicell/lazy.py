"""Names that are loaded by the first who asks for them: an import is a wait for everybody, each time."""

import sys
from _thread import RLock  # threading as a whole takes half a millisecond
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

LOADING = RLock()


def later(space: dict, table: dict[str, str], gone: str = '') -> tuple[Callable, Callable]:
    """`__getattr__` and `__dir__` of a package: `table` says for each of its modules which names come from there.

    Such a module is itself found too, and is a name like the others where its own list has it. Any other name is an
    AttributeError; for `gone` see `without`.

    >>> space = {'__name__': 'minicell'}
    >>> find, names = later(space, {'core.dtype': 'DType float32'})
    >>> find('float32'), 'DType' in names()
    (mindspore.float32, True)
    """
    package = space['__name__']
    where = {name: module for module, names in table.items() for name in names.split()}
    modules = {module.rpartition('.')[2]: module for module in table}
    refuse = without(package, gone)

    def find(name: str) -> object:
        if name in where:
            module = load(where[name], package)
            value = space[name] = module if where[name] == name else getattr(module, name)
            return value
        if name in modules or f'{package}.{name}' in sys.modules:  # (one of MindSpore's modules, see names.place)
            return load(modules.get(name, name), package)
        return refuse(name)

    return find, lambda: sorted({*space, *where})


def load(module: str, package: str = __package__) -> ModuleType:
    """A module of a package, in one thread at a time: two that load the same chapter from two ends get half of it."""
    with LOADING:
        return import_module(f'.{module}', package)


def without(package: str, gone: str) -> Callable:
    """`__getattr__` of a module: for MindSpore's names in `gone`, which minicell once had, a sentence.

    >>> without('minicell.nn', 'Lion Adagrad')('Lion')
    Traceback (most recent call last):
    AttributeError: minicell.nn.Lion was taken out: minicell keeps what a lesson about custom gradients needs; use
    MindSpore for it.
    """
    names = gone.split()

    def refuse(name: str) -> object:
        if name in names:
            raise AttributeError(
                f'{package}.{name} was taken out: minicell keeps what a lesson about custom gradients needs; use '
                f'MindSpore for it.'
            )
        raise AttributeError(f'module {package!r} has no attribute {name!r}')

    return refuse
