"""How the player is delivered: to a page of its own, beside another; its sizes, colours and speed."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from minicell.ink.page.fragment import page
from minicell.ink.style import LIGHT
from tests.browser.axe import axe
from tests.browser.play import (
    NARROW,
    WIDE,
    check_drawn,
    go,
    many,
    now,
    number,
    slider,
    small,
    step_is_painted_at_once,
)
from tests.view.test_stills import HOSTILE, named
from tests.view.toy import toy

pytestmark = pytest.mark.nightly


def test_it_asks_for_nothing(visit, site):
    for file in (False, True):
        tab = visit(file=file)
        asked: list[str] = []
        tab.on('request', lambda request, asked=asked: asked.append(request.url))
        tab.reload()
        go(tab, 11)
        check_drawn(tab)
        number(tab, 'dx[0,2]').click()
        assert [url for url in asked if not url.startswith('data:') and 'favicon' not in url] == [tab.url]


def test_without_its_script_the_still_stays(visit):
    tab = visit(java_script_enabled=False)
    image = tab.get_by_role('img', name='Net is called')
    expect(image).to_be_visible()
    assert image.bounding_box()['height'] > 300
    expect(tab.get_by_role('slider')).to_have_count(0)


def test_two_on_a_page_do_not_know_of_each_other(visit):
    tab = visit('two')
    assert (now(tab, 0), now(tab, 1)) == (3, 11)
    slider(tab, 0).focus()
    tab.keyboard.press('ArrowRight')
    assert (now(tab, 0), now(tab, 1)) == (4, 11)
    tab.locator('.mc2').nth(1).locator('[rc]').first.hover()
    assert tab.locator('.mc2').nth(0).locator('[lit]').count() == 0
    tab.get_by_role('button', name='Back', exact=True).nth(1).click()
    assert (now(tab, 0), now(tab, 1)) == (4, 10)
    assert tab.locator('[id]').count() == 0
    names = tab.evaluate("""() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      const clean = new Set(Object.getOwnPropertyNames(frame.contentWindow));
      return Object.getOwnPropertyNames(window).filter(name => !clean.has(name));
    }""")
    assert [name for name in names if not name.startswith('__') and not name.isdigit()] == []
    tab.locator('.mc2').nth(0).evaluate('one => one.remove()')
    tab.get_by_role('button', name='Next').click()
    assert now(tab) == 11


@pytest.mark.parametrize('name', [*HOSTILE, 'constructor', '__proto__', 'toString'])
def test_a_name_stays_a_text(visit, site, name):
    (site.folder / 'hostile.html').write_text(page([named(name)], name), encoding='utf-8')
    tab = visit('hostile')
    assert tab.locator('.mc2 :is(img, script, iframe)').count() == 0
    assert tab.locator('.mc2 .title').text_content() == name.replace('\ud800', '\ufffd')
    one = tab.locator('rect[rc]')
    if name != '__proto__':  # which no object has as a key
        one.hover()
        one.click()
        assert tab.get_by_role('dialog').locator('th').count() == 1
    tab.locator('summary').click()
    with tab.expect_download() as waiting:
        tab.get_by_role('button', name='Save as SVG').click()
    text = Path(waiting.value.path()).read_bytes()
    if '\x00' not in name:
        ElementTree.fromstring(text)


def test_save_as_svg(visit):
    tab = visit()
    go(tab, 7)
    tab.locator('summary').focus()
    tab.keyboard.press('Enter')
    with tab.expect_download() as waiting:
        tab.get_by_role('button', name='Save as SVG').click()
    assert waiting.value.suggested_filename == 'step-8.svg'
    text = Path(waiting.value.path()).read_text(encoding='utf-8')
    root = ElementTree.fromstring(text)
    said = [element.text for element in root.iter('{http://www.w3.org/2000/svg}text')]
    assert said[:2] == [toy().steps[7].title, toy().steps[7].caption]
    assert 'var(' not in text and 'class' not in text and '<style' not in text
    (fat,) = [each for each in root.iter('{http://www.w3.org/2000/svg}path') if 'A21' in each.get('d')]
    shown = tab.locator('path[d*=A21]').evaluate("""one => {
      const {stroke, strokeWidth, fill} = getComputedStyle(one);
      return [stroke, strokeWidth, fill];
    }""")
    assert [fat.get(name) for name in ('stroke', 'stroke-width', 'fill')] == shown
    orange = ', '.join(str(n) for n in bytes.fromhex(LIGHT['bwd'][1:]))
    assert shown[0] == f'rgb({orange})' and float(shown[1].removesuffix('px')) > 20 and shown[2] == 'none'
    expect(tab.locator('details[open]')).to_have_count(0)


def test_a_narrow_page_has_the_narrow_layout(visit):
    tab = visit(viewport=NARROW)
    assert tab.locator('.box > svg').get_attribute('viewBox') == '0 0 372 700'
    go(tab, 7)
    check_drawn(tab, narrow=True)
    tab.set_viewport_size(WIDE)
    expect(tab.locator('.box > svg')).to_have_attribute('viewBox', '0 0 900 462')
    assert now(tab) == 7
    check_drawn(tab)
    tab.set_viewport_size(NARROW)
    expect(tab.locator('.box > svg')).to_have_attribute('viewBox', '0 0 372 700')
    go(tab, 11)
    number(tab, 'dx[0,2]').click()
    a, b = number(tab, 'dx[0,2]').bounding_box(), tab.get_by_role('dialog').bounding_box()
    assert b['y'] + b['height'] <= a['y'] or a['y'] + a['height'] <= b['y']
    assert b['x'] >= 0 and b['x'] + b['width'] <= 390


@pytest.mark.parametrize('width', [360, 640, 800, 899, 900, 1024, 1366])
def test_no_text_is_small_and_no_page_is_wider_than_its_window(visit, width):
    tab = visit(viewport={'width': width, 'height': 768})
    heights = set()
    for step in (0, 7, 11):
        go(tab, step)
        if width >= 390:
            assert small(tab) == [], step
        assert tab.evaluate('() => document.documentElement.scrollWidth') <= width
        heights.add(tab.locator('.bar').bounding_box()['y'])
    assert len(heights) == 1, 'the picture jumps'


def test_with_one_layout_a_narrow_page_scrolls_it(visit):
    tab = visit('wide', viewport={'width': 640, 'height': 768})
    assert small(tab) == []
    assert tab.locator('.box').evaluate('box => box.scrollWidth > box.clientWidth')
    assert tab.evaluate('() => document.documentElement.scrollWidth') <= 640
    assert axe(tab).serious == []


def test_it_fits_a_small_laptop(visit):
    tab = visit(viewport={'width': 1366, 'height': 647})
    assert tab.locator('.view').bounding_box()['height'] <= 647


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('viewport', [WIDE, NARROW])
def test_axe_finds_nothing(visit, scheme, viewport):
    tab = visit(viewport=viewport, color_scheme=scheme)
    for step in (0, 7, 11):
        go(tab, step)
        if step == 11:
            number(tab, 'dx[0,2]').click()
        found = axe(tab)
        assert found.serious == [], step
        assert found.looked


def test_dark_is_what_the_page_says(visit):
    paper = "() => getComputedStyle(document.querySelector('.view')).backgroundColor"
    tab = visit(color_scheme='dark')
    assert tab.evaluate(paper) == 'rgb(18, 20, 22)'
    tab.evaluate("() => document.body.dataset.jpThemeLight = 'true'")  # JupyterLab in light, on a dark system
    assert tab.evaluate(paper) == 'rgb(255, 255, 255)'
    tab.evaluate("() => document.body.dataset.jpThemeLight = 'false'")
    assert tab.evaluate(paper) == 'rgb(18, 20, 22)'
    tab.emulate_media(media='print')
    assert tab.evaluate(paper) == 'rgb(255, 255, 255)'
    expect(tab.get_by_role('button', name='Next')).to_be_hidden()


@pytest.mark.parametrize('name', ['toy', 'many'])
def test_a_key_is_painted_at_once(visit, name):
    tab = visit(f'{name} and echo', moving=True)
    step_is_painted_at_once(tab, lambda: slider(tab), 10)


def test_a_long_tape_is_not_drawn_before_it_is_seen(visit):
    tab = visit('many')
    assert tab.locator('.dot').count() == 1  # the playhead alone
    slider(tab).focus()
    tab.keyboard.press('End')
    assert now(tab) == 599
    shown = tab.locator('.box > svg > *').count()
    assert shown == len(many(600).frames[-1])
