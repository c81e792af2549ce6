"""Every lesson in a real browser, in one JupyterLab: all cells run, the console is clean, every control has a name, and
axe finds nothing serious, before a learner has begun and after."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.axe import OURS, axe, unroll, use
from tests.browser.lab import LOOPBACK, ROOT, Notebook, Server, errors

pytestmark = pytest.mark.browser

LESSONS = ROOT / 'lessons'
NAMES = [path.name for path in sorted(LESSONS.glob('[0-9][0-9]_*.ipynb'))]


@pytest.fixture(scope='module')
def server(browser: Browser) -> Iterator[Server]:
    with Server(LESSONS) as server:
        yield server


@pytest.mark.parametrize('name', NAMES)
def test_lesson(browser, server, name):
    notebook = Notebook(browser, server, name)
    try:
        cells = notebook.run_all()
        assert [cell['source'] for cell in cells if cell['count'] is None] == []
        assert errors(cells) == []
        assert notebook.nameless() == []
        for state in ('untouched', 'used'):
            if state == 'used':
                assert sum(use(notebook)) > 0
            unroll(notebook)  # what was locked makes it longer
            found = axe(notebook.page, OURS)
            assert (found.serious, found.doubtful) == ([], []), state
            assert found.looked > 60, 'axe takes what is there for hidden'
        assert (notebook.seen.console, notebook.seen.failed) == ([], [])
        assert notebook.seen.hosts == {LOOPBACK}
    finally:
        notebook.close()
