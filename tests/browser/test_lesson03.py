"""Lesson 03 in a real browser: it runs, its pictures step, and quickly, and nothing is fetched from elsewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from minicell.teach.about import about
from tests.browser.lab import LOOPBACK, ROOT, Notebook, Server, errors, fast_enough
from tests.browser.picture import Picture

pytestmark = pytest.mark.browser

LESSONS = ROOT / 'lessons'
LESSON = '03_takeover.ipynb'
STEP = 50  # milliseconds: the steps of a tape are in the page
DRAWN = 150  # ... where the kernel draws the picture for the slider's place


@pytest.fixture(scope='module')
def lesson(browser: Browser) -> Iterator[Notebook]:
    if not (LESSONS / LESSON).is_file():
        pytest.skip(f'lessons/{LESSON} is not there')
    with Server(LESSONS) as server:
        notebook = Notebook(browser, server, LESSON)
        yield notebook
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
    shots.mkdir(parents=True, exist_ok=True)
    lesson.page.screenshot(path=shots / 'lesson03.png')


@pytest.fixture(scope='module')
def tape(lesson: Notebook, cells: list[dict]) -> Picture:
    """The picture of the tape, which moves no longer than it takes to paint it."""
    lesson.page.emulate_media(reduced_motion='reduce')
    picture = Picture(lesson.page, lesson.output('l03-tape').locator('.mc2'))
    picture.button('Next').wait_for()
    return picture


def test_the_steps_tell_the_whole_story(lesson, tape, shots: Path):
    stories = {'tape': tape.walk(shots)}
    stories |= {stepper.name: stepper.walk(shots) for stepper in lesson.steppers()}
    assert len(stories) > 1, 'no slider has the class lat-slider-NAME'
    for name, frames in stories.items():
        numberless = [step for step, text in enumerate(frames) if not re.search(r'\d\.\d', text)]
        assert numberless == [], f'frames of {name!r} without a number'
    story = ' '.join(text for frames in stories.values() for text in frames).lower()
    for word in ('forward', 'backward', 'bprop', 'yours', 'true', 'takeover|takes over|jumps over'):
        assert re.search(word, story), f'no frame says {word!r}'
    # of MindSpore's own listing: the first gradients that it prints, and how far they are from the truth
    for number in ('1.5', '1.6', '1.4', '5.2', '2.8'):
        assert number in story


def test_a_step_is_painted_in_time(lesson, tape):
    live = lesson.page.locator('.mc2-live').count()
    limits = {tape: STEP} | dict.fromkeys(() if live else lesson.steppers(), DRAWN)  # test_live.py times a live picture
    lesson.show('l03-tape')
    slow = [stepper.name for stepper, limit in limits.items() if not fast_enough(stepper, limit)]
    assert slow == []


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
    shows(8, 'backward turns off its road')
    expect(tape.button('Takeover')).to_have_attribute('aria-current', 'step')
    tape.button('Compare').click()
    shows(tape.steps, 'Your dx and dy are wrong')
    expect(tape.button('Next')).to_be_disabled()
    tape.button('Back').click()
    shows(tape.steps - 1)
    tape.press('Home')
    tape.button('Play').click()
    shows(2)
    tape.button('Pause').click()
    expect(tape.button('Play')).to_be_visible()


def test_every_other_slider_answers_too(lesson, cells):
    sliders = lesson.page.locator('.widget-slider:not([class*=lat-slider-]) .noUi-handle')
    for number in range(sliders.count()):
        handle = sliders.nth(number)
        if not handle.is_visible():
            continue
        handle.scroll_into_view_if_needed()
        before = handle.get_attribute('aria-valuenow')
        at_the_end = before == handle.get_attribute('aria-valuemax')
        handle.press('ArrowLeft' if at_the_end else 'ArrowRight')
        assert handle.get_attribute('aria-valuenow') != before


def test_every_control_has_a_name(lesson, cells):
    """For somebody who hears the page: what takes the focus says what it is."""
    lesson.page.wait_for_timeout(500)  # names come when a cell's widgets have been drawn
    assert lesson.nameless() == []
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
    expect(panel).to_contain_text('The belief behind it may be')
    expect(panel).to_contain_text('the framework checks my maths')
    panel.get_by_role('button', name='Hint 1 of 3').press('Enter')
    expect(panel).to_contain_text(about('03').exercises['3a'].hints[0].partition(':')[0])
    page.screenshot(path=shots / 'learner-2-mistake.png')
    panel.get_by_role('button', name='Insert the solution').press('Enter')
    expect(panel).to_contain_text('Exercise 3a: passed')

    lesson.show('l03-progress')
    expect(lesson.output('l03-progress')).to_contain_text('takeover: done, and surprised')
    expect(lesson.output('l03-progress')).to_contain_text('exercise 3a: passed')
    page.screenshot(path=shots / 'learner-3-progress.png')


# The last of this file: what the page complained of in all the tests before.
def test_the_console_is_clean_and_nothing_leaves_the_machine(lesson, cells):
    assert lesson.seen.console == []
    assert lesson.seen.failed == []
    assert lesson.seen.hosts == {LOOPBACK}
