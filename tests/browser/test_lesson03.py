"""Lesson 03 in a real browser: it runs, its pictures step, a learner goes through, and nobody else is asked."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from minicell.teach.about import about
from tests.browser.axe import OURS, axe, unroll
from tests.browser.lab import Notebook, errors, serve
from tests.browser.picture import Picture
from tests.messages import tells
from tests.servers import ROOT

pytestmark = pytest.mark.browser


@pytest.fixture(scope='module')
def lesson(browser: Browser) -> Iterator[Notebook]:
    with serve(ROOT / 'lessons') as server:
        notebook = Notebook(browser, server, '03_takeover.ipynb')
        yield notebook
        assert notebook.seen.well()
        notebook.close()


@pytest.fixture(scope='module')
def cells(lesson: Notebook) -> list[dict]:
    """All cells have run, and the figure of the loss scale is open: it waits for a prediction."""
    ran = lesson.run_all()
    scale = lesson.output('l03-scale')
    expect(scale).to_contain_text('Locked')
    assert lesson.steppers() == []
    lesson.commit('l03-prediction-2')
    lesson.show('l03-scale')
    expect(scale.get_by_text('Locked')).to_be_hidden()
    return ran


def test_all_cells_run_without_error(lesson, cells, shots: Path):
    assert cells
    assert [cell['source'] for cell in cells if cell['count'] is None] == []
    assert errors(cells) == []
    lesson.page.screenshot(path=shots / 'lesson03.png')


@pytest.fixture(scope='module')
def tape(lesson: Notebook, cells: list[dict]) -> Picture:
    """The picture of the tape, which moves no longer than it takes to paint it."""
    lesson.page.emulate_media(reduced_motion='reduce')
    picture = Picture(lesson.page, lesson.output('l03-tape').locator('.mc2'))
    picture.button('Next').wait_for()
    return picture


def test_the_steps_tell_the_whole_story(lesson, tape, shots: Path):
    story = tape.walk(shots)
    assert len(story) == tape.steps and all(re.search(r'\d\.\d', text) for text in story)
    # the numbers of MindSpore's own listing: the first gradients that it prints, and how far they are from the truth
    words = 'forward', 'backward', 'bprop', 'your', 'true', 'takeover', '1.5', '1.6', '1.4', '5.2', '2.8'
    tells(' '.join(story).lower(), *words, keep=False)


def test_the_buttons_step_too(lesson, tape):
    lesson.show('l03-tape')

    def shows(step: int, words: str = '') -> None:
        expect(tape.slider).to_have_attribute('aria-valuenow', str(step))
        expect(tape.root.locator('.title')).to_contain_text(words)

    tape.press('Home')
    tape.button('Next').click()
    shows(2)
    tape.button('Back').click()
    shows(1)
    tape.button('Takeover').click()
    shows(8, 'backward turns off')
    expect(tape.button('Takeover')).to_have_attribute('aria-current', 'step')
    tape.button('Compare').click()
    shows(tape.steps, 'dx and dy')
    expect(tape.button('Next')).to_be_disabled()
    tape.button('Back').click()
    shows(tape.steps - 1)
    tape.press('Home')
    tape.button('Play').click()
    shows(2)
    tape.button('Pause').click()
    expect(tape.button('Play')).to_be_visible()


def test_axe_finds_nothing_and_every_control_has_a_name(lesson, cells):
    """For somebody who hears the page: what takes the focus says what it is."""
    lesson.page.wait_for_timeout(500)  # names come when a cell's widgets have been drawn
    unroll(lesson)
    found = axe(lesson.page, OURS)
    lesson.page.set_viewport_size({'width': 1400, 'height': 1000})
    assert (lesson.nameless(), found.serious) == ([], []) and found.looked > 30
    for name in ('Step of the tape', 'Loss scale: multiplies the loss, and with it dout'):
        assert lesson.page.get_by_role('slider', name=name, exact=True).count() >= 1
    assert lesson.page.get_by_role('textbox', name='Code of exercise 3a').count() == 1


def test_a_learner_goes_through(lesson, cells, tape, shots: Path):
    """Predicts wrong, commits, reveals, steps, moves the control, inserts a mistake, reads its hint, passes."""
    page = lesson.page
    question, result = lesson.output('l03-prediction'), lesson.output('l03-run')
    expect(result).to_contain_text('Locked')
    expect(result).not_to_contain_text('1.50000000e+00')

    # by keyboard alone: an arrow key chooses, Tab leads to the button, the space bar presses it
    lesson.show('l03-prediction')
    question.get_by_role('radio').first.focus()
    page.keyboard.press('Space')
    page.keyboard.press('ArrowDown')
    second = about('03').questions['takeover'].choices[1]
    expect(question.get_by_label(second.text.replace('`', ''))).to_be_checked()
    page.wait_for_timeout(500)  # no hand is faster than the kernel's answer
    page.keyboard.press('Tab')
    expect(question.get_by_role('button', name='Commit')).to_be_focused()
    page.keyboard.press('Space')

    # the button is switched off, and with it what had the focus: yet the keys still reach the notebook
    expect(question.get_by_role('button', name='Commit')).to_be_disabled()
    page.wait_for_timeout(500)
    page.keyboard.press('Shift+Enter')
    expect(page.locator('.jp-Notebook .jp-Cell.jp-mod-active')).to_contain_text('Run it')

    lesson.show('l03-run')
    expect(result).to_contain_text('You said')
    expect(result).to_contain_text(second.misconception)
    assert not second.right
    expect(result).to_contain_text('1.50000000e+00')
    expect(question.get_by_role('radio').first).to_be_disabled()
    result.screenshot(path=shots / 'learner-1-confronted.png')

    lesson.show('l03-tape')
    tape.press('Home')
    assert tape.press('ArrowRight') is not None

    lesson.show('l03-scale')
    (scale,) = lesson.steppers()
    scale.handle.focus()
    page.keyboard.press('End')
    scale.target.get_by_role('button', name='Compare').click()
    expect(scale.target).to_contain_text('66.0')
    scale.handle.press('Home')
    expect(scale.target).to_contain_text('0.66')
    expect(scale.target.locator('.title')).to_contain_text('dx and dy are wrong')

    lesson.show('l03-panel-3a')
    panel = lesson.output('l03-panel-3a')
    panel.get_by_role('button', name='Insert a common mistake').press('Enter')
    expect(panel).to_contain_text('belief behind it')
    expect(panel).to_contain_text('checks my maths')
    panel.get_by_role('button', name='Hint 1 of 3').press('Enter')
    expect(panel).to_contain_text(about('03').exercises['3a'].hints[0].partition(':')[0])
    page.screenshot(path=shots / 'learner-2-mistake.png')
    panel.get_by_role('button', name='Insert the solution').press('Enter')
    expect(panel).to_contain_text('Exercise 3a: passed')

    lesson.show('l03-progress')
    for said in ('takeover: done', 'exercise 3a: passed'):
        expect(lesson.output('l03-progress')).to_contain_text(said)
    assert 'and surprised' in lesson.output('l03-progress').text_content()
    page.screenshot(path=shots / 'learner-3-progress.png')
