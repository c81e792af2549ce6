"""Programs typed into the first page do there what they do natively: the gallery of the tests, and the lessons' code.

The same text is printed, the same error is said, and the picture has the same steps, shape for shape. One thing cannot
be the same: NumPy notices no division by zero in a browser, where numbers have no flags.
"""

import ast
import json
import re
from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import Page

from minicell.command.site.front import program
from minicell.command.site.front.scenes import programs
from tests.browser.front import edit
from tests.browser.same import differences
from tests.browser.sample import HEAD
from tests.messages import tells
from tests.servers import ROOT
from tests.view.encodings import ENCODINGS, LONG
from tests.view.programs import PROGRAMS

pytestmark = pytest.mark.nightly

GALLERY = {**PROGRAMS, **ENCODINGS, **LONG}
# The page's minicell comes without the lesson kit, and without what draws figures for a notebook.
NOT_THERE = 'minicell.teach', 'matplotlib', 'IPython', 'ipywidgets'
NOT_FINITE = 'not_finite', 'heat_not_finite'
LESSONS = {path.stem: path for path in sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))}


def listing(lesson: str) -> str:
    """The code of a lesson as one program, without what is not there and what leans on that."""
    kept, lost = [HEAD], set()
    for cell in nbformat.read(LESSONS[lesson], as_version=4).cells:
        source = re.sub(r'^%.*', '', cell.source, flags=re.MULTILINE) if cell.cell_type == 'code' else ''
        for part in ast.parse(source).body:
            if lost & set(loaded(part)) or any(name.startswith(NOT_THERE) for name in imported(part)):
                lost |= set(bound(part))
            else:
                lost -= set(bound(part))
                start = min([part.lineno, *(each.lineno for each in getattr(part, 'decorator_list', ()))])
                kept.append('\n'.join(source.splitlines()[start - 1 : part.end_lineno]))
    return '\n'.join(kept)


def imported(part: ast.AST) -> Iterator[str]:
    """The modules that some code imports."""
    for node in ast.walk(part):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ''


def loaded(part: ast.AST) -> Iterator[str]:
    """The names that it reads."""
    yield from (n.id for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def bound(part: ast.AST) -> Iterator[str]:
    """The names that it binds."""
    for node in ast.walk(part):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((each.asname or each.name).partition('.')[0] for each in node.names)


def same(code: str, page: Page, printed: bool = True) -> dict:
    """Run a program in the page and here; both answers are the same, what was printed too. Returns that from here."""
    due = json.loads(program.run(code))
    edit(page, code)
    answer = page.evaluate('window.answer')
    got = {name: answer[name] for name in due}
    assert next(differences(got, due if printed else due | {'printed': got['printed']}), None) is None
    return due


@pytest.mark.parametrize('name', programs())
def test_a_scene(name, typing):
    assert same(programs()[name], typing)['error'] is None


@pytest.mark.parametrize('name', GALLERY)
def test_a_program_of_the_tests(name, typing):
    """Some are wrong on purpose, and end with an error."""
    code = HEAD + GALLERY[name].strip() + '\n'
    due = same(code, typing, name not in NOT_FINITE)
    assert due['steps'] > 0
    if name in NOT_FINITE:
        tells(due['printed'], 'first made by', keep=False)
        tells(typing.locator('#printed').text_content(), 'in a browser', 'NumPy cannot', keep=False)


@pytest.mark.parametrize('lesson', LESSONS)
def test_the_code_of_a_lesson(lesson, typing):
    code = listing(lesson)
    assert 'ms.' in code.removeprefix(HEAD)
    same(code, typing)
