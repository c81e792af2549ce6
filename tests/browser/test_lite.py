"""The course in JupyterLite, in Chromium with nothing but loopback: each lesson runs to its end, and says what it says
in a kernel of this machine.

JupyterLab and Python start once, by the link of lesson 03. Then each lesson opens in the place of the last one: to
start both takes longer than most lessons do. What a lesson has defined is taken away before the next one.
"""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser

from minicell.command import site
from minicell.command.site import exercises, lite
from minicell.command.site.origin import LIST
from tests.browser.axe import unroll, use
from tests.browser.lab import LEAF_THROUGH, PATIENCE, Notebook, Seen, errors
from tests.browser.picture import pictures
from tests.browser.same import differences
from tests.browser.test_tomorrow import said as said_by_cards
from tests.lessons.kernels import execute
from tests.servers import ROOT

pytestmark = pytest.mark.nightly

MEGABYTES = 62
LESSONS = {path.stem: path for path in sorted((ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))}
START, TAKEOVER = next(iter(LESSONS)), '03_takeover'
WINDOW = {'width': 1400, 'height': 1000}
LAY = """async ([lesson, place]) => {
  const app = window.jupyterapp, panel = app.shell.currentWidget, kernel = panel.sessionContext.session.kernel;
  const code = `import os
os.environ["MINICELL_PROGRESS"] = "off"  # what an earlier lesson kept would be said by this one
get_ipython().run_line_magic("reset", "-f")`;
  await kernel.requestExecute({code, store_history: false}).done;
  const content = await (await fetch(new URL(`../files/${lesson}`, location.href))).json();
  panel.dispose();
  await app.serviceManager.contents.save(place, {type: 'notebook', format: 'json', content});
  await app.commands.execute('docmanager:open', {path: place});
}"""


class InBrowser(Notebook):
    """A notebook in JupyterLite: lesson 03, in whose place others can be opened."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.name, self.seen = f'{TAKEOVER}.ipynb', Seen()
        self.page = browser.new_page(viewport=WINDOW)
        self.page.set_default_timeout(PATIENCE * 1000)
        self.seen.watch(self.page)
        self.page.goto(address + lite.link(TAKEOVER))
        self._ready()

    def lay(self, lesson: str) -> None:
        """Open a lesson in the place of the last one, whose kernel forgets what that one defined."""
        self.page.evaluate(LAY, [f'{lesson}.ipynb', self.name])
        self._ready()


@pytest.fixture(scope='module')
def room(browser: Browser, address: str) -> Iterator[InBrowser]:
    notebook = InBrowser(browser, address)
    yield notebook
    notebook.close()


@pytest.fixture(scope='module')
def natively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[Any]]]:
    """natively(lesson) -> its code cells, run in a kernel of this machine."""
    with ThreadPoolExecutor(1) as other:  # Playwright's loop has this thread
        yield lambda lesson: other.submit(
            execute, nbformat.read(LESSONS[lesson], as_version=4), tmp_path_factory.mktemp('native')
        ).result()


def said(cells: list[Any]) -> list[str]:
    """What each cell printed, and its result if that is text alone."""
    found = []
    for cell in cells:
        parts = [''.join(out['text']) for out in cell['outputs'] if out.get('name') == 'stdout']
        data = [out['data'] for out in cell['outputs'] if out['output_type'] == 'execute_result']
        parts += [''.join(each['text/plain']) for each in data if set(each) == {'text/plain'}]
        found.append(''.join(parts))
    return found


def kinds(cells: list[Any]) -> list[list[list[str]]]:
    """In which forms each cell shows each of its outputs. In the browser one without any follows a card."""
    return [[sorted(out['data']) for out in cell['outputs'] if out.get('data')] for cell in cells]


def test_it_is_whole_small_and_has_its_licences(built):
    assert sum(path.stat().st_size for path in built.rglob('*') if path.is_file()) < MEGABYTES * 1e6
    static = built / 'static' / 'pyodide'
    packages = lite.read(static / LIST)['packages']
    assert {name for each in packages.values() for name in each['depends']} <= set(packages)
    assert {name.replace('_', '-') for name in lite.STARTS_WITH} <= set(packages)
    here = {path.name for path in static.iterdir()}
    assert here == {LIST, *lite.PYODIDE, *(each['file_name'] for each in packages.values())}
    licences = built / 'licences'
    listed = re.findall(r'^([\w-]+) [\w.]+: ', (licences / 'README.txt').read_text(encoding='utf-8'), re.MULTILINE)
    assert {name for name, each in packages.items() if each['file_name'].endswith('.whl')} <= set(listed)
    assert all(any((licences / name).iterdir()) for name in listed)
    assert 'Mozilla Public License' in (licences / 'micropip' / 'LICENSE').read_text(encoding='utf-8')
    assert 'PYTHON SOFTWARE FOUNDATION' in (licences / 'typing-extensions' / 'LICENSE').read_text(encoding='utf-8')
    assert (built / 'build' / 'third-party-licenses.json').is_file()


def test_what_a_learner_presses_answers(room, shots):
    """Questions, hints and exercises, by the kernel in the page, and all is there tomorrow; a picture, by itself.

    The first test in the room: where another lesson has opened beside the same kernel, JupyterLite's widgets only draw.
    """
    room.run_all()
    unroll(room)
    assert sum(use(room)) > 0
    picture = pictures(room.page, room.page.locator('.jp-Notebook'))[0]
    first = picture.text()
    picture.button('Back').click()
    assert picture.text() != first
    room.page.screenshot(path=shots / 'lite.png')
    room.page.set_viewport_size(WINDOW)
    due = said_by_cards(room)
    room.save()
    room.page.reload()  # in a new kernel
    room._ready()
    room.page.evaluate(LEAF_THROUGH)
    assert said_by_cards(room) == due


@pytest.mark.parametrize('lesson', LESSONS)
def test_a_lesson_runs_to_its_end_and_says_the_same(lesson, room, natively):
    room.lay(lesson)
    cells = room.run_all()
    assert [cell['source'] for cell in cells if cell['count'] is None] == []
    assert all('font cache' in said for said in errors(cells)), 'which Matplotlib says once in a new place'
    due = [cell for cell in natively(lesson) if cell.source.strip()]
    assert [cell['source'] for cell in cells] == [cell.source for cell in due]
    assert next(differences(said(cells), said(due)), None) is None
    assert kinds(cells) == kinds(due)
    assert any(said(cells)) or lesson == START


def test_nobody_else_is_asked_and_nothing_is_missing(room):
    assert room.seen.well()


def test_the_list_of_lessons_leads_there_from_a_server_and_not_from_a_file(browser, built, address):
    folder = built.parent
    site.lay_styles(folder)
    script, _ = exercises.write(folder, beside=False)
    pages = site.others(folder, [(each, each) for each in LESSONS], script, answers=True)
    site.keep(folder, next(each for each in pages if each.path == 'course.html'), '')
    course = folder / 'course.html'
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(course.as_uri())
    assert page.locator('.served').count() == 1 and not page.locator('.served').is_visible()
    page.goto(address + course.name)
    page.locator('.served a').click()
    page.locator('.jp-Notebook .jp-RenderedMarkdown h1', has_text=heading(START)).wait_for()
    page.close()


def heading(lesson: str) -> str:
    """What stands at the top of a lesson."""
    return site.title(nbformat.read(LESSONS[lesson], as_version=4))
