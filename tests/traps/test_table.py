"""MINDSPORE.md: a test that is there holds every row, and every error and warning is met by a test or named."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import minicell as ms
from minicell import errors

TESTS = Path(__file__).parents[1]
TEXT = (Path(ms.__path__[0]) / 'MINDSPORE.md').read_text(encoding='utf-8')
LINES = [line for line in TEXT.splitlines() if line.startswith('|') and '---' not in line]
ROWS = [line for line in LINES if 'MindSpore 2.10 does' not in line]
CLASSES = [
    name for name, kind in vars(errors).items() if inspect.isclass(kind) and kind.__module__.startswith('minicell')
]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip('|').split('|')]


@pytest.mark.parametrize('row', ROWS, ids=lambda row: cells(row)[-1].split('::')[-1])
def test_each_row_names_a_test_that_is_there(row):
    what, does, _, test = cells(row)
    assert what and does
    file, _, name = test.partition('::')
    # a file may have been divided: the name is what counts
    files = [TESTS / file] if (TESTS / file).exists() else []
    found = [
        path.name
        for path in [*files, *(TESTS / file).parent.glob('test_*.py')]
        if any(isinstance(n, ast.FunctionDef) and n.name == name for n in ast.parse(path.read_text('utf-8')).body)
    ]
    assert found, f'{test}: there is no such test'


def test_no_row_stands_twice():
    said = [cells(row)[0] for row in ROWS]
    assert len(said) == len(set(said)) >= 50


@pytest.mark.parametrize('name', CLASSES)
def test_each_error_and_warning_is_expected_by_a_test_or_stands_in_the_table(name):
    used = re.compile(rf'\b{name}\b')
    in_tests = any(used.search(p.read_text('utf-8')) for p in TESTS.rglob('test_*.py') if p != Path(__file__))
    assert in_tests or f'`{name}`' in TEXT, f'{name} is raised by no test, and stands in no row'


def test_the_table_names_no_class_that_is_gone():
    named = set(re.findall(r'`(\w+(?:Error|Warning))`', TEXT))
    assert named <= set(CLASSES), named - set(CLASSES)
