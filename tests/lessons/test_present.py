"""A lesson in beats: what is on the screen at once, how one gets there, and in which state."""

import json

import pytest

from minicell.teach import lesson
from minicell.teach.present import beats, is_call, place
from tests.lessons.kernels import complaints, printed
from tests.lessons.notebooks import NUMBERS
from tests.messages import refused

FOUND = beats('03')


def test_beats_lie_between_headings_and_end_with_a_code_cell():
    assert [beat.code for beat in FOUND[:4]] == ['L03-s1-x1', 'L03-s2-x1', 'L03-s2-x2', 'L03-s3-x1']
    assert FOUND[0].title == 'Lesson 03 · Takeover' and FOUND[3].title.startswith('Predict: ')
    for beat in FOUND:
        assert [part.kind for part in beat.parts[:-1]] == ['markdown'] * (len(beat.parts) - 1)
    assert not any("lesson('03')" in part.text for beat in FOUND for part in beat.parts), (
        'its setup is not for the screen'
    )


@pytest.mark.parametrize('number', NUMBERS)
def test_every_cell_of_a_lesson_is_in_one_beat(number):
    found = beats(number)
    assert len({beat.code for beat in found}) == len(found) > 5
    assert [place(found, beat.code.lower()) for beat in found] == list(range(len(found)))


@pytest.mark.parametrize('code', ['', 's4', 'L03-s99-x1', 'L04-s1-x1', 'L03-s0-x0'])
def test_a_code_that_leads_nowhere(code):
    with refused(ValueError, repr(code), 'no jump code', FOUND[0].code, FOUND[-1].code):
        place(FOUND, code)


def test_a_copy_of_ones_own_is_not_on_the_screen(tmp_path, monkeypatch):
    """A teacher has solved it the evening before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / '03_takeover.ipynb').write_text('{}', encoding='utf-8')
    assert beats('03') == FOUND


def test_a_call_of_the_lesson_hides_its_code():
    assert is_call("L.recall('recall 1')") and not is_call("L.x\nL.check('3a', 1)") and not is_call('tape')


def test_not_without_a_notebook():
    with refused(RuntimeError, 'notebook', 'call it'):
        lesson('03').present()


WALK = """\
import json
from minicell.teach.present import Presentation
from tests.lessons.test_present import said, where
P = Presentation(L, get_ipython(), 'L03-s4-x1')
"""


def said(presentation):
    """What is on the screen, as text."""
    return '\n'.join(next(iter(output['data'].values())) for output in presentation.screens[presentation.at])


def where(presentation):
    """Where it is, and what it says beside that."""
    return f'{presentation.beats[presentation.at].code} {presentation.said}'


def test_whoever_jumps_is_in_the_state_of_whoever_walked(lesson_03, run):
    lesson_03.cells = [cell for cell in lesson_03.cells if cell.id == 'l03-setup']
    cells = run(
        lesson_03,
        WALK + "P.hear({'on': 0}); "
        "print(len(P.screens), 'Net' in dir(), 'tape' in dir(), '03 question recall 1' in L.cards)",
        "P.hear({'code': 'L03-s6-x1'}); print(said(P)); print(where(P), 'tape' in dir())",
        "P.hear({'code': 'nonsense'}); P.hear({}); P.hear({'on': 'x', 'act': 3}); print(where(P))",
        "P.hear({'on': -1}); print(said(P)); print(where(P))",
        "L.hear({'of': L.predict('takeover').id, 'chosen': 1}); P.hear({'act': 'reset'})\n"
        "print(L.predict('takeover').choice, len(P.screens), where(P))",
        "P.hear({'act': 'unlock'}); print(L.predict('takeover').unlocked)",
        "P.hear({'on': 99}); print(where(P)); P.hear({'on': -99}); print(where(P))",
        "print(repr(L.present('L03-s1-x1')))",
    )
    assert complaints(cells) == []
    start, jumped, lost, back, reset, unlocked, ends, shown = map(printed, cells[1:])
    assert start == '5 True False True\n'
    assert jumped.startswith('## Four steps through') and 'true dx' in jumped and 'L03-s6-x1' in jumped
    assert jumped.endswith('True\n')
    assert lost == 'L03-s6-x1 no such code\n'
    assert 'L03-s5-x1' in back and 'Tape' in back
    assert reset.startswith('None 6 ') and 'L03-s5-x1' in reset
    assert unlocked == 'True\n'
    last, first = ends.splitlines()
    assert 'L03-s12-x1' in last and first.startswith('L03-s1-x1 beat 1 of')
    assert 'L03-s5-x1  Watch where' in shown


def test_a_cell_that_fails_says_so(lesson_03, run):
    lesson_03.cells = [cell for cell in lesson_03.cells if cell.id == 'l03-setup']
    fails = "from minicell.teach.present import Part\nprint(json.dumps(P.outputs(Part('code', '1 / 0'))))"
    cells = run(lesson_03, WALK, fails)
    outputs = json.loads(printed(cells[-1]).strip().splitlines()[-1])
    assert any('ZeroDivisionError: division' in str(out['data']) for out in outputs)
