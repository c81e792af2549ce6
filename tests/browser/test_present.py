"""A lesson on a projector of 1280 by 720: large enough, each screen fits and nothing scrolls, led by keyboard alone.

Votes are counted, and axe finds nothing in any beat.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from minicell.teach.about import about
from minicell.teach.present import beats
from tests.browser import sample
from tests.browser.axe import PRESENTED, UNROLLED, axe
from tests.browser.lab import CELLS, RUN_ALL, Notebook, errors, serve
from tests.lessons.notebooks import NUMBERS, PATHS

pytestmark = pytest.mark.nightly

LESSONS = {lesson: len(beats(lesson)) for lesson in NUMBERS}  # and how many beats they have
SCREEN = {'width': 1280, 'height': 720}
SMALLEST = 19.9  # pixels on the screen

# What is smaller than it should be, or leaves the screen at a side; of a picture, what is in its window.
FAULTS = """smallest => {
  const panel = document.querySelector('.minicell-present'), stage = panel.querySelector('.minicell-stage'), found = [];
  const zoom = one => one ? (parseFloat(getComputedStyle(one).zoom) || 1) * zoom(one.parentElement) : 1;
  const walk = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const words = walk.currentNode.textContent.trim(), one = walk.currentNode.parentElement;
    const box = one.getBoundingClientRect(), picture = one.closest('svg');
    if (!words || !box.width || !one.checkVisibility() || one.closest('style, title, desc, .mark, .live')) continue;
    const scale = picture ? picture.getScreenCTM().a : zoom(one);
    const size = parseFloat(getComputedStyle(one).fontSize) * scale;
    const out = !one.closest('.box') && (box.left < 0 || box.right > innerWidth + 1);
    if (size < smallest || out) found.push([size, box.left, box.right, words]);
  }
  const {scrollHeight, clientHeight, scrollTop} = stage;
  if (scrollHeight > clientHeight + 1 || scrollTop) found.push(['it does not fit', scrollHeight, clientHeight]);
  return found;
}"""
SHOWN = """() => {
  const pictures = [...document.querySelectorAll('.minicell-stage .mc2')];
  const picture = pictures.find(one => one.getClientRects().length);
  return [document.querySelector('.minicell-bar [role=status]').textContent,
    picture?.querySelector('[role=slider]').getAttribute('aria-valuenow') ?? ''];
}"""
# Two frames after what it shows has last changed: what a screen shows draws itself, and the kernel draws it again.
STILL = """() => new Promise(done => {
  let changed;
  const wait = () => { clearTimeout(changed); changed = setTimeout(end, 300); };
  const watch = new MutationObserver(wait);
  const end = () => { watch.disconnect(); requestAnimationFrame(() => requestAnimationFrame(done)); };
  watch.observe(document.querySelector('.minicell-stage'), {childList: true, subtree: true, characterData: true});
  wait();
})"""
FILLS = """() => { const box = document.querySelector('.minicell-present').getBoundingClientRect();
  return [box.left, box.top, box.width, box.height]; }"""


@pytest.fixture(scope='module', params=LESSONS)
def stage(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Notebook]:
    """A teacher's notebook beside the lesson's: two cells, and nothing of the lesson has run."""
    folder = tmp_path_factory.mktemp('class')
    shutil.copy(PATHS[request.param], folder)
    setup = f"from minicell.teach import lesson\nL = lesson('{request.param}')"
    sample.write(folder / 'class.ipynb', setup, 'L.present()', title='')
    with serve(folder) as server:
        notebook = Notebook(browser, server, 'class.ipynb')
        notebook.page.set_viewport_size(SCREEN)
        notebook.page.evaluate(RUN_ALL)
        notebook.page.locator('.minicell-present:popover-open .minicell-stage > [data-of]').first.wait_for()
        notebook.lesson = request.param
        yield notebook
        notebook.close()


def here(stage: Notebook):
    return stage.page.locator('.minicell-code-here')


def tab_to(page: Page, what: str) -> None:
    """Press Tab until the focus is on `what`, from the top of the beat."""
    page.locator('.minicell-stage').evaluate('stage => stage.focus()')
    for _ in range(40):
        page.keyboard.press('Tab')
        if page.evaluate('what => document.activeElement.matches(what)', what):
            return
    raise AssertionError(f'Tab does not lead to {what}')


def tab_round(page: Page) -> None:
    """Press Tab from the beat until it is there again, and Shift and Tab once: it never leads behind the panel."""
    inside = "() => [Boolean(document.activeElement.closest('.minicell-present')), document.activeElement.className]"
    page.locator('.minicell-stage').focus()
    for _ in range(40):
        writes = page.evaluate("() => document.activeElement.matches('.codes')")
        page.keyboard.press('Escape' if writes else 'Tab')  # in an editor, Tab indents
        within, name = page.evaluate(inside)
        assert within, 'the focus is behind the presentation'
        if 'minicell-stage' in name:
            break
    else:
        raise AssertionError('Tab does not go round')
    page.keyboard.press('Shift+Tab')
    assert 'minicell-leave' in page.evaluate(inside)[1]
    page.locator('.minicell-stage').focus()


def unheard(page: Page) -> list[str]:
    """What axe finds in a beat; of words that another element overlaps it cannot say, and that is no fault."""
    unrolled = page.add_style_tag(content=UNROLLED)
    found = axe(page, PRESENTED)
    unrolled.evaluate('one => one.remove()')
    return found.serious


def answer(page: Page) -> None:
    """Choose the first answer, and commit."""
    tab_to(page, '.minicell-stage input[type=radio]')
    page.keyboard.press('Space')
    page.wait_for_timeout(500)  # no hand is faster than the kernel's answer
    for _ in range(20):
        page.keyboard.press('Tab')
        if page.evaluate('() => document.activeElement.textContent') == 'Commit':
            break
    page.keyboard.press('Space')
    expect(page.locator('.minicell-stage .mc-card.done .row').first).to_be_visible(timeout=30000)
    page.evaluate(STILL)
    page.locator('.minicell-stage').focus()


def use_picture(page: Page) -> None:
    """Arrow keys step, a small window of the picture is closed by Escape, and the beat stays."""
    picture, code = page.locator('.minicell-stage .mc2:visible'), page.locator('.minicell-code-here').inner_text()
    slider = picture.locator('[role=slider]')
    tab_to(page, '.minicell-stage .mc2 [role=slider]')
    page.keyboard.press('Home')
    expect(slider).to_have_attribute('aria-valuenow', '1')
    page.keyboard.press('ArrowRight')
    expect(slider).to_have_attribute('aria-valuenow', '2')
    picture.get_by_role('button', name='Back', exact=True).press('Enter')
    expect(slider).to_have_attribute('aria-valuenow', '1')
    picture.get_by_label('More').press('Enter')
    expect(picture.get_by_role('button', name='Save as SVG')).to_be_visible()
    page.keyboard.press('Escape')
    expect(picture.get_by_role('button', name='Save as SVG')).to_be_hidden()
    expect(page.locator('.minicell-present:popover-open')).to_have_count(1)
    assert page.locator('.minicell-code-here').inner_text() == code
    page.locator('.minicell-stage').focus()


def test_by_one_key_through_the_lesson(stage, shots: Path):
    """Each press is a step of a picture, another screen, or another beat, and never a scroll."""
    page = stage.page
    assert errors(page.evaluate(CELLS)) == []
    assert page.evaluate(FILLS) == [0, 0, SCREEN['width'], SCREEN['height']]
    faults, visited, answered, pictures = {}, [], set(), set()
    for press in range(400):
        page.evaluate(STILL)
        code, shown = here(stage).inner_text(), page.evaluate(SHOWN)
        if code not in visited:
            visited.append(code)
            tab_round(page)
            if found := unheard(page):
                faults[code] = found
        if found := page.evaluate(FAULTS, SMALLEST):
            faults[press, *shown] = found
        page.screenshot(path=shots / f'present-{stage.lesson}-{press:03}.png')
        if code not in answered and page.locator('.minicell-stage').get_by_role('button', name='Commit').count():
            answer(page)
            answered.add(code)
            continue
        if shown[1] and code not in pictures:
            pictures.add(code)
            use_picture(page)
            continue
        before = page.evaluate(SHOWN)
        page.keyboard.press('PageDown')
        if page.locator('.minicell-next[disabled]').count() and page.evaluate(SHOWN) == before:
            break
        page.wait_for_function(f'before => JSON.stringify(({SHOWN})()) !== JSON.stringify(before)', arg=before)
    assert faults == {}
    assert (visited[0], len(visited)) == (f'L{stage.lesson}-s1-x1', LESSONS[stage.lesson])
    assert len(answered) == len(about(stage.lesson).questions) and len(pictures) >= 2
    page.keyboard.press('PageUp')
    page.wait_for_function(f'before => JSON.stringify(({SHOWN})()) !== JSON.stringify(before)', arg=before)


@pytest.mark.parametrize('stage', ['03'], indirect=True)
def test_to_a_code_and_votes_are_counted_by_keyboard(stage):
    page = stage.page
    page.locator('.minicell-bar').get_by_role('button', name='Reset').press('Space')
    expect(page.locator('.minicell-bar')).to_contain_text('the beginning', timeout=30000)
    page.get_by_role('textbox', name='Go to').focus()
    page.keyboard.type(f'L{stage.lesson}-s3-x1')
    page.keyboard.press('Enter')
    expect(here(stage)).to_have_text(f'L{stage.lesson}-s3-x1')
    expect(page.locator('.minicell-stage')).to_be_focused()
    page.wait_for_timeout(500)
    while not page.locator('.minicell-stage .question:visible').count():
        page.keyboard.press('PageDown')
        page.wait_for_timeout(500)
    for key in 'aabbbBc':
        page.keyboard.press(f'Shift+{key}' if key.isupper() else key)
    assert page.locator('.minicell-stage .votes').all_inner_texts()[:3] == ['2', '2', '1']
    page.keyboard.press('b')
    expect(page.locator('.minicell-stage .row').nth(1).get_by_role('radio')).to_be_checked()
    page.wait_for_timeout(500)  # no hand is faster than the kernel's answer
    page.keyboard.press('Enter')
    expect(page.locator('.minicell-stage')).to_contain_text('answered', timeout=30000)
    expect(page.locator('.minicell-stage .was .votes')).to_have_text('3')
    page.get_by_role('button', name='Reset').last.press('Space')
    expect(page.locator('.minicell-stage .question')).to_contain_text('before you run it', timeout=30000)
    page.wait_for_timeout(500)
    page.get_by_role('button', name='Unlock').press('Space')
    expect(page.locator('.minicell-stage .question')).to_contain_text('unlocked', timeout=30000)


@pytest.mark.parametrize('stage', ['03'], indirect=True)
def test_escape_leads_back_to_the_notebook(stage):
    page = stage.page
    page.keyboard.press('Escape')
    expect(page.locator('.minicell-present:popover-open')).to_have_count(0)
    expect(page.locator('.minicell-present')).to_be_visible()
    page.locator('.minicell-present').get_by_role('button', name='Next', exact=True).last.press('Enter')
    expect(here(stage)).to_have_text(f'L{stage.lesson}-s4-x1', timeout=30000)
    assert stage.seen.well()
