"""The list of packages that Python in the browser may load, each with its hash: ours alone, in Pyodide's format.

Whatever has a wheel in the folder is listed as that; what these need besides stands in Pyodide's own list, and is taken
over from there with its hash. Nothing else can be loaded at all.
"""

import hashlib
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..origin import PINS

PYTHON = PINS['info']['python'].rpartition('.')[0]
WHERE = {
    'extra': '',
    'implementation_name': 'cpython',
    'os_name': 'posix',
    'platform_python_implementation': 'CPython',
    'platform_system': 'Emscripten',
    'python_full_version': f'{PYTHON}.0',
    'python_version': PYTHON,
    'sys_platform': 'emscripten',
}
# A page has its half of the widgets already.
NOT_HERE = {'jupyterlab-widgets'}


def of(folder: Path, theirs: dict[str, Any], wanted: Iterable[str]) -> dict[str, Any]:
    """The list for the wheels in `folder`, for what is `wanted`, and for what these need; `theirs` is Pyodide's own."""
    ours = {canonicalize_name(each['name']): each for each in map(entry, sorted(folder.glob('*.whl')))}
    known = {canonicalize_name(each['name']): each for each in theirs['packages'].values()}
    waiting = [*wanted, *(name for each in ours.values() for name in each['depends'])]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in ours:
            ours[name] = {**known[name], 'depends': sorted(map(canonicalize_name, known[name]['depends']))}
            waiting += ours[name]['depends']
    return {'info': theirs['info'], 'packages': dict(sorted(ours.items()))}


def entry(wheel: Path) -> dict[str, Any]:
    """One wheel, as the list has it."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        about = next(name for name in names if name.count('/') == 1 and name.endswith('.dist-info/METADATA'))
        said = Parser().parsestr(archive.read(about).decode())
    tops = {name.partition('/')[0].removesuffix('.py') for name in names if name.endswith('.py')}
    needed = {
        canonicalize_name(each.name) for each in map(Requirement, said.get_all('Requires-Dist', [])) if holds(each)
    }
    return {
        'depends': sorted(needed - NOT_HERE),
        'file_name': wheel.name,
        'imports': sorted(top for top in tops if top.isidentifier()),
        'install_dir': 'site',
        'name': said['Name'],
        'package_type': 'package',
        'sha256': hashlib.sha256(wheel.read_bytes()).hexdigest(),
        'unvendored_tests': False,
        'version': said['Version'],
    }


def holds(need: Requirement) -> bool:
    """Whether a package is needed in the browser."""
    return need.marker is None or need.marker.evaluate(WHERE)
