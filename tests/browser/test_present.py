"""A lesson on a projector of 1280 by 720: large enough, nothing cut, and led by keyboard alone."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, expect

from tests.browser.lab import CELLS, LOOPBACK, ROOT, RUN_ALL, Notebook, Server, errors

pytestmark = pytest.mark.browser

LESSON = '03_takeover.ipynb'
SCREEN = {'width': 1280, 'height': 720}
SMALLEST = 22  # pixels on the screen

# What is written outside of pictures and is smaller than it should be, or leaves the screen at a side.
FAULTS = """smallest => {
  const panel = document.querySelector('.minicell-present'), found = [];
  const zoom = one => one ? (parseFloat(getComputedStyle(one).zoom) || 1) * zoom(one.parentElement) : 1;
  const walk = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const words = walk.currentNode.textContent.trim(), one = walk.currentNode.parentElement;
    const box = one.getBoundingClientRect();
    if (!words || !box.width || !one.checkVisibility() || one.closest('style, svg')) continue;
    const size = parseFloat(getComputedStyle(one).fontSize) * zoom(one);
    if (size < smallest || box.left < 0 || box.right > innerWidth) found.push([size, box.left, box.right, words]);
  }
  for (const one of panel.querySelectorAll('svg')) {
    const box = one.getBoundingClientRect();
    if (one.checkVisibility() && (box.left < 0 || box.right > innerWidth)) found.push(['svg', box.left, box.right]);
  }
  return found;
}"""
TURNED = '() => document.querySelector(".minicell-stage").scrollTop'
MORE = """() => { const stage = document.querySelector('.minicell-stage');
  return stage.scrollHeight - stage.clientHeight - stage.scrollTop > 4; }"""
FILLS = """() => { const box = document.querySelector('.minicell-present').getBoundingClientRect();
  return [box.left, box.top, box.width, box.height]; }"""


@pytest.fixture(scope='module')
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    """A teacher's notebook beside the lesson's: two cells, and nothing of the lesson has run."""
    folder = tmp_path_factory.mktemp('class')
    shutil.copy(ROOT / 'lessons' / LESSON, folder)
    cells = [new_code_cell("from minicell.teach import lesson\nL = lesson('03')"), new_code_cell('L.present()')]
    kernel = {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'}
    nbformat.write(new_notebook(cells=cells, metadata={'kernelspec': kernel}), folder / 'class.ipynb')
    with Server(folder) as server:
        notebook = Notebook(browser, server, 'class.ipynb')
        notebook.page.set_viewport_size(SCREEN)
        notebook.page.evaluate(RUN_ALL)
        notebook.page.locator('.minicell-present:popover-open .minicell-beat').wait_for()
        yield notebook
        notebook.close()


def here(stage: Notebook):
    return stage.page.locator('.minicell-code-here')


def test_by_keyboard_through_the_lesson(stage, shots: Path):
    page = stage.page
    shots.mkdir(parents=True, exist_ok=True)
    assert errors(page.evaluate(CELLS)) == []
    assert page.evaluate(FILLS) == [0, 0, SCREEN['width'], SCREEN['height']]
    faults, visited = {}, []
    while True:
        code = here(stage).inner_text()
        visited.append(code)
        page.wait_for_timeout(400)  # what a beat shows draws itself
        if found := page.evaluate(FAULTS, SMALLEST):
            faults[code] = found
        page.screenshot(path=shots / f'present-{code}.png')
        while page.evaluate(MORE):  # the key turns over what does not fit
            before = page.evaluate(TURNED)
            page.keyboard.press('PageDown')
            assert page.evaluate(TURNED) > before
        if page.locator('.minicell-next[disabled]').count():
            break
        page.keyboard.press('PageDown')
        expect(here(stage)).not_to_have_text(code, timeout=30000)
    assert faults == {}
    assert (visited[0], len(visited), len(set(visited))) == ('L03-s1-x1', 19, 19)
    page.keyboard.press('PageUp')
    expect(here(stage)).to_have_text(visited[-2])


def test_to_a_code_and_a_vote_by_keyboard(stage):
    page = stage.page
    page.get_by_role('textbox', name='Go to').focus()
    page.keyboard.type('L03-s3-x1')
    page.keyboard.press('Enter')
    expect(here(stage)).to_have_text('L03-s3-x1')
    expect(page.locator('.minicell-stage')).to_be_focused()

    page.keyboard.press('Tab')
    expect(page.locator('.minicell-stage input[type=radio]').first).to_be_focused()
    page.keyboard.press('Space')
    page.wait_for_timeout(500)  # no hand is faster than the kernel's answer
    page.locator('.minicell-stage').get_by_role('button', name='Commit').press('Space')
    expect(page.locator('.minicell-stage')).to_contain_text('Committed')
    page.get_by_role('button', name='Reset').last.press('Space')
    expect(page.locator('.minicell-stage')).to_contain_text('Locked')
    page.get_by_role('button', name='Unlock').press('Space')
    expect(page.locator('.minicell-stage')).to_contain_text('Unlocked')


def test_escape_leads_back_to_the_notebook(stage):
    page = stage.page
    page.keyboard.press('Escape')
    expect(page.locator('.minicell-present:popover-open')).to_have_count(0)
    expect(page.locator('.minicell-present')).to_be_visible()
    page.locator('.minicell-present').get_by_role('button', name='Next', exact=True).last.press('Enter')
    expect(here(stage)).to_have_text('L03-s4-x1', timeout=30000)
    assert (stage.seen.console, stage.seen.failed, stage.seen.hosts) == ([], [], {LOOPBACK})
