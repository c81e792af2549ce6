"""Every lesson in a real browser, in one JupyterLab: all cells run, the console is clean, every control has a name, and
axe finds nothing serious, before a learner has begun and after, and in the dark theme."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.axe import OURS, axe, unroll, use
from tests.browser.lab import BLANK, LEAF_THROUGH, Notebook, Server, errors, serve
from tests.servers import ROOT

pytestmark = pytest.mark.nightly

LESSONS = ROOT / 'lessons'
NAMES = [path.name for path in sorted(LESSONS.glob('[0-9][0-9]_*.ipynb'))]


# Pixels after Run All, 1366 wide: set anew with the texts. Of 09 and 12, two thirds are text and code.
LONGEST = {'03': 10_000, '09': 13_200, '12': 16_100}
WIDTHS = "() => [...document.querySelectorAll('.jp-MarkdownOutput > p, .mc-card p')].map(text => text.offsetWidth)"
HEIGHTS = "() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].map(cell => cell.offsetHeight)"


@pytest.fixture(scope='module')
def server(browser: Browser) -> Iterator[Server]:
    with serve(LESSONS) as server:
        yield server


@pytest.mark.parametrize('name', NAMES)
def test_lesson(browser, server, name):
    notebook = Notebook(browser, server, name)
    try:
        cells = notebook.run_all()
        assert [cell['source'] for cell in cells if cell['count'] is None] == []
        assert errors(cells) == []
        assert notebook.nameless() == []
        notebook.page.set_viewport_size({'width': 1366, 'height': 900})
        notebook.page.evaluate(LEAF_THROUGH)
        assert sum(notebook.page.evaluate(HEIGHTS)) <= LONGEST.get(name[:2], 30_000)
        assert max(notebook.page.evaluate(WIDTHS)) < 620, 'some seventy letters a line'
        assert max(notebook.page.evaluate(BLANK), default=0) <= 22, 'a card keeps room that it does not need'
        for state in ('untouched', 'used', 'dark'):
            if state == 'used':
                assert sum(use(notebook)) > 0
            elif state == 'dark':
                notebook.theme('JupyterLab Dark')
            unroll(notebook)  # what was locked makes it longer
            found = axe(notebook.page, OURS)
            assert (found.serious, found.doubtful) == ([], []), state
            assert found.looked > 60, 'axe takes what is there for hidden'
        assert notebook.seen.well()
    finally:
        notebook.theme('JupyterLab Light')
        notebook.close()
