"""The first page as its reader has it: looked at, and typed into once Python runs in it."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from minicell.command.site import pyodide
from minicell.command.site.front import source
from minicell.command.site.front.scenes import OPENS, SCENES, programs
from tests.browser.lab import LOOPBACK
from tests.browser.picture import Picture, pictures

PATIENCE = 120_000  # ms
WIDE, MIDDLE, PHONE = SIZES = (1366, 768), (900, 900), (390, 844)
SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
# What can be pressed and is lower or narrower than a finger needs; links within a sentence are as high as its line.
TAPPED = """() => [...document.querySelectorAll('a, button, summary, label, textarea')]
  .filter(one => one.checkVisibility() && !one.closest('p:not(.onwards, .run)') && !one.matches('.skip'))
  .map(one => [one.getBoundingClientRect(), one.textContent.trim()])
  .filter(([box]) => Math.min(box.width, box.height) < 23.9).map(([box, text]) => [box.width, box.height, text])"""
TYPE = """text => {
  document.getElementById('code').value = text;
  document.getElementById('code').dispatchEvent(new Event('input'));
}"""
# Milliseconds from an edit until the frame that shows its picture.
EDIT = """text => new Promise(done => {
  const code = document.getElementById('code'), root = document.getElementById('picture'), began = performance.now();
  new MutationObserver((changes, watch) => {
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  }).observe(root, {attributes: true, attributeFilter: ['data-run']});
  code.value = text;
  code.dispatchEvent(new Event('input'));
})"""
# Keep what Python answers, for a test to read.
HEAR = """window.Worker = class extends Worker {
  constructor(...which) {
    super(...which);
    this.addEventListener('message', ({data}) => { if (data.kind === 'run') window.answer = data; });
  }
};"""


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


def clean(page: Page) -> None:
    """Nothing went wrong in it, and nobody else was asked."""
    far = [url for url in page.asked if not url.startswith((f'http://{LOOPBACK}:', 'file:', 'data:', 'blob:'))]
    assert (page.seen, far) == ([], [])


def closed(page: Page) -> None:
    """It is clean, and no longer open."""
    page.context.close()
    clean(page)


@pytest.fixture
def look(browser: Browser, url: str) -> Iterator[Callable[..., Page]]:
    """look(where) -> a page of the site, or another address; at the end each is clean."""
    pages = []

    def look(where: str = '', *size_and_scheme: Any, **options: Any) -> Page:
        pages.append(new(browser, *size_and_scheme, **options))
        pages[-1].goto(where if '://' in where else url + where)
        return pages[-1]

    yield look
    for page in pages:
        closed(page)


def python_asked(page: Page) -> list[str]:
    return [url for url in page.asked if '/python/' in url]


def tape(page: Page) -> Picture:
    (found,) = pictures(page, page.locator('.stage'))
    return found


def choose(page: Page, option: str) -> None:
    page.locator('.scene.shown label', has_text=option).click()


def wait_for_run(page: Page, number: int) -> None:
    page.wait_for_selector(f'#picture[data-run="{number}"]')


@pytest.fixture(scope='module')
def typing(browser: Browser, url: str) -> Iterator[Page]:
    """A page whose Python runs; `first` is how long its first run took, with the start of Python."""
    page = new(browser)
    page.add_init_script(HEAR)
    page.goto(url + '#scene=3')
    page.locator('.tabs a').last.click()
    assert page.locator('#code').input_value() == programs()[SCENES[OPENS].program], 'what the scene shows'
    text = page.locator('#about-typing').inner_text()
    assert f'{pyodide.megabytes(source("program.py").encode())} MB' in text and python_asked(page) == [], (
        'its size is said before'
    )
    began = time.monotonic()
    page.locator('#run').click()
    expect(page.locator('#bar')).to_be_visible()
    wait_for_run(page, 1)
    page.runs, page.first = 1, time.monotonic() - began
    print(f'own first picture {page.first:.1f} s')
    yield page
    closed(page)


def type_in(page: Page, text: str) -> None:
    """Replace the program, as one edit."""
    page.runs += 1
    page.evaluate(TYPE, text)


def edit(page: Page, text: str) -> float:
    """Replace the program; return the seconds until its picture, or its error, is there."""
    page.runs += 1
    return page.evaluate(EDIT, text) / 1000
