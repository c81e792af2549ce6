"""Each cell of each lesson under a Tape of its own: shown, saved, told, drawn as DOT, and its numbers accounted."""

import ast
import contextlib
import io
import linecache
import re
import warnings
from pathlib import Path

import nbformat
import pytest

import minicell as ms
from minicell.view.picture import Picture
from tests.view import everything

LESSONS = sorted((Path(__file__).parents[2] / 'lessons').glob('[0-9][0-9]_*.ipynb'))
LARGE = 4000  # events; of larger tapes one picture is made


def cells(path):
    """The code cells of a notebook: without magics and the figures, which train many nets, and with short trainings."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == 'code' and 'L.figure(' not in cell.source:
            yield re.sub(r'steps=\d{3,}', 'steps=2', re.sub(r'(?m)^[%!].*$', '', cell.source))


def under_a_tape(source, file, space):
    """The tape of one cell, which may fail: some are there to."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        warnings.simplefilter('ignore')
        code = compile(source, file, 'exec', flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with ms.Tape() as tape:
            exec(code, space)
    return tape


def tier(path):
    """Lesson 03 is asked on each push: it needs no other before it."""
    number = path.name[:2]
    return pytest.param(path, id=number, marks=pytest.mark.slow if number == '03' else pytest.mark.nightly)


@pytest.mark.parametrize('path', [tier(path) for path in LESSONS])
def test_every_cell(path, monkeypatch):
    monkeypatch.setenv('MINICELL_PROGRESS', 'off')
    monkeypatch.setattr('IPython.display.display', lambda *a, **k: None)
    space, steps = {'__name__': '__main__'}, 0
    for number, source in enumerate(cells(path)):
        tape = under_a_tape(source, f'<cell {path.name} {number}>', space)
        if len(tape.events) > LARGE:
            everything.accounts(tape, number)
            steps += len(Picture(tape).films[0].steps)
        elif tape.events:
            steps += everything.asked(tape, number)['steps']
    assert steps, 'no cell has run'
