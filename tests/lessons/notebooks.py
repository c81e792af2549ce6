"""The committed lessons, and what is in them."""

import io
import linecache
import os
import re
import shutil
import subprocess
import warnings
import zlib
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

import nbformat

from minicell.teach.about import about, exercise
from minicell.teach.exercise import Exercise
from tests.lessons.kernels import ROOT

PATHS = {path.name[:2]: path for path in sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))}
NUMBERS = [number for number in PATHS if number != '00']  # the map of the course is no lesson


def read(number: str) -> Any:
    """A lesson as committed."""
    return nbformat.read(PATHS[number], as_version=4)


def exercises(number: str) -> list[Exercise]:
    """The exercises of a lesson."""
    return [exercise(name) for name in about(number).exercises]


def every_exercise() -> list[Exercise]:
    """The exercises of all lessons."""
    return [each for number in NUMBERS for each in exercises(number)]


def by_turns(choices: Sequence[str]) -> str:
    """One of them, another at each commit, or at each $MINICELL_TURN; the same as long as that is the same."""
    turn = os.environ.get('MINICELL_TURN')
    if not turn and shutil.which('git'):
        turn = subprocess.run(
            ['git', 'rev-parse', 'HEAD'], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout
    return choices[zlib.crc32((turn or '').strip().encode()) % len(choices)]


def by_id(cells: list[Any]) -> dict[str, Any]:
    """Cells by their ids."""
    return {cell.id: cell for cell in cells}


def code(notebook: Any) -> list[Any]:
    """The code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == 'code']


def asks(notebook: Any, name: str) -> Any:
    """The cell that checks an exercise, or None: some are checked in their panel alone."""
    return next((cell for cell in code(notebook) if re.search(rf"^L\.check\('{name}', ", cell.source, re.M)), None)


def answer_and_check(cell: Any, name: str) -> tuple[str, str]:
    """A cell that checks an exercise: the learner's part, and from the check on."""
    at = cell.source.index(f"L.check('{name}', ")
    return cell.source[:at], cell.source[at:]


def picture(number: str, name: str) -> Any:
    """The picture of the tape that a cell of a lesson shows."""
    here: dict[str, Any] = {'__name__': '__main__'}
    for cell in code(read(number)):
        source = re.sub(r'^%%result .*', '', cell.source)
        if re.match(r'L\.|from minicell\.teach', source):
            continue
        file = f'{cell.id}.py'
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        with redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter('ignore')
            exec(compile(source, file, 'exec'), here)
        if cell.id == f'l{number}-{name}':
            return here['tape'].show()
    raise LookupError(f'lesson {number} has no cell {name}')


def listings(notebook: Any, number: str) -> dict[str, str]:
    """The listings of `Take it home`, by what they import: torch, jax, mindspore."""
    home = by_id(notebook.cells).get(f'l{number}-home')
    parts = re.findall(r'```python\n(.*?)```', home.source, re.DOTALL) if home else []
    return {
        word: part
        for word in ('torch', 'jax', 'mindspore')
        for part in parts
        if re.search(rf'^(?:import|from) {word}\b', part, re.MULTILINE)
    }


def fault(listing: str, out: str) -> str:
    """What is wrong with what a listing printed: '' when it is what its comments promise, or they promise nothing."""
    if not out.strip():
        return 'it prints nothing'
    due = re.findall(r'# prints (.*\S)', listing) or out.splitlines()
    return '' if out.splitlines() == due else f'it prints\n{out}and promises\n' + '\n'.join(due)
