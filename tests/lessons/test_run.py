"""Lesson 03 in a real kernel: untouched, with its solution, with each mistake, and with every widget moved."""

import re
from pathlib import Path

import pytest

from minicell.teach.exercise import Exercise
from tests.lessons.kernels import complaints, printed

SEED = 'l03-run'
EXERCISE = 'l03-exercise-3a'
# the text of the document, case seed_A1_matmul_bprop of what MindSpore 2.10 was seen to print
DOCUMENT = """\
(Tensor(shape=[2, 3], dtype=Float32, value=
[[ 1.50000000e+00,  1.60000002e+00,  1.39999998e+00],
 [ 2.20000005e+00,  2.29999995e+00,  2.09999990e+00]]), Tensor(shape=[3, 3], dtype=Float32, value=
[[ 1.00999999e+00,  1.29999995e+00,  2.09999990e+00],
 [ 1.10000002e+00,  1.20000005e+00,  2.29999995e+00],
 [ 3.09999990e+00,  2.20000005e+00,  4.30000019e+00]]))"""


def by_id(cells):
    return {cell.id: cell for cell in cells}


def test_untouched(lesson_03, run):
    guards = (
        "import shutil; print('dot:', shutil.which('dot'))",
        "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError as e: print('refused:', e)",
        'L.hint("3a", 2), L.reveal("3a"), print(L.solution("3a")), L.unlock(), print(L.progress())',
    )
    cells = run(lesson_03, *guards)
    assert complaints(cells) == []
    found = by_id(cells)
    assert printed(found[SEED]) == DOCUMENT
    assert 'not attempted' in printed(found[EXERCISE])
    assert '0 of 5 done' in printed(found['l03-progress'])
    assert printed(found['extra-0']) == 'dot: None\n'
    assert 'no network in tests' in printed(found['extra-1'])
    assert 'Unlocked' in printed(found['extra-2'])


def test_locked_until_committed(lesson_03, run):
    look = "print(L.predictions['takeover'].waiting[-1].__self__.view.value)"
    commit = "p = L.predictions['takeover']; p.submit.click(); p.radio.value = 1; p.submit.click()"
    cells = run(lesson_03, look, commit, look)
    assert complaints(cells) == []
    locked, _, after = map(printed, cells[-3:])
    assert 'Locked' in locked and '1.50000000e+00' not in locked
    assert '1.50000000e+00' in after and 'You said' in after
    assert 'custom is added to automatic' in after


def test_solution_and_mistakes(lesson_03, run):
    """What a learner would type into the cell, in the cell."""
    exercise = Exercise('3a', 'minicell.teach.lesson03.exercise_3a')
    codes = [exercise.solution, *(mistake.code for mistake in exercise.mistakes)]
    cells = run(lesson_03, *(f"{code}\n\nL.check('3a', MatMul)" for code in codes))
    assert complaints(cells) == []
    solved, *wrong = map(printed, cells[-len(codes) :])
    assert 'passed' in solved
    for mistake, said in zip(exercise.mistakes, wrong, strict=True):
        assert mistake.misconception in said, mistake.name
        assert mistake.hint in said, mistake.name


DRIVE = """\
import ipywidgets as w
from ipywidgets.widgets.widget import _instances

def everything(kind):
    return [one for one in list(_instances.values()) if isinstance(one, kind)]

sized = [one for one in everything(w.HTML) if one.layout.height]
before = {one: one.layout.height for one in sized}
moved = 0
for slider in everything((w.IntSlider, w.FloatLogSlider, w.FloatSlider)):
    if isinstance(slider, w.FloatLogSlider):
        ends = (slider.base ** slider.min, slider.base ** slider.max, 1.0)
    else:
        ends = (slider.min, slider.max, slider.min)
    for value in ends:
        slider.value = value
        moved += 1
for button in everything(w.Button):
    for _ in range(20):  # each more often than there is something to show
        button.click()
        moved += 1
for radio in everything(w.RadioButtons):
    for value in range(len(radio.options)):
        radio.value = value
        moved += 1
for button in everything(w.Button):
    button.click()
for area in everything(w.Textarea):
    for text in ('', 'x =', '<script>alert(1)</script>', 'MatMul = 3', '1/0', '\\x00'):
        area.value = text
        for button in everything(w.Button):
            if button.description == 'Check this code':
                button.click()
print(moved, 'moves', len(sized), 'sized')
grown = [one.layout.height for one in sized if one.layout.height != before[one]]
raw = [one.value for one in everything(w.HTML) if '<script' in one.value]
"""


def test_every_widget_to_its_extremes(lesson_03, run):
    cells = run(lesson_03, DRIVE, 'print(grown, raw)', 'print(L.progress())')
    assert complaints(cells) == []
    moves, sized = map(int, re.findall(r'\d+', printed(cells[-3])))
    assert moves > 100 and sized > 8
    assert printed(cells[-2]).strip() == '[] []'
    assert '5 of 5 done' in printed(cells[-1])  # the solution was among what the buttons insert


def test_a_callback_that_fails_is_seen(lesson_03, run):
    """The test above can fail: what a button raises ends as an output."""
    broken = 'import ipywidgets as w\nb = w.Button()\nb.on_click(lambda _: 1 / 0)\nb.click()'
    cells = run(lesson_03, broken)
    assert any('ZeroDivisionError' in each for each in complaints(cells))


def test_the_listing_is_the_documents(lesson_03):
    """Only its import is renamed; two empty lines part its classes, which the document's plain text has lost."""
    source = by_id(lesson_03.cells)[SEED].source
    first, _, listing = source.partition('\n')
    assert first == '%%result takeover'
    assert listing.splitlines()[:3] == [
        'import minicell.nn as nn',
        'import minicell as ms',
        'import minicell.ops as ops',
    ]
    recorded = (Path(__file__).parent / 'listing_A1.txt').read_text(encoding='utf-8')
    assert ' '.join(listing.replace('minicell', 'mindspore').split()) == ' '.join(recorded.split())


def test_the_exercise_begins_with_the_stored_start(lesson_03):
    source = by_id(lesson_03.cells)[EXERCISE].source
    start = Exercise('3a', 'minicell.teach.lesson03.exercise_3a').start
    assert source.split('\n\n\nL.check')[0] == start[start.index('class') :].rstrip()


def test_the_pytorch_listing(lesson_03):
    torch = pytest.importorskip('torch')
    text = by_id(lesson_03.cells)['l03-home'].source
    listing = next(part for part in re.findall(r'```python\n(.*?)```', text, re.DOTALL) if 'import torch' in part)
    space: dict = {}
    exec(listing, space)
    x, y = space['x'], space['y']
    got = torch.autograd.grad((space['MatMul'].apply(x, y) ** 2).sum(), (x, y))
    due = torch.autograd.grad(((x @ y) ** 2).sum(), (x, y))
    assert all(torch.allclose(a, b) for a, b in zip(got, due, strict=True))
