"""The course as a site: opened from file://, with the network off, every tape steps, and nothing is fetched."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.lab import ROOT

pytestmark = pytest.mark.browser

LESSONS = sorted(path.stem for path in (ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))
MEGABYTES = 30
COUNT = re.compile(r'(\d+) of (\d+)')


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
    assert {path.stem for path in site.glob('*.html')} == {*LESSONS, 'index'}
    assert sum(path.stat().st_size for path in site.rglob('*') if path.is_file()) < MEGABYTES * 1e6
    for path in site.glob('*.html'):
        text = path.read_text(encoding='utf-8')
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text), path.name
        for target in re.findall(r'href="([^"#:]+)"', text):
            assert (site / target).is_file(), f'{path.name} leads to {target}'
        names = re.findall(r'\bid="([^"]+)"', text)
        assert len(names) == len(set(names)), f'{path.name} has the same id twice'


@pytest.mark.parametrize('name', LESSONS)
def test_every_tape_steps_by_buttons_slider_play_and_keys(name, page, site):
    open_page(page, site, name)
    assert page.locator('h1').count() == 1
    for tape in page.locator('figure.tape').all():
        frames, slider, said = tape.locator('.frame'), tape.locator('input'), tape.locator('output')
        total = frames.count()

        def at(tape=tape, said=said, slider=slider) -> int:
            place, of = map(int, COUNT.fullmatch(said.inner_text()).groups())
            shown = tape.evaluate('t => [...t.querySelectorAll(".frame")].map(f => !f.hidden)')
            assert (of, [k + 1 for k, on in enumerate(shown) if on]) == (len(shown), [place])
            assert int(slider.input_value()) == place
            return place

        assert at() == 1
        height = tape.bounding_box()['height']
        tape.locator('[data-go=next]').click()
        assert at() == min(2, total)
        tape.locator('[data-go=last]').click()
        assert at() == total
        tape.locator('[data-go=back]').click()
        assert at() == max(1, total - 1)
        tape.locator('[data-go=first]').click()
        slider.focus()
        for key, due in (('ArrowRight', min(2, total)), ('End', total), ('Home', 1)):
            page.keyboard.press(key)
            assert at() == due
        assert tape.bounding_box()['height'] == height
    assert page.seen == []


def test_play_goes_on_by_itself_and_stops(page, site):
    open_page(page, site, '03_takeover')
    tape = page.locator('figure.tape').first
    play = tape.locator('[data-go=play]')
    play.click()
    page.wait_for_function('t => t.querySelector("output").textContent.startsWith("2 ")', arg=tape.element_handle())
    assert play.inner_text() == 'Pause'
    play.click()
    assert play.inner_text() == 'Play'
    tape.locator('[data-go=last]').click()
    play.click()  # at the end it begins again
    assert tape.locator('output').inner_text().startswith('1 ')
    play.click()


def test_a_question_says_where_it_can_be_answered(page, site):
    open_page(page, site, '03_takeover')
    assert 'To answer, run this lesson' in page.locator('#l03-prediction').inner_text()
    assert page.locator('#l03-prediction input').count() == 0, 'a control that does nothing'


@pytest.mark.parametrize('name', ['index', *LESSONS])
def test_axe_finds_nothing_serious(name, page, site):
    open_page(page, site, name)
    found = [each for each in Axe().run(page).response['violations'] if each['impact'] in ('serious', 'critical')]
    told = [f'{each["id"]}: {each["help"]}: {each["nodes"][0]["html"][:200]}' for each in found]
    assert told == []


def test_screenshots(page, site, shots: Path):
    shots.mkdir(parents=True, exist_ok=True)
    for name in ('index', '03_takeover'):
        open_page(page, site, name)
        page.screenshot(path=shots / f'site_{name}.png', full_page=True)
        assert (shots / f'site_{name}.png').stat().st_size > 10_000
