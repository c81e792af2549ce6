"""The first page in Chromium, with nothing but loopback, before any Python: the scenes, their choices, and links."""

import time

import pytest
from playwright.sync_api import expect

from minicell.command.site.front.scenes import CHOICES, OPENS, SCENES
from tests.browser.front import PHONE, SIZES, choose, closed, new, python_asked, tape

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
    assert 'Takeover: backward turns off its road' in tape(page).text()
    assert 'your bprop makes them' in tape(page).text() and 'or your bprop?' not in tape(page).text()
    tape(page).button('Back').click()
    assert 'Mul’s rule, or your bprop?' in tape(page).text()
    for said in ('Takeover: backward turns', 'Your bprop returns dx and dy', 'Your dx and dy are wrong'):
        tape(page).button('Next').click()
        assert said in tape(page).text()
    page.locator('.tabs a').nth(OPENS).click()
    first = page.get_by_role('link', name='Start from the beginning')
    first.click()
    expect(page.locator('.scene.shown h2')).to_have_text(f'1 {SCENES[0].title}')
    assert tape(page).step == 1
    expect(first).to_be_hidden()
    closed(page)


# Whether it has the colour of what is to be pressed first, as Run has.
BLUE = """one => getComputedStyle(one).backgroundColor
  === getComputedStyle(document.querySelector('#run')).backgroundColor"""


@pytest.mark.parametrize('size', SIZES)
@pytest.mark.parametrize('way', ['button', 'words', 'key', 'key of the page'])
def test_the_step_button_comes_first_until_it_was_pressed(size, way, browser, url):
    """Then no button of the picture stands out until the last step, which leads to the next scene.

    Both step buttons stay where they are, so that a second press needs no search.
    """
    page = new(browser, size)
    page.goto(url)
    picture, onward = tape(page), page.locator('.scene.shown .onward')
    blue = lambda: (picture.button('Next').evaluate(BLUE), onward.evaluate(BLUE))
    assert blue() == (True, False)
    page.locator('.tabs a').nth(0).click()
    page.locator('.tabs a').nth(OPENS).click()
    assert blue() == (True, False), 'a tab is no step'
    words = page.get_by_role('button', name='One step on')
    assert words.is_visible() == (size != PHONE)
    buttons = [picture.button('Next'), *([] if size == PHONE else [words])]
    places = lambda: [button.bounding_box() | ({'y': 0} if size == PHONE else {}) for button in buttons]
    before = places()  # (a phone scrolls)
    if way == 'words' and size != PHONE:
        words.click()
    elif way == 'key':
        picture.press('ArrowRight')
    elif way == 'key of the page':
        page.evaluate('document.activeElement.blur()')
        page.keyboard.press('ArrowRight')
    else:
        picture.button('Next').click()
    assert 'Your bprop returns dx and dy' in picture.text()
    assert blue() == (False, False) and places() == before
    picture.button('Next').click()
    assert blue() == (False, True) and not words.is_visible()
    picture.button('Back').click()
    assert blue() == (False, False)
    closed(page)


def test_a_tab_shows_what_its_words_say_and_a_variant_lasts_as_long_as_its_scene(browser, url):
    page = new(browser)
    page.goto(url + '#scene=4')
    title, code = page.locator('.scene.shown h2'), lambda: page.locator('#picture .box').inner_text()
    chosen = lambda: page.locator('.scene.shown :checked').evaluate_all('all => all.map(one => one.value)')
    choose(page, 'is fixed')
    assert 'dx = dout * y' in code()
    tape(page).press('Home')
    expect(title).to_contain_text(SCENES[3].title)  # its program is that of no other scene
    assert 'dx = dout * y' in code() and chosen() == ['right', 'mean']
    page.locator('.tabs a').nth(2).click()
    assert 'dx = y' in code() and tape(page).steps == 10
    for _ in range(2):
        tape(page).button('Next').click()
    expect(title).to_contain_text(SCENES[3].title)
    assert 'dx = y' in code() and chosen() == ['forgets', 'mean']
    choose(page, 'is fixed')
    page.locator('.tabs a').nth(4).click()
    page.locator('.tabs a').nth(3).click()
    assert 'dx = y' in code() and chosen() == ['forgets', 'mean']
    closed(page)


def test_on_a_phone_the_takeover_and_what_comes_out_are_in_view(browser, url):
    page = new(browser, PHONE)
    page.goto(url)

    def inside(text: str) -> bool:
        """Whether a text of the picture stands on the screen, above the buttons at its foot."""
        box = page.locator('#picture .box text', has_text=text).first.bounding_box()
        return box['y'] > 0 and box['y'] + box['height'] <= page.locator('#picture .turns').first.bounding_box()['y']

    assert inside('takeover: your lines') and inside('never called') and inside('dx = y')
    assert not inside('your bprop makes it') and page.evaluate('scrollY') == 0
    page.locator('.tabs a').nth(3).click()
    choose(page, 'returns x + 1')
    for loss in ('z.mean()', 'z.sum()', 'z.mean()'):
        choose(page, loss)
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
            sign in words for sign in ('twice what', 'not moved', 'no gra', 'as 0')
        )
    closed(page)


def test_variants_step_at_once(browser, url):
    page = new(browser)
    page.goto(url + '#scene=4')
    said = lambda: page.locator('#picture .title').inner_text()
    wrong, right = 'Your dx and dy are wrong, and nobody noticed', 'Your dx and dy are right'
    assert said() == wrong
    choose(page, 'z.sum()')
    assert said() == right, 'by luck: every dout is 1'
    choose(page, 'returns x + 1')
    assert said() == wrong
    choose(page, 'is fixed')
    assert said() == right
    choose(page, 'z.mean()')
    assert said() == right
    page.locator('.tabs a').nth(4).click()
    assert 'lifts off, onto the second tape' in said()
    choose(page, 'a stored number')
    assert said() == 'Your d2x is wrong, and nobody noticed'
    closed(page)


def test_a_link_holds_scene_variant_and_step(browser, url):
    page = new(browser)
    page.goto(url + '#scene=4')
    choose(page, 'returns x + 1')
    choose(page, 'z.sum()')
    tape(page).button('Back').click()
    shown = page.locator('#picture .title').inner_text()
    page.wait_for_url('**step=11')
    other = new(browser)
    other.goto(page.url)
    assert other.locator('#picture .title').inner_text() == shown
    chosen = other.locator('[data-choice]:checked').evaluate_all('all => all.map(one => one.value)')
    assert chosen == ['document', 'sum', 'written']
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
    assert 'Your bprop returns dx and dy' in tape(page).text()
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
    assert 'Your bprop returns dx and dy' in tape(other).text()
    closed(other)
    page.locator('.tools summary').click()
    assert not page.locator('#copy').is_visible()
    closed(page)
