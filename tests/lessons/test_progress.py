"""Progress is kept on this machine alone, whatever is found in its file is no error, and a lesson can start over."""

import json
import os
import socket

import numpy as np
import pytest

from minicell.teach import lesson
from minicell.teach.progress import LARGEST
from tests.lessons.drive import commit
from tests.messages import tells


def lines(file):
    """What the file says, a dict a line."""
    return [json.loads(line) for line in file.read_text(encoding='utf-8').split('\n') if line]


def test_progress_comes_back(file, capsys):
    L = lesson('03')
    assert not file.exists(), 'nothing is done yet'
    commit(L, 'takeover', right=False)
    L.check('3a', 3)
    chosen = L.predict('takeover').choice
    assert lines(file) == [
        {'lesson': '03', 'card': 'takeover', 'state': 'failed', 'said': chosen.text},
        {'lesson': '03', 'card': '3a', 'state': 'failed'},
    ]
    exec(L.about.exercises['3a'].solution, space := {})
    L.check('3a', space['MatMul'])
    L.hear({'of': '03 exercise 3a', 'hints': 2})
    L.hear({'of': '03 sentence takeover', 'said': 'Whoever wrote it.' * 999})
    assert str(file) in L.progress().html() and 'this machine alone' in L.progress().html()
    capsys.readouterr()

    again = lesson('03')
    assert '2 of 6 done' in capsys.readouterr().out
    assert again.predict('takeover').choice == chosen and again.predict('takeover').unlocked, 'it stays committed'
    assert again.exercise('3a').facts()['hints'] == 2
    assert again.sentence('takeover').facts()['said'].startswith('Whoever') and len(lines(file)[-1]['said']) == 4000
    again.check('3a', 3)
    assert '✓ exercise 3a: passed' in repr(again.progress()), 'what is passed stays passed'
    assert 'passed before' in again.check('3a').html()
    again.again()
    assert '0 of 6 done' in repr(again.progress()) and lesson('03').predict('takeover').choice is None


def test_two_notebooks_write_at_once_and_nothing_is_lost(file):
    one, other, third = lesson('03'), lesson('03'), lesson('04')
    commit(one, 'takeover', right=False)
    commit(other, 'scale', right=True)
    commit(third, 'falling', right=True)
    exec(one.about.exercises['3a'].solution, space := {})
    one.check('3a', space['MatMul'])
    for L in (one, other):
        assert '3 of 6 done' in repr(L.progress())
    assert '1 of ' in repr(third.progress()) and os.listdir(file.parent) == ['progress.json']


def test_what_an_earlier_version_kept_is_read(file):
    """Where it stood what was chosen was not kept: it can be answered again, and counts as done."""
    file.parent.mkdir(parents=True)
    file.write_text('{"01": {"order": "passed"}, "later": [1, 2], "03": {"scale": "failed", "3a": "passed"}}')
    L = lesson('03')
    assert '2 of 6 done' in repr(L.progress()) and L.predict('scale').choice is None
    tells(L.predict('scale').html(), 'answered this before', keep=False)
    commit(L, 'scale', right=True)
    assert 'answered this before' not in L.predict('scale').html()
    assert L.predict('scale').choice.right and '2 of 6 done' in repr(lesson('03').progress())


BAD = {
    'no json': '{"03": ',
    'a list': '[1, 2]',
    'a number': '3',
    'deep': '[' * 50_000,
    'no text': b'\xff\xfe\x00',
}


@pytest.mark.parametrize('content', BAD.values(), ids=list(BAD))
def test_a_damaged_line_costs_what_stood_in_it(file, content, capsys):
    file.parent.mkdir(parents=True)
    good = '{"lesson": "03", "card": "3a", "state": "passed"}\n'
    file.write_bytes(good.encode() + (content if isinstance(content, bytes) else content.encode()))
    L = lesson('03')
    said = capsys.readouterr().out
    tells(said.splitlines()[1].replace(str(file), 'FILE'), 'Line 2', 'cannot be read')
    assert '1 of 6 done' in repr(L.progress())
    commit(L, 'takeover', right=True)
    assert '2 of 6 done' in repr(lesson('03').progress()), 'a new line is whole whatever stands before it'


def test_what_is_too_large_is_not_read(file, capsys):
    file.parent.mkdir(parents=True)
    file.write_bytes(b' ' * (LARGEST + 1))
    lesson('03')
    tells(capsys.readouterr().out, 'cannot be read', keep=False)


HOSTILE = {
    'a list': [1],
    'a text': '<script>',
    'others': {'<script>': 'passed', 'takeover': '<script>', 'scale': ['passed'], '3a': {}, 'recall 1': None},
}


@pytest.mark.parametrize('content', HOSTILE.values(), ids=list(HOSTILE))
def test_only_known_words_are_believed(file, content, capsys):
    file.parent.mkdir(parents=True)
    said = [{'lesson': '03', 'card': 'scale', 'said': content}, {'lesson': '03', 'card': content, 'state': 'passed'}]
    file.write_text('\n'.join(json.dumps(each) for each in ({'03': content}, *said)), encoding='utf-8')
    L = lesson('03')
    page = L.progress().html() + capsys.readouterr().out
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
    tells(L.progress().html(), 'cannot be kept', '1 of 6', keep=False)
    assert str(file) in L.progress().html()


@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='no named pipes in this system')
def test_a_pipe_in_its_place_does_not_wait(file):
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    L = lesson('03')
    commit(L, 'takeover', right=True)
    tells(L.progress().html(), 'cannot be kept', keep=False)


@pytest.mark.parametrize('how', ['argument', 'variable'])
def test_it_can_be_turned_off(file, how, monkeypatch):
    if how == 'variable':
        monkeypatch.setenv('MINICELL_PROGRESS', 'off')
    L = lesson('03', keep=how != 'argument')
    commit(L, 'takeover', right=True)
    L.again()
    assert not file.exists() and 'Kept' not in L.progress().html()


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
    task = L.check('3a', 3)
    L.hear({'of': task.id, 'hints': 2})
    L.hear({'of': '03 sentence takeover', 'said': 'mine'})
    capsys.readouterr()

    L.again()
    assert np.random.rand() == first
    tells(capsys.readouterr().out, 'begins anew', 'is 3')
    asked = L.predict('takeover')
    assert asked.choice is None and not asked.unlocked and 'chosen' not in asked.shown
    assert task.facts() == {'hints': 0, 'tape': False} and 'fill in' in task.shown
    assert L.sentence('takeover').facts() == {}
    assert '0 of 6 done' in repr(L.progress()) and lines(file)[-1] == {'lesson': '03', 'card': None}
