"""What a reader writes and answers on the site: exercises are checked by Python in the browser, and answers stay there.

A lesson's page does for its cards what a notebook does (`page.js`). An exercise is written in the card's own editor;
Python in a worker, the same as the first page's, runs the lesson's own code on it and draws the card again
(`checks.py`). What was answered is kept in the browser, saved to a file and loaded from one (`kept.js`), in the lines
that a notebook keeps too: see `minicell.teach.progress`.
"""

import io
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from minicell import __version__
from minicell.ink.page import fragment
from minicell.teach.about import START, stops
from minicell.teach.progress import ASKED, STATES, TRIED
from minicell.teach.source import paths, read

from ...lessons import PACKAGE
from .. import pyodide
from ..lite.wheel import DAY

NEEDS = (
    '<p class="needs"><span class="js-only" id="checks">What you write in an exercise is checked here: when you first '
    'type, Python comes to your browser from {server}, {megabytes:.1f} MB, once for all lessons. Where the text says '
    'to run the cell, press Check. </span>{lite}You can also run this lesson <a href="course.html">on your machine'
    '</a>. The hints, the solution and the common mistakes are here in any case.</p>'
)
KEPT = """<section class="answers js-only" aria-label="Your answers"><p>Your answers are kept in this browser, and
nowhere else.</p><p class="run"><button type="button" data-do="save">Save them to a file</button>
<label><input type="file" accept=".json,application/json">Load them from a file</label>
<button type="button" data-do="forget">Forget them</button> <span role="status"></span></p></section>"""


@cache
def archive() -> bytes:
    """What checks an answer, beside minicell: the lessons' machinery and their sources, as a zip."""
    packed = io.BytesIO()
    with ZipFile(packed, 'w', ZIP_DEFLATED) as target:
        sources = paths()[START].parent
        for path, name in [*inside(PACKAGE / 'teach', 'teach'), *inside(sources, 'lessons/source')]:
            target.writestr(ZipInfo(f'minicell/{name}', DAY), path.read_bytes(), ZIP_DEFLATED)
    return packed.getvalue()


def inside(folder: Path, named: str) -> list[tuple[Path, str]]:
    """The files in a folder, and what they are called in the archive."""
    found = (path for path in sorted(folder.rglob('*')) if path.is_file() and '__pycache__' not in path.parts)
    return [(path, f'{named}/{path.relative_to(folder).as_posix()}') for path in found]


def write(folder: Path, beside: bool) -> tuple[str, str]:
    """Write what the lessons' pages need into `folder`: the name of their script, and what they say of Python.

    beside: Pyodide stands beside the site.
    """
    own = {'lessons.zip': archive(), 'checks.py': source('checks.py').encode()}
    python = pyodide.lay(folder, beside, own)
    told = {'python': python, 'version': __version__, 'asks': asks(), 'said': ASKED, 'tried': TRIED, 'states': STATES}
    script = f'"use strict";\n{{\nconst told = {fragment.script(told)};\n{source("kept.js")}\n{source("page.js")}}}\n'
    name = f'lesson-{sha256(script.encode()).hexdigest()[:8]}.js'
    (folder / name).write_text(script, encoding='utf-8')
    return name, NEEDS.format(server=python['from'], megabytes=python['megabytes'], lite='{lite}')


def asks() -> dict[str, dict[str, list[str]]]:
    """What each lesson asks: what is loaded from a file is believed as far as it speaks of these."""
    found: dict[str, Any] = {}
    for stop in stops():
        said = [cell.asks for cell in read(paths()[stop.number]) if cell.kind == 'sentence']
        found[stop.number] = {'question': stop.asks, 'exercise': stop.tries, 'sentence': said}
    return found


def source(name: str) -> str:
    """A file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding='utf-8')
