"""Lesson 00: the map tells the truth about the lessons, and the page is read and run in five minutes."""

import re
from functools import reduce

import pytest

from minicell import installation
from minicell.teach import Map, lesson
from minicell.teach.about import about, stops
from minicell.teach.lesson00 import SelfTest, self_test
from tests.lessons import lint
from tests.lessons.clock import minutes, parts, rounded
from tests.lessons.drive import commit
from tests.lessons.kernels import ROOT, complaints, printed
from tests.lessons.notebooks import NUMBERS, PATHS, read
from tests.lessons.page import Page
from tests.messages import tells

PAGE = Page('00')


def test_the_map_has_all_lessons_in_their_order_and_says_what_they_say():
    listed = stops()[1:]
    assert [stop.number for stop in listed] == NUMBERS
    for stop in listed:
        opens = read(stop.number).cells[0].source
        assert f'{stop.stem}.ipynb' == PATHS[stop.number].name
        assert opens.startswith(f'# Lesson {stop.number} · {stop.title}\n\n**{stop.question}**'), stop.number
        assert stop.minutes == rounded(read(stop.number).cells), stop.number
        assert [*stop.asks, *stop.tries] == [*about(stop.number).questions, *about(stop.number).exercises]
    kept = PAGE.cell('map').outputs[0].data
    assert kept['text/plain'] == repr(Map()) and kept['text/html'].count('○ not yet') == len(listed), 'of no learner'


def test_the_map_says_how_far_a_learner_has_come(file):
    states = lambda: [stop.stands() for stop in stops()]
    assert states() == ['this page', *['○ not yet'] * len(NUMBERS)] and not file.exists()
    L = lesson('03')
    commit(L, 'takeover', right=False)
    assert states()[3] == '◐ begun' and '◐ begun' in Map().html()
    for name in (*L.about.questions, *L.about.exercises):
        assert states()[3] == '◐ begun', 'exercises count too'
        L.kept.tell(name, state='passed')
    assert states()[3] == '✓ done' and states()[4] == '○ not yet'
    file.write_text('{"lesson": "03"')
    assert states()[3] == '○ not yet'
    tells(Map().html().split('class="note"')[1], 'Line 1 of', 'cannot be read', keep=False)


def test_the_surprise_comes_before_any_table_and_its_picture_is_at_4_and_2():
    assert read('00').cells[1].id == 'l00-tape'
    assert [cell.id for cell in read('00').cells if '|---' in cell.source] == ['l00-words']
    assert PAGE.source('tape').endswith("tape.show(step='compare')")
    tells(PAGE.cell('tape').outputs[0].metadata['image/png']['alt'], 'dx is wrong', 'it is 4', '2 is due')


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


# Two strict readers estimated lessons 01 to 08, and 09 to 15, with their exercises, in minutes.
ESTIMATED = dict(zip(NUMBERS, (69, 45, 46, 62, 47, 64, 55, 59, 57, 66, 57, 76, 121, 74, 66), strict=True))


def test_the_clock_agrees_with_two_readers():
    ratios = {number: minutes(read(number).cells) / due for number, due in ESTIMATED.items()}
    assert min(ratios.values()) > 0.75 and max(ratios.values()) < 1.15, ratios
    assert 0.9 < sum(ratios.values()) / len(ratios) < 1.1


@pytest.mark.parametrize('text', [PAGE.source('course'), (ROOT / 'README.md').read_text(encoding='utf-8')])
def test_the_path_of_two_hours_takes_two_hours(text):
    said = ' '.join(re.sub(r'\*|\]\(\S+\)|\[', '', text).split())
    tells(said, 'two hours', 'lesson 03', 'lessons 04 and 06', 'their breaks', keep=False)
    path = [read('00').cells, read('03').cells, *(next(parts(read(number).cells)) for number in ('04', '06'))]
    assert 100 < sum(map(minutes, path)) <= 120


@pytest.mark.slow
def test_it_runs(run):
    cells = run(read('00'))
    assert complaints(cells) == []
    assert any('is ready' in printed(cell) and '✓ a gradient' in printed(cell) for cell in cells)


def test_it_leads_to_files_that_are_there():
    for path in re.findall(r'\]\((\S+)\)', ''.join(cell.source for cell in lint.text(read('00')))):
        assert (PATHS['00'].parent / path).is_file(), path


def test_what_is_kept_is_of_no_machine():
    shown = self_test().bundle()
    kept = PAGE.cell('self-test').outputs[0].data
    assert 'is ready' in shown['text/html'] and 'is ready' in shown['text/plain']
    assert 'Run this cell' in kept['text/plain'] and 'Run this cell' in kept['text/html']
    assert not re.search(r'\d+\.\d+|/|✓', kept['text/plain'])


def test_what_is_missing_is_said():
    found = [installation.Finding(True, 'Python', '3.12'), installation.Finding(False, 'numpy', 'not <installed>')]
    first, *rest = repr(SelfTest(found)).splitlines()
    tells(first, 'not work', ': numpy')
    assert '✗ numpy: not <installed>' in rest
    tells(SelfTest(found).html(), '✗ minicell', 'not &lt;installed')
