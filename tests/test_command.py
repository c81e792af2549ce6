"""The `minicell` command: what it opens, what it leaves alone, and what it says when it cannot."""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from ipykernel.ipkernel import IPythonKernel

from minicell import __main__ as command
from minicell import __version__
from minicell import installation as check
from minicell.command import lab, lessons
from minicell.teach.about import stops
from tests.messages import tells

LESSON = lessons.START


@pytest.fixture(autouse=True)
def data(tmp_path_factory, monkeypatch) -> Path:
    """A folder for Jupyter's data, instead of that of whoever runs the tests; it is returned."""
    folder = tmp_path_factory.mktemp('data')
    monkeypatch.setenv('JUPYTER_DATA_DIR', str(folder))
    monkeypatch.delenv('JUPYTERLAB_WORKSPACES_DIR', raising=False)
    return folder


@pytest.fixture
def opened(monkeypatch) -> list[list[str]]:
    """Keep JupyterLab from starting; the arguments of each call are noted."""
    calls = []
    monkeypatch.setattr(lab, 'open_lab', calls.append)
    return calls


@pytest.fixture
def wheel(tmp_path, monkeypatch) -> Path:
    """Lessons as in an installed wheel, and an empty current folder; the lessons' folder is returned."""
    package = tmp_path / 'site-packages' / 'minicell'
    (package / 'lessons' / 'img').mkdir(parents=True)
    (package / 'lessons' / LESSON).write_text('as shipped')
    (package / 'lessons' / 'img' / 'one.svg').write_text('<svg/>')
    here = tmp_path / 'here'
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(lessons, 'PACKAGE', package)
    return package / 'lessons'


def value(arguments: list[str], name: str) -> str | None:
    """The value of `--name=value` in the arguments for JupyterLab."""
    return next((each.partition('=')[2] for each in arguments if each.startswith(f'--{name}=')), None)


def arguments_for_lab() -> list[str]:
    """The arguments for JupyterLab, where nothing was asked for."""
    return lab.lab_arguments(Path('/x'), argparse.Namespace(port=None, no_browser=False), [])


def fails(capsys, *arguments: str) -> str:
    """What the command says on stderr when it ends with 1: a sentence, and no traceback."""
    assert command.main([*arguments]) == 1
    said = capsys.readouterr().err.strip()
    assert said.startswith('minicell: ') and 'Traceback' not in said
    return said


@pytest.mark.parametrize('flag', ['-h', '--help'])
def test_help_names_every_option_and_fits_a_terminal(flag, capsys, monkeypatch):
    monkeypatch.setenv('COLUMNS', '80')
    with pytest.raises(SystemExit, match=r'^0$'):
        command.main([flag])
    text = capsys.readouterr().out
    for word in ('--port', '--no-browser', '--version', '--', 'Ctrl-C', lessons.COPY, 'copy', 'check'):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80


def test_version(capsys):
    with pytest.raises(SystemExit):
        command.main(['--version'])
    assert capsys.readouterr().out == f'minicell {__version__}\n'


BAD = """--prot --port= --port=0 --port=-1 --port=65536 --port=1e3 --port=٣ --port=0x50 --port=8888.0 --no-browser=1
    --version=1 -x --no -p8888 --LAB --teach --lite=1 --pyth --address --address= --address=nonsense --address=ftp://a.b
    --address=https:// --address=//a.b --address=https://a.b/?q --address=https://a.b/#f --help=x ---- --no_browser
    --address=http://[ --address=https://a.b/<s> --address=https://a.b:x --address=https://x:y@a.b --address=https://.
    file file/in loop /dev/null /dev/null/in /proc/none /proc/self/mem"""
BAD = [*([each] for each in BAD.split()), [''], [' '], ['a' * 300], ['a', 'b'], ['check', 'x'], ['a', '--', 'b']]


SUBS = [[], ['copy'], ['site'], ['check'], ['results']]


@pytest.mark.parametrize('sub', SUBS, ids=lambda sub: ' '.join(sub) or 'alone')
def test_bad_arguments_end_in_one_sentence(sub, opened, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path('file').write_text('mine')
    Path('loop').symlink_to('loop')
    assert len(BAD) >= 40
    for bad in BAD:
        try:
            status = command.main([*sub, *bad])
        except SystemExit as stop:
            status = stop.code
        *usage, said = capsys.readouterr().err.splitlines()
        assert status == 1 and not usage if ' error: ' not in said else status == 2, bad
        assert said.startswith('minicell') and len(said) < 500, bad
        assert sub != ['site'] or not bad[0].startswith('--address') or '--address' in said, bad
    assert not opened and sorted(os.listdir()) == ['file', 'loop']


@pytest.mark.parametrize('arguments', [[], ['copy', 'course/week 1']], ids=['opened', 'copied'])
def test_what_a_learner_wrote_stays_and_what_is_new_comes(arguments, wheel, opened, capsys):
    target = Path(arguments[-1] if arguments else lessons.COPY)
    assert command.main(arguments) == 0
    first = capsys.readouterr().out.strip()
    assert (target / LESSON).read_text() == 'as shipped' and ';' not in tells(first, target)
    assert (target / 'img' / 'one.svg').read_text() == '<svg/>'
    (target / LESSON).write_text('my answers')
    (target / 'notes.txt').write_text('my notes')
    (wheel / '04_next.ipynb').write_text('a new lesson')
    assert command.main(arguments) == 0
    there = [(target / name).read_text() for name in (LESSON, 'notes.txt', '04_next.ipynb')]
    assert there == ['my answers', 'my notes', 'a new lesson']
    if arguments:
        assert first.endswith(': 2') and ': 1; ' in tells(capsys.readouterr().out.strip(), '2')


def test_an_untouched_copy_is_not_changed_by_being_opened(tmp_path):
    lessons.copy_lessons(tmp_path)
    kept = [json.loads(path.read_text(encoding='utf-8')) for path in tmp_path.glob('*.ipynb')]
    assert [each['metadata']['language_info'] for each in kept] == [IPythonKernel.language_info] * 16
    assert not any(cell.get('execution_count') for each in kept for cell in each['cells']), 'nothing has run here'


def test_a_copy_cut_short_is_made_good_the_next_time(wheel, opened, monkeypatch):
    def full_disk(path, written):
        path.write_text('as sh')
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as full:
        full.setattr(Path, 'write_bytes', full_disk)
        assert command.main([]) == 1
    assert os.listdir(lessons.COPY) == []
    assert command.main([]) == 0
    assert (Path.cwd() / lessons.COPY / LESSON).read_text() == 'as shipped'


@pytest.mark.parametrize('arguments', [[], ['copy', lessons.COPY]])
def test_a_file_in_the_way_gets_a_sentence(wheel, opened, capsys, arguments):
    Path(lessons.COPY).write_text('a file in the way')
    tells(fails(capsys, *arguments), lessons.COPY, 'is a file', 'cannot be written', 'cd ~')
    assert not opened


def test_an_installation_without_lessons_gets_a_sentence(wheel, opened, capsys):
    (wheel / LESSON).unlink()
    tells(fails(capsys), 'no lessons')
    assert not opened


def test_a_clone_stays_as_it_is(tmp_path, opened, monkeypatch):
    """What git sees of the lessons is not what is opened: they stand in a copy that git ignores."""
    monkeypatch.chdir(tmp_path)
    assert command.main([]) == 0
    copy = tmp_path / lessons.COPY
    assert value(opened[0], 'ServerApp.root_dir') == str(copy) and (copy / lessons.START).is_file()
    assert f'/{lessons.COPY}/' in (lessons.PACKAGE.parent / '.gitignore').read_text(encoding='utf-8').splitlines()


@pytest.mark.parametrize('arguments', [[], ['copy', lessons.COPY]])
def test_an_older_copy_is_told_of(wheel, opened, capsys, arguments):
    a_lesson = lambda text: json.dumps({'cells': [text], 'metadata': {'language_info': {'name': 'python'}}}, indent=1)
    (wheel / LESSON).write_text(a_lesson('one'))
    (wheel / '04_next.ipynb').write_text(a_lesson('two'))
    assert command.main(arguments) == command.main(arguments) == 0
    assert 'newer' not in capsys.readouterr().out
    mine = Path(lessons.COPY, LESSON)
    mine.write_text(mine.read_text().replace('one', 'one, and my answer'))
    (wheel / LESSON).write_text(a_lesson('one, corrected'))
    assert command.main(arguments) == 0
    told = tells(capsys.readouterr().out.splitlines()[-1], 'One of', 'newer', LESSON, 'rename')
    assert '04_next' not in told and 'my answer' in mine.read_text()
    mine.rename('mine.ipynb')
    assert command.main(arguments) == 0
    assert 'newer' not in capsys.readouterr().out and 'corrected' in mine.read_text()


@pytest.mark.parametrize('make', [Path.mkdir, lambda p: os.mkfifo(p), lambda p: p.write_text('[' * 99_999)])
def test_whatever_stands_in_the_place_of_a_lesson_stays(make, wheel):
    make(Path(LESSON))
    before = Path(LESSON).lstat().st_ino
    assert command.main(['copy', '.']) == 0
    assert Path(LESSON).lstat().st_ino == before and os.listdir('img') == ['one.svg']


def test_the_answers_are_for_teachers_and_what_lessons_are_made_of_for_nobody(wheel):
    (wheel / 'source').mkdir()
    (wheel / 'source' / 'lesson.md').write_text('what a lesson is made from')
    (wheel / 'WRITING.md').write_text('for teachers')
    (wheel / lessons.FOR_TEACHERS).write_text('right: B')
    assert command.main(['copy', 'mine']) == command.main(['copy', 'class', '--teacher']) == 0
    laid = {LESSON, 'img'}
    assert {*os.listdir('mine')} == laid and {*os.listdir('class')} == laid | {lessons.FOR_TEACHERS}


@pytest.mark.parametrize('sign', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_a_site_that_is_stopped_leaves_nothing_and_one_sentence(sign, tmp_path):
    run = [sys.executable, '-m', 'minicell', 'site', str(tmp_path / 'public')]
    with subprocess.Popen(run, stderr=subprocess.PIPE, text=True, start_new_session=True) as site:
        bar = ''
        while '00_start_here' not in bar:  # the first lesson is about to run
            bar += site.stderr.read(1) or pytest.fail(bar)
        site.send_signal(sign)
        said = site.stderr.read()
    assert site.returncode in (1, 130) and 'Traceback' not in said
    assert re.fullmatch(r'minicell: .*stopped.*', said.splitlines()[-1])  # by whoever noticed first
    assert os.listdir(tmp_path / 'public') == []


def test_the_files_of_a_class_become_a_table(tmp_path, data, capsys):
    lines = [
        {'lesson': stop.number, 'card': name, 'state': 'failed' if name == 'takeover' else 'passed'}
        for stop in stops()
        for name in stop.asks + stop.tries
    ]
    whole = '\n'.join(map(json.dumps, lines))
    first = whole.partition('\n')[0]
    files = {'anna.json': whole, 'bo.jsonl': f'{first}\n{{"half', 'cy.json': '[1]', 'notes.txt': whole}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert command.main(['results', str(tmp_path)]) == 0
    head, anna, bo, _, *said = capsys.readouterr().out.splitlines()
    assert head.split()[0] == '01' and head.split()[-1] == 'all'
    assert anna.split()[0] == 'anna' and anna.endswith('100 %') and '·' not in anna
    assert bo.split()[0] == 'bo' and bo.count('·') == 14 and bo.endswith(' 0 %')
    tells('\n'.join(said).replace(str(tmp_path), '…'), '03 takeover', '1 of 1', 'bo.jsonl', 'cy.json')
    (own := data / 'minicell').mkdir()
    (own / 'progress.json').write_text(whole)
    assert command.main(['results']) == 0
    assert f'send {own / "progress.json"}' in capsys.readouterr().out


@pytest.mark.parametrize('where', [[], ['none'], ['empty']], ids=['own', 'none', 'empty'])
def test_where_there_are_no_results_that_is_said(where, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path('empty').mkdir()
    assert command.main(['results', *where]) == 1
    tells(capsys.readouterr().err, 'minicell', 'nothing' if not where else 'no file')


def test_output_that_finds_no_room_gets_a_sentence(tmp_path):
    with open('/dev/full', 'w') as full:
        run = [sys.executable, '-m', 'minicell', 'copy', str(tmp_path / 'course')]
        done = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    tells(done.stderr.strip(), 'cannot be written', 'No space left')


def test_a_closed_output_is_no_fault(wheel, monkeypatch):
    monkeypatch.setattr(sys, 'stdout', None)
    assert command.main(['copy', 'course']) == 0


@pytest.mark.slow
def test_check_finds_all_that_is_needed(capsys):
    assert command.main(['check']) == 0
    said = capsys.readouterr().out
    for name in ('Python', 'numpy', 'jupyterlab', 'ipywidgets', 'dot (Graphviz)', 'a kernel', 'is ready'):
        assert name in said
    assert '✗' not in said


def test_check_says_what_is_missing(monkeypatch, capsys):
    from jupyter_client import manager

    def none(**options):
        raise OSError('no room')

    monkeypatch.setattr(manager, 'start_new_kernel', none)
    monkeypatch.setattr(check.shutil, 'which', lambda name: None)
    monkeypatch.setattr(check, 'FRONT_END', 'not-there')
    assert command.main(['check']) == 1
    said = capsys.readouterr().out
    found = {line.partition(':')[0]: line for line in said.splitlines()}
    tells(found['○ dot (Graphviz)'], 'not found', 'not needed')
    tells(found['✗ widgets in JupyterLab'], 'not-there', 'missing')
    tells(found['✗ a kernel'], 'not start', 'OSError: no room')
    assert said.splitlines()[-1].endswith(', '.join(each[2:] for each in found if each[0] == '✗'))


GONE = """
import importlib.metadata, os, sys

class Gone:
    def find_spec(name, path=None, target=None):
        if name.partition('.')[0] == os.environ['GONE']:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)

def version(name, found=importlib.metadata.version):
    if name == os.environ['GONE']:
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)

sys.meta_path.insert(0, Gone)
importlib.metadata.version = version
"""


@pytest.mark.slow
@pytest.mark.parametrize('gone', [*check.NEEDS, 'jupyter_core', 'jupyter_client', 'traitlets', 'ipykernel', 'tornado'])
def test_check_lives_without_what_it_looks_for(gone, tmp_path):
    (tmp_path / 'sitecustomize.py').write_text(GONE)  # for the kernel, too
    env = {**os.environ, 'GONE': gone, 'PYTHONPATH': os.pathsep.join([str(tmp_path), str(lessons.PACKAGE.parent)])}
    run = [sys.executable, '-m', 'minicell']
    for what in (['site', 'sitecustomize.py/in'], ['check']):
        done = subprocess.run([*run, *what], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert (done.returncode, done.stderr.count('\n')) == (1, what[0] == 'site'), done.stderr
    first, *lines = done.stdout.splitlines()
    name = gone.replace('_', '-')
    told = [line for line in lines if line.startswith('✗') and f'{name} is not installed' in line]
    assert told and all(f'pip install {name}' in line for line in told) and __version__ in first
    assert all(line[2:].partition(':')[0] in lines[-1] for line in told) and 'is ready' not in lines[-1]


def test_loopback_and_lesson_are_the_default():
    arguments = arguments_for_lab()
    assert value(arguments, 'ServerApp.ip') == '127.0.0.1'
    assert value(arguments, 'LabApp.default_url') == f'/lab/tree/{LESSON}'
    assert not any('token' in each or 'password' in each for each in arguments), 'the token is for Jupyter to make'


@pytest.mark.parametrize(
    'mine', ['--ip=0.0.0.0', '--ServerApp.ip=0.0.0.0', '--notebook-dir=/y', '--ServerApp.root_dir=/y']
)
def test_the_learners_own_arguments_win(mine, wheel, opened):
    # JupyterLab refuses an option that is given twice
    assert command.main(['--no-browser', '--', mine, 'more']) == 0
    assert opened[0][-2:] == [mine, 'more']
    assert '--no-browser' in opened[0]
    dropped = 'ServerApp.ip' if 'ip=' in mine else 'ServerApp.root_dir'
    assert value([each for each in opened[0] if each != mine], dropped) is None


def test_a_port_in_use_gets_a_sentence(wheel, opened, capsys):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        tells(fails(capsys, '--port', str(port)), f'port {port} is', 'in use', keep=False)
    assert not opened
    assert command.main(['--port', str(port)]) == 0
    assert value(opened[0], 'ServerApp.port') == str(port)


def test_the_layout_of_the_lessons_is_kept_apart_and_stays_as_the_learner_leaves_it(data, monkeypatch):
    def folder() -> str | None:
        return value(arguments_for_lab(), 'LabApp.workspaces_dir')

    assert folder() == str(data / 'minicell' / 'workspaces')
    (file,) = Path(folder()).iterdir()
    assert json.loads(file.read_text())['data']['layout-restorer:data']['left']['collapsed'] is True
    file.write_text('my layout')
    assert folder() and file.read_text() == 'my layout'
    monkeypatch.setenv('JUPYTERLAB_WORKSPACES_DIR', '/of/the/learner')
    assert folder() is None


def test_without_a_place_for_a_layout_the_lessons_open_all_the_same(data, monkeypatch):
    (data / 'file').write_text('')
    monkeypatch.setenv('JUPYTER_DATA_DIR', str(data / 'file'))
    assert value(arguments_for_lab(), 'LabApp.workspaces_dir') is None


@pytest.mark.skipif(os.name != 'posix', reason='Unix sockets')
def test_kernels_talk_by_unix_sockets_where_the_path_leaves_room(tmp_path_factory, monkeypatch):
    monkeypatch.setenv('JUPYTER_RUNTIME_DIR', str(tmp_path_factory.mktemp('rt')))
    assert '--KernelManager.transport=ipc' in arguments_for_lab()
    monkeypatch.setenv('JUPYTER_RUNTIME_DIR', str(tmp_path_factory.mktemp('r' * 100)))
    assert '--KernelManager.transport=ipc' not in arguments_for_lab()
