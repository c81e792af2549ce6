"""The course in JupyterLite, as far as it can be tried without a browser: the wheel, the pins, the lessons themselves.

That the whole builds and starts is tests/browser/test_lite.py.
"""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

import minicell
from minicell import __main__ as command
from minicell import installation
from minicell.command import lessons, site
from minicell.command.lessons import Trouble
from minicell.command.site import lite
from minicell.command.site.lite import lock, wheel

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(lite.__file__).parent
PIN = re.compile(r'^([\w.-]+)==([\w.]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$', re.MULTILINE)

# Runs the cells of all lessons in a Python that is as the browser's: it has the packages of the lock, and starts no
# process and no thread. What else is installed here is not found.
AS_IN_THE_BROWSER = """
import importlib.abc, importlib.metadata, json, sys

allowed, paths = set(json.loads(sys.argv[1])), sys.argv[2:]
tops = importlib.metadata.packages_distributions()

class Nowhere(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        owners = {each.lower().replace('_', '-') for each in tops.get(name.partition('.')[0], ())}
        if owners and not owners & allowed and name.partition('.')[0] != 'minicell':
            raise ModuleNotFoundError(f'the browser has no {name}', name=name)

sys.meta_path.insert(0, Nowhere())

import subprocess, threading
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

shell = InteractiveShell.instance(config=Config({'HistoryManager': {'enabled': False}}))

def refuse(*arguments, **options):
    raise OSError('the browser starts nothing')

subprocess.Popen.__init__ = threading.Thread.start = refuse
ran = 0
for path in paths:
    shell.reset(new_session=False)
    with open(path, encoding='utf-8') as file:
        cells = json.load(file)['cells']
    for cell in cells:
        if cell['cell_type'] == 'code':
            done = shell.run_cell(''.join(cell['source']))
            ran += 1
            if not done.success and 'raises-exception' not in cell['metadata'].get('tags', ()):
                print(f'{path}, cell {cell["id"]}: {done.error_in_exec or done.error_before_exec!r}', file=sys.stderr)
                sys.exit(1)
print(f'ran {ran} cells', file=sys.stderr)
"""


def pins(name: str) -> dict[str, tuple[str, str]]:
    """The packages of a file of pins: name -> version and hashes."""
    return {name: (version, hashes) for name, version, hashes in PIN.findall((FOLDER / name).read_text())}


def theirs() -> dict:
    """A list of packages as Pyodide has it, with what a lesson needs of it and more."""
    needs = {'numpy': [], 'matplotlib': ['numpy', 'Pillow', 'cycler'], 'Pillow': [], 'cycler': [], 'pandas': ['numpy']}
    packages = {
        name.lower(): {'name': name, 'file_name': f'{name}.whl', 'sha256': f'sha of {name}', 'depends': depends}
        for name, depends in needs.items()
    }
    return {'info': {'python': '3.14.2'}, 'packages': packages}


def a_wheel(folder: Path, name: str, *needs: str) -> Path:
    """A wheel with one module."""
    path = folder / f'{name}-1.0-py3-none-any.whl'
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr(f'{name}/__init__.py', '')
        lines = ''.join(f'Requires-Dist: {need}\n' for need in needs)
        archive.writestr(
            f'{name}-1.0.dist-info/METADATA', f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{lines}'
        )
    return path


# ---- what it is made of --------------------------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['tools.txt', 'wheels.txt', 'node.txt'])
def test_every_pin_has_a_version_and_a_hash(name):
    text = (FOLDER / name).read_text()
    lines = [line for line in text.splitlines() if not line.startswith(('#', '    --hash'))]
    assert len(pins(name)) == len(lines) > 0


def test_pyodide_is_pinned_by_a_hash():
    wanted = json.loads((FOLDER / 'package.json').read_text())['dependencies']
    locked = json.loads((FOLDER / 'package-lock.json').read_text())['packages']
    assert locked['']['dependencies'] == wanted
    assert locked['node_modules/pyodide']['version'] == wanted['pyodide']
    assert all(each['integrity'].startswith('sha512-') for name, each in locked.items() if name)


def test_what_a_lesson_needs_is_there():
    """All that the package depends on, but JupyterLab, which is the page."""
    needs = tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['dependencies']
    names = {re.match(r'[\w.-]+', need)[0] for need in needs} - {'jupyterlab'}
    assert names <= set(wheel.NEEDS)
    assert set(wheel.NEEDS) <= set(pins('wheels.txt')) | set(lock.COMPILED)


def test_the_wheel_has_the_package_the_lessons_and_the_licence(tmp_path):
    path = wheel.pack(tmp_path)
    assert path.name == f'minicell-{minicell.__version__}-py3-none-any.whl'
    names = zipfile.ZipFile(path).namelist()
    assert {'minicell/__init__.py', 'minicell/teach/page.js', f'{wheel.INFO}/licenses/LICENSE'} <= set(names)
    notebooks = {f'minicell/lessons/{each.name}' for each in (ROOT / 'lessons').glob('*.ipynb')}
    assert notebooks and notebooks <= set(names)
    exercises = {
        f'minicell/lessons/{each.relative_to(ROOT / "lessons")}' for each in (ROOT / 'lessons').rglob('??*.md')
    }
    assert exercises <= set(names), 'what the notebooks ask stands in them'
    assert not [name for name in names if '__pycache__' in name or 'checkpoints' in name]
    assert path.read_bytes() == wheel.pack(tmp_path).read_bytes()


def test_pip_installs_the_wheel_and_it_packs_itself_again(tmp_path):
    """As from an installed wheel: there is no checkout, and what is packed is the same."""
    path = wheel.pack(tmp_path)
    pip = [sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', tmp_path / 'there']
    subprocess.run([*pip, path], check=True)
    code = 'from pathlib import Path; from minicell.command.site.lite import wheel; print(wheel.pack(Path("again")))'
    (tmp_path / 'again').mkdir()
    again = subprocess.run(
        [sys.executable, '-P', '-c', code],
        cwd=tmp_path,
        env={'PYTHONPATH': str(tmp_path / 'there'), 'PYTHONDONTWRITEBYTECODE': '1'},
        check=True,
        capture_output=True,
        text=True,
    )
    assert (tmp_path / again.stdout.strip()).read_bytes() == path.read_bytes()


def test_without_its_licence_nothing_is_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(wheel, 'PACKAGE', tmp_path / 'minicell')
    with pytest.raises(Trouble, match='the licence of minicell is not beside'):
        wheel.licence()


def test_only_what_is_compiled_is_fetched_from_elsewhere(tmp_path):
    a_wheel(tmp_path, 'cycler')
    a_wheel(
        tmp_path, 'ipywidgets', 'jupyterlab_widgets', 'traitlets; extra == "x"', 'pexpect; sys_platform != "emscripten"'
    )
    a_wheel(tmp_path, 'minicell', 'numpy', 'ipywidgets>=8')
    made = lock.of(tmp_path, theirs(), {'version': '314.0.6'})
    assert made['info'] == {'python': '3.14.2'}
    far = {name for name, each in made['packages'].items() if each['file_name'].startswith('https:')}
    assert far == {'numpy', 'matplotlib', 'pillow'}
    assert set(made['packages']) - far == {'cycler', 'ipywidgets', 'minicell'}
    assert made['packages']['numpy']['file_name'] == 'https://cdn.jsdelivr.net/pyodide/v314.0.6/full/numpy.whl'
    assert made['packages']['numpy']['sha256'] == 'sha of numpy'
    assert made['packages']['ipywidgets']['depends'] == []
    assert made['packages']['minicell']['depends'] == ['ipywidgets', 'numpy']
    assert made['packages']['minicell']['imports'] == ['minicell']


# ---- the lessons in a Python like the browser's --------------------------------------------------------------------


def test_all_lessons_run_on_what_the_browser_has():
    compiled = {'numpy', 'matplotlib', 'contourpy', 'kiwisolver', 'pillow'}
    # the kernel in the browser has a stand-in for pexpect
    allowed = {canonicalize_name(name) for name in pins('wheels.txt')} | compiled | {'pexpect', 'ptyprocess'}
    notebooks = sorted(map(str, (ROOT / 'lessons').glob('*.ipynb')))
    done = subprocess.run(
        [sys.executable, '-c', AS_IN_THE_BROWSER, json.dumps(sorted(allowed)), *notebooks],
        cwd=ROOT,
        env={'PYTHONPATH': str(ROOT), 'MPLBACKEND': 'Agg', 'MINICELL_PROGRESS': 'off'},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(re.search(r'ran (\d+) cells', done.stderr)[1]) > 100


def test_the_self_test_asks_for_no_jupyterlab_in_the_browser(monkeypatch):
    monkeypatch.setattr(installation, 'IN_BROWSER', True)
    assert 'jupyterlab' not in ' '.join(finding.what for finding in installation.look(deep=False)).lower()


# ---- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def short(tmp_path, monkeypatch) -> Path:
    """A course of one lesson, and JupyterLite not built."""
    cell = {'cell_type': 'code', 'id': 'a', 'source': '', 'metadata': {}, 'outputs': [], 'execution_count': None}
    cells = [{'cell_type': 'markdown', 'id': 'b', 'source': '# One', 'metadata': {}}]
    cells += [
        cell
        | {'source': "from minicell.teach import lesson\nL = lesson('01')\nL.predict(next(iter(L.about.questions)))"}
    ]
    (tmp_path / 'course').mkdir()
    notebook = {'cells': cells, 'metadata': {}, 'nbformat': 4, 'nbformat_minor': 5}
    (tmp_path / 'course' / lessons.START).write_text(json.dumps(notebook))
    monkeypatch.setattr(site, 'shipped', lambda: tmp_path / 'course')
    monkeypatch.setattr(lite, 'build', lambda folder, said: said(6, 6, 'JupyterLite: done'))
    return tmp_path / 'public'


def test_pages_lead_to_jupyterlite(short, capsys):
    assert command.main(['site', '--lite', str(short)]) == 0
    page = (short / lessons.START).with_suffix('.html').read_text()
    assert f'<a href="lite/lab/index.html?path={lessons.START}">Answer here, in your browser</a>' in page
    assert 'href="lite/lab/index.html' in (short / 'course.html').read_text()
    assert 'JupyterLite: done' in capsys.readouterr().err


def test_without_it_they_do_not(short):
    assert command.main(['site', str(short)]) == 0
    assert not [path.name for path in short.glob('*.html') if 'lite/' in path.read_text()]


def test_the_address_of_the_site_stands_in_its_pages_if_it_is_given(short):
    assert command.main(['site', '--address', 'https://somebody.example/course', str(short)]) == 0
    page = (short / lessons.START).with_suffix('.html').read_text()
    assert f'<link rel="canonical" href="https://somebody.example/course/{Path(lessons.START).stem}.html">' in page


def test_a_folder_of_somebody_else_is_left_alone(tmp_path, capsys):
    (tmp_path / 'lite').mkdir()
    (tmp_path / 'lite' / 'mine.txt').write_text('mine')
    assert command.main(['site', '--lite', str(tmp_path)]) == 1
    assert 'lite was not built here, so it stays as it is' in capsys.readouterr().err
    assert (tmp_path / 'lite' / 'mine.txt').read_text() == 'mine'


@pytest.fixture
def work(tmp_path) -> lite.Workshop:
    return lite.Workshop(tmp_path)


def test_no_virtual_environment_gets_a_sentence(work, monkeypatch):
    monkeypatch.setattr(sys, 'executable', '/nowhere/python')
    with pytest.raises(
        Trouble, match=r'Python makes no virtual environment: No such file.* needs the package python3-venv'
    ):
        work.tools()


def test_no_network_gets_a_sentence(work, monkeypatch):
    work.python = sys.executable
    monkeypatch.setenv('PIP_CONFIG_FILE', '/dev/null')
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(work.place))
    said = 'pip cannot fetch JupyterLite: ERROR: Could not find .*registry: is there a network'
    with pytest.raises(Trouble, match=said):
        work.pip('install', 'tools.txt', 'JupyterLite')


def test_without_npm_one_is_fetched_and_without_that_there_is_a_sentence(work, monkeypatch):
    work.python = sys.executable
    monkeypatch.setenv('PIP_CONFIG_FILE', '/dev/null')
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(work.place))
    monkeypatch.setattr(lite.shutil, 'which', lambda name: None)
    with pytest.raises(Trouble, match=r'pip cannot fetch npm: .*is there a network'):
        work.pyodide()


def test_npm_without_a_network_gets_a_sentence(work, monkeypatch):
    npm = work.place / 'npm'
    npm.write_text(
        '#!/bin/sh\nprintf "npm error code E1\\nnpm error FetchError: it failed\\nnpm error }\\n" >&2\nexit 1\n'
    )
    npm.chmod(0o755)
    monkeypatch.setattr(lite.shutil, 'which', lambda name: str(npm))
    with pytest.raises(
        Trouble, match=r'npm cannot fetch Pyodide: npm error FetchError: it failed .*is there a network'
    ):
        work.pyodide()


def test_a_step_that_hangs_is_given_up(work, monkeypatch):
    monkeypatch.setattr(lite, 'TIMEOUT', 0.2)
    with pytest.raises(Trouble, match=r'it sleeps: it was still at it after 0\.2 seconds'):
        work.do([sys.executable, '-c', 'import time; time.sleep(30)'], 'it sleeps')
