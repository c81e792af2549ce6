"""MINDSPORE.md: a test that is there holds every row, and every error and warning is met by a test or named."""

import inspect
import re
from functools import cache
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


@cache
def everything() -> str:
    """The text of all tests but this one."""
    return '\n'.join(p.read_text('utf-8') for p in TESTS.rglob('test_*.py') if p != Path(__file__))


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip('|').split('|')]


@pytest.mark.parametrize('row', ROWS, ids=lambda row: cells(row)[-1].split('::')[-1])
def test_each_row_names_a_test_that_is_there(row):
    what, does, _, test = cells(row)
    assert what and does
    file, _, name = test.partition('::')
    assert (TESTS / file).is_file() and f'\ndef {name}(' in (TESTS / file).read_text('utf-8'), f'there is no {test}'


def test_no_row_stands_twice():
    said = [cells(row)[0] for row in ROWS]
    assert len(said) == len(set(said)) >= 50


@pytest.mark.parametrize('name', CLASSES)
def test_each_error_and_warning_is_expected_by_a_test_or_stands_in_the_table(name):
    assert re.search(rf'\b{name}\b', everything()) or f'`{name}`' in TEXT, (
        f'{name} is raised by no test, and stands in no row'
    )


def test_the_table_names_no_class_that_is_gone():
    named = set(re.findall(r'`(\w+(?:Error|Warning))`', TEXT))
    assert named <= set(CLASSES), named - set(CLASSES)
