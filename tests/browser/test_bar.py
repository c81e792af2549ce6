"""What all pages of the site have: all can be read and pressed; the bar searches, and shows other words."""

import re

import pytest
from playwright.sync_api import Page, expect

from minicell.command import site
from minicell.command.site import elsewhere
from minicell.command.site.document import FRAMEWORKS
from minicell.command.site.front.scenes import SCENES
from tests.browser.axe import axe
from tests.browser.front import PHONE, SIDEWAYS, SIZES, TAPPED, WIDE, closed, new
from tests.browser.play import small
from tests.messages import tells

pytestmark = pytest.mark.nightly

# By axe, which takes longest; half of it goes to the page of tables, which is measured once.
MEASURED = {(1366, 'light'), (390, 'dark')}
OTHERS = 'course', 'how', 'how/cell', 'mindspore', 'api/index', 'api/minicell.grad', 'api/minicell.nn.-cell'


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('size', SIZES, ids=lambda size: str(size[0]))
def test_every_page_can_be_read_and_pressed(size, scheme, browser, url, shots):
    page = new(browser, size, scheme)
    scenes = [f'index.html#scene={number + 1}' for number in range(len(SCENES))]
    for name in [*scenes, 'index.html#type', *(f'{name}.html' for name in OTHERS)]:
        page.goto('about:blank')
        page.goto(url + name)
        expect(page.locator('h1')).to_have_count(1)
        assert small(page, 'body *') == [], name
        assert page.evaluate(SIDEWAYS) <= 0, name
        assert page.evaluate(TAPPED) == [], name
        if (size[0], scheme) in MEASURED and (name, scheme) != ('mindspore.html', 'dark'):
            assert axe(page).serious == [], name
        shot = shots / f'front_{re.sub(r"[^a-z0-9]+", "_", name)}_{size[0]}_{scheme}.png'
        page.screenshot(path=shot, full_page=True)
    closed(page)


def test_on_paper_the_scenes_are_stills(look):
    page = look(scheme='dark')
    page.emulate_media(media='print')
    assert page.locator('.still').locator('visible=true').count() == len(SCENES)
    assert not page.locator('.stage').is_visible()


@pytest.fixture
def searched(browser, folder) -> Page:
    """A page of the reference, opened as a file: no server, and nothing to run the search."""
    page = new(browser, offline=True)
    page.goto((folder / 'api/minicell.grad.html').as_uri())
    yield page
    closed(page)


def results(page: Page, asked: str) -> list[str]:
    """What the search answers."""
    page.get_by_role('searchbox').fill(asked)
    expect(page.locator('.search .said')).not_to_have_text('')
    return page.locator('.found a b').all_inner_texts() if page.locator('.found').is_visible() else []


def test_the_search_finds_names_lessons_and_differences(searched):
    assert searched.evaluate("'minicellIndex' in window") is False, 'it comes when it is asked for'
    assert results(searched, 'check_bprop')[0] == 'minicell.check_bprop'
    assert any(title.startswith('Where minicell differs') for title in results(searched, 'silence'))
    assert 'The lessons' in results(searched, 'surrogate NOTICE')
    assert all('Cell' in title for title in results(searched, 'nn.Cell')[:1])
    assert results(searched, 'grad zzyzx') == [], 'every word is due'
    expect(searched.locator('.search .said')).to_contain_text('Nothing found')
    assert len(results(searched, 'e')) == 12
    assert re.search(r' 12 of \d+ places', tells(searched.locator('.said').inner_text(), 'the best 12', keep=False))
    searched.get_by_role('searchbox').fill('   ')
    expect(searched.locator('.found')).to_be_hidden()
    expect(searched.locator('.search .said')).to_have_text('')
    assert results(searched, '<b>(.*') == []


def test_the_search_is_worked_by_keys_alone(searched):
    field = searched.get_by_role('searchbox')
    searched.keyboard.press('/')
    expect(field).to_be_focused()
    searched.keyboard.type('tape/')
    expect(field).to_have_value('tape/')
    results(searched, 'tape')
    for key, place in (('ArrowDown', 0), ('ArrowDown', 1), ('ArrowUp', 0)):
        searched.keyboard.press(key)
        expect(searched.locator('.found a').nth(place)).to_be_focused()
    searched.keyboard.press('ArrowUp')
    expect(field).to_be_focused()
    searched.keyboard.press('ArrowUp')
    expect(field).to_be_focused()
    searched.keyboard.press('Escape')
    expect(searched.locator('.found')).to_be_hidden()
    results(searched, 'minicell.ops sin')
    searched.keyboard.press('Enter')
    searched.wait_for_url('**/minicell.ops.sin.html')


def test_on_a_phone_the_bar_is_a_menu(look):
    page = look('course.html', PHONE, 'dark')
    parts = page.get_by_role('searchbox'), page.locator('.also-in select'), page.locator('.bar-top li a').last
    for shown in (False, True, False):
        assert [part.is_visible() for part in parts] == [shown] * 3
        page.locator('.menu summary').click()
    assert results(page, 'takeover') and page.evaluate(SIDEWAYS) <= 0 and page.evaluate(TAPPED) == []
    assert axe(page).serious == []
    page.mouse.click(8, PHONE[1] - 8)
    expect(page.locator('.found')).to_be_hidden()
    page.set_viewport_size(dict(zip(('width', 'height'), WIDE, strict=True)))
    assert [part.is_visible() for part in parts] == [True] * 3


def test_the_words_of_another_framework_stand_beside_ours_and_stay(url, look):
    page = look()
    words, choice, also = elsewhere.table(site.start()), page.locator('.also-in select'), page.locator('.also')
    assert tuple(words) == FRAMEWORKS and also.count() == 0
    for name in FRAMEWORKS:
        choice.select_option(name)
        page.locator('.tabs a').nth(2).click()
        said = page.locator('.scene.shown .also').all_inner_texts()
        assert said == [f'{name}: {words[name][ours]}' for ours in ('Cell', 'bprop', 'dout')]
        assert axe(page).serious == []
    page.locator('.tabs a').nth(1).click()
    assert f'JAX: {words["JAX"]["dout"]}' in page.locator('.scene.shown .also').all_inner_texts()
    page.goto(url + 'mindspore.html')
    expect(choice).to_have_value('JAX')
    assert also.count() > 5
    choice.select_option('')
    assert also.count() == 0
    page.reload()
    assert also.count() == 0 and page.locator('pre .also, .mc2 .also').count() == 0
