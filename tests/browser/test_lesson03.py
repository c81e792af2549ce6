"""Lesson 03 in a real browser: it runs, its pictures step, a learner goes through, and nobody else is asked."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from minicell.teach.about import about, exercise
from tests.browser.lab import Notebook, errors, serve
from tests.browser.picture import Picture
from tests.messages import tells
from tests.servers import ROOT

pytestmark = pytest.mark.browser

# How often each code cell has run.
RUNS = '() => [...window.jupyterapp.shell.currentWidget.content.model.cells].map(cell => cell.executionCount)'


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
    expect(scale.locator('.mc-card.lock')).to_contain_text('It opens when you have answered')
    expect(scale.get_by_role('slider')).to_have_count(0)
    lesson.commit('l03-prediction-2')
    lesson.show('l03-scale')
    expect(scale.locator('.mc-card')).to_contain_text('You said')
    expect(scale.get_by_role('slider')).to_be_visible()
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


def test_a_learner_goes_through(lesson, cells, tape, shots: Path):
    """Predicts wrong by keys, steps, moves the control, makes a mistake in the cell, reads a hint, shows it, passes."""
    page = lesson.page
    question, result = lesson.output('l03-prediction'), lesson.output('l03-run')
    expect(result).to_contain_text('The cell has run')
    expect(result.get_by_text('1.50000000e+00')).to_be_hidden()

    # by keyboard alone: a digit chooses, an arrow key goes on, Enter commits, Escape leads back to the cell
    lesson.show('l03-prediction')
    question.get_by_role('radio').first.focus()
    before = page.locator('.jp-Notebook .jp-Cell').count()
    for key in ('x', 'd', 'd', 'z', 'Control+z', 'Shift+Enter', 'Control+Enter', 'Alt+Enter', '2', 'ArrowDown'):
        page.keyboard.press(key)
    choices = about('03').questions['takeover'].choices
    expect(question.get_by_role('radio').nth(2)).to_be_checked()
    page.keyboard.press('Enter')
    expect(question.locator('.was .text')).to_contain_text(choices[2].text.replace('`', ''))
    expect(question).to_contain_text(choices[2].misconception)
    expect(question.locator('.right .text')).to_contain_text(next(c for c in choices if c.right).text.replace('`', ''))
    expect(page.locator('.minicell-ear')).to_contain_text('Not so.')
    assert page.locator('.jp-Notebook .jp-Cell').count() == before, 'no key reaches the notebook'
    page.wait_for_timeout(1000)  # the kernel has drawn it again, and the focus is where it was
    assert page.evaluate("() => document.activeElement.matches('.mc-card.question.done')")
    page.keyboard.press('Escape')
    page.keyboard.press('Shift+Enter')
    expect(page.locator('.jp-Notebook .jp-Cell.jp-mod-active')).to_contain_text('Run it')

    lesson.show('l03-run')
    expect(result).to_contain_text('You said')
    expect(result.get_by_text('1.50000000e+00')).to_be_visible()
    result.screenshot(path=shots / 'learner-1-confronted.png')

    lesson.show('l03-tape')
    tape.press('Home')
    assert tape.press('ArrowRight') is not None

    lesson.show('l03-scale')
    scale = Picture(page, lesson.output('l03-scale').locator('.mc2'))
    for key, true in (('Home', '0.66'), ('End', '66')):
        scale.press(key)
        expect(scale.root.locator('.box')).to_contain_text(true)
        expect(scale.root.locator('.title')).to_contain_text('dx and dy are wrong')
    scale.root.locator('[rc][aria-label^="dx[0, 0]"]').first.click()
    expect(scale.root.locator('.account')).to_contain_text('14.10')  # what dx[0,0] should be at a scale of 10
    ran = page.evaluate(RUNS)
    page.keyboard.press('Escape')
    own, hint = (
        lesson.output('l03-sentence-1').get_by_role('textbox'),
        lesson.output('l03-exercise-3a').locator('summary'),
    )
    for place in (scale.button('Back'), scale.root.locator('.more summary'), scale.slider, own, hint.first):
        for key in ('Control+Enter', 'Alt+Enter', 'Shift+Enter', 'Control+z', 'a', 'x', 'd', 'd', 'Tab'):
            place.press(key)
    assert page.evaluate(RUNS) == ran, 'no key of a picture or a card runs a cell, adds one or takes one away'

    asked = exercise('3a')
    card = lesson.output('l03-exercise-3a')
    lesson.write('l03-exercise-3a', f"{asked.mistakes[0].code}\n\nL.check('3a', MatMul)")
    expect(card.locator('.finding')).to_contain_text('checks my maths')
    expect(card.locator('.checks .failed')).not_to_have_count(0)
    card.get_by_text('Hint 1 of 3').press('Enter')
    expect(card).to_contain_text(asked.hints[0].partition(':')[0])
    page.wait_for_timeout(1000)  # the kernel has drawn it again
    expect(card.get_by_text('Hint 1 of 3')).to_be_focused()
    card.get_by_role('button', name='Show it on the tape').click()
    expect(card.locator('.mc2 .title')).to_contain_text('wrong')
    card.get_by_text('Try a common mistake').click()
    card.locator('.tries > details > summary').first.click()
    expect(card.get_by_text("L.insert('3a', 'document')")).to_be_visible()
    page.screenshot(path=shots / 'learner-2-mistake.png')
    lesson.write('l03-exercise-3a', f"{asked.solution}\n\nL.check('3a', MatMul)")
    expect(card.locator('.state')).to_have_text('passed')

    lesson.show('l03-progress')
    for said in ('takeover: done', 'exercise 3a: passed'):
        expect(lesson.output('l03-progress')).to_contain_text(said)
    assert 'and surprised' in lesson.output('l03-progress').text_content()
    page.screenshot(path=shots / 'learner-3-progress.png')
