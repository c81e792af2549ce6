"""The course as a site: opened from file://, with the network off, every tape steps, and nothing is fetched."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.front import SIDEWAYS, SMALL, TAPPED
from tests.browser.lab import ROOT
from tests.browser.picture import pictures

pytestmark = pytest.mark.browser

LESSONS = sorted(path.stem for path in (ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))
MEGABYTES = 25  # without Python
TAPES = {'10_who_owns_w': 2}  # and one in every other lesson


@pytest.fixture(scope='module')
def site(tmp_path_factory) -> Path:
    """The whole course, written by the command."""
    folder = tmp_path_factory.mktemp('site')
    done = subprocess.run(
        [sys.executable, '-m', 'minicell', 'site', str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.fixture(scope='module')
def page(site: Path, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={'width': 1280, 'height': 900}, offline=True, reduced_motion='reduce')
    page = context.new_page()
    page.seen = []
    page.on('console', lambda message: page.seen.append(f'{message.type}: {message.text}'))
    page.on('pageerror', lambda error: page.seen.append(str(error)))
    page.on(
        'request', lambda request: page.seen.append(request.url) if request.url[:5] not in ('file:', 'data:') else 0
    )
    yield page
    context.close()


def open_page(page: Page, site: Path, name: str) -> None:
    page.seen.clear()
    page.goto((site / f'{name}.html').as_uri())


def test_it_is_small_and_whole(site):
    assert {path.stem for path in site.glob('*.html')} == {*LESSONS, 'index', 'course', 'how', 'mindspore'}
    size = sum(path.stat().st_size for path in site.rglob('*') if path.is_file())
    print(f'{size / 1e6:.1f} MB')
    assert size < MEGABYTES * 1e6
    for path in site.glob('*.html'):
        text = path.read_text(encoding='utf-8')
        # what a page loads stands beside it; a reader may press a link that leads elsewhere
        assert not re.search(r'(?:\bsrc|<(?:link|base)\b[^>]*\bhref)="(?:https?:)?//', text), path.name
        for target in re.findall(r'href="([^"#:]+)"', text):
            assert (site / target).is_file(), f'{path.name} leads to {target}'
        names = re.findall(r'\bid="([^"]+)"', text)
        assert len(names) == len(set(names)), f'{path.name} has the same id twice'


@pytest.mark.parametrize('name', LESSONS)
def test_every_tape_steps_by_buttons_line_and_keys(name, page, site):
    open_page(page, site, name)
    assert page.locator('h1').count() == 1
    shown = pictures(page)
    assert len(shown) == TAPES.get(name, 1)
    for tape in shown:
        total, title = tape.steps, tape.root.locator('.title')
        assert tape.step == 1
        first, height = title.inner_text(), tape.root.bounding_box()['height']
        tape.button('Next').click()
        assert tape.step == 2 and title.inner_text() != first
        tape.button('Back').click()
        assert (tape.step, title.inner_text()) == (1, first)
        for key, due in (('ArrowRight', 2), ('End', total), ('ArrowLeft', total - 1), ('Home', 1)):
            assert tape.press(key) is not None
            assert tape.step == due
        line = tape.slider.bounding_box()
        tape.slider.click(position={'x': line['width'] / 2, 'y': line['height'] / 2})
        assert 1 < tape.step < total
        for jump in tape.root.locator('button[data-step]').all():
            jump.click()
            assert tape.step == int(jump.get_attribute('data-step')) + 1
        assert tape.root.bounding_box()['height'] == height, 'it grows while it steps'
    assert page.seen == []


def test_play_goes_on_by_itself_and_stops(page, site):
    open_page(page, site, '03_takeover')
    (tape,) = pictures(page)
    tape.button('Play').click()
    expect(tape.slider).to_have_attribute('aria-valuenow', '2')
    tape.button('Pause').click()
    expect(tape.button('Play')).to_be_visible()
    tape.press('End')
    tape.button('Play').click()  # at the end it begins again
    expect(tape.slider).to_have_attribute('aria-valuenow', '1')
    tape.button('Pause').click()


def test_a_question_says_where_it_can_be_answered(page, site):
    open_page(page, site, '03_takeover')
    assert 'To answer, run this lesson' in page.locator('#l03-prediction').inner_text()
    assert page.locator('#l03-prediction input').count() == 0, 'a control that does nothing'


@pytest.mark.parametrize('scheme, ground', [('light', 'rgb(255, 255, 255)'), ('dark', 'rgb(18, 20, 22)')])
def test_a_tape_is_as_light_as_its_page(scheme, ground, page, site):
    page.emulate_media(color_scheme=scheme)
    open_page(page, site, '03_takeover')
    (tape,) = pictures(page)
    parts = tape.root, page.locator('body')
    grounds = [one.evaluate('one => getComputedStyle(one).backgroundColor') for one in parts]
    page.emulate_media(color_scheme='light')
    assert grounds == [ground] * 2


def test_on_a_phone_nothing_scrolls_sideways_and_all_can_be_read_and_pressed(page, site):
    page.set_viewport_size({'width': 390, 'height': 844})
    for name in LESSONS:
        open_page(page, site, name)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate(SIDEWAYS) <= 0, name
        assert page.evaluate(SMALL) == [], name
        assert page.evaluate(TAPPED) == [], name
    page.set_viewport_size({'width': 1280, 'height': 900})


@pytest.mark.parametrize('number, name', list(enumerate(LESSONS)))
def test_axe_finds_nothing_serious(number, name, page, site):
    page.emulate_media(color_scheme='dark' if number % 2 else 'light')
    open_page(page, site, name)
    found = [each for each in Axe().run(page).response['violations'] if each['impact'] in ('serious', 'critical')]
    page.emulate_media(color_scheme='light')
    told = [f'{each["id"]}: {each["help"]}: {each["nodes"][0]["html"][:200]}' for each in found]
    assert told == []


def test_screenshots(page, site, shots: Path):
    shots.mkdir(parents=True, exist_ok=True)
    for name in ('course', '03_takeover'):
        open_page(page, site, name)
        page.screenshot(path=shots / f'site_{name}.png', full_page=True)
        assert (shots / f'site_{name}.png').stat().st_size > 10_000
