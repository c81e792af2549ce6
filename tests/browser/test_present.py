"""A lesson on a projector of 1280 by 720: large enough, nothing cut, a tape seen whole, led by keyboard alone, and axe
finds nothing in any beat."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from minicell.teach.present import beats
from tests.browser import sample
from tests.browser.axe import PRESENTED, UNROLLED, axe
from tests.browser.lab import CELLS, RUN_ALL, Notebook, errors, serve
from tests.lessons.notebooks import PATHS

pytestmark = pytest.mark.nightly

LESSONS = {lesson: len(beats(lesson)) for lesson in ('03', '09')}  # and how many beats they have
SCREEN = {'width': 1280, 'height': 720}
SMALLEST = 22  # pixels on the screen
SMALLEST_OF_TAPE = 11  # its picture is seen whole: arrows lead from one side of it to the other

# What is smaller than it should be, in a picture or outside of one, or leaves the screen or its picture at a side.
FAULTS = """([smallest, ofTape]) => {
  const panel = document.querySelector('.minicell-present'), found = [];
  const zoom = one => one ? (parseFloat(getComputedStyle(one).zoom) || 1) * zoom(one.parentElement) : 1;
  const walk = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const words = walk.currentNode.textContent.trim(), one = walk.currentNode.parentElement;
    const box = one.getBoundingClientRect(), picture = one.closest('svg');
    if (!words || !box.width || !one.checkVisibility() || one.closest('style, title, desc')) continue;
    const scale = picture ? picture.getScreenCTM().a : zoom(one);
    const size = parseFloat(getComputedStyle(one).fontSize) * scale;
    const {left, right} = picture ? picture.getBoundingClientRect() : {left: 0, right: innerWidth};
    const small = size < (one.closest('.mc2') ? ofTape : smallest);
    if (small || box.left < left || box.right > right + 1) found.push([size, box.left, box.right, words]);
  }
  for (const one of panel.querySelectorAll('svg')) {
    const box = one.getBoundingClientRect();
    if (one.checkVisibility() && (box.left < 0 || box.right > innerWidth)) found.push(['svg', box.left, box.right]);
  }
  return found;
}"""
TURNED = '() => document.querySelector(".minicell-stage").scrollTop'
MORE = """() => { const stage = document.querySelector('.minicell-stage');
  return stage.scrollHeight - stage.clientHeight - stage.scrollTop > 4; }"""
WHOLE = """() => { const stage = document.querySelector('.minicell-stage').getBoundingClientRect();
  const view = document.querySelector('.minicell-stage .mc2 .view').getBoundingClientRect();
  return view.top >= stage.top - 1 && view.bottom <= stage.bottom + 1 && view.left >= 0
    && view.right <= innerWidth; }"""
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
    page.wait_for_timeout(500)  # the kernel draws it again
    page.locator('.minicell-stage').focus()


def step_through_tape(page: Page) -> dict[str, list]:
    """Step the picture of a tape from its first step to its last; return what is wrong.

    The arrow keys step and stay in the beat; Escape closes a small window of the picture before it leaves.
    """
    picture, code = page.locator('.minicell-stage .mc2'), page.locator('.minicell-code-here').inner_text()
    slider = picture.locator('[role=slider]')
    tab_to(page, '.minicell-stage .mc2 [role=slider]')
    page.keyboard.press('Home')  # a picture may open at its answer
    last = int(slider.get_attribute('aria-valuemax'))
    faults = {}
    for step in range(1, last + 1):
        expect(slider).to_have_attribute('aria-valuenow', str(step))
        page.wait_for_timeout(150)
        if found := page.evaluate(FAULTS, [SMALLEST, SMALLEST_OF_TAPE]):
            faults[f'tape, step {step}'] = found
        if step == 1 and not page.evaluate(WHOLE):
            faults['tape'] = ['it is not seen whole']
        page.keyboard.press('ArrowRight')
    for name, step in (('Back', last - 1), ('Next', last)):
        picture.get_by_role('button', name=name, exact=True).press('Enter')
        expect(slider).to_have_attribute('aria-valuenow', str(step))
    picture.get_by_label('More').press('Enter')
    expect(picture.get_by_role('button', name='Save as SVG')).to_be_visible()
    page.keyboard.press('Escape')
    expect(picture.get_by_role('button', name='Save as SVG')).to_be_hidden()
    number = picture.locator('[rc][tabindex="0"]')
    if number.count():  # its account opens
        number.press('Enter')
        page.keyboard.press('Escape')
        expect(picture.get_by_role('dialog')).to_have_count(0)
    expect(page.locator('.minicell-present:popover-open')).to_have_count(1)
    assert page.locator('.minicell-code-here').inner_text() == code
    return faults


def test_by_keyboard_through_the_lesson(stage, shots: Path):
    page = stage.page
    assert errors(page.evaluate(CELLS)) == []
    assert page.evaluate(FILLS) == [0, 0, SCREEN['width'], SCREEN['height']]
    faults, visited, answered, stepped = {}, [], 0, []
    while True:
        code = here(stage).inner_text()
        visited.append(code)
        page.wait_for_timeout(400)  # what a beat shows draws itself
        if found := page.evaluate(FAULTS, [SMALLEST, SMALLEST_OF_TAPE]) + unheard(page):
            faults[code] = found
        tab_round(page)
        page.screenshot(path=shots / f'present-{code}.png')
        while page.evaluate(MORE):  # the key turns over what does not fit
            before = page.evaluate(TURNED)
            page.keyboard.press('PageDown')
            assert page.evaluate(TURNED) > before
        if page.locator('.minicell-stage').get_by_role('button', name='Commit').count():
            answer(page)
            answered += 1
        if page.locator('.minicell-stage .mc2').count():
            faults |= step_through_tape(page)
            page.screenshot(path=shots / f'present-{code}-tape.png')
            stepped.append('tape' if page.get_by_role('slider', name='Step of the tape').count() else 'figure')
        if page.locator('.minicell-next[disabled]').count():
            break
        while page.evaluate(MORE):
            page.keyboard.press('PageDown')
        page.keyboard.press('PageDown')
        expect(here(stage)).not_to_have_text(code, timeout=30000)
    assert faults == {}
    assert (visited[0], len(set(visited))) == (f'L{stage.lesson}-s1-x1', len(visited))
    assert len(visited) == LESSONS[stage.lesson]
    assert answered >= 4 and stepped[0] == 'tape' and len(set(stepped)) == 2
    page.keyboard.press('PageUp')
    while page.evaluate(TURNED) > 4 and here(stage).inner_text() == visited[-1]:
        page.keyboard.press('PageUp')
    expect(here(stage)).to_have_text(visited[-2])


def test_to_a_code_and_a_vote_by_keyboard(stage):
    page = stage.page
    page.locator('.minicell-bar').get_by_role('button', name='Reset').press('Space')
    expect(page.locator('.minicell-bar')).to_contain_text('the beginning', timeout=30000)
    page.get_by_role('textbox', name='Go to').focus()
    page.keyboard.type(f'L{stage.lesson}-s3-x1')
    page.keyboard.press('Enter')
    expect(here(stage)).to_have_text(f'L{stage.lesson}-s3-x1')
    expect(page.locator('.minicell-stage')).to_be_focused()

    page.keyboard.press('Tab')
    expect(page.locator('.minicell-stage input[type=radio]').first).to_be_focused()
    page.keyboard.press('Space')
    page.wait_for_timeout(500)  # no hand is faster than the kernel's answer
    page.locator('.minicell-stage').get_by_role('button', name='Commit').press('Space')
    expect(page.locator('.minicell-stage')).to_contain_text('answered', timeout=30000)
    page.get_by_role('button', name='Reset').last.press('Space')
    expect(page.locator('.minicell-stage')).to_contain_text('before you run it', timeout=30000)
    page.wait_for_timeout(500)
    page.get_by_role('button', name='Unlock').press('Space')
    expect(page.locator('.minicell-stage')).to_contain_text('unlocked', timeout=30000)


def test_escape_leads_back_to_the_notebook(stage):
    page = stage.page
    page.keyboard.press('Escape')
    expect(page.locator('.minicell-present:popover-open')).to_have_count(0)
    expect(page.locator('.minicell-present')).to_be_visible()
    page.locator('.minicell-present').get_by_role('button', name='Next', exact=True).last.press('Enter')
    expect(here(stage)).to_have_text(f'L{stage.lesson}-s4-x1', timeout=30000)
    assert stage.seen.well()
