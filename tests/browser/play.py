"""What the tests of the player share: pages with a picture in them, on loopback and as files, and looks at one."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page

from minicell.ink.line import Mark, step_line
from minicell.ink.page.fragment import fragment, page
from tests.browser.lab import Seen
from tests.browser.served import served
from tests.view.toy import films, toy

WIDE, NARROW = {'width': 1000, 'height': 768}, {'width': 390, 'height': 844}
PATIENCE = 10_000  # ms: what is waited for comes in a fraction of it, or never
KEYS = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'Enter', 'Escape', ' ', 'a', 'd', 'Shift']
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"/>'
HEAR = """() => {
  window.heard = [];
  document.addEventListener('keydown', event => window.heard.push(event.key));
}"""
SMALL = """(root, within) => {
  const scale = one => { const m = one.getScreenCTM?.(); return m ? Math.hypot(m.a, m.b) : 1; };
  return [...root.querySelectorAll(within)].filter(one => one.checkVisibility())
    .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    .map(one => [parseFloat(getComputedStyle(one).fontSize) * scale(one), one.textContent.slice(0, 40)])
    .filter(([size]) => size < 11.99);
}"""
NAMES = ('x', 'y', 'width', 'height', 'rx', 'd', 'class', 'v')
DRAWN = """() => [...document.querySelectorAll('.box > svg > *')].map(shape => [shape.tagName, shape.textContent,
  Object.fromEntries(NAMES.map(name => [name, shape.getAttribute(name)])),
  shape.style.cssText])""".replace('NAMES', str(list(NAMES)))
# From the key's own time stamp to the frame after the one that shows its change.
TIME = """() => new Promise(resolve => document.addEventListener('keydown', event => {
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - event.timeStamp)));
}, {capture: true, once: true}))"""
# What does next to nothing at a key: with it, a picture is compared.
ECHO = '<div class="echo" tabindex="0" '
ECHO += 'onkeydown="this.textContent = event.timeStamp">-</div>'
SLOWER, TRIES = (1.6, 3), 4  # times as slow as that, at the median and at the 95th percentile, in one of a few tries


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
    pages |= {f'{name} and echo': pages[name].replace('</body>', f'{ECHO}</body>') for name in ('toy', 'many')}
    (folder / 'favicon.ico').write_bytes(b'')  # Chromium asks for one
    for name, text in pages.items():
        (folder / f'{name}.html').write_text(text, encoding='utf-8')
    with served(folder) as url:
        yield Site(folder, url.rstrip('/'))


def many(count: int):
    """A film of many steps, each with shapes of its own."""
    film = toy(steps=1)
    frame, step = film.frames[0], film.steps[0]
    marks = [Mark(i, 'takeover', 'bf') for i in range(0, count, 9)]
    film.line, places = step_line(count, marks, label='Step of the tape')
    film.frames, film.steps = [], []
    for i in range(count):
        new = type(frame)(frame)
        for k in range(8):
            new.rect(f'{i} {k}', 346 + 50 * k, 300, 44, 24, 'tile', rx=3)
            new.text(f'{i} {k} t', 350 + 50 * k, 317, f'{i + k}', 'n')
        film.add(new, step._replace(at=places[i], title=f'Step {i}'))
    return film


@contextlib.contextmanager
def visits(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens addresses; at the end nothing may have gone wrong in any of them."""
    opened: list[Page] = []

    def visit(address: str, viewport: dict = WIDE, moving: bool = False, **options: Any) -> Page:
        motion = 'no-preference' if moving else 'reduce'
        tab = browser.new_page(viewport=viewport, reduced_motion=motion, **options)
        tab.set_default_timeout(PATIENCE)
        tab.seen = Seen()
        tab.seen.watch(tab)
        opened.append(tab)
        tab.goto(address)
        return tab

    yield visit
    for tab in opened:
        tab.close()
    assert all(tab.seen.well(alone=False) for tab in opened)


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """visit(name) -> a page of the folder."""
    with visits(browser) as opens:
        yield lambda name='toy', file=False, **options: opens(
            f'file://{site.folder}/{name}.html' if file else f'{site.url}/{name}.html', **options
        )


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


def small(root: Page | Locator, within: str = '.mc2 *') -> list:
    """Texts that are too small to be read; sizes are those on the screen: an SVG scales its own, and turns some."""
    root = root.locator('html') if isinstance(root, Page) else root
    return root.evaluate(SMALL, within)


def step_is_painted_at_once(tab: Page, show: Callable[[], Locator], turn: int) -> None:
    """A step, to and fro over `turn` of them, is painted about as soon as a key in what does next to nothing.

    `show` brings the tape line into view. Both are timed in one page: other work on the machine slows both.
    """
    for _ in range(TRIES):
        tab.locator('.echo').first.scroll_into_view_if_needed()
        tab.locator('.echo').first.focus()
        bare = spread([timed(tab, 'a') for _ in range(20)])
        show().focus()
        tab.keyboard.press('Home')
        times = spread([timed(tab, 'ArrowRight' if n % (2 * turn) < turn else 'ArrowLeft') for n in range(60)])
        print(f'median {times[0]:.1f}, p95 {times[1]:.1f} ms of a step, {bare[0]:.1f} and {bare[1]:.1f} of a bare key')
        if all(time < slower * other for time, slower, other in zip(times, SLOWER, bare, strict=True)):
            return
    pytest.fail(f'a step takes {times} ms, a key in a page with next to nothing {bare}')


def spread(times: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return median(times), quantiles(times, n=20)[-1]


def timed(tab: Page, key: str) -> float:
    """Milliseconds from a key to its paint."""
    waiting = tab.evaluate_handle(f'() => ({{painted: ({TIME})()}})')
    tab.keyboard.press(key)
    return waiting.evaluate('one => one.painted')


def number(tab: Page, value: str) -> Locator:
    return tab.locator(f'[rc="{value}"]')


def check_drawn(tab: Page, narrow: bool = False) -> None:
    """What the page shows is what Python drew, in its paint order, and nothing is left of a motion."""
    film, step = toy(narrow), now(tab)
    frame, order = film.frames[step], [key for _, key, _ in film.nodes]
    drawn = [
        [shape.tag, str(shape.attrs.get('T', '')), {name: shape.attrs.get(name) for name in NAMES}, '']
        for key, shape in sorted(frame.items(), key=lambda pair: order.index(pair[0]))
    ]
    shown = tab.evaluate(DRAWN)
    for each in shown:
        for name in ('x', 'y', 'width', 'height', 'rx'):
            each[2][name] = each[2][name] and float(each[2][name])
    assert shown == drawn
