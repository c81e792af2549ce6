"""The licences of all that a JupyterLite site is made of, in a folder beside it."""

import re
from email.parser import Parser
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from packaging.utils import canonicalize_name

LICENCE = re.compile(r'licen[cs]e|copying|notice|authors', re.IGNORECASE)
COPIED = 'anywidget', 'jupyterlite-core', 'jupyterlite-pyodide-kernel', 'jupyterlab-widgets', 'typing-extensions'
FIRST = """\
What this is made of, and under which licences. Each has a folder here with the words of its licence; where it came
without such a file, with what it says of itself.

Pyodide {pyodide} (MPL-2.0, its text is in micropip/; source: https://github.com/pyodide/pyodide/tree/{pyodide}) is
CPython (its licence is the one in typing-extensions/; https://docs.python.org/3/license.html) compiled by Emscripten
(MIT; https://github.com/emscripten-core/emscripten).
"""
JUPYTER = """
JupyterLab, as JupyterLite packs it, lists the licences of its own parts in build/third-party-licenses.json.
"""


def write(folder: Path, wheels: list[Path], tools: Path, pyodide: dict[str, str]) -> None:
    """Write a folder for each wheel, and for each tool that leaves something of itself in the site, and a list of them.

    `tools` is the virtual environment that built the site; `pyodide` says which version of itself it is.
    """
    told = [info_of(wheel) for wheel in wheels] + [installed(info) for info in infos(tools)]
    listed(folder, told, FIRST.format(pyodide=pyodide['version']) + JUPYTER)


def listed(folder: Path, told: list[dict[str, bytes]], first: str) -> None:
    """Write a folder for each package, from what it says of itself, and `first` with their list."""
    lines = {kept(files, folder) for files in told}
    (folder / 'README.txt').write_text(first + '\n' + '\n'.join(sorted(lines)) + '\n', encoding='utf-8')


def installed(info: Path) -> dict[str, bytes]:
    """What an installed package says of itself: name -> bytes."""
    return {path.name: path.read_bytes() for path in info.rglob('*') if path.is_file()}


def info_of(wheel: Path | IO[bytes]) -> dict[str, bytes]:
    """What a wheel says of itself: name -> bytes."""
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.partition('/')[0].endswith('.dist-info')]
        return {name.rpartition('/')[2]: archive.read(name) for name in names}


def infos(tools: Path) -> list[Path]:
    """What those packages of a virtual environment say of themselves of which something is copied."""
    found = tools.glob('**/site-packages/*.dist-info')
    return [info for info in found if canonicalize_name(info.name.partition('-')[0]) in COPIED]


def kept(files: dict[str, bytes], folder: Path) -> str:
    """Write the licence of one package into a folder of its own, and return its line of the list."""
    about = Parser().parsestr(files['METADATA'].decode())
    place = folder / canonicalize_name(about['Name'])
    place.mkdir(parents=True, exist_ok=True)
    for name in [name for name in files if LICENCE.match(name)] or ['METADATA']:
        (place / name).write_bytes(files[name])
    said = about['License-Expression'] or (about['License'] or '').partition('\n')[0]
    said = said or ', '.join(each[11:] for each in about.get_all('Classifier', []) if each.startswith('License :: '))
    urls = [
        each.rpartition(' ')[2] for each in about.get_all('Project-URL', []) if re.match('(?i)source|repo|home', each)
    ]
    source = next(iter([*urls, about['Home-page'] or '']), '')
    return f'{place.name} {about["Version"]}: {said or "see its folder"}{f" ({source})" if source else ""}'
