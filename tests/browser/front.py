"""The site without its lessons, served on loopback with Pyodide beside it, and pages that note whom they ask."""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from minicell.command import site
from minicell.command.site import front
from tests.browser.lab import LOOPBACK, ROOT
from tests.browser.picture import Picture, pictures

PATIENCE = 120_000  # ms
WIDE, MIDDLE, PHONE = SIZES = (1366, 768), (900, 900), (390, 844)
# Texts that are too small to be read, in the page and in its picture, and how far it scrolls sideways.
SMALL = """() => [...document.querySelectorAll('body *')].filter(one => one.checkVisibility())
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
  .map(one => {
    const m = one.getScreenCTM?.() ?? {a: 1, b: 0};
    return [parseFloat(getComputedStyle(one).fontSize) * Math.hypot(m.a, m.b), one.textContent.slice(0, 40)];
  }).filter(([size]) => size < 11.99)"""
SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
# What can be pressed and is lower or narrower than a finger needs; links within a sentence are as high as its line.
TAPPED = """() => [...document.querySelectorAll('a, button, summary, label, textarea')]
  .filter(one => one.checkVisibility() && !one.closest('p:not(.onwards, .run)') && !one.matches('.skip'))
  .map(one => [one.getBoundingClientRect(), one.textContent.trim()])
  .filter(([box]) => Math.min(box.width, box.height) < 23.9).map(([box, text]) => [box.width, box.height, text])"""


class Quiet(SimpleHTTPRequestHandler):
    """Python's own web server, without a word for each request; it never says that a file has not changed."""

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope='session')
def front_folder(tmp_path_factory) -> Path:
    """The site without its lessons, with Pyodide beside it."""
    folder = tmp_path_factory.mktemp('front')
    site.lay_styles(folder)
    course = [(path.stem, path.stem) for path in sorted((ROOT / 'lessons').glob('[0-9]*.ipynb'))]
    pages = [*site.others(folder, course), front.write(folder, beside=True)]
    for page in pages:
        site.keep(folder, page, '')
    site.keep_index(folder, pages)
    return folder


@pytest.fixture(scope='session')
def front_url(front_folder: Path) -> Iterator[str]:
    """Where it is served."""
    server = ThreadingHTTPServer((LOOPBACK, 0), functools.partial(Quiet, directory=str(front_folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f'http://{LOOPBACK}:{server.server_port}/'
    server.shutdown()
    server.server_close()
    thread.join()


def new(browser: Browser, size: tuple[int, int] = SIZES[0], scheme: str = 'light', **options) -> Page:
    """A page that notes whom it asks, and what it complains about."""
    viewport = {'width': size[0], 'height': size[1]}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion='reduce', **options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.seen, page.asked = [], []
    page.on('console', lambda message: page.seen.append(f'{message.type}: {message.text}'))
    page.on('pageerror', lambda error: page.seen.append(str(error)))
    context.on('request', lambda request: page.asked.append(request.url))
    return page


def closed(page: Page) -> None:
    """Nothing went wrong in it, and nobody else was asked."""
    far = [url for url in page.asked if not url.startswith((f'http://{LOOPBACK}:', 'file:', 'data:', 'blob:'))]
    page.context.close()
    assert (page.seen, far) == ([], [])


def python_asked(page: Page) -> list[str]:
    return [url for url in page.asked if '/python/' in url]


def tape(page: Page) -> Picture:
    (found,) = pictures(page, page.locator('.stage'))
    return found


def choose(page: Page, option: str) -> None:
    page.locator('.scene.shown label', has_text=option).click()
