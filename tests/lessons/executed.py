"""A lesson is executed once in a run of the tests: as its source makes it, and then with all that a learner may do.

One kernel a lesson, started by minicell.teach.build itself: after the untouched cells come questions to the lesson, all
stored mistakes, every figure, all beats, and at last the part from the first exercise on with the solutions filled in.
Whoever asks for a lesson gets this one result, in whichever process it was made.
"""

import copy
import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

from minicell.teach import build
from tests.lessons import drive
from tests.lessons.kernels import in_one_piece, kernel_environment
from tests.lessons.notebooks import NUMBERS, answer_and_check, asks, code, exercises, read

PATIENCE = 900  # seconds, for a lesson that another process executes

GUARDS = """\
import os, shutil, socket
os.environ.pop('MINICELL_STILL')  # from here on a picture is a page, as a learner has it
try: socket.create_connection(('192.0.2.1', 80), 1)
except OSError as error: print('dot:', shutil.which('dot'), '; refused:', error)
"""
HELP = """\
for name in L.about.exercises:
    L.exercise(name).html()
print(L.check(next(iter(L.about.exercises), '')))
"""


class Executed(NamedTuple):
    """What came of a lesson."""

    number: str
    notebook: Any  # as it would be committed
    own: list[Any]  # its code cells, as the kernel left them
    after: dict[str, Any]  # the cells that were run after these, by their names


def stored(number: str) -> dict[str, tuple[str, Any]]:
    """A cell for each stored mistake: what a learner would have typed, and its check."""
    return {
        f'{exercise.name} {mistake.name}': (
            f'{mistake.code}\n\nL.check({exercise.name!r}, {exercise.answer_name})',
            mistake,
        )
        for exercise in exercises(number)
        for mistake in exercise.mistakes
    }


def solved(number: str) -> dict[str, str]:
    """The cells from the first exercise on, as a learner leaves them who has solved everything, by their ids."""
    cells = {cell.id: cell.source for cell in code(read(number))}
    checks = {each.name: asks(read(number), each.name) for each in exercises(number)}
    first = next((k for k, id in enumerate(cells) if id in {cell.id for cell in checks.values() if cell}), len(cells))
    found = {f'solved {id}': source for id, source in list(cells.items())[first:]}
    for exercise in exercises(number):
        cell = checks[exercise.name]
        end = f'L.check({exercise.name!r}, {exercise.answer_name})'
        if cell is not None:
            end = answer_and_check(cell, exercise.name)[1]
        found[f'solved {cell.id if cell is not None else exercise.name}'] = f'{exercise.solution}\n\n{end}'
    return found


def afterwards(number: str) -> dict[str, str]:
    """What is run in a lesson's kernel after the lesson; the map of the course has nothing to ask."""
    if number not in NUMBERS:
        return {}
    asked = {'guards': GUARDS, 'help': HELP, 'before': 'print(L.progress())', 'results': drive.RESULTS}
    mistakes = {name: source for name, (source, _) in stored(number).items()}
    moved = {'beats': drive.BEATS, 'unlock': 'L.unlock()'}
    return asked | mistakes | moved | solved(number) | {'after': 'print(L.progress())'}


def execute(number: str, tmp: Path) -> Executed:
    """Build a lesson, and go on in its kernel; an error there is an output. The kernel has ended when this returns."""
    more, plain = afterwards(number), build.execute
    kept: dict[str, Any] = {}

    async def and_more(notebook: Any) -> None:
        own = len(notebook.cells)
        for k, source in enumerate(more.values()):
            notebook.cells.append(new_code_cell(source, id=f'extra-{k}', metadata={'tags': ['raises-exception']}))
        await plain(notebook)
        kept['own'] = [
            cell for cell in copy.deepcopy(notebook.cells[:own]) if cell.cell_type == 'code' and cell.id[0] == 'l'
        ]
        kept['after'] = dict(zip(more, notebook.cells[own:], strict=True))
        del notebook.cells[own:]

    # what is asked afterwards changes the cards above, and no cell that was run before
    still = patch.object(NotebookClient, '_update_display_id', lambda *args: None)
    with still, patch.dict(os.environ, kernel_environment(tmp), clear=True), patch.object(build, 'execute', and_more):
        (source,) = build.sources([number])
        notebook = build.build(source)
    for cell in (*kept['own'], *kept['after'].values()):
        cell.outputs = in_one_piece(cell.outputs)
    return Executed(number, notebook, **kept)


def executed(number: str, folder: Path) -> Executed:
    """A lesson from the folder that all processes of a run share; the first to ask executes it."""
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / f'{number}.json'
    try:
        (folder / f'{number}.claimed').touch(exist_ok=False)
    except FileExistsError:
        wait(result)
    else:
        result.with_suffix('.part').write_text(json.dumps(attempt(number, folder)), encoding='utf-8')
        result.with_suffix('.part').rename(result)
    found = nbformat.from_dict(json.loads(result.read_text(encoding='utf-8')))
    if 'failed' in found:
        pytest.fail(f'lesson {number}: {found.failed}')
    return Executed(**found)


def attempt(number: str, folder: Path) -> dict[str, Any]:
    """The result, or why there is none: it is not tried again."""
    (folder / number).mkdir()
    try:
        return execute(number, folder / number)._asdict()
    except Exception as error:
        return {'failed': f'{type(error).__name__}: {error}'}


def wait(result: Path) -> None:
    """Wait until another process has executed the lesson."""
    end = time.monotonic() + PATIENCE
    while not result.exists():
        assert time.monotonic() < end, f'no {result} after {PATIENCE} seconds: whoever claimed it has ended without one'
        time.sleep(0.1)
