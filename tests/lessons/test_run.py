"""Every lesson in a real kernel: untouched, with its solutions, with each mistake, and with every widget moved.

One kernel a lesson: it runs the lesson as committed, then all that a learner may do after, and at last the part from
the first exercise on with the solutions filled in. What is particular to a lesson is in its own file, test_lessonNN.
"""

import json
import re
import sys
from typing import Any

import pytest
from nbformat.v4 import new_output

import minicell
from minicell.teach import words
from minicell.teach.about import about
from tests.lessons import drive, peer
from tests.lessons.kernels import complaints, execute, in_one_piece, printed
from tests.lessons.notebooks import (
    NUMBERS,
    answer_and_check,
    asks,
    by_id,
    code,
    exercises,
    fault,
    listings,
    read,
)

each_lesson = pytest.mark.parametrize('number', NUMBERS)

GUARDS = """\
import shutil, socket
try: socket.create_connection(('192.0.2.1', 80), 1)
except OSError as error: print('dot:', shutil.which('dot'), '; refused:', error)
"""
HELP = """\
for name in L.about.exercises:
    repr([L.hint(name, 1), L.hint(name, 2), L.hint(name, 99), L.reveal(name)]), L.solution(name)
print(L.check(next(iter(L.about.exercises), '')))
"""


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


@pytest.fixture(scope='module')
def lived(tmp_path_factory: pytest.TempPathFactory):
    """lived(number) -> the cells of a lesson as committed, and of what was done after it, by their names."""
    kept: dict[str, dict[str, Any]] = {}

    def once(number: str) -> dict[str, Any]:
        if number not in kept:
            extra = {'guards': GUARDS, 'help': HELP, 'before': 'print(L.progress())', 'results': drive.RESULTS}
            extra |= {name: source for name, (source, _) in stored(number).items()}
            extra |= {'widgets': drive.WIDGETS, 'beats': drive.BEATS, 'unlock': 'L.unlock()'}
            extra |= solved(number)
            cells = execute(read(number), tmp_path_factory.mktemp(f'lesson{number}'), tuple(extra.values()))
            own = len(cells) - len(extra)
            kept[number] = {'own': cells[:own], **dict(zip(extra, cells[own:], strict=True))}
        return kept[number]

    return once


def test_what_a_busy_kernel_sends_in_pieces_is_one_text():
    pieces = [('stdout', 'one '), ('stdout', 'line'), ('stderr', 'beside'), ('stdout', 'and '), ('stdout', 'another')]
    sent = [new_output('stream', name=name, text=text) for name, text in pieces]
    shown = [new_output('display_data', {'text/plain': each}) for each in 'ab']
    joined = in_one_piece([*sent, *shown])
    assert [out.get('text') for out in joined] == ['one line', 'beside', 'and another', None, None]
    assert joined[-2:] == shown


@each_lesson
def test_untouched(number, lived):
    cells = lived(number)
    assert complaints(cells['own']) == []
    assert [cell.id for cell in cells['own'] if cell.execution_count is None] == []
    assert printed(cells['guards']).startswith('dot: None ; refused: no network in tests')
    assert complaints([cells['help'], cells['before'], cells['unlock']]) == []
    assert re.search(r'Lesson \d\d: 0 of \d+ done', printed(cells['before']))
    for exercise in exercises(number):
        cell = asks(read(number), exercise.name)
        if cell is not None:
            assert 'not attempted' in printed(by_id(cells['own'])[cell.id])


@each_lesson
def test_results_are_locked_until_committed(number, lived):
    waiting = {m[1] for cell in code(read(number)) if (m := re.match(r'%%result (.+)', cell.source))}
    assert complaints([lived(number)['results']]) == []
    seen = json.loads(printed(lived(number)['results']))
    assert set(seen) == waiting != set()
    for name, faults in seen.items():
        assert [fault for fault, there in faults.items() if there] == [], name


@each_lesson
def test_every_beat_can_be_presented(number, lived):
    cell = lived(number)['beats']
    assert complaints([cell]) == []
    seen = json.loads(printed(cell).splitlines()[-1])
    assert seen['said'] == [] and seen['beats'] > 5


@each_lesson
def test_each_mistake_in_a_cell_gets_its_hint(number, lived):
    for name, (_, mistake) in stored(number).items():
        cell = lived(number)[name]
        errors = [out for out in cell.outputs if out.output_type == 'error']
        assert errors == [], name  # warnings are welcome: that is what they are for
        assert mistake.misconception in printed(cell), name
        assert words.plain(mistake.hint) in printed(cell), name


@each_lesson
def test_every_widget_to_its_extremes(number, lived):
    cell = lived(number)['widgets']
    assert complaints([cell]) == []
    seen = json.loads(printed(cell).splitlines()[-1])
    assert seen['moved'] > 100 and seen['sized'] > 5
    assert (seen['grown'], seen['raw'], seen['nameless']) == ([], [], [])
    assert {name: many for name, many in seen['figures'].items() if many != 1} == {}, 'one primary control a figure'
    done, due = re.search(r'(\d+) of (\d+) done', seen['progress']).groups()
    assert done == due, 'the solutions were among what the buttons inserted'


@each_lesson
def test_solutions_in_their_cells(number, lived):
    """What comes after an exercise uses the answer."""
    cells = {name: lived(number)[name] for name in solved(number)}
    assert complaints(list(cells.values())) == []
    for exercise in exercises(number):
        cell = asks(read(number), exercise.name)
        assert 'passed' in printed(cells[f'solved {cell.id if cell is not None else exercise.name}']), exercise.name


@each_lesson
def test_the_pytorch_listing(number, capsys):
    pytest.importorskip('torch')
    listing = listings(read(number), number)['torch']
    exec(compile(listing, f'lesson {number}, PyTorch', 'exec'), {'__name__': '__main__'})
    assert fault(listing, capsys.readouterr().out) == ''


@each_lesson
def test_the_jax_listing(number):
    """As a script: once JAX has run here, each fork by another test is warned of, and warnings are errors."""
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


# ---- what the tests above stand on can fail ------------------------------------------------------------------------


def test_a_callback_that_fails_is_seen(lesson_03, run):
    broken = 'import ipywidgets as w\nb = w.Button()\nb.on_click(lambda _: 1 / 0)\nb.click()'
    lesson_03.cells = lesson_03.cells[:0]
    cells = run(lesson_03, broken)
    assert any('ZeroDivisionError' in each for each in complaints(cells))


def test_what_drives_the_widgets_sees_faults(lesson_03, run):
    lesson_03.cells = [cell for cell in lesson_03.cells if cell.id == 'l03-setup']
    faults = """\
import ipywidgets as w
page = w.HTML(layout=w.Layout(height='10px'))
button = w.Button()
L.figures['two'] = type('Two', (), {'shown': type('Shown', (), {'widget': w.VBox([w.IntSlider(), w.Checkbox()])})})
button.on_click(lambda _: (setattr(page.layout, 'height', '20px'), setattr(page, 'value', '<script>')))
"""
    cells = run(lesson_03, faults, drive.WIDGETS)
    seen = json.loads(printed(cells[-1]).splitlines()[-1])
    assert (seen['grown'], seen['raw'], seen['figures']) == (['20px'], ['<script>'], {'two': 2})
    assert sorted(seen['nameless']) == ['Button', 'Checkbox', 'IntSlider']


def test_a_result_that_leaks_is_seen(lesson_03, run):
    lesson_03.cells = [cell for cell in lesson_03.cells if cell.id in ('l03-setup', 'l03-prediction', 'l03-run')]
    leak = "L.predictions['takeover'].waiting[-1].__self__.view.value = printed_ = ''"
    cells = run(lesson_03, leak, drive.RESULTS)
    assert json.loads(printed(cells[-1]))['takeover']['early']


@pytest.mark.parametrize(
    ('listing', 'said'),
    [
        ('print(2)  # prints 1', 'it prints\n2\nand promises\n1'),
        ('1 + 1', 'it prints nothing'),
        ('print(1 / 0)  # prints 1', 'ZeroDivisionError: division by zero'),
        ('print(1)  # prints 1', ''),
        ('print(1)', ''),
    ],
)
def test_a_listing_that_breaks_its_word_is_seen(listing, said):
    found = peer.run(sys.executable, listing)
    assert found.endswith(said) if said else found == ''


@each_lesson
def test_package_and_notebook_go_together(number):
    assert about(number).title in read(number).cells[0].source.splitlines()[0]
