"""The command opens JupyterLab, and does on unusual machines: a home folder that cannot be written, no browser, taken
ports, spaces and letters in a path."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from minicell import __main__ as command
from minicell.command import home, lessons
from tests.messages import tells
from tests.servers import opened

ROOT = Path(__file__).resolve().parents[1]
NAMES = ['JUPYTER_CONFIG_DIR', 'JUPYTER_DATA_DIR', 'JUPYTER_RUNTIME_DIR', 'IPYTHONDIR', 'MPLCONFIGDIR']


@pytest.fixture
def no_home(tmp_path, monkeypatch) -> Path:
    """A home folder in which nothing can be made, not even by root: what stands there is a file."""
    (tmp_path / 'file').write_text('')
    for name in (*NAMES, 'XDG_RUNTIME_DIR', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('HOME', str(tmp_path / 'file/home'))
    monkeypatch.setenv('USERPROFILE', str(tmp_path / 'file/home'))
    monkeypatch.setattr(home.tempfile, 'tempdir', str(tmp_path))
    return tmp_path


@pytest.mark.parametrize('where', ['file/home', '~'], ids=['in a file', 'nowhere'])
def test_a_home_that_takes_nothing_is_replaced_and_that_is_said(where, no_home, monkeypatch):
    monkeypatch.setenv('HOME', where if where == '~' else str(no_home / where))
    assert command.main(['results']) == 1, 'and asks for none'
    said = home.settle()
    (stead,) = no_home.glob('minicell-*')
    tells(said.replace(stead.name, '…'), 'cannot be written')
    assert str(stead) in said and said.count('.') - str(stead).count('.') == 1, 'one sentence'
    for name in NAMES:
        assert Path(os.environ[name]).parent == stead and Path(os.environ[name]).is_dir()
    assert home.settle() == '', 'the second time all is well'


def test_where_nothing_can_be_written_at_all_that_is_one_sentence(no_home, monkeypatch, capsys):
    monkeypatch.setattr(home.tempfile, 'tempdir', str(no_home / 'file'))
    assert command.main(['check']) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith('minicell: ') and 'TMPDIR' in said


def test_a_home_that_can_be_written_is_left_alone(no_home, monkeypatch):
    monkeypatch.setenv('HOME', str(no_home / 'new'))
    monkeypatch.setenv('USERPROFILE', str(no_home / 'new'))
    assert home.settle() == ''
    assert not (no_home / 'new').exists() and not set(NAMES) & set(os.environ)


def test_what_the_learner_has_set_counts(no_home, monkeypatch):
    for name in NAMES[1:]:
        monkeypatch.setenv(name, str(no_home / name))
    home.settle()
    assert os.environ['JUPYTER_DATA_DIR'] == str(no_home / 'JUPYTER_DATA_DIR')
    assert 'minicell-' in os.environ['JUPYTER_CONFIG_DIR']


def test_a_home_on_a_full_disk_or_where_nobody_may_write(tmp_path, monkeypatch):
    assert home.takes_files(tmp_path / 'new') and not os.listdir(tmp_path)
    assert not home.takes_files('/proc/new')  # (not even root)
    monkeypatch.setattr(home.tempfile, 'TemporaryFile', lambda dir: open('/dev/full', 'wb'))  # noqa: SIM115
    assert not home.takes_files(tmp_path / 'new')


def posix(test):
    """What opens a real JupyterLab, or copies all of it."""
    return pytest.mark.slow(pytest.mark.skipif(os.name != 'posix', reason='signals as on Linux and macOS')(test))


@posix
def test_the_lessons_open_on_loopback_with_a_token_and_without_news(tmp_path):
    pytest.importorskip('jupyterlab')
    own = dict.fromkeys(('JUPYTER_CONFIG_DIR', 'JUPYTER_DATA_DIR'), str(tmp_path))
    with opened(tmp_path, '--no-browser', **own) as (_, address):
        place = re.fullmatch(r'(http://127\.0\.0\.1:\d+)(/lab/tree/.*)\?token=(\w+)', address)
        assert place and place[2] == f'/lab/tree/{lessons.START}'

        def get(path: str, token: str = place[3]) -> dict:
            with urllib.request.urlopen(f'{place[1]}{path}?token={token}', timeout=30) as answer:
                return json.load(answer)

        assert lessons.START in [each['name'] for each in get('/api/contents')['content']]
        news = get('/lab/api/settings/@jupyterlab/apputils-extension:notification')
        defaults = {name: each['default'] for name, each in news['schema']['properties'].items()}
        assert (defaults['fetchNews'], defaults['checkForUpdates']) == ('false', False)
        with pytest.raises(urllib.error.HTTPError, match='403') as refused:
            get('/api/contents', 'wrong')
        refused.value.close()
    assert (tmp_path / lessons.COPY / lessons.START).is_file()


@posix
def test_the_lessons_open_without_a_home(no_home):
    (no_home / 'here').mkdir()
    with opened(no_home / 'here', '--no-browser', TMPDIR=str(no_home)) as (said, _):
        (stead,) = no_home.glob('minicell-*')
        assert str(stead) in tells(said, 'home folder cannot', keep=False)
        assert 'Traceback' not in said and 'Permission denied' not in said
    assert not list(no_home.glob('minicell-*')), 'it is taken away at the end'


@pytest.mark.slow
def test_a_terminal_that_has_no_tick_shows_another_sign(tmp_path):
    env = {**os.environ, 'PYTHONIOENCODING': 'ascii', 'PYTHONUTF8': '0', 'PYTHONPATH': str(ROOT)}
    run = [sys.executable, '-m', 'minicell', 'check']
    done = subprocess.run(run, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert '? Python: ' in done.stdout and 'Traceback' not in done.stderr, done.stderr


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A clone in a folder with spaces and letters of several scripts in its name."""
    for name in NAMES:
        monkeypatch.setenv(name, str(tmp_path / name))
    clone = tmp_path / 'Übung 1 – ∂x 梯度' / 'my clone'
    for part in ('minicell', 'lessons'):
        shutil.copytree(ROOT / part, clone / part, ignore=shutil.ignore_patterns('__pycache__'))
    shutil.copy(ROOT / 'pyproject.toml', clone)
    monkeypatch.setenv('PYTHONPATH', str(clone))
    monkeypatch.setenv('PYTHONUTF8', '1')
    return clone


@posix
def test_a_path_with_spaces_and_letters_without_a_browser_beside_a_taken_port(folder):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # somebody else has it: that will do as well
            taken.bind(('127.0.0.1', 8888))
            taken.listen()
        own = {name: os.environ[name] for name in NAMES}
        with opened(folder, BROWSER='/not/there', DISPLAY='', PYTHONPATH=str(folder), **own) as (said, address):
            assert f' in {folder / lessons.COPY}\n' in said and 'Traceback' not in said
            assert ':8888/' not in address


@posix
def test_a_copy_in_such_a_path_runs(folder):
    target = folder / 'my course'
    done = run_in(folder, '-m', 'minicell', 'copy', str(target))
    assert done.returncode == 0 and str(target) in done.stdout, done.stderr
    done = run_in(target, '-m', 'nbconvert', '--to', 'notebook', '--execute', '--inplace', '03_takeover.ipynb')
    assert done.returncode == 0, done.stderr[-2000:]
    cells = json.loads((target / '03_takeover.ipynb').read_text(encoding='utf-8'))['cells']
    made = [out for cell in cells for out in cell.get('outputs', [])]
    assert len(made) > 10 and [out for out in made if out['output_type'] == 'error'] == []


def run_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding='utf-8', timeout=180)
