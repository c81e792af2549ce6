"""The list of packages that Python in the browser may load, each with its hash: ours alone, in Pyodide's format.

Whatever has a wheel in the folder is loaded from there. NumPy and matplotlib are compiled; they and the compiled ones
that they need come from Pyodide's server, by the hashes in Pyodide's own list. Nothing else can be loaded at all.
"""

import hashlib
from email.parser import Parser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = 'pyodide-lock.json'
PYTHON = '3.14'  # of the Pyodide in package.json
SERVER = 'https://cdn.jsdelivr.net/pyodide/v{version}/full/'
COMPILED = 'numpy', 'matplotlib'
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


def of(folder: Path, theirs: dict[str, Any], package: dict[str, Any]) -> dict[str, Any]:
    """The list for the wheels in `folder`; `theirs` is Pyodide's own list, `package` what npm says of Pyodide."""
    ours = {canonicalize_name(each['name']): each for each in map(entry, sorted(folder.glob('*.whl')))}
    known = {canonicalize_name(each['name']): each for each in theirs['packages'].values()}
    server = SERVER.format(version=package['version'])
    waiting = list(COMPILED)
    while waiting:
        name = waiting.pop()
        if name not in ours:
            ours[name] = {**known[name], 'file_name': server + known[name]['file_name']}
            waiting += map(canonicalize_name, known[name]['depends'])
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
