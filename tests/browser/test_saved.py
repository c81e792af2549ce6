"""The tape view in a page that nbconvert saved: no kernel, no server, no network, and it still steps."""

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page

from tests.browser import sample
from tests.browser.lab import ROOT, Seen
from tests.browser.play import now, slider
from tests.browser.test_tape import HEAD, TRAVEL

pytestmark = pytest.mark.browser


@pytest.fixture(scope='module')
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A notebook, run by a kernel that is gone by now, as HTML, from a file; the network is refused."""
    folder = tmp_path_factory.mktemp('saved')
    sample.write(folder / 'tapes.ipynb', *(f'{HEAD}{program}\ntape' for program in TRAVEL.values()))
    notebook = nbformat.read(folder / 'tapes.ipynb', 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')])))
        NotebookClient(notebook, timeout=120, extra_arguments=['--log-level=ERROR']).execute()
    text, _ = HTMLExporter().from_notebook_node(notebook)
    Path(folder / 'tapes.html').write_text(text, encoding='utf-8')
    page = browser.new_page(viewport={'width': 1400, 'height': 1000}, reduced_motion='reduce')
    page.seen = Seen()
    page.seen.watch(page)
    page.route('**/*', lambda route: route.continue_() if route.request.url.startswith('file:') else route.abort())
    page.goto((folder / 'tapes.html').as_uri())
    yield page
    page.close()


@pytest.mark.parametrize('view', range(len(TRAVEL)), ids=list(TRAVEL))
def test_a_saved_view_steps_without_a_kernel(page, view):
    line = slider(page, view)
    line.focus()
    page.keyboard.press('Home')
    titles = set()
    for _ in range(int(line.get_attribute('aria-valuemax')) - 1):
        titles.add(line.get_attribute('aria-valuetext'))
        page.keyboard.press('ArrowRight')
    assert now(page, view) == int(line.get_attribute('aria-valuemax')) - 1 == len(titles)


# The last of this file. A page that nbconvert saved asks for MathJax, too: that is refused, and nothing else.
def test_nothing_but_the_refused_network_is_complained_of(page):
    assert [said for said in page.seen.console if 'Failed to load resource' not in said] == []
