"""The course as a site: opened from file://, with the network off, every tape steps, and nothing is fetched."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from minicell.command.site import pyodide
from minicell.teach.about import about
from tests.browser.axe import axe
from tests.browser.front import SIDEWAYS, SIZES, TAPPED, clean, closed, new, python_asked
from tests.browser.picture import pictures
from tests.browser.play import small
from tests.browser.served import served
from tests.browser.test_exercises import answers, check, due
from tests.servers import ROOT
from tests.test_lite import full_progress

pytestmark = pytest.mark.nightly

LESSONS = sorted(path.stem for path in (ROOT / 'lessons').glob('[0-9][0-9]_*.ipynb'))
MEGABYTES = 25  # without Python, which is fetched when it is needed
# Figures that wait for an answer are open.
OPENED = """() => document.querySelectorAll('.mc-card .opened').forEach(one => {
  Object.assign(one, {hidden: false, open: true});
})"""
TAPES = {'10_who_owns_w': 2}  # and one in every other lesson


@pytest.fixture(scope='module')
def site(tmp_path_factory) -> Path:
    """The whole course with Python beside it, written by the command of somebody who has answered everything."""
    folder, kept = tmp_path_factory.mktemp('site'), full_progress(tmp_path_factory.mktemp('home'))
    before, env = kept.read_bytes(), {**os.environ, 'JUPYTER_DATA_DIR': str(kept.parents[1])}
    env.pop('MINICELL_PROGRESS', None)
    run = [sys.executable, '-m', 'minicell', 'site', '--python', str(folder)]
    done = subprocess.run(run, cwd=ROOT, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    assert kept.read_bytes() == before
    return folder


def test_nobodys_progress_name_or_path_is_in_it_and_no_link_is_dead(site):
    texts = [path for end in ('html', 'js', 'css', 'txt', 'json', 'py') for path in site.rglob(f'*.{end}')]
    texts = [path for path in texts if 'licences' not in path.parts]
    told = {path.name: path.read_text(encoding='utf-8', errors='replace') for path in texts}
    traces = 'somebody/', f'{Path.home()}/', str(ROOT), str(site), 'So far: '
    assert [(name, each) for name, text in told.items() for each in traces if each in text] == []
    crawl = [sys.executable, '.github/crawl.py', str(site)]
    done = subprocess.run(crawl, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and re.search(r'^0 of \d{4,} links', done.stdout, re.M), done.stdout


@pytest.fixture(scope='module')
def page(site: Path, browser: Browser) -> Iterator[Page]:
    page = new(browser, (1280, 900), offline=True)
    yield page
    page.context.close()


def open_page(page: Page, site: Path, name: str) -> None:
    page.seen.clear()  # axe looks for style sheets, which Chromium refuses it in a file, and says so
    page.asked.clear()
    page.goto((site / f'{name}.html').as_uri())


def test_it_is_small_and_whole(site):
    assert {path.stem for path in site.glob('*.html')} == {*LESSONS, 'index', 'course', 'how', 'mindspore'}
    files = [path for path in site.rglob('*') if path.is_file() and pyodide.FOLDER not in path.parts]
    assert sum(path.stat().st_size for path in files) < MEGABYTES * 1e6
    for path in site.glob('*.html'):
        text = path.read_text(encoding='utf-8')
        # what a page loads stands beside it; a reader may press a link that leads elsewhere
        loads = [*re.findall(r'\bsrc="([^"]+)', text), *re.findall(r'<(?:link|base)\b[^>]*\bhref="([^"]+)', text)]
        assert not [each for each in loads if each.startswith(('//', 'http'))], path.name
        names = re.findall(r'\bid="([^"]+)"', text)
        assert len(names) == len(set(names)), f'{path.name} has the same id twice'


@pytest.mark.parametrize('name', LESSONS)
def test_every_tape_steps_by_buttons_line_and_keys(name, page, site):
    open_page(page, site, name)
    assert page.locator('h1').count() == 1
    page.evaluate(OPENED)
    shown = pictures(page)
    tapes = [each for each in shown if each.slider.get_attribute('aria-label') == 'Step of the tape']
    assert len(tapes) == TAPES.get(name, 1) and all(each.step == 1 or '00' in name for each in tapes)
    for tape in shown:
        total = tape.steps
        if tape.step > 1:  # a figure opens where its text begins
            tape.press('Home')
        first, height = tape.text(), tape.root.bounding_box()['height']
        tape.button('Next').click()
        assert tape.step == 2 and tape.text() != first
        tape.button('Back').click()
        assert (tape.step, tape.text()) == (1, first)
        for key, at in (('ArrowRight', 2), ('End', total), ('ArrowLeft', total - 1), ('Home', 1)):
            assert tape.press(key) is not None
            assert tape.step == at
        line = tape.slider.bounding_box()
        tape.slider.click(position={'x': line['width'] / 2, 'y': line['height'] / 2})
        assert 1 < tape.step < total
        for jump in tape.root.locator('button[data-step]').all():
            jump.click()
            assert str(tape.step - 1) in jump.get_attribute('data-step').split()  # of several the next
        assert tape.root.bounding_box()['height'] == height, 'it grows while it steps'
    clean(page)


def test_as_a_file_a_question_is_answered_in_the_page_and_it_says_once_what_an_exercise_needs(page, site):
    open_page(page, site, '03_takeover')
    assert page.locator('#l03-exercise-3a').get_by_text('web server').count() == 1
    assert page.get_by_text('web server').count() == 1, 'said once'
    question, result = page.locator('#l03-prediction'), page.locator('#l03-run')
    assert not result.get_by_text('1.50000000e+00').is_visible()
    question.get_by_role('radio').first.check()
    question.get_by_role('button', name='Commit').click()
    assert 'The belief behind it' in question.inner_text()
    assert result.get_by_text('1.50000000e+00').is_visible() and 'So far' not in page.inner_text('main')


@pytest.mark.parametrize('scheme, ground', [('light', 'rgb(255, 255, 255)'), ('dark', 'rgb(18, 20, 22)')])
def test_a_tape_is_as_light_as_its_page(scheme, ground, page, site):
    page.emulate_media(color_scheme=scheme)
    open_page(page, site, '03_takeover')
    tape, _ = pictures(page)
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
        assert small(page, 'body *') == [], name
        assert page.evaluate(TAPPED) == [], name
    page.set_viewport_size({'width': 1280, 'height': 900})


@pytest.mark.parametrize('number, name', list(enumerate(LESSONS)))
def test_axe_finds_nothing_serious(number, name, page, site):
    size = SIZES[number % 3]  # each in both themes, of one lesson or another
    page.set_viewport_size({'width': size[0], 'height': size[1]})
    page.emulate_media(color_scheme='dark' if number % 2 else 'light')
    open_page(page, site, name)
    found = axe(page).serious
    page.emulate_media(color_scheme='light')
    page.set_viewport_size({'width': 1280, 'height': 900})
    assert found == []


@pytest.fixture(scope='module')
def reader(site: Path, browser: Browser) -> Iterator[tuple[Page, str]]:
    """A page from a server, in one browser for all lessons, and where the site is."""
    with served(site) as url:
        page = new(browser, (1280, 900))
        yield page, url
        asked = [each.rpartition('/')[2] for each in python_asked(page)]
        closed(page)
        # Python came once for all of them
        assert {name: asked.count(pyodide.stored(name)) for name in pyodide.FILES} == dict.fromkeys(pyodide.FILES, 1)


@pytest.mark.parametrize('name', [name for name in LESSONS if name[:2] != '00'])
def test_every_question_and_exercise_is_answered_right_wrong_and_by_raising(name, reader):
    page, url = reader
    page.goto(f'{url}{name}.html')
    for card in page.locator('.mc-card.question').all():
        card.get_by_role('radio').last.check()
        card.get_by_role('button', name='Commit').click()
        expect(card.locator('.mark').first).to_contain_text('your answer')
        expect(card.locator('.right')).to_have_count(1)
    tried = about(name[:2]).exercises
    assert {card.get_attribute('aria-label') for card in page.locator('.mc-card.exercise.live').all()} == {
        f'Exercise {each}' for each in tried
    }
    told = {}
    for each in tried:
        for code in answers(each):
            if (said := check(page, each, code)) != due(each, code):
                told[each, code] = said
    assert told == {}
    expect(page.locator('.mc-card.progress').first).to_contain_text(re.compile(r'(\d+) of \1 done'))
    assert page.evaluate(SIDEWAYS) <= 0
