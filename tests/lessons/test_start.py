"""Lesson 00: the map tells the truth about the lessons, and the page is read and run in five minutes."""

import re
from functools import reduce

import nbformat
import pytest

from minicell import installation
from minicell.teach.clock import minutes, rounded
from minicell.teach.self_test import SelfTest, self_test
from tests.lessons import lint
from tests.lessons.kernels import complaints, printed
from tests.lessons.notebooks import NUMBERS, PATHS, read
from tests.lessons.page import Page
from tests.messages import tells

PAGE = Page('00')

ROW = re.compile(r'^\| \[(\d\d) (.+?)\]\((\S+)\) \| (.+?) \| (\d+) \|$', re.MULTILINE)


def test_the_map_has_all_lessons_in_their_order_and_says_what_they_say():
    rows = ROW.findall(PAGE.source('map'))
    assert [number for number, *_ in rows] == NUMBERS
    for number, title, file, question, told in rows:
        opens = read(number).cells[0].source
        assert file == PATHS[number].name
        assert opens.startswith(f'# Lesson {number} · {title}\n'), number
        assert f'**{question}**' in opens, number
        assert int(told) == rounded(read(number).cells), number


@pytest.mark.parametrize(
    ('column', 'package'),
    [(0, 'minicell'), pytest.param(1, 'torch', marks=pytest.mark.slow), pytest.param(2, 'jax', marks=pytest.mark.slow)],
)
def test_each_word_is_a_name_of_its_package(column, package):
    base = pytest.importorskip(package)
    if package == 'jax':
        pytest.importorskip('jax.test_util')
    rows = PAGE.source('words').split('|---|---|---|\n')[1].splitlines()  # of the table of words, below its head
    said = ' '.join(row.strip('|').split('|')[column] for row in rows)
    names = re.findall(r'`(?:ms\.)?(\w+(?:\.\w+)+|grad|vjp|check_bprop)`', said)
    assert len(names) >= 4
    for name in names:
        reduce(getattr, name.removeprefix(f'{package}.').split('.'), base)


def test_it_takes_five_minutes():
    assert minutes(read('00').cells) < 5
    tells(' '.join(read('00').cells[0].source.split()), 'takes five minutes')


@pytest.mark.slow
def test_it_runs(run):
    cells = run(read('00'))
    assert complaints(cells) == []
    assert 'is ready' in printed(cells[0]) and '✓ a gradient' in printed(cells[0])


def test_it_leads_to_files_that_are_there():
    for path in re.findall(r'\]\((\S+)\)', ''.join(cell.source for cell in lint.text(read('00')))):
        assert (PATHS['00'].parent / path).is_file(), path


def test_what_is_kept_is_of_no_machine():
    shown = nbformat.from_dict(self_test()._repr_mimebundle_())
    kept = PAGE.cell('self-test').outputs[0].data
    assert 'is ready' in shown['text/html'] and 'is ready' in shown['text/plain']
    assert 'Run this cell' in kept['text/plain'] and 'Run this cell' in kept['text/html']
    assert not re.search(r'\d+\.\d+|/|✓', kept['text/plain'])


def test_what_is_missing_is_said():
    found = [installation.Finding(True, 'Python', '3.12'), installation.Finding(False, 'numpy', 'not <installed>')]
    first, *rest = repr(SelfTest(found)).splitlines()
    tells(first, 'not work', ': numpy')
    assert '✗ numpy: not <installed>' in rest
    tells(SelfTest(found)._repr_mimebundle_()['text/html'], '✗ minicell', 'not &lt;installed')
