"""A tape in readers that are not JupyterLab: in a frame of its own without rights, and put into a page by a script."""

import pytest
from playwright.sync_api import expect

from minicell.view.page.fragment import fragment
from tests.browser.picture import Picture
from tests.view.toy import films

pytestmark = pytest.mark.browser

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
# As a reader shows one that runs no scripts at all.
BARE = 'html => { document.body.innerHTML = html.replace(/<script>[^]*<\\/script>/g, ""); }'


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={'width': 1000, 'height': 800}, offline=True, reduced_motion='reduce')
    page = context.new_page()
    page.errors = []
    page.on('pageerror', lambda error: page.errors.append(str(error)))
    page.goto('about:blank')
    yield page
    context.close()


def steps(page, root) -> None:
    picture = Picture(page, root)
    first = root.locator('.title').inner_text()
    picture.button('Next').click()
    expect(root.locator('.title')).not_to_have_text(first)
    assert picture.step == 2
    assert page.errors == []


def test_in_a_frame_without_rights_it_steps(page):
    page.evaluate(FRAME, fragment(films(), STILL))
    steps(page, page.frame_locator('iframe').locator('.mc2'))


def test_laid_into_a_page_by_a_script_it_steps(page):
    page.evaluate(LAID, fragment(films(), STILL))
    steps(page, page.locator('.mc2'))


def test_laid_into_a_page_twice_each_steps_alone(page):
    for _ in range(2):
        page.evaluate(LAID, fragment(films(), STILL))
    first, second = page.locator('.mc2').all()
    before = second.locator('.title').inner_text()
    steps(page, first)
    assert second.locator('.title').inner_text() == before


def test_where_no_script_runs_the_still_says_what_it_shows(page):
    page.evaluate(BARE, fragment(films(), STILL))
    picture = page.locator('.mc2 img')
    assert len(picture.get_attribute('alt')) > 20
    assert page.locator('script').count() == 0
