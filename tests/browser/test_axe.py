"""Who hears the page, or has no mouse: the keyboard alone, and the tree that a screen reader reads; and axe itself.

That axe finds nothing in any lesson, before and after it was used, is in test_lessons; in any beat, in test_present.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import OURS, UNROLLED, axe
from tests.browser.lab import Notebook, serve
from tests.messages import tells
from tests.servers import ROOT

pytestmark = pytest.mark.nightly

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
  const at = document.activeElement, shown = at.closest('label.row') ?? at; // of a choice, the whole row
  const {top, bottom} = shown.getBoundingClientRect(), ring = getComputedStyle(shown);
  return {stop: at.dataset.stop, inside: Boolean(at.closest('.jp-Notebook')), top, bottom,
    ring: [ring.outlineStyle, ring.outlineWidth, ring.outlineColor]};
}"""
RINGS = [['solid', '3px', colour] for colour in ('rgb(0, 114, 178)', 'rgb(0, 103, 168)')]


@pytest.fixture(scope='module')
def lesson(browser: Browser) -> Iterator[Notebook]:
    with serve(ROOT / 'lessons') as server:
        notebook = Notebook(browser, server, '03_takeover.ipynb')
        notebook.run_all()
        notebook.commit('l03-prediction-2')  # the figure of the loss scale waits for it
        yield notebook
        notebook.close()


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
    for _ in range(3):  # what a busy machine has laid out and not drawn, axe does not see yet
        found = {each.split(',')[0] for each in axe(page, OURS).serious}
        if found == set(BAD):
            break
    page.evaluate('() => document.getElementById("bad").remove()')
    assert found == set(BAD)


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
        assert at['ring'] in RINGS and at['bottom'] > 0 and at['top'] < 1000, f'the focus is not seen: {at}'
    assert due > 23 and reached == list(range(due))
    for _ in range(20):  # the listings to take home are folded in a cell of text below
        page.keyboard.press('Shift+Tab')
        if (stop := page.evaluate(FOCUSED)['stop']) is not None:
            break
    assert stop == str(due - 1), 'and the way back'


def test_the_tape_is_read_in_words(lesson):
    output = lesson.output('l03-tape')
    steps, told = output.get_by_role('slider', name='Step of the tape'), output.locator('[aria-live=polite]')
    steps.press('Home')
    expect(output.get_by_role('group', name='The picture, drawn')).to_be_visible()
    expect(steps).to_have_attribute('aria-valuetext', re.compile(r'^Step 1 of \d+: Net is called\.'))
    for name in ('Play', 'Next', 'Takeover', 'Compare'):
        expect(output.get_by_role('button', name=name)).to_be_visible()
    expect(output.get_by_role('button', name='Back', exact=True)).to_be_disabled()

    output.get_by_role('button', name='Next').press('Space')
    expect(told).to_have_text(re.compile(r'^Step 2 of \d+\. .+\. .+\.$'))
    expect(steps).to_have_attribute('aria-valuetext', re.compile(r'^Step 2 of \d+: .+$'))
    compare = output.get_by_role('button', name='Compare')
    compare.press('Space')
    expect(compare).to_be_focused()
    expect(compare).to_have_attribute('aria-current', 'step')
    tells(told.text_content(), 'dx and dy', 'wrong')
    steps.press('Home')

    name = 'Loss scale: multiplies the loss, and with it dout'
    scale = lesson.output('l03-scale').get_by_role('slider', name=name)
    expect(scale).to_have_attribute('aria-valuetext', re.compile('Loss scale 1:'))
