"""minicell as a wheel for the browser, packed from the files of the package itself: of a checkout, or as installed.

It says that it needs what a lesson imports, and not JupyterLab, which is there already: it is the page.
"""

import hashlib
from base64 import urlsafe_b64encode
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from minicell import __version__

from ...lessons import PACKAGE, Trouble, shipped

NEEDS = 'numpy', 'matplotlib', 'ipython', 'ipywidgets', 'anywidget', 'graphviz', 'jupyter-core'
DAY = (2020, 1, 1, 0, 0, 0)  # of every file, so that the same files make the same wheel
INFO = f'minicell-{__version__}.dist-info'


def pack(folder: Path) -> Path:
    """Write the wheel into `folder`, and return its path. Raises Trouble where the licence is missing."""
    inside = contents()
    rows = [f'{name},sha256={digest(data)},{len(data)}' for name, data in inside.items()]
    inside[f'{INFO}/RECORD'] = '\n'.join([*rows, f'{INFO}/RECORD,,', '']).encode()
    target = folder / f'minicell-{__version__}-py3-none-any.whl'
    with ZipFile(target, 'w', ZIP_DEFLATED) as archive:
        for name, data in inside.items():
            archive.writestr(ZipInfo(name, DAY), data, ZIP_DEFLATED)
    return target


def contents() -> dict[str, bytes]:
    """All files of the wheel but the list of them: name -> bytes. The lessons travel inside the package."""
    lessons = shipped()
    paths = {f'minicell/{path.relative_to(PACKAGE).as_posix()}': path for path in PACKAGE.rglob('*')}
    for path in lessons.rglob('*'):
        paths[f'minicell/lessons/{path.relative_to(lessons).as_posix()}'] = path
    inside = {
        name: path.read_bytes()
        for name, path in sorted(paths.items())
        if path.is_file() and not {'__pycache__', '.ipynb_checkpoints'} & {*path.parts}
    }
    needs = ''.join(f'Requires-Dist: {name}\n' for name in NEEDS)
    about = f'Metadata-Version: 2.4\nName: minicell\nVersion: {__version__}\nLicense-Expression: Apache-2.0\n'
    inside[f'{INFO}/METADATA'] = f'{about}License-File: LICENSE\n{needs}'.encode()
    inside[f'{INFO}/WHEEL'] = b'Wheel-Version: 1.0\nGenerator: minicell\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
    inside[f'{INFO}/licenses/LICENSE'] = licence()
    return inside


def licence() -> bytes:
    """The licence, which lies beside the package: in a checkout, or among what an installation says of itself."""
    for path in (PACKAGE.parent / INFO / 'licenses' / 'LICENSE', PACKAGE.parent / 'LICENSE'):
        if path.is_file():
            return path.read_bytes()
    raise Trouble(f'the licence of minicell is not beside {PACKAGE}, and without it no copy is made. Install it again.')


def digest(data: bytes) -> str:
    """A hash as the list of a wheel's files has it."""
    return urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')
