"""The first page in Chromium, with nothing but loopback, before any Python: the scenes, their choices, and links."""

import base64
import itertools
import re

import pytest
from playwright.sync_api import expect

from minicell.command.site.front.scenes import CHOICES, OPENS, SCENES
from tests.browser.front import PHONE, SIZES, choose, python_asked, tape
from tests.messages import tells

pytestmark = pytest.mark.nightly


def test_the_first_picture_comes_at_once_and_without_python(look):
    """It is there as soon as the page and the few files beside it are."""
    page = look()
    assert page.locator('#picture .box svg').count() == 1
    assert len(page.asked) <= 12 and python_asked(page) == []


def test_five_scenes_around_one_picture(look):
    page = look()
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


def test_it_opens_on_the_takeover_and_the_way_to_the_beginning_is_there(look):
    page = look()
    expect(page.locator('.scene.shown h2')).to_have_text(f'{OPENS + 1} {SCENES[OPENS].title}')
    tells(tape(page).text(), 'Takeover: backward turns', 'never called')
    tape(page).button('Back').click()
    assert 'never called' not in tells(tape(page).text(), 'rule gives dz')
    for title in ('Takeover: backward', 'bprop returns dx', 'dy are wrong'):
        tape(page).button('Next').click()
        tells(tape(page).title(), title)
    page.locator('.tabs a').nth(OPENS).click()
    first = page.get_by_role('link', name='Start from the beginning')
    first.click()
    expect(page.locator('.scene.shown h2')).to_have_text(f'1 {SCENES[0].title}')
    assert tape(page).step == 1
    expect(first).to_be_hidden()


# Whether it has the colour of what is to be pressed first, as Run has.
BLUE = """one => getComputedStyle(one).backgroundColor
  === getComputedStyle(document.querySelector('#run')).backgroundColor"""


@pytest.mark.parametrize('size', SIZES)
@pytest.mark.parametrize('way', ['button', 'words', 'key', 'key of the page'])
def test_the_step_button_comes_first_until_it_was_pressed(size, way, look):
    """Then no button of the picture stands out until the last step, which leads to the next scene.

    Both step buttons stay where they are, so that a second press needs no search.
    """
    page = look('', size)
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
    assert 'bprop returns dx' in picture.text()
    assert blue() == (False, False) and places() == before
    picture.button('Next').click()
    assert blue() == (False, True) and not words.is_visible()
    picture.button('Back').click()
    assert blue() == (False, False)


def test_a_tab_shows_what_its_words_say_and_a_variant_lasts_as_long_as_its_scene(look):
    page = look('#scene=4')
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


def test_on_a_phone_the_takeover_and_what_comes_out_are_in_view(look):
    page = look('', PHONE)

    def inside(text: str | re.Pattern[str]) -> bool:
        """Whether a text of the picture stands on the screen, above the buttons at its foot."""
        box = page.locator('#picture .box text', has_text=text).first.bounding_box()
        return box['y'] > 0 and box['y'] + box['height'] <= page.locator('#picture .turns').first.bounding_box()['y']

    assert inside('no line uses dout') and inside('never called') and inside('dx = y')
    assert not inside(re.compile('^dx$')) and page.evaluate('scrollY') == 0
    page.locator('.tabs a').nth(3).click()
    choose(page, 'returns x + 1')
    for loss in ('z.mean()', 'z.sum()', 'z.mean()'):
        choose(page, loss)
        shown = [page.locator('#picture .box text', has_text='off by up to').nth(k).bounding_box() for k in range(2)]
        said = page.locator('.scene.shown [data-when]').locator('visible=true').bounding_box()
        assert 0 < shown[0]['y'] < shown[1]['y'] < said['y'] and said['y'] + said['height'] <= PHONE[1]
    page.locator('.scene.shown .onward').click()
    assert 0 <= page.locator('#picture .title').bounding_box()['y'] < PHONE[1] / 3


@pytest.mark.parametrize('number', [number for number, scene in enumerate(SCENES) if scene.when])
def test_words_and_picture_follow_what_is_chosen(number, look):
    page, scene = look(f'#scene={number + 1}'), SCENES[number]
    assert 'wrong' in tape(page).title() or scene.choices == ('slope',)
    for names in itertools.product(*(CHOICES[choice][1] for choice in scene.choices)):
        for choice, name in zip(scene.choices, names, strict=True):
            option = CHOICES[choice][1][name]
            page.locator('.scene.shown label span').get_by_text(option, exact=True).click()
        (said,) = page.locator('.scene.shown [data-when]').locator('visible=true').all()
        words = scene.when[' '.join(names)]
        assert said.inner_text() == re.sub('<[^>]+>', '', words)
        false = any(sign in words for sign in ('twice what', 'not moved', 'no gra', 'as 0'))
        title = tape(page).title()
        assert ('wrong' in title or ' = 0:' in title) == false
        tells(title, {'written': 'lifts off', 'stored': 'nothing leads'}.get(names[0], 'wrong' if false else 'right'))


def test_a_link_holds_scene_variant_and_step(look):
    page = look('#scene=4')
    choose(page, 'returns x + 1')
    choose(page, 'z.sum()')
    tape(page).button('Back').click()
    shown = page.locator('#picture .title').inner_text()
    page.wait_for_url('**step=11')
    other = look(page.url)
    assert other.locator('#picture .title').inner_text() == shown
    chosen = other.locator('[data-choice]:checked').evaluate_all('all => all.map(one => one.value)')
    assert chosen == ['document', 'sum', 'written']


packed = lambda program: 'program=' + base64.urlsafe_b64encode(program.encode()).decode().rstrip('=')
TRICK = 'window.canary=1'
LINKS = [packed(f'import js\njs.eval("{TRICK}")'), packed(f'</textarea><img src=x onerror={TRICK}>'), packed('a\0‮b')]
LINKS += [f'scene=4&loss="><img src=x onerror={TRICK}>&step=2', 'scene=__proto__&step=NaN', 'scene=-1', 'step=1e999']
LINKS += ['program=', 'program=%F', 'program=__proto__', f'program={"A" * 60_000}', packed('while True:\n    pass')]


def test_a_program_in_a_link_waits_for_run_even_while_it_is_edited(look, url):
    page = look()
    for link in LINKS:
        page.goto(f'{url}#{link}')
        if 'program=' in link:
            expect(page.locator('#status')).to_contain_text(re.compile('Press Run|not whole'))
            page.locator('#code').press('Control+End')
            page.keyboard.type(' #')
    page.wait_for_timeout(300)
    assert python_asked(page) == [] and page.evaluate('window.canary') is None


def test_without_javascript_the_scenes_are_stills_with_their_words(look):
    page = look(java_script_enabled=False)
    stills = page.locator('.still img')
    assert stills.count() == len(SCENES)
    for k in range(len(SCENES)):
        stills.nth(k).scroll_into_view_if_needed()
        expect(stills.nth(k)).to_be_visible()
        assert len(stills.nth(k).get_attribute('alt')) > 30
    assert page.locator('#typing, .stage, .tabs').locator('visible=true').count() == 0


def test_from_a_file_the_scenes_step_and_typing_says_what_it_needs(folder, look):
    page = look((folder / 'index.html').as_uri() + '#scene=3', offline=True)
    tape(page).button('Next').click()
    assert 'bprop returns dx' in tape(page).text()
    page.locator('.tabs a').last.click()
    tells(page.locator('#about-typing').inner_text(), 'web server')
    expect(page.locator('#run')).to_be_disabled()


def test_more_copies_a_link_to_the_step(look):
    page = look(permissions=['clipboard-read', 'clipboard-write'])
    assert not page.locator('#copy').is_visible()
    page.locator('.tools summary').click()
    tape(page).button('Next').click()
    page.locator('#copy').click()
    expect(page.locator('#copied')).to_have_text('Copied.')
    other = look(page.evaluate('navigator.clipboard.readText()'))
    assert 'bprop returns dx' in tape(other).text()
    page.locator('.tools summary').click()
    assert not page.locator('#copy').is_visible()
