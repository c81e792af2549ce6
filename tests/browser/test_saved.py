"""The tape view in a page that was saved: no kernel, no server, no network, and the slider still steps."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import sample
from tests.browser.lab import ROOT, Seen, Stepper
from tests.browser.test_tape import HEAD, TRAVEL

pytestmark = pytest.mark.browser

MANAGER = Path(__file__).with_name('manager.js')
EXTENSION = Path(sys.prefix, 'share/jupyter/nbextensions/jupyter-js-widgets/extension.js')
# a folder with html-manager's embed-amd.js and require.js (both from npm), to try the real ones
LIBRARIES = os.environ.get('MINICELL_HTML_MANAGER')


@pytest.fixture(scope='module')
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook, run by a kernel that is gone by now, as HTML."""
    folder = tmp_path_factory.mktemp('saved')
    sample.write(folder / 'tapes.ipynb', *(f'{HEAD}{program}\ntape' for program in TRAVEL.values()))
    notebook = nbformat.read(folder / 'tapes.ipynb', 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')])))
        NotebookClient(notebook, timeout=120, extra_arguments=['--log-level=ERROR']).execute()
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (folder / 'tapes.html').write_text(page, encoding='utf-8')
    return folder / 'tapes.html'


@pytest.fixture(scope='module')
def page(browser: Browser, saved: Path) -> Iterator[Page]:
    """The saved page. What it asks the network for is refused, but for the widgets' code: that comes from a file."""

    def answer(route: Route) -> None:
        name = route.request.url.rpartition('/')[2]
        if route.request.url.startswith('file:'):
            route.continue_()
        elif name in ('embed-amd.js', 'require.min.js') and LIBRARIES:
            route.fulfill(path=Path(LIBRARIES, name.replace('.min', '')))
        elif name == 'embed-amd.js':
            route.fulfill(body=MANAGER.read_text(), content_type='text/javascript')
        elif name == 'extension.js':
            route.fulfill(path=EXTENSION)
        else:
            route.abort()

    page = browser.new_page(viewport={'width': 1400, 'height': 1000})
    page.seen = Seen()
    page.seen.watch(page)
    page.route('**/*', answer)
    page.goto(saved.as_uri())
    expect(page.locator('.lat-target-tape')).to_have_count(len(TRAVEL))
    yield page
    page.close()


@pytest.mark.parametrize('number', range(len(TRAVEL)), ids=list(TRAVEL))
def test_a_saved_view_steps_without_a_kernel(page, number):
    stepper = Stepper(page, 'tape', number)
    stepper.target.scroll_into_view_if_needed()
    texts = [stepper.text()]
    while stepper.press('ArrowRight') is not None:
        texts.append(stepper.text())
    total = len(texts)
    assert total > 5
    assert [f'step {k + 1} of {total}' in text for k, text in enumerate(texts)] == [True] * total


def test_a_saved_view_plays_without_a_kernel(page):
    stepper = Stepper(page, 'tape')
    stepper.press('Home')
    play = page.get_by_role('button', name='Play', exact=True).first
    play.click()
    expect(stepper.target).to_contain_text('step 2 of', timeout=10_000)
    play.click()


# The last of this file. A page that nbconvert saved asks for MathJax, too: that is refused, and nothing else.
def test_nothing_but_the_refused_network_is_complained_of(page):
    assert [line for line in page.seen.console if 'Failed to load resource' not in line] == []
