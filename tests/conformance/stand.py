"""Minicell answering to the name of MindSpore."""

import importlib
from importlib.machinery import ModuleSpec
from types import ModuleType


class Stand:
    """Answers `import mindspore.a.b` with minicell.a.b, a module or an attribute."""

    def find_spec(self, name, path=None, target=None):
        first, _, rest = name.partition('.')
        found = first == 'mindspore' and self.look(rest)
        return ModuleSpec(name, self, loader_state=found) if isinstance(found, ModuleType) else None

    def look(self, rest):
        found = importlib.import_module('minicell')
        for part in filter(None, rest.split('.')):
            try:
                found = importlib.import_module(f'{found.__name__}.{part}')
            except (ImportError, AttributeError):
                found = getattr(found, part, None)
        return found

    def create_module(self, spec):
        return spec.loader_state

    def exec_module(self, module):
        pass
