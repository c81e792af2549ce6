"""The first page in Chromium, with nothing but loopback, before any Python: the scenes, their choices, and links."""

import time

import pytest
from playwright.sync_api import expect

from minicell.command.site.front.scenes import CHOICES, OPENS, SCENES
from tests.browser.front import PHONE, choose, closed, new, python_asked, tape

pytestmark = pytest.mark.browser

FIRST_PICTURE = 3.0  # seconds; what a quiet machine keeps is a third of it


def test_the_first_picture_comes_at_once_and_without_python(browser, url):
    page = new(browser)
    began = time.monotonic()
    page.goto(url)
    page.wait_for_selector('#picture .box svg')
    took = time.monotonic() - began
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f'first picture {took:.2f} s, first paint {painted:.0f} ms')
    assert took < FIRST_PICTURE
    assert python_asked(page) == []
    closed(page)


def test_five_scenes_around_one_picture(browser, url):
    page = new(browser)
    page.goto(url)
    picture = tape(page)
    root = picture.root.element_handle()
    for number, scene in enumerate(SCENES):
        page.locator('.tabs a').nth(number).click()
        expect(page.locator('.scene.shown h2')).to_have_text(f'{number + 1} {scene.title}')
        assert page.locator('.tabs a[aria-current]').count() == 1
        assert picture.root.element_handle().evaluate('(one, other) => one === other', root), 'it never leaves'
    # the step says which scene it is
    page.locator('.tabs a').nth(0).click()
    for _ in range(3):
        picture.button('Next').click()
    expect(page.locator('.scene.shown h2')).to_contain_text(SCENES[1].title)
    # the way from one scene to the next
    for number in (2, 3, 4):
        page.locator('.scene.shown .onward').click()
        expect(page.locator('.scene.shown h2')).to_contain_text(SCENES[number].title)
    page.locator('.scene.shown .onward').click()
    expect(page.locator('#typing')).to_be_visible()
    assert python_asked(page) == []
    closed(page)


def test_it_opens_on_the_takeover_and_the_way_to_the_beginning_is_there(browser, url):
    page = new(browser)
    page.goto(url)
    expect(page.locator('.scene.shown h2')).to_have_text(f'{OPENS + 1} {SCENES[OPENS].title}')
    assert 'Takeover: backward leaves its road' in tape(page).text()
    assert 'your bprop makes it' in tape(page).text() and 'or by your bprop?' not in tape(page).text()
    tape(page).button('Back').click()
    assert 'by MatMul’s rule, or by your bprop?' in tape(page).text()
    for _ in range(2):
        tape(page).button('Next').click()
    assert 'Your line 10 makes dx' in tape(page).text()
    first = page.get_by_role('link', name='Start from the beginning')
    first.click()
    expect(page.locator('.scene.shown h2')).to_have_text(f'1 {SCENES[0].title}')
    assert tape(page).step == 1
    expect(first).to_be_hidden()
    closed(page)


def test_on_a_phone_the_takeover_and_what_comes_out_are_in_view(browser, url):
    page = new(browser, PHONE)
    page.goto(url)

    def inside(text: str) -> bool:
        """Whether a text of the picture stands on the screen, above the buttons at its foot."""
        box = page.locator('#picture .box text', has_text=text).first.bounding_box()
        return box['y'] > 0 and box['y'] + box['height'] <= page.locator('#picture .turns').first.bounding_box()['y']

    assert inside('takeover: your lines') and inside('never called') and inside('dx = x + 1')
    assert not inside('your bprop makes it') and page.evaluate('scrollY') == 0
    page.locator('.tabs a').nth(3).click()
    for loss in ('z.sum()', '3 * z.sum()', 'z.sum()'):
        page.locator('.scene.shown label span').get_by_text(loss, exact=True).click()
        shown = [page.locator('#picture .box text', has_text='off by up to').nth(k).bounding_box() for k in range(2)]
        said = page.locator('.scene.shown [data-when]').locator('visible=true').bounding_box()
        assert 0 < shown[0]['y'] < shown[1]['y'] < said['y'] and said['y'] + said['height'] <= PHONE[1]
    page.locator('.scene.shown .onward').click()
    assert 0 <= page.locator('#picture .title').bounding_box()['y'] < PHONE[1] / 3
    closed(page)


@pytest.mark.parametrize('number', [number for number, scene in enumerate(SCENES) if scene.when])
def test_the_words_follow_what_is_chosen(number, browser, url):
    page = new(browser)
    page.goto(url + f'#scene={number + 1}')
    seen = []
    for first in CHOICES[SCENES[number].choices[0]][1].values():
        for second in CHOICES[SCENES[number].choices[-1]][1].values():
            for option in (first, second):
                page.locator('.scene.shown label span').get_by_text(option, exact=True).click()
            (said,) = page.locator('.scene.shown [data-when]').locator('visible=true').all()
            seen.append((said.inner_text(), page.locator('#picture .title').inner_text()))
    assert len({words for words, _ in seen}) == len(SCENES[number].when)
    for words, title in seen:
        assert ('wrong' in title or ' = 0:' in title) == any(
            sign in words for sign in ('not moved', 'have not:', 'no gra', 'is 0')
        )
    closed(page)


def test_variants_step_at_once(browser, url):
    page = new(browser)
    page.goto(url + '#scene=4')
    said = lambda: page.locator('#picture .title').inner_text()
    wrong, right = 'Your dx and dy are wrong, and nobody noticed', 'Your dx and dy are right'
    assert said() == wrong
    choose(page, 'forgets dout')
    assert said() == right, 'by luck: the loss is the sum'
    choose(page, '3 * z.sum()')
    assert said() == wrong
    choose(page, 'is fixed')
    assert said() == right
    page.locator('.tabs a').nth(4).click()
    assert 'lifts off, onto the second tape' in said()
    choose(page, 'a stored number')
    assert said() == 'd2x = 0: the gradient of your gradient'
    closed(page)


def test_a_link_holds_scene_variant_and_step(browser, url):
    page = new(browser)
    page.goto(url + '#scene=4')
    choose(page, 'forgets dout')
    choose(page, '3 * z.sum()')
    tape(page).button('Back').click()
    shown = page.locator('#picture .title').inner_text()
    page.wait_for_url('**step=16')
    other = new(browser)
    other.goto(page.url)
    assert other.locator('#picture .title').inner_text() == shown
    chosen = other.locator('[data-choice]:checked').evaluate_all('all => all.map(one => one.value)')
    assert chosen == ['forgets', '3', 'written']
    closed(other)
    closed(page)


def test_without_javascript_the_scenes_are_stills_with_their_words(browser, url):
    page = new(browser, java_script_enabled=False)
    page.goto(url)
    stills = page.locator('.still img')
    assert stills.count() == len(SCENES)
    for k in range(len(SCENES)):
        stills.nth(k).scroll_into_view_if_needed()
        expect(stills.nth(k)).to_be_visible()
        assert len(stills.nth(k).get_attribute('alt')) > 30
    assert page.locator('#typing, .stage, .tabs').locator('visible=true').count() == 0
    closed(page)


def test_from_a_file_the_scenes_step_and_typing_says_what_it_needs(browser, folder):
    page = new(browser, offline=True)
    page.goto((folder / 'index.html').as_uri() + '#scene=3')
    tape(page).button('Next').click()
    assert 'Your line 10 makes dx' in tape(page).text()
    page.locator('.tabs a').last.click()
    assert 'needs this page from a web server' in page.locator('#about-typing').inner_text()
    expect(page.locator('#run')).to_be_disabled()
    closed(page)


def test_more_copies_a_link_to_the_step(browser, url):
    page = new(browser, permissions=['clipboard-read', 'clipboard-write'])
    page.goto(url)
    assert not page.locator('#copy').is_visible()
    page.locator('.tools summary').click()
    tape(page).button('Next').click()
    page.locator('#copy').click()
    expect(page.locator('#copied')).to_have_text('Copied.')
    other = new(browser)
    other.goto(page.evaluate('navigator.clipboard.readText()'))
    assert 'Your line 10 makes dx' in tape(other).text()
    closed(other)
    page.locator('.tools summary').click()
    assert not page.locator('#copy').is_visible()
    closed(page)
