"""Exercises that are written on the site: Python in the page checks them, with the notebook's words, and they stay."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from minicell.command import site
from minicell.command.site import exercises, pyodide
from minicell.command.site.document import Page as Written
from minicell.teach import Map, lesson
from minicell.teach.about import exercise
from minicell.teach.task import EDITOR
from tests.browser.axe import axe
from tests.browser.front import PATIENCE, SIDEWAYS, SIZES, TAPPED, closed, new, python_asked
from tests.browser.play import small
from tests.messages import tells

pytestmark = pytest.mark.browser
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('', 'SecurityError'); }})"


@pytest.fixture(scope='module')
def where(folder: Path, url: str) -> str:
    """A lesson's page with a few of its cards."""
    script, needs = exercises.write(folder, beside=True)
    L = lesson('03', keep=False)
    shown = [L.predict('takeover'), *map(L.exercise, ('3a', '3b')), L.sentence('takeover'), L.progress(), Map()]
    cards = ''.join(card.bundle()['text/html'] for card in shown)
    main = f'<h1>Cards</h1>{cards}{needs.format(lite="")}{exercises.KEPT}'
    site.keep(folder, Written('cards.html', 'Cards', 'Some cards', main, 'lesson', (script,)), '')
    return f'{url}cards.html'


@pytest.fixture(scope='module')
def learner(browser: Browser, where: str) -> Iterator[Page]:
    """A page, to be used by one test after another."""
    page = new(browser)
    page.goto(where)
    yield page
    closed(page)


def card(page: Page, name: str) -> Locator:
    return page.get_by_role('region', name=f'Exercise {name}', exact=True)


def write(page: Page, name: str, code: str) -> None:
    card(page, name).locator('textarea').fill(code)


def check(page: Page, name: str, code: str) -> str:
    """What the card says to this code."""
    card(page, name).evaluate("one => { one.dataset.old = 'yes'; }")
    press_check(page, name, code)
    page.wait_for_selector(f'[data-of="{name[:-1].zfill(2)} exercise {name} {EDITOR}"]:not([data-old])')
    return said(card(page, name).inner_html())


def said(html: str) -> str:
    """The words of a card, up to its hints."""
    html = re.sub(r'<(textarea|div class="act).*|, \d+&gt;', '', html.partition('<ul class="hints"')[0], flags=re.S)
    return ' '.join(unescape(re.sub(r'<[^>]+>', ' ', html)).split())


def due(name: str, code: str) -> str:
    """What the notebook's card says to it."""
    task = lesson(name[:-1].zfill(2), keep=False).exercise(name)
    task.hear({'code': code})
    return said(task.body())


def answers(name: str) -> list[str]:
    """A right one, a wrong one, one that raises, and one that is no Python."""
    asked = exercise(name)
    return [asked.solution, asked.mistakes[0].code, f'{asked.start}\nraise ValueError("mine")', 'x = (1']


def press_check(page: Page, name: str, code: str) -> None:
    """Write this, and have it checked, without waiting."""
    write(page, name, code)
    card(page, name).get_by_role('button', name='Check').click()


def test_an_exercise_is_checked_with_the_words_of_the_notebook(learner):
    press_check(learner, '3a', exercise('3a').mistakes[0].code)  # Python is on its way, and then only the newest counts
    assert check(learner, '3a', exercise('3a').solution) == due('3a', exercise('3a').solution)
    for code in answers('3a'):
        assert check(learner, '3a', code) == due('3a', code)
    assert 'mine' in check(learner, '3a', 'print("look at me")\nraise ValueError("mine")')
    expect(card(learner, '3a').get_by_text('look at me')).to_be_visible()
    check(learner, '3a', exercise('3a').solution)
    card(learner, '3a').get_by_role('button', name='Show it on the tape').click()
    expect(card(learner, '3a').get_by_role('slider', name='Step of the tape')).to_be_visible()
    expect(learner.locator('.mc-card.progress')).to_contain_text('✓ exercise 3a: passed')


def test_what_was_written_and_passed_is_there_after_reloading_and_python_comes_once(learner):
    write(learner, '3b', 'half a thought')
    learner.reload()
    expect(learner.locator('.mc-card.map [data-stands="03"]')).to_have_text('◐ begun')
    expect(card(learner, '3a').locator('.state')).to_have_text('passed before')
    expect(card(learner, '3a').locator('textarea')).to_have_value(exercise('3a').solution)
    expect(card(learner, '3b').locator('textarea')).to_have_value('half a thought')
    tells(check(learner, '3b', 'half a thought'), 'SyntaxError', keep=False)
    asked = [url.rpartition('/')[2] for url in python_asked(learner)]
    assert all(asked.count(pyodide.stored(name)) == 1 for name in pyodide.FILES), asked


def test_code_that_would_never_end_is_stopped_and_nothing_is_lost(learner):
    interrupted = 'raise KeyboardInterrupt'  # as Stop would in a notebook
    assert check(learner, '3b', interrupted) == due('3b', interrupted)
    press_check(learner, '3b', 'while True:\n    pass')
    expect(card(learner, '3b')).to_contain_text('Checking …', timeout=PATIENCE)
    card(learner, '3b').get_by_role('button', name='Stop').click()
    expect(card(learner, '3b')).to_contain_text('Stopped.')
    expect(card(learner, '3b').locator('textarea')).to_have_value('while True:\n    pass')
    assert check(learner, '3b', exercise('3b').solution) == due('3b', exercise('3b').solution)


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_what_is_answered_can_be_read_and_pressed(scheme, learner, shots):
    check(learner, '3a', exercise('3a').mistakes[0].code)
    learner.emulate_media(color_scheme=scheme)
    for width, height in SIZES:
        learner.set_viewport_size({'width': width, 'height': height})
        assert small(learner, 'body *') == []
        assert learner.evaluate(SIDEWAYS) <= 0
        assert learner.evaluate(TAPPED) == []
        assert axe(learner).serious == []
        learner.screenshot(path=shots / f'exercise_{width}_{scheme}.png', full_page=True)
    learner.emulate_media(color_scheme='light')
    learner.set_viewport_size({'width': SIZES[0][0], 'height': SIZES[0][1]})


def test_answers_are_saved_to_a_file_and_loaded_in_another_browser(learner, look, where, tmp_path):
    learner.locator('.question').get_by_role('radio').first.check()
    learner.get_by_role('button', name='Commit').click()
    learner.locator('.sentence textarea').fill('Whoever wrote it')
    learner.get_by_text('Show the model answer').click()
    with learner.expect_download() as saved:
        learner.get_by_role('button', name='Save them').click()
    saved.value.save_as(file := tmp_path / 'mine.json')
    told = [json.loads(line) for line in file.read_text().splitlines()]
    states = {line['card']: line.get('state') for line in told[1:]}
    assert states == {'takeover': 'failed', 'sentence takeover': None, '3a': 'passed', '3b': 'passed'}
    other = look(where)
    other.locator('.answers input').set_input_files(file)
    expect(other.locator('.answers [role=status]')).to_contain_text('4 answers came from mine.json.')
    expect(other.locator('.question .mark').first).to_contain_text('your answer')
    expect(other.locator('.sentence textarea')).to_have_value('Whoever wrote it')
    expect(card(other, '3b').locator('.state')).to_have_text('passed before')
    expect(card(other, '3b').locator('textarea')).to_have_value(exercise('3b').solution)
    tab = other.context.new_page()
    tab.goto(where.replace('cards', 'course'))
    expect(tab.locator('[data-stands="03"]')).to_have_text('◐ begun')
    other.on('dialog', lambda dialog: dialog.accept())
    other.get_by_role('button', name='Forget them').click()
    expect(tab.locator('[data-stands="03"]')).to_have_text('○ not yet')


MINE = {'lesson': '03', 'card': '3a', 'state': 'passed', 'code': 'mine'}
BAD_FILES = {
    'empty': ('', ['holds no answers']),
    'large': (json.dumps({'minicell': 'x' * 5_000_000}), ['holds no answers']),
    'a picture': ('\x89PNG\n\x00', ['holds no answers']),
    'other JSON': ('[1, {"a": null}]\nnull\n7', ['holds no answers']),
    'damaged': (f'{json.dumps(MINE)}\n{{"lesson": "03", "ca', ['1 answer ', 'Line 2', 'cannot be read']),
    'wrong words': (json.dumps(MINE | {'state': 7, 'code': {'a': 1}, 'hints': -1}), ['1 answer ']),
    'another version': (
        '\n'.join(map(json.dumps, [{'minicell': '9.0'}, MINE | {'card': '99z'}, MINE | {'lesson': '__proto__'}])),
        ['0 answers', 'do not ask', '9.0'],
    ),
}


@pytest.mark.parametrize('kind', BAD_FILES)
def test_a_file_that_is_damaged_gets_a_sentence_and_what_is_there_stays(kind, look, where, tmp_path):
    text, facts = BAD_FILES[kind]
    (tmp_path / 'mine.json').write_text(text, encoding='latin-1')
    page = look(where)
    write(page, '3b', 'mine')
    page.locator('.answers input').set_input_files(tmp_path / 'mine.json')
    status = page.locator('.answers [role=status]')
    expect(status).to_contain_text('mine.json')
    tells(status.inner_text(), *facts)
    expect(card(page, '3b').locator('textarea')).to_have_value('mine')


def test_an_answer_that_the_lesson_no_longer_has_is_asked_again(browser, where):
    page = new(browser)
    page.add_init_script('localStorage.setItem(\'minicell 03 takeover\', \'{"chosen": 1, "text": "of old"}\')')
    page.add_init_script("localStorage.setItem('minicell 03 3a', 'no JSON')")
    page.goto(where)
    tells(page.locator('.question .note.kept').inner_text(), 'before', 'none of these', keep=False)
    assert page.locator('.question').get_by_role('radio').count() == 4
    assert card(page, '3a').locator('textarea').input_value() == exercise('3a').start
    closed(page)


def test_without_storage_a_card_answers_and_says_that_nothing_is_kept(browser, where):
    page = new(browser)
    page.add_init_script(NO_STORAGE)
    page.goto(where)
    page.locator('.question').get_by_role('radio').first.check()
    page.get_by_role('button', name='Commit').click()
    tells(page.locator('.question .note.kept').inner_text(), 'keeps nothing', 'close', keep=False)
    expect(page.locator('.question .mark').first).to_contain_text('your answer')
    press_check(page, '3b', exercise('3b').solution)
    write(page, '3b', 'typed meanwhile')
    expect(card(page, '3b').locator('.state')).to_have_text('passed', timeout=PATIENCE)
    expect(card(page, '3b').locator('textarea')).to_have_value('typed meanwhile')
    closed(page)


def complaint(page: Page) -> str:
    """What the card says where Python does not come; what was written is there."""
    press_check(page, '3b', 'mine')
    line = card(page, '3b').locator('.python [role=status]')
    expect(line).not_to_have_text(re.compile('Python is on its way|starts'), timeout=PATIENCE)
    expect(card(page, '3b').locator('textarea')).to_have_value('mine')
    return line.inner_text()


def test_without_a_network_a_card_says_so_and_checks_once_there_is_one(look, where):
    page = look(where)
    page.context.set_offline(True)
    tells(complaint(page), 'could not', 'network', keep=False)
    page.context.set_offline(False)
    page.seen.clear()  # Chromium has complained, too
    assert check(page, '3b', exercise('3b').solution) == due('3b', exercise('3b').solution)


def test_as_a_file_a_card_says_that_it_needs_a_server(look, folder, where):
    page = look((folder / 'cards.html').as_uri())
    tells(complaint(page), 'file', 'web server', keep=False)


def test_without_webassembly_a_card_says_so(browser, folder, where):
    page = new(browser)
    bare = f'delete self.WebAssembly;{(folder / pyodide.FOLDER / "worker.js").read_text()}'
    page.context.route('**/worker.js', lambda route: route.fulfill(body=bare, content_type='text/javascript'))
    page.goto(where)
    tells(complaint(page), 'WebAssembly', 'Python', keep=False)
    closed(page)
