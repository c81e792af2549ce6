"""Progress is kept on this machine alone, whatever is found in its file is no error, and a lesson can start over."""

import json
import os
import socket

import ipywidgets as w
import numpy as np
import pytest

import minicell as ms
from minicell.teach import lesson
from minicell.teach.progress import LARGEST, place
from tests.lessons.drive import commit, within


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file of a learner who has none yet."""
    monkeypatch.setenv('JUPYTER_DATA_DIR', str(tmp_path / 'data'))
    monkeypatch.delenv('MINICELL_PROGRESS')
    assert place() == tmp_path / 'data' / 'minicell' / 'progress.json'
    return place()


def test_progress_comes_back(file, capsys):
    L = lesson('03')
    assert not file.exists(), 'nothing is done yet'
    commit(L, 'takeover', right=False)
    L.check('3a', 3)
    assert json.loads(file.read_text(encoding='utf-8')) == {'03': {'takeover': 'failed', '3a': 'failed'}}
    exec(L.solution('3a'), space := {})
    L.check('3a', space['MatMul'])
    assert str(file) in L.glance.value and 'this machine alone' in L.glance.value
    capsys.readouterr()

    again = lesson('03')
    assert '2 of 6 done' in capsys.readouterr().out
    assert '2 of 6 done' in repr(again.progress())
    again.check('3a', 3)
    assert '✓ exercise 3a: passed' in repr(again.progress()), 'what is passed stays passed'
    assert not again.predict('takeover').widget.children[1].disabled, 'a question can be answered again'


def test_lessons_share_the_file(file):
    L = lesson('03')
    file.parent.mkdir(parents=True)
    file.write_text('{"01": {"order": "passed"}, "later": [1, 2]}', encoding='utf-8')
    commit(L, 'scale', right=True)
    kept = json.loads(file.read_text(encoding='utf-8'))
    assert kept == {'01': {'order': 'passed'}, 'later': [1, 2], '03': {'scale': 'passed'}}
    assert os.listdir(file.parent) == ['progress.json']


BAD = {
    'empty': '',
    'no json': '{"03": ',
    'a list': '[1, 2]',
    'a number': '3',
    'deep': '[' * 50_000,
    'large': ' ' * (LARGEST + 1),
    'no text': b'\xff\xfe\x00',
}


@pytest.mark.parametrize('content', BAD.values(), ids=list(BAD))
def test_a_bad_file_costs_a_sentence(file, content, capsys):
    file.parent.mkdir(parents=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    L = lesson('03')
    said = capsys.readouterr().out
    assert 'cannot be read' in said and str(file) in said and said.count('\n') == 2
    assert '0 of 6 done' in repr(L.progress())
    commit(L, 'takeover', right=True)
    assert json.loads(file.read_text(encoding='utf-8')) == {'03': {'takeover': 'passed'}}


HOSTILE = {
    'a list': [1],
    'a text': '<script>',
    'others': {'<script>': 'passed', 'takeover': '<script>', 'scale': ['passed'], '3a': {}, 'recall 1': None},
}


@pytest.mark.parametrize('content', HOSTILE.values(), ids=list(HOSTILE))
def test_only_known_words_are_believed(file, content, capsys):
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({'03': content}), encoding='utf-8')
    L = lesson('03')
    page = repr(L.progress()) + L.glance.value + capsys.readouterr().out
    assert '0 of 6 done' in page and '<script' not in page


@pytest.mark.parametrize(
    'lay',
    [
        pytest.param(lambda file: file.mkdir(parents=True), id='a folder in its place'),
        pytest.param(
            lambda file: file.parent.parent.write_text('', encoding='utf-8'), id='a file in place of a folder'
        ),
    ],
)
def test_what_cannot_be_kept_costs_a_sentence(file, lay):
    lay(file)
    L = lesson('03')
    commit(L, 'takeover', right=True)
    assert 'cannot be kept' in L.glance.value and str(file) in L.glance.value and '1 of 6 done' in L.glance.value


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='no named pipes in this system')
def test_a_pipe_in_its_place_does_not_wait(file):
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    commit(lesson('03'), 'takeover', right=True)
    assert file.is_file()


@pytest.mark.parametrize('how', ['argument', 'variable'])
def test_it_can_be_turned_off(file, how, monkeypatch):
    if how == 'variable':
        monkeypatch.setenv('MINICELL_PROGRESS', 'off')
    L = lesson('03', keep=how != 'argument')
    commit(L, 'takeover', right=True)
    L.reset()
    assert not file.exists() and 'Kept' not in L.glance.value


def test_nothing_leaves_the_machine(file, monkeypatch):
    def no(*_):
        raise AssertionError('a socket')

    monkeypatch.setattr(socket.socket, 'connect', no)
    commit(lesson('03'), 'takeover', right=True)
    assert file.is_file()


def test_dot_or_not(monkeypatch, capsys):
    monkeypatch.setattr('shutil.which', lambda name: None)
    lesson('03')
    assert 'no dot program' in capsys.readouterr().out
    monkeypatch.setattr('shutil.which', lambda name: f'/bin/{name}')
    lesson('03')
    assert 'dot found' in capsys.readouterr().out


def test_reset(file, capsys):
    L = lesson('03')
    first = np.random.rand()
    commit(L, 'takeover', right=False)
    L.unlock()
    panel = L.exercise('3a').widget
    L.panels['3a'].insert_solution()
    L.panels['3a'].next_hint()
    sentence = L.sentence('takeover').widget
    sentence.children[1].value = 'mine'
    sentence.children[2].children[0].click()
    figure = L.figure('loss scale', ms.ops.matmul, ms.Tensor([[1.0]]), ms.Tensor([[2.0]]))
    (slider,) = within(figure.widget, w.FloatLogSlider)
    began = slider.value
    slider.value = 3
    capsys.readouterr()

    L.reset()
    assert np.random.rand() == first
    assert 'starts over: seed 3' in capsys.readouterr().out
    assert slider.value == began != 3
    asked = L.predictions['takeover']
    assert asked.choice is None and asked.radio.value is None and not asked.unlocked and not asked.radio.disabled
    assert L.panels['3a'].shown_hints == 0 and L.panels['3a'].code.value == L.panels['3a'].exercise.start
    assert 'not attempted' in L.panels['3a'].verdict.value and L.exercise('3a').widget is panel
    assert sentence.children[1].value == '' and 'waits here' in sentence.children[3].value
    assert '0 of 6 done' in L.glance.value
    assert json.loads(file.read_text(encoding='utf-8')) == {'03': {}}
