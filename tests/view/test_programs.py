"""Whatever was run under a Tape: shown at every zoom, saved in every form, told, as DOT, and its numbers accounted.

Each test of core, nn and traps runs under a Tape of its own (see everything.py), and so does each cell of the lessons;
500 programs come from a generator. By default a share of them is asked; MINICELL_ALL=1 asks all.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import everything
import gallery
import generated
import nbformat
import numpy as np
import pytest
import ran

import minicell as ms
from minicell.view.picture import Picture
from minicell.view.tell import tell

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).parents[2]
ALL = bool(os.environ.get('MINICELL_ALL'))
SUITES = {'core': 150, 'nn': 60, 'traps': 80}  # the fewest programs that must have been asked
SHARE = 1 if ALL else 10
MANY = 500
LESSONS = sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))


def report(name, counts):
    """Say how much was asked."""
    print(f'{name}: ' + ', '.join(f'{count} {what}' for what, count in counts.items()))


@pytest.mark.parametrize('suite', SUITES)
def test_every_program_of_the_tests(suite, tmp_path):
    where = tmp_path / 'asked.json'
    command = [sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', '-p', 'tests.view.everything', '-q', '-x']
    environment = os.environ | {'MINICELL_ASKED': str(where), 'MINICELL_SHARE': str(SHARE)}
    done = subprocess.run(
        [*command, f'tests/{suite}'], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1500
    )
    assert where.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    counts, wrong = json.loads(where.read_text())
    report(suite, counts)
    assert wrong == []
    assert counts['programs'] * SHARE >= SUITES[suite] and counts['accounts'] > counts['programs'] / 2


LARGE = 4000  # events; of larger tapes one picture is made


def cells(path):
    """The code cells of a notebook: without magics and the figures, which train many nets, and with short trainings."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == 'code' and 'L.figure(' not in cell.source:
            yield re.sub(r'steps=\d{3,}', 'steps=20', re.sub(r'(?m)^[%!].*$', '', cell.source))


@pytest.mark.parametrize('path', LESSONS, ids=lambda path: path.name[:2])
def test_every_cell_of_the_lessons(path, monkeypatch):
    monkeypatch.setenv('MINICELL_PROGRESS', 'off')
    monkeypatch.setattr('IPython.display.display', lambda *a, **k: None)
    space, total, wrong = {'__name__': '__main__'}, Counter(), []
    for number, source in enumerate(cells(path)):
        file = f'<lesson {path.name} {number}>'
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        tape = ms.Tape()
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter('ignore')
            try:
                code = compile(source, file, 'exec', flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                with tape:
                    exec(code, space)
            except Exception:  # some cells are there to fail
                total['failed'] += 1
        if len(tape.events) > LARGE:
            asked, found = everything.accounts(tape, number)
            counts = Counter(programs=1, pictures=1, steps=len(Picture(tape).films[0].steps), accounts=asked)
        elif tape.events:
            counts, found = everything.asked(tape, number)
        if tape.events:
            total += counts
            wrong += [f'cell {number}: {each}' for each in found]
    report(path.name, total)
    assert wrong == []


def run(source, name):
    """The tape of a generated program, and who ran."""
    with ran.counting() as counts:
        return gallery.tape_of(source, name), counts


@pytest.mark.parametrize('part', range(10))
def test_generated(part):
    total = Counter()
    for seed in range(part * MANY // 10, (part + 1) * MANY // 10, 1 if ALL else 5):
        source = generated.program(seed)
        try:
            tape, counts = run(source, f'any {seed}')
            assert ran.told(tell(tape))[0] == counts, 'the authors are others'
            found, wrong = everything.asked(tape, seed, seed % 25 == 0)
            assert wrong == []
        except Exception as error:
            error.add_note(f'program {seed}:\n{source}')
            raise
        total += found
    report(f'generated, part {part}', total)


@pytest.mark.parametrize('name', gallery.ALL)
def test_the_gallery(name):
    counts, wrong = everything.asked(gallery.run(name), len(name), len(name) % 4 == 0)
    assert wrong == [] and counts['steps'] >= 3


def test_a_sum_that_is_off_is_found(monkeypatch):
    tape = gallery.tape_of(gallery.ALL['fanout'].strip() + '\n', 'fanout off')
    original = ms.Tape.why

    def off(self, *args):
        account = original(self, *args)
        rows = tuple(row._replace(product=row.product * 1.001) for row in account.rows)
        return type(account)(account.title, rows, account.total, account.number)

    monkeypatch.setattr(ms.Tape, 'why', off)
    _, wrong = everything.asked(tape)
    assert wrong and np.all(['add up to' in each for each in wrong])
