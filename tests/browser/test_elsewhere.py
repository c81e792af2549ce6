"""A tape in readers that are not JupyterLab: in a frame without rights, put into a page by a script, and in a page that
nbconvert saved."""

from collections.abc import Iterator

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page, expect

from minicell.ink.page.fragment import fragment
from tests.browser import sample
from tests.browser.front import closed, new
from tests.browser.lab import Seen
from tests.browser.picture import Picture, pictures
from tests.browser.sample import HEAD
from tests.browser.test_tape import TRAVEL
from tests.servers import ROOT
from tests.view.toy import films

pytestmark = pytest.mark.nightly

STILL = '<svg xmlns="http://www.w3.org/2000/svg"/>'
# As Colab shows an output: a page in a frame, from an origin of its own.
FRAME = (
    'html => { const f = document.createElement("iframe"); f.sandbox = "allow-scripts"; f.width = 900; f.height = 700; '
)
FRAME += 'f.srcdoc = html; document.body.append(f); }'
# As an editor's notebook shows one: the text is laid into the page, then its scripts are made again, so that they run.
LAID = """html => {
  const out = document.createElement('div'); out.innerHTML = html; document.body.append(out);
  for (const old of [...out.querySelectorAll('script')]) {
    const script = document.createElement('script'); script.textContent = old.textContent;
    old.parentNode.replaceChild(script, old);
  }
}"""


@pytest.fixture
def page(browser):
    page = new(browser, (1000, 800), offline=True)
    page.goto('about:blank')
    yield page
    closed(page)


def steps(page, root) -> None:
    picture = Picture(page, root)
    first = picture.title()
    picture.button('Next').click()
    expect(root.locator('.title')).not_to_have_text(first)
    assert picture.step == 2


def test_in_a_frame_without_rights_it_steps(page):
    page.evaluate(FRAME, fragment(films(), STILL))
    steps(page, page.frame_locator('iframe').locator('.mc2'))


def test_laid_into_a_page_twice_by_a_script_each_steps_alone(page):
    for _ in range(2):
        page.evaluate(LAID, fragment(films(), STILL))
    first, second = page.locator('.mc2').all()
    steps(page, first)
    assert (Picture(page, first).step, Picture(page, second).step) == (2, 1)


@pytest.fixture(scope='module')
def saved(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A notebook, run by a kernel that is gone by now, as HTML, from a file; the network is refused."""
    folder = tmp_path_factory.mktemp('saved')
    sample.write(folder / 'tapes.ipynb', *(f'{HEAD}{program}\ntape' for program in TRAVEL.values()))
    notebook = nbformat.read(folder / 'tapes.ipynb', 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', str(ROOT))
        NotebookClient(notebook, timeout=120, extra_arguments=['--log-level=ERROR']).execute()
    text, _ = HTMLExporter().from_notebook_node(notebook)
    (folder / 'tapes.html').write_text(text, encoding='utf-8')
    page = browser.new_page(viewport={'width': 1400, 'height': 1000}, reduced_motion='reduce')
    page.seen = Seen()
    page.seen.watch(page)
    page.route('**/*', lambda route: route.continue_() if route.request.url.startswith('file:') else route.abort())
    page.goto((folder / 'tapes.html').as_uri())
    yield page
    # it asks for MathJax, too: that is refused, and nothing else is complained of
    assert [said for said in page.seen.console if 'Failed to load' not in said] == []
    page.close()


@pytest.mark.parametrize('name', TRAVEL)
def test_a_saved_view_steps_without_a_kernel(name, saved):
    view = pictures(saved)[[*TRAVEL].index(name)]
    view.press('Home')
    titles = set()
    for _ in range(view.steps - 1):
        titles.add(view.slider.get_attribute('aria-valuetext'))
        saved.keyboard.press('ArrowRight')
    assert view.step == view.steps == len(titles) + 1
