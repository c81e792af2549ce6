"""What the tests of the player share: pages with a picture in them, on loopback and as files, and looks at one."""

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page

from minicell.view.page.fragment import fragment, page
from minicell.view.paint.line import Mark, step_line
from tests.browser.lab import LOOPBACK, Seen
from tests.view.toy import films, toy

WIDE, NARROW = {'width': 1000, 'height': 768}, {'width': 390, 'height': 844}
PATIENCE = 10_000  # ms: what is waited for comes in a fraction of it, or never
KEYS = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'Enter', 'Escape', ' ', 'a', 'd', 'Shift']
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"/>'
HEAR = """() => {
  window.heard = [];
  document.addEventListener('keydown', event => window.heard.push(event.key));
}"""
NAMES = ('x', 'y', 'width', 'height', 'rx', 'd', 'class', 'v')
DRAWN = """() => [...document.querySelectorAll('.box > svg > *')].map(shape => [shape.tagName, shape.textContent,
  Object.fromEntries(NAMES.map(name => [name, shape.getAttribute(name)])),
  shape.style.cssText])""".replace('NAMES', str(list(NAMES)))
# From the key's own time stamp until the frame that it asked for is drawn.
PAINTED = """key => new Promise(resolve => {
  document.addEventListener('keydown', event => {
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - event.timeStamp)));
  }, {capture: true, once: true});
})"""
# Sizes as they are on the screen: an SVG scales its own.
SMALL = """root => {
  const scale = one => { const m = one.getScreenCTM?.(); return m ? Math.hypot(m.a, m.b) : 1; };  // some are turned
  return [...(root ?? document).querySelectorAll('.mc2 *')].filter(one => one.checkVisibility())
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
  .map(one => [parseFloat(getComputedStyle(one).fontSize) * scale(one), one.textContent])
  .filter(([size]) => size < 11.99);
}"""


class Site(NamedTuple):
    """Where the pages lie, and where they are served."""

    folder: Path
    url: str


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A folder of pages, served on loopback."""
    folder = tmp_path_factory.mktemp('pages')
    one, two = fragment(films(), EMPTY, open=3), fragment([toy()], EMPTY, open=-1)
    pages = {
        'toy': page(films(), 'A toy'),
        'wide': page([toy()], 'One layout'),
        'two': f'<!doctype html><meta charset="utf-8"><div>{one}</div><div>{two}</div>',
        'many': page([many(600)], 'A long tape'),
    }
    (folder / 'favicon.ico').write_bytes(b'')  # Chromium asks for one
    for name, text in pages.items():
        (folder / f'{name}.html').write_text(text, encoding='utf-8')
    handler = type('Quiet', (http.server.SimpleHTTPRequestHandler,), {'log_message': lambda *_: None})
    with http.server.ThreadingHTTPServer((LOOPBACK, 0), functools.partial(handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Site(folder, f'http://{LOOPBACK}:{server.server_port}')
        server.shutdown()


def many(count: int):
    """A film of many steps, each with shapes of its own."""
    film = toy(steps=1)
    frame, step = film.frames[0], film.steps[0]
    film.line, places = step_line(count, [Mark(i, 'takeover', 'bf') for i in range(0, count, 9)])
    film.frames, film.steps = [], []
    for i in range(count):
        new = type(frame)(frame)
        for k in range(8):
            new.rect(f'{i} {k}', 346 + 50 * k, 300, 44, 24, 'tile', rx=3)
            new.text(f'{i} {k} t', 350 + 50 * k, 317, f'{i + k}', 'n')
        film.add(new, step._replace(at=places[i], title=f'Step {i}'))
    return film


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Opens a page; at the end nothing may have gone wrong in any of them."""
    opened: list[tuple[Page, Seen]] = []

    def visit(
        name: str = 'toy', viewport: dict = WIDE, moving: bool = False, file: bool = False, **options: Any
    ) -> Page:
        motion = 'no-preference' if moving else 'reduce'
        tab = browser.new_page(viewport=viewport, reduced_motion=motion, **options)
        tab.set_default_timeout(PATIENCE)
        seen = Seen()
        seen.watch(tab)
        opened.append((tab, seen))
        tab.goto(f'file://{site.folder}/{name}.html' if file else f'{site.url}/{name}.html')
        return tab

    yield visit
    found = [(seen.console, seen.failed) for _, seen in opened]
    for tab, _ in opened:
        tab.close()
    assert found == [([], [])] * len(opened)


def slider(tab: Page, view: int = 0) -> Locator:
    return tab.get_by_role('slider').nth(view)


def now(tab: Page, view: int = 0) -> int:
    """The step that a view shows, counted from 0."""
    return int(slider(tab, view).get_attribute('aria-valuenow')) - 1


def go(tab: Page, step: int) -> None:
    """Go to a step by the keyboard."""
    slider(tab).focus()
    tab.keyboard.press('Home')
    for _ in range(step):
        tab.keyboard.press('ArrowRight')
    assert now(tab) == step


def number(tab: Page, value: str) -> Locator:
    return tab.locator(f'[rc="{value}"]')


def check_drawn(tab: Page, narrow: bool = False) -> None:
    """What the page shows is what Python drew, in its paint order, and nothing is left of a motion."""
    film, step = toy(narrow), now(tab)
    frame, order = film.frames[step], [key for _, key, _ in film.nodes()]
    drawn = [
        [shape.tag, str(shape.attrs.get('T', '')), {name: shape.attrs.get(name) for name in NAMES}, '']
        for key, shape in sorted(frame.items(), key=lambda pair: order.index(pair[0]))
    ]
    shown = tab.evaluate(DRAWN)
    for each in shown:
        for name in ('x', 'y', 'width', 'height', 'rx'):
            each[2][name] = each[2][name] and float(each[2][name])
    assert shown == drawn
