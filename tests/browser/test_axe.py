"""Who sees little, hears the page, or has no mouse: axe, the keyboard alone, and the tree that a screen reader reads.

That axe finds nothing in any lesson, before and after it was used, is in test_lessons.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import OURS, PRESENTED, UNROLLED, axe, unroll, use
from tests.browser.lab import LOOPBACK, ROOT, RUN_ALL, Notebook, Server

pytestmark = pytest.mark.browser

LESSONS = ROOT / 'lessons'
LESSON = '03_takeover.ipynb'

# The controls that are on the page, in its order; of radio buttons, Tab leads to the first.
CONTROLS = """() => [...document.querySelectorAll(
    '.jp-OutputArea-output :is(button, input, select, textarea, summary, [tabindex="0"], [contenteditable=true])')]
  .filter(one => one.checkVisibility() && !one.disabled)
  .filter(one => one.type !== 'radio' || one === one.closest('[role=radiogroup]').querySelector('input'))"""
MARK = f'() => ({CONTROLS})().map((one, number) => one.dataset.stop = String(number)).length'
TO_THE_TOP = """async () => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = 0;
  await notebook.scrollToItem(0);
  notebook.activeCell.node.focus();
}"""
FOCUSED = """() => {
  const at = document.activeElement, {top, bottom} = at.getBoundingClientRect(), ring = getComputedStyle(at);
  return {stop: at.dataset.stop, inside: Boolean(at.closest('.jp-Notebook')), top, bottom,
    ring: [ring.outlineStyle, ring.outlineWidth, ring.outlineColor]};
}"""
RING = ['solid', '3px', 'rgb(0, 114, 178)']


@pytest.fixture(scope='module')
def server(browser: Browser) -> Iterator[Server]:
    with Server(LESSONS) as server:
        yield server


@pytest.fixture(scope='module')
def lesson(browser: Browser, server: Server) -> Iterator[Notebook]:
    notebook = Notebook(browser, server, LESSON)
    notebook.run_all()
    notebook.commit('l03-prediction-2')  # the figure of the loss scale waits for it
    yield notebook
    notebook.close()


# ---- axe itself ------------------------------------------------------------------------------------------------------

BAD = {
    'color-contrast': '<p style="color:#999;background:#fff">pale</p>',
    'button-name': '<button></button>',
    'aria-input-field-name': '<div role="slider" tabindex="0" aria-valuenow="1"></div>',
    'label': '<input>',
    'image-alt': '<img src="data:,">',
    'svg-img-alt': '<svg role="img"><text>1</text></svg>',
    'scrollable-region-focusable': '<div style="height:20px;overflow:auto"><p>much</p><p>more</p></div>',
}


def test_axe_finds_what_is_bad_on_purpose(lesson):
    """Even in an output that is far below what the window shows."""
    page = lesson.page
    page.add_style_tag(content=UNROLLED)
    assert axe(page, OURS).serious == []
    last = page.locator('.jp-OutputArea-output').last
    bad = f'<div id="bad">{"".join(BAD.values())}</div>'
    last.evaluate('(one, bad) => one.insertAdjacentHTML("beforeend", bad)', bad)
    page.wait_for_function("() => [...document.querySelectorAll('#bad div')].at(-1).scrollHeight > 20")  # laid out
    found = axe(page, OURS).serious
    page.evaluate('() => document.getElementById("bad").remove()')
    assert {each.split(',')[0] for each in found} == set(BAD)


# ---- by keyboard alone -----------------------------------------------------------------------------------------------


def test_tab_leads_to_every_control_in_order_and_out_again(lesson, shots: Path):
    page = lesson.page
    page.wait_for_timeout(500)
    due = page.evaluate(MARK)
    page.evaluate(TO_THE_TOP)
    reached = []
    for _ in range(due + 20):
        page.keyboard.press('Tab')
        at = page.evaluate(FOCUSED)
        if at['stop'] is None:
            if reached and not at['inside']:
                break  # no trap: behind the last control, the notebook ends
            continue
        reached.append(int(at['stop']))
        assert at['ring'] == RING and at['bottom'] > 0 and at['top'] < 1000, f'the focus is not seen: {at}'
    assert due > 23 and reached == list(range(due))
    page.keyboard.press('Shift+Tab')
    assert page.evaluate(FOCUSED)['stop'] == str(due - 1), 'and the way back'


# ---- what a screen reader reads --------------------------------------------------------------------------------------


def status(page: Page) -> Locator:
    return page.locator('body > [role=status]')


def test_the_tape_is_read_in_words(lesson):
    output = lesson.output('l03-tape')
    steps, told = output.get_by_role('slider', name='Step of the tape'), output.locator('[aria-live=polite]')
    steps.press('Home')
    expect(output.get_by_role('group', name='The tape, drawn')).to_be_visible()
    expect(steps).to_have_attribute('aria-valuetext', re.compile(r'^Step 1 of \d+: Net is called\.'))
    for name in ('Play', 'Next', 'Takeover', 'Compare'):
        expect(output.get_by_role('button', name=name)).to_be_visible()
    expect(output.get_by_role('button', name='Back')).to_be_disabled()

    output.get_by_role('button', name='Next').press('Space')
    expect(told).to_have_text(re.compile(r'^Step 2 of \d+\. .+\. .+\.$'))
    expect(steps).to_have_attribute('aria-valuetext', re.compile(r'^Step 2 of \d+: .+$'))
    compare = output.get_by_role('button', name='Compare')
    compare.press('Space')
    expect(compare).to_be_focused()
    expect(compare).to_have_attribute('aria-current', 'step')
    expect(told).to_contain_text('Your dx and dy are wrong')
    steps.press('Home')


def test_questions_exercises_and_numbers_have_names_and_their_replies_are_told(lesson):
    page, output = lesson.page, lesson.output('l03-prediction')
    assert output.get_by_role('radiogroup', name='Your answer to: Predict').get_by_role('radio').count() == 4
    output.get_by_role('button', name='Commit').press('Space')
    expect(status(page)).to_contain_text('Choose an answer first')

    scale = lesson.output('l03-scale')
    name = 'Loss scale: multiplies the loss, and with it dout'
    expect(scale.get_by_role('textbox', name=f'{name}, as a number')).to_have_text('1.00')

    panel = lesson.output('l03-panel-3a')
    for _ in range(4):
        panel.get_by_role('button', name=re.compile('Hint|Show')).press('Enter')
        page.wait_for_timeout(300)
    expect(status(page)).to_contain_text('The solution')
    hints = panel.get_by_role('group', name='The solution')  # there is more than the block shows
    hints.focus()
    page.keyboard.press('ArrowDown')
    page.wait_for_function('one => one.scrollTop > 0', arg=hints.element_handle())
    panel.get_by_role('button', name='Insert a common mistake').press('Enter')
    expect(status(page)).to_contain_text('The belief behind it may be')


def test_nothing_was_complained_of(lesson):
    assert (lesson.seen.console, lesson.seen.failed, lesson.seen.hosts) == ([], [], {LOOPBACK})


# ---- other grounds ---------------------------------------------------------------------------------------------------


def test_the_dark_theme(browser, server, shots: Path):
    notebook = Notebook(browser, server, LESSON)
    page, theme = notebook.page, 'JupyterLab Dark'
    notebook.run_all()
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state='attached')
    unroll(notebook)
    use(notebook)
    found = axe(page, OURS)
    assert (found.serious, found.doubtful) == ([], [])
    assert found.looked > 60
    shots.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=shots / 'axe-dark.png')
    notebook.close()


def test_the_presentation(browser, tmp_path, shots: Path):
    """Every beat of lesson 03; and Tab never leads behind it, to what is not seen."""
    shutil.copy(LESSONS / LESSON, tmp_path)
    setup = "from minicell.teach import lesson\nL = lesson('03')"
    kernel = {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'}
    cells = [new_code_cell(setup), new_code_cell('L.present()'), new_code_cell('1')]
    nbformat.write(new_notebook(cells=cells, metadata={'kernelspec': kernel}), tmp_path / 'class.ipynb')
    with Server(tmp_path) as server:
        notebook = Notebook(browser, server, 'class.ipynb')
        page = notebook.page
        page.set_viewport_size({'width': 1280, 'height': 720})
        page.evaluate(RUN_ALL)
        panel, here = page.get_by_role('dialog', name='Presentation'), page.locator('.minicell-code-here')
        panel.locator('.minicell-beat').wait_for()
        page.add_style_tag(content=UNROLLED)
        beats = 0
        while True:
            page.wait_for_timeout(500)  # what a beat shows draws itself
            found = axe(page, PRESENTED)
            assert (found.serious, found.doubtful) == ([], []), here.inner_text()
            tab_round(page)
            beats += 1
            following = panel.locator('.minicell-next')
            if following.is_disabled():
                break
            code = here.inner_text()
            following.press('Enter')
            expect(here).not_to_have_text(code, timeout=30000)
        assert beats > 15
        page.keyboard.press('Tab')
        page.keyboard.press('Escape')
        expect(panel).to_have_count(0)
        notebook.close()


def tab_round(page: Page) -> None:
    """Press Tab from the beat until it is there again, and Shift and Tab once."""
    inside = "() => [Boolean(document.activeElement.closest('.minicell-present')), document.activeElement.className]"
    page.locator('.minicell-stage').focus()
    for _ in range(40):
        page.keyboard.press('Tab')
        within, name = page.evaluate(inside)
        assert within, 'the focus is behind the presentation'
        if 'minicell-stage' in name:
            break
    else:
        raise AssertionError('Tab does not go round')
    page.keyboard.press('Shift+Tab')
    assert 'minicell-leave' in page.evaluate(inside)[1]
