"""The course in JupyterLite: built from the package registries, and started in Chromium with nothing but loopback.

How far it gets is printed, and asserted: JupyterLab starts, the kernel gets idle, sliders move without it, and a lesson
finds our wheel and stops at NumPy. NumPy and matplotlib have no wheel for the browser in the registries, only on
Pyodide's own server; so that a lesson runs to its end in a browser cannot be tried without the internet.
"""

import functools
import re
import threading
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page

from minicell import __version__
from minicell.command import site
from minicell.command.site import lite
from tests.browser.lab import LOOPBACK, ROOT

pytestmark = pytest.mark.browser

MEGABYTES = 60
PATIENCE = 90_000  # ms
LESSON = '03_takeover'
PYODIDE = lite.read(Path(lite.__file__).with_name('package.json'))['dependencies']['pyodide']
SERVER = lite.lock.SERVER.format(version=PYODIDE)
COMPILED = {'numpy', 'matplotlib', 'contourpy', 'kiwisolver', 'pillow'}
DONE = '([prompt, before]) => /[0-9]/.test(prompt.textContent) && prompt.textContent !== before'
IDLE = '.jp-Notebook-ExecutionIndicator[data-status=idle]'

# All that can be known of our wheel without NumPy: it is there, whole, it compiles, and what else it imports is there.
PROBE = """\
import ast, importlib.metadata, importlib.util, pathlib, sys
import ipywidgets as w
folder = pathlib.Path(importlib.util.find_spec('minicell').origin).parent
files = [file for part in ('', 'view', 'teach') for file in folder.glob(part + ('/**/*.py' if part else '*.py'))]
files = [file for file in files if file.name not in ('build.py', 'installation.py')]  # of the command
trees = [(file, ast.parse(file.read_text(encoding='utf-8'))) for file in files]
for file, tree in trees: _ = compile(tree, str(file), 'exec')
nodes = [node for file, tree in trees for node in ast.walk(tree)]
names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
tops = sorted({name.partition('.')[0] for name in names})
print('missing:', *[top for top in tops if importlib.util.find_spec(top) is None])
print('version:', importlib.metadata.version('minicell'), 'on Python', sys.version.split()[0])
print('compiled:', len(trees), 'lessons:', len(list((folder / 'lessons').glob('*.ipynb'))))
a, b = w.IntSlider(value=3, max=9), w.IntText(value=3)
w.jslink((a, 'value'), (b, 'value'))
w.VBox([a, b])"""


class Quiet(SimpleHTTPRequestHandler):
    """Python's own web server, without a word for each request."""

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope='module')
def built(tmp_path_factory) -> Path:
    """The folder that JupyterLite was built into."""
    folder = tmp_path_factory.mktemp('site')
    start = time.monotonic()
    place = lite.build(folder)
    print(f'built in {time.monotonic() - start:.0f} s')
    return place


@pytest.fixture(scope='module')
def address(built: Path) -> Iterator[str]:
    server = ThreadingHTTPServer((LOOPBACK, 0), functools.partial(Quiet, directory=str(built.parent)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f'http://{LOOPBACK}:{server.server_port}/'
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={'width': 1400, 'height': 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.far = []
    # of the workers too, where Python runs; twice, if a service worker stands between
    context.on('request', lambda request: note(page.far, request.url))
    yield page
    context.close()


def note(far: list[str], url: str) -> None:
    """Note an address that is neither ours nor inside the page."""
    if url.startswith('http') and not url.startswith(f'http://{LOOPBACK}:'):
        far.append(url)


def run_cell(page: Page) -> Locator:
    """Run the cell with the focus, wait until its number says that it is done, and return its output."""
    cell = page.locator('.jp-Notebook .jp-CodeCell.jp-mod-active')
    prompt = cell.locator('.jp-InputPrompt')
    before = prompt.inner_text()
    page.keyboard.press('Control+Enter')
    page.wait_for_function(DONE, arg=[prompt.element_handle(), before])
    return cell.locator('.jp-OutputArea')


def answer(page: Page, code: str) -> Locator:
    """What a new cell below the one with the focus answers."""
    for key in ('Escape', 'b', 'Enter'):
        page.keyboard.press(key)
    page.keyboard.insert_text(code)
    return run_cell(page)


def test_it_is_whole_small_and_has_its_licences(built):
    assert sum(path.stat().st_size for path in built.rglob('*') if path.is_file()) < MEGABYTES * 1e6
    static = built / 'static' / 'pyodide'
    packages = lite.read(static / lite.lock.NAME)['packages']
    assert {name for each in packages.values() for name in each['depends']} <= set(packages)
    assert set(lite.STARTS_WITH) <= set(packages)
    assert {name for name, each in packages.items() if each['file_name'].startswith(SERVER)} == COMPILED
    local = {each['file_name'] for name, each in packages.items() if name not in COMPILED}
    assert local == {path.name for path in static.glob('*.whl')}
    licences = built / 'licences'
    listed = re.findall(r'^([\w-]+) [\w.]+: ', (licences / 'README.txt').read_text(encoding='utf-8'), re.MULTILINE)
    assert set(packages) - COMPILED <= set(listed)
    assert all(any((licences / name).iterdir()) for name in listed)
    assert 'Mozilla Public License' in (licences / 'micropip' / 'LICENSE').read_text(encoding='utf-8')
    assert 'PYTHON SOFTWARE FOUNDATION' in (licences / 'typing-extensions' / 'LICENSE').read_text(encoding='utf-8')
    assert (built / 'build' / 'third-party-licenses.json').is_file()


def test_the_list_of_lessons_leads_there_from_a_server_and_not_from_a_file(page, built, address):
    folder, lessons = built.parent, sorted(lite.wheel.shipped().glob('[0-9]*.ipynb'))
    site.lay_styles(folder)
    pages = site.others([(each.stem, each.stem) for each in lessons], answers=True)
    course = site.keep(folder, next(each for each in pages if each.path == 'course.html'), '')
    page.goto(course.as_uri())
    assert page.locator('.served').count() == 1 and not page.locator('.served').is_visible()
    page.goto(address + course.name)
    page.locator('.served a').click()
    page.locator('.jp-Notebook .jp-RenderedMarkdown h1', has_text=heading(lessons[0])).wait_for()
    assert page.far == []


def heading(lesson: Path) -> str:
    """What stands at the top of a lesson."""
    return site.title(nbformat.read(lesson, as_version=4))


def test_a_lesson_starts_and_gets_as_far_as_numpy(page, address, shots):
    start = time.monotonic()
    far = []

    def said(what: str) -> None:
        far.append(what)
        print(f'{time.monotonic() - start:5.1f} s  {what}')

    page.goto(address + lite.link(LESSON))
    page.wait_for_selector('.jp-Notebook .jp-CodeCell')
    said('JupyterLab shows the lesson')
    page.wait_for_selector(IDLE)
    first = page.locator('.jp-CodeCell .cm-content').first
    first.click()
    output = answer(page, "import sys\nprint('Python', sys.version.split()[0])").inner_text()
    assert f'Python {lite.lock.PYTHON}' in output
    said(f'{output.strip()} answers, in the browser')
    assert page.far == [], 'up to here nothing is asked of anybody'

    first.click()
    output = run_cell(page).inner_text()
    assert '/site-packages/minicell/__init__.py' in output, output[-1000:]
    assert "ModuleNotFoundError: No module named 'numpy'" in output, output[-1000:]
    said('our wheel is imported, up to its first `import numpy`')
    asked = {url.removeprefix(SERVER).partition('-')[0] for url in page.far}
    assert asked == COMPILED, page.far
    said(f'asked of {SERVER}, and of nobody else: {", ".join(sorted(asked))}')

    before = len(page.far)
    probe = answer(page, PROBE)
    probe.locator('.noUi-handle').wait_for()
    printed = probe.inner_text()
    missing = set(re.search(r'^missing: (.*)$', printed, re.MULTILINE)[1].split())
    assert {'numpy'} <= missing <= {'numpy', 'matplotlib', 'PIL'}, printed
    assert f'version: {__version__} on Python {lite.lock.PYTHON}' in printed
    counts = re.search(r'compiled: (\d+) lessons: (\d+)', printed)
    teach = list((ROOT / 'minicell/teach').rglob('*.py'))
    assert int(counts[1]) > len(teach) > 60 and int(counts[2]) == len(list(lite.wheel.shipped().glob('*.ipynb')))
    said(f'all {counts[1]} modules that lessons import compile, and lack nothing but {", ".join(sorted(missing))}')

    number = probe.locator('input[type=number]')
    assert number.input_value() == '3'
    probe.locator('.noUi-handle').focus()
    page.keyboard.press('ArrowRight')
    page.wait_for_function('input => input.value === "4"', arg=number.element_handle())
    said('a slider moves what is linked to it')
    assert [url for url in page.far[before:] if not url.startswith(SERVER)] == []
    shots.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=shots / 'lite.png')
    assert len(far) == 6
