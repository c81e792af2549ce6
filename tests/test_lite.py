"""The course in JupyterLite, as far as it can be tried without a browser: the wheel, the pins, the list of packages.

That the whole builds, and that each lesson runs in it, is tests/browser/test_lite.py.
"""

import errno
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import minicell
from minicell import __main__ as command
from minicell import installation
from minicell.command import lessons, site
from minicell.command.lessons import Trouble
from minicell.command.site import laid, lite
from minicell.command.site.lite import lock, wheel
from minicell.teach import lesson
from minicell.teach.about import stops
from tests.messages import refused, tells
from tests.test_front import heads

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(lite.__file__).parent
PIN = re.compile(r'^([\w.-]+)==([\w.]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$', re.MULTILINE)


def pins(name: str) -> dict[str, tuple[str, str]]:
    """The packages of a file of pins: name -> version and hashes."""
    return {name: (version, hashes) for name, version, hashes in PIN.findall((FOLDER / name).read_text())}


def theirs() -> dict:
    """A list of packages as Pyodide has it, with what a lesson needs of it and more."""
    needs = {'numpy': [], 'matplotlib': ['numpy', 'Pillow', 'cycler', 'ma_py'], 'Pillow': [], 'cycler': [], 'ma-py': []}
    packages = {
        name.lower(): {'name': name, 'file_name': f'{name}.whl', 'sha256': f'sha of {name}', 'depends': depends}
        for name, depends in {**needs, 'pandas': ['numpy']}.items()
    }
    return {'info': {'python': '3.12.7'}, 'packages': packages}


def a_wheel(folder: Path, name: str, *needs: str) -> Path:
    """A wheel with one module."""
    path = folder / f'{name}-1.0-py3-none-any.whl'
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr(f'{name}/__init__.py', '')
        lines = ''.join(f'Requires-Dist: {need}\n' for need in needs)
        metadata = f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{lines}'
        archive.writestr(f'{name}-1.0.dist-info/METADATA', metadata)
    return path


@pytest.mark.parametrize('name', lite.PINS)
def test_every_pin_has_a_version_and_a_hash(name):
    text = (FOLDER / name).read_text()
    lines = [line for line in text.splitlines() if not line.startswith(('#', '    --hash'))]
    assert len(pins(name)) == len(lines) > 0


def test_what_a_lesson_needs_is_there():
    """All that the package depends on, but JupyterLab, which is the page; the browser test finds each of them."""
    needs = tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['dependencies']
    names = {re.match(r'[\w.-]+', need)[0] for need in needs} - {'jupyterlab'}
    assert names <= set(wheel.NEEDS)


def test_the_wheel_has_the_package_the_lessons_and_the_licence(tmp_path):
    path = wheel.pack(tmp_path)
    assert path.name.split('-')[:2] == ['minicell', minicell.__version__]
    names = zipfile.ZipFile(path).namelist()
    assert {'minicell/__init__.py', f'{wheel.INFO}/licenses/LICENSE'} <= set(names)
    assert (ROOT / 'minicell/teach/card.js').relative_to(ROOT).as_posix() in names
    notebooks, exercises = (
        {f'minicell/{each.relative_to(ROOT)}' for each in (ROOT / 'lessons').rglob(kind)}
        for kind in ('*.ipynb', '??*.md')
    )
    assert notebooks and notebooks <= set(names)
    assert exercises <= set(names), 'what the notebooks ask stands in them'
    assert not [name for name in names if '__pycache__' in name or 'checkpoints' in name]
    assert path.read_bytes() == wheel.pack(tmp_path).read_bytes()


@pytest.mark.slow
def test_pip_installs_the_wheel_and_it_packs_itself_again(tmp_path):
    """As from an installed wheel: there is no checkout, and what is packed is the same."""
    path = wheel.pack(tmp_path)
    pip = [sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', tmp_path / 'there']
    subprocess.run([*pip, path], check=True)
    code = 'from pathlib import Path; from minicell.command.site.lite import wheel; print(wheel.pack(Path("again")))'
    (tmp_path / 'again').mkdir()
    env = {'PYTHONPATH': str(tmp_path / 'there'), 'PYTHONDONTWRITEBYTECODE': '1'}
    run = [sys.executable, '-P', '-c', code]
    again = subprocess.run(run, cwd=tmp_path, env=env, check=True, capture_output=True, text=True)
    assert (tmp_path / again.stdout.strip()).read_bytes() == path.read_bytes()


def test_without_its_licence_nothing_is_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(wheel, 'PACKAGE', tmp_path / 'minicell')
    with refused(Trouble, 'licence of minicell', 'not beside'):
        wheel.licence()


def test_whatever_is_needed_is_listed_and_nothing_else(tmp_path):
    a_wheel(tmp_path, 'cycler')
    unneeded = 'jupyterlab_widgets', 'traitlets; extra == "x"', 'pexpect; sys_platform != "emscripten"'
    a_wheel(tmp_path, 'ipywidgets', *unneeded)
    a_wheel(tmp_path, 'minicell', 'matplotlib', 'ipywidgets>=8')
    made = lock.of(tmp_path, theirs(), [])
    assert made['info'] == {'python': '3.12.7'}
    packages = made['packages']
    of_theirs = {'numpy', 'matplotlib', 'pillow', 'ma-py'}
    assert {name for name, each in packages.items() if each['sha256'].startswith('sha of ')} == of_theirs
    assert set(packages) == of_theirs | {'cycler', 'ipywidgets', 'minicell'}
    assert packages['matplotlib']['depends'] == ['cycler', 'ma-py', 'numpy', 'pillow'], 'as the list calls them'
    assert packages['ipywidgets']['depends'] == []
    assert packages['minicell']['depends'] == ['ipywidgets', 'matplotlib']
    assert packages['minicell']['imports'] == ['minicell']
    assert 'pandas' in lock.of(tmp_path, theirs(), ['pandas'])['packages']


def test_the_self_test_asks_for_no_jupyterlab_in_the_browser(monkeypatch):
    monkeypatch.setattr(installation, 'IN_BROWSER', True)
    assert 'jupyterlab' not in ' '.join(finding.what for finding in installation.look(deep=False)).lower()


@pytest.fixture
def short(tmp_path, monkeypatch) -> Path:
    """A course of one lesson, and JupyterLite not built."""
    cell = {'cell_type': 'code', 'id': 'a', 'source': '', 'metadata': {}, 'outputs': [], 'execution_count': None}
    tables = re.sub('^#', '##', site.start(), flags=re.MULTILINE)  # which the course page and the bar's switch read
    shows = "L.progress()\nL.check('1a')\nL.predict(next(iter(L.about.questions)))"
    code = f"from minicell.teach import lesson\nL = lesson('01')\n{shows}"
    text = {'cell_type': 'markdown', 'id': 'b', 'source': f'# One\n\n{tables}', 'metadata': {}}
    cells = [text, cell | {'source': code}]
    (tmp_path / 'course').mkdir()
    notebook = {'cells': cells, 'metadata': {}, 'nbformat': 4, 'nbformat_minor': 5}
    (tmp_path / 'course' / lessons.START).write_text(json.dumps(notebook))
    monkeypatch.setattr(site, 'shipped', lambda: tmp_path / 'course')
    monkeypatch.setattr(lite, 'build', lambda folder, work, said: said(6, 6, 'JupyterLite: done'))
    return tmp_path / 'public'


@pytest.mark.slow
def test_pages_lead_to_jupyterlite(short, capsys):
    assert command.main(['site', '--lite', str(short)]) == 0
    page = (short / 'course.html').read_text()  # (a page's own questions are answered there)
    links = re.findall(rf'<a href="lite/lab/[^"]*\?path={lessons.START}">([^<]+)</a>', page)
    tells(links[0], 'browser')
    assert 'JupyterLite: done' in capsys.readouterr().err


def full_progress(folder: Path) -> Path:
    """The file of somebody who has passed all but one of each lesson, whose name is in its path."""
    path = folder / 'somebody' / 'minicell' / 'progress.json'
    path.parent.mkdir(parents=True)
    lines = [
        json.dumps({'lesson': stop.number, 'card': name, 'state': 'failed' if k == 1 else 'passed', 'said': 'somebody'})
        for stop in stops()
        for k, name in enumerate(stop.asks + stop.tries)
    ]
    path.write_text('\n'.join(lines))
    return path


@pytest.mark.slow
def test_nobodys_progress_is_published_or_touched(short, tmp_path, monkeypatch):
    kept = full_progress(tmp_path)
    before = kept.read_bytes()
    monkeypatch.setenv('JUPYTER_DATA_DIR', str(kept.parents[1]))
    monkeypatch.delenv('MINICELL_PROGRESS', raising=False)
    assert lesson('01').kept.states, 'it is what a lesson reads'
    assert command.main(['site', str(short)]) == 0
    assert kept.read_bytes() == before
    traces = 'somebody', str(Path.home()), str(ROOT), 'So far'
    told = {path: path.read_bytes().decode('utf-8', 'replace') for path in short.rglob('*') if path.is_file()}
    assert [(path.name, each) for path, text in told.items() for each in traces if each in text] == []


@pytest.mark.slow
def test_without_it_they_do_not_and_the_address_of_the_site_stands_in_them(short):
    address = 'https://somebody.example/course'
    assert command.main(['site', '--address', address, str(short)]) == 0
    assert not [path.name for path in short.glob('*.html') if 'lite/' in path.read_text()]
    page = (short / lessons.START).with_suffix('.html')
    assert heads(page.read_text())['canonical'] == f'{address}/{page.name}'


def test_a_site_takes_the_place_of_the_earlier_one_and_of_nothing_else(short, capsys):
    short.mkdir()
    (short / 'CNAME').write_text('mine')
    (short / 'index.html').write_text('mine')
    assert command.main(['site', str(short)]) == 1
    tells(capsys.readouterr().err.strip(), 'index.html', 'minicell', 'empty folder')
    assert {path.name: path.read_text() for path in short.iterdir()} == {'CNAME': 'mine', 'index.html': 'mine'}
    (short / 'index.html').unlink()
    with laid.building(short) as place:
        (place / 'index.html').write_text('old')
        (place / 'api').mkdir()
        (place / 'api' / 'gone.html').write_text('old')
    with pytest.raises(KeyboardInterrupt), laid.building(short) as place:
        (place / 'index.html').write_text('half')
        raise KeyboardInterrupt
    assert (short / 'index.html').read_text() == (short / 'api' / 'gone.html').read_text() == 'old'
    (short / 'new.html').write_text('mine')
    with refused(Trouble, 'new.html'), laid.building(short) as place:
        (place / 'new.html').write_text('ours')
        (place / 'index.html').write_text('ours')
    assert (short / 'index.html').read_text() == 'old' and (short / 'new.html').read_text() == 'mine'
    (short / 'new.html').unlink()
    with laid.building(short) as place:
        (place / 'index.html').write_text('new')
    assert {path.name for path in short.rglob('*') if path.is_file()} == {'CNAME', 'index.html', laid.LIST}
    assert (short / 'index.html').read_text() == 'new' and (short / 'CNAME').read_text() == 'mine'


@pytest.mark.parametrize('ends', [KeyboardInterrupt(), OSError(errno.ENOSPC, 'No space left on device')], ids=type)
def test_whatever_ends_the_laying_of_a_site_leaves_the_earlier_one_whole(ends, tmp_path, monkeypatch):
    def lay(**files):
        with laid.building(tmp_path / 'public') as place:
            for name, text in files.items():
                (place / name).mkdir(exist_ok=True)
                (place / name / 'page.html').write_text(text)
            (place / 'index.html').write_text(str(files))

    def there():
        return {path: path.read_text() for path in tmp_path.rglob('*') if path.is_file()}

    lay(gone='old', stays='old')
    before, move, moves = there(), laid.move, 0

    def ending(here, there):
        nonlocal moves
        moves -= 1
        move(here, there)
        if moves == 0:
            raise ends

    for at in range(1, 11):  # five files are there or come
        moves = at
        with monkeypatch.context() as patch, pytest.raises(type(ends)):
            patch.setattr(laid, 'move', ending)
            lay(stays='new', comes='new')
        assert there() == before, at
    lay(stays='new', comes='new')
    assert {path.parent.name for path in there()} == {'public', 'stays', 'comes'}


@pytest.fixture
def work(tmp_path) -> lite.Workshop:
    return lite.Workshop(tmp_path)


def test_no_virtual_environment_gets_a_sentence(work, monkeypatch):
    monkeypatch.setattr(sys, 'executable', '/nowhere/python')
    with refused(Trouble, 'virtual environment', 'No such file', 'python3-venv'):
        work.tools()


@pytest.mark.slow
def test_no_network_gets_a_sentence(work, monkeypatch):
    work.python = sys.executable
    monkeypatch.setenv('PIP_CONFIG_FILE', '/dev/null')
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(work.place))
    with refused(Trouble, 'pip cannot fetch', 'JupyterLite', 'ERROR', 'network', keep=False):
        work.pip('install', 'tools.txt', 'JupyterLite')


def test_a_step_that_hangs_is_given_up(work, monkeypatch):
    monkeypatch.setattr(lite, 'TIMEOUT', 0.2)
    with refused(Trouble, 'it sleeps:', 'after 0.2 seconds'):
        work.do([sys.executable, '-c', 'import threading; threading.Event().wait(30)'], 'it sleeps')
