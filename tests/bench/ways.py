"""Who is measured: the limit, minicell, and its peers where they are installed."""

from importlib import import_module, metadata
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple


class Way(NamedTuple):
    """`file`: the module beside this one; `package`: what it needs."""

    label: str
    file: str
    package: str

    @property
    def installed(self) -> bool:
        return find_spec(self.package) is not None

    @property
    def version(self) -> str:
        told = getattr(import_module(self.package), '__version__', None) or metadata.version(self.package)
        return f'{self.package} {told.partition("+")[0]}'

    def load(self) -> ModuleType:
        return import_module(f'tests.bench.{self.file}')


LIMIT = Way('NumPy by hand', 'limit', 'numpy')
PEERS = {
    'minicell': Way('minicell', 'minicell_way', 'minicell'),
    'torch': Way('PyTorch', 'torch_way', 'torch'),
    'autograd': Way('autograd', 'autograd_way', 'autograd'),
}
