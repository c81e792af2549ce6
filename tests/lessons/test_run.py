"""Every lesson in a real kernel: untouched, with its solutions, with each mistake, and with every control moved.

What was run, `executed` says. What is particular to a lesson is in its own file, test_lessonNN.
"""

import base64
import json
import re
import sys
from typing import Any

import pytest
from nbformat.v4 import new_output

import minicell
from minicell.teach import build, words
from minicell.teach.about import about
from tests.lessons import drive, peer
from tests.lessons.executed import executed as once
from tests.lessons.executed import solved, stored
from tests.lessons.kernels import complaints, in_one_piece, printed
from tests.lessons.notebooks import NUMBERS, PATHS, asks, by_id, code, exercises, fault, listings, read
from tests.messages import tells

each_lesson = pytest.mark.parametrize('number', NUMBERS)


def test_untouched(lived):
    assert complaints(lived.own) == []
    assert [cell.id for cell in lived.own if cell.execution_count is None] == []
    tells(printed(lived.after['guards']), 'dot: None', 'no network', '192.0.2.1', keep=False)
    assert complaints([lived.after[name] for name in ('help', 'before', 'unlock')]) == []
    assert f'{lived.number}: 0 of ' in printed(lived.after['before'])
    for exercise in exercises(lived.number):
        cell = asks(read(lived.number), exercise.name)
        if cell is not None:
            assert 'fill in' in printed(by_id(lived.own)[cell.id])


@pytest.mark.parametrize('number', PATHS)
def test_committed_notebook_equals_its_source(number, executed):
    """All of it but the pixels of a PNG: those depend on the machine's fonts, and its width and height do not."""
    pair = read(number), executed(number).notebook
    for output in (
        out for each in pair for cell in code(each) for out in cell.outputs if 'image/png' in out.get('data', '')
    ):
        output.data['image/png'] = base64.b64decode(output.data['image/png'])[16:24]
    assert pair[0] == pair[1]


def test_results_are_locked_until_committed(lived):
    waiting = {m[1] for cell in code(read(lived.number)) if (m := re.match(r'%%result (.+)', cell.source))}
    assert complaints([lived.after['results']]) == []
    seen = json.loads(printed(lived.after['results']))
    assert set(seen) == waiting != set()
    for name, faults in seen.items():
        assert [fault for fault, there in faults.items() if there] == [], name


def test_every_beat_can_be_presented(lived):
    cell = lived.after['beats']
    assert complaints([cell]) == []
    seen = json.loads(printed(cell).splitlines()[-1])
    assert seen['said'] == [] and seen['beats'] > 5


def test_each_mistake_in_a_cell_gets_its_hint(lived):
    for name, (_, mistake) in stored(lived.number).items():
        cell = lived.after[name]
        errors = [out for out in cell.outputs if out.output_type == 'error']
        assert errors == [], name  # warnings are welcome: that is what they are for
        assert mistake.misconception in printed(cell), name
        assert words.plain(mistake.hint) in printed(cell), name


def test_solutions_in_their_cells(lived):
    """What comes after an exercise uses the answer."""
    cells = {name: lived.after[name] for name in solved(lived.number)}
    assert complaints(list(cells.values())) == []
    for exercise in exercises(lived.number):
        cell = asks(read(lived.number), exercise.name)
        assert 'passed' in printed(cells[f'solved {cell.id if cell is not None else exercise.name}']), exercise.name
    done, due = re.search(r'(\d+) of (\d+) done', printed(lived.after['after'])).groups()
    assert done == due


@pytest.mark.slow
@each_lesson
def test_the_pytorch_listing(number, capsys):
    pytest.importorskip('torch')
    listing = listings(read(number), number)['torch']
    exec(compile(listing, f'lesson {number}, PyTorch', 'exec'), {'__name__': '__main__'})
    assert fault(listing, capsys.readouterr().out) == ''


@pytest.mark.slow
@each_lesson
def test_the_jax_listing(number):
    """As a script, like those of test_listings.py."""
    pytest.importorskip('jax')
    assert peer.run(sys.executable, listings(read(number), number)['jax']) == ''


@each_lesson
def test_the_mindspore_listing(number, capsys, monkeypatch):
    """On minicell; .ci/mindspore runs it on MindSpore, which wants an environment of its own."""
    listing = re.sub(r'\bmindspore\b', 'minicell', listings(read(number), number)['mindspore'])
    monkeypatch.setattr(minicell.ops, 'randn', randn, raising=False)
    exec(compile(listing, f'lesson {number}, minicell', 'exec'), {'__name__': '__main__'})
    assert fault(listing, capsys.readouterr().out) == ''


def randn(*shape: int) -> Any:
    """mindspore.ops.randn, which minicell does without."""
    import numpy as np

    return minicell.Tensor(np.random.randn(*shape).astype(np.float32))


@each_lesson
def test_package_and_notebook_go_together(number):
    assert about(number).title in read(number).cells[0].source.splitlines()[0]


def test_what_a_busy_kernel_sends_in_pieces_is_one_text():
    pieces = [('stdout', 'one '), ('stdout', 'line'), ('stderr', 'beside'), ('stdout', 'and '), ('stdout', 'another')]
    sent = [new_output('stream', name=name, text=text) for name, text in pieces]
    shown = [new_output('display_data', {'text/plain': each}) for each in 'ab']
    joined = in_one_piece([*sent, *shown])
    assert [out.get('text') for out in joined] == ['one line', 'beside', 'and another', None, None]
    assert joined[-2:] == shown


def test_a_lesson_is_executed_once(tmp_path, monkeypatch):
    """Also one that fails: each who asks is told why, and it is not tried again."""
    asked = []
    monkeypatch.setattr(build, 'build', lambda source: asked.append(source.name) or 1 / 0)
    for _ in range(2):
        with pytest.raises(pytest.fail.Exception, match='lesson 03: ZeroDivisionError'):
            once('03', tmp_path)
    assert asked == ['03_takeover.md']


def test_a_result_that_leaks_is_seen(lesson_03, run):
    lesson_03.cells = [cell for cell in lesson_03.cells if cell.id in ('l03-setup', 'l03-prediction', 'l03-run')]
    leak = 'from minicell.teach.question import Waits\nWaits.body = lambda self: self.printed'
    cells = run(lesson_03, leak, drive.RESULTS)
    assert json.loads(printed(cells[-1]))['takeover']['early']


@pytest.mark.parametrize(
    ('listing', 'told'),
    [
        ('print(2)  # prints 1', '2\nand promises\n1'),
        ('1 + 1', 'prints nothing'),
        ('print(1 / 0)  # prints 1', 'ZeroDivisionError'),
        ('print(1)  # prints 1', ''),
        ('print(1)', ''),
    ],
)
def test_a_listing_that_breaks_its_word_is_seen(listing, told):
    found = peer.run(sys.executable, listing)
    assert told in found if told else found == ''
