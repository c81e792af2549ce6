"""A hundred hostile strings in every place that a user's text reaches, on a page in Chromium: shown, not obeyed."""

from dataclasses import replace

import pytest

from minicell.teach.exercise import Mistake, Verdict
from minicell.teach.lesson import Lesson
from minicell.teach.question import Choice, Question, Waits
from minicell.teach.trials import Trial
from minicell.view.picture import ZOOMS, Picture
from tests.browser.lab import find_chromium, launch
from tests.view import hostile

pytestmark = pytest.mark.skipif(not find_chromium(), reason='no Chromium on this machine')
# each tenth on each push
NUMBERS = [pytest.param(n, marks=pytest.mark.nightly if n % 10 else pytest.mark.browser) for n in range(100)]

PICTURE = {'svg', 'title', 'desc', 'g', 'rect', 'path', 'text', 'tspan', 'circle', 'line', 'polyline', 'polygon'}
LESSON = {
    'section', 'header', 'i', 'div', 'p', 'b', 'code', 'pre', 'ul', 'ol', 'li', 'span', 'details', 'summary',
}  # fmt: skip
FORBIDDEN = ('src', 'href', 'xlink:href', 'srcdoc', 'action', 'data', 'formaction', 'autofocus', 'http-equiv')

# The page as a notebook makes it: an HTML widget's value becomes the innerHTML of a div.
SHOW = """
async pieces => {
  delete window.canary;
  document.body.replaceChildren();
  const tags = {}, bad = [];
  for (const piece of pieces) {
    const div = document.createElement('div');
    div.innerHTML = piece;
    document.body.append(div);
    for (const e of div.querySelectorAll('*')) {
      tags[e.localName] = (tags[e.localName] || 0) + 1;
      for (const a of e.attributes)
        if ((a.name.startsWith('on') || FORBIDDEN.includes(a.name) || a.value.includes('evil.invalid')
            || a.value.includes('canary'))
          && !['alt', 'aria-label', 'data-card'].includes(a.name))
          bad.push(`${e.localName} ${a.name}=${a.value}`);
      if (e.localName === 'style' && /evil|canary/.test(e.textContent)) bad.push('style ' + e.textContent);
    }
    for (const e of div.querySelectorAll('details')) e.open = true;
  }
  const settled = image => ['load', 'error'].map(way => new Promise(done => image.addEventListener(way, done)));
  await Promise.all([...document.images].filter(image => !image.complete).map(image => Promise.race(settled(image))));
  await new Promise(done => setTimeout(done, 60));
  return {tags, bad, canary: String(window.canary), text: document.body.textContent};
}
""".replace('FORBIDDEN', repr(list(FORBIDDEN)))


@pytest.fixture(scope='module')
def show():
    """Puts pieces of HTML on a page, and answers with what became of them."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = launch(play)
        page = browser.new_page()
        dialogs, requests = [], []
        page.on('dialog', lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.route('**/*', lambda route: (requests.append(route.request.url), route.abort()))

        def show(pieces, script=SHOW):
            del dialogs[:], requests[:]
            page.set_content('<!doctype html><meta charset="utf-8"><body></body>')
            found = page.evaluate(script, list(pieces))
            return {**found, 'dialogs': list(dialogs), 'requests': list(requests)}

        try:
            yield show
        finally:
            browser.close()


def obeyed(found, tags):
    """What a page did that it should not have."""
    out = [f'an element {tag}' for tag in found['tags'] if tag not in tags]
    out += found['bad'] + found['dialogs'] + found['requests']
    return out + ['dead canary'] * (found['canary'] != 'undefined')


PLAYER = """async pieces => {
  delete window.canary;
  document.body.replaceChildren();
  for (const piece of pieces) document.body.append(document.createRange().createContextualFragment(piece));
  await new Promise(done => setTimeout(done, 20));
  const views = [...document.querySelectorAll('.mc2')], tags = {}, bad = [];
  for (const view of views) {
    for (const button of view.querySelectorAll('button')) if (button.textContent === 'Next') button.click();
    const line = view.querySelector('[role=slider]');
    line.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}));
    for (const one of [...view.querySelectorAll('[v]')].slice(0, 12)) {
      one.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
      one.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    }
    for (const e of view.querySelectorAll('*')) {
      tags[e.localName] = (tags[e.localName] || 0) + 1;
      for (const a of e.attributes)
        if (a.name.startsWith('on') || FORBIDDEN.includes(a.name)) bad.push(`${e.localName} ${a.name}=${a.value}`);
    }
  }
  await new Promise(done => setTimeout(done, 60));
  return {tags, bad, views: views.length, canary: String(window.canary), text: document.body.innerText};
}""".replace('FORBIDDEN', repr(list(FORBIDDEN)))
VIEW = {
    'div', 'svg', 'rect', 'path', 'text', 'g', 'circle', 'title', 'button', 'p', 'style', 'details', 'summary', 'span',
    'table', 'thead', 'tr', 'th', 'td', 'tbody', 'dialog', 'h3', 'b', 'defs', 'clippath', 'clipPath', 'label', 'input',
}  # fmt: skip


@pytest.mark.parametrize('number', NUMBERS)
def test_a_tape_is_shown_and_obeys_nothing(show, number):
    """The words in each place that a picture reads from; the player is run, stepped, touched."""
    pieces = [
        Picture(tape, zoom=[*ZOOMS][number % 3], step=step).html()
        for tape in hostile.tapes(hostile.STRINGS[number])
        for step in (1, -1)
    ]
    found = show(pieces, PLAYER)
    assert found['views'] == len(pieces)
    assert obeyed(found, VIEW) == []
    assert 'canary' in found['text'] or 'evil' in found['text'], 'the words are not on the page at all'


@pytest.mark.parametrize('number', NUMBERS)
def test_the_still_and_a_page_that_drops_scripts_obey_nothing(show, number):
    """As innerHTML, no script runs: what is left of an output that nobody trusts. And SVG as it is saved."""
    pieces = []
    for tape in hostile.tapes(hostile.STRINGS[number]):
        picture = Picture(tape)
        html = picture.html()
        assert html.count('<script>') == html.count('</script>') == 1 and html.lower().count('<script') == 1
        pieces += [
            html.split('<script>')[0].replace('src="data:', 'data-src="data:'),
            picture.still(0),
            picture.still(-1),
        ]
    found = show(pieces)
    assert obeyed(found, PICTURE | {'div', 'img'}) == []


@pytest.mark.parametrize('number', NUMBERS)
def test_a_lesson_is_shown_and_obeys_nothing(show, number, capsys):
    words = hostile.STRINGS[number].replace('\x00', '')
    lesson = Lesson('03', keep=False)
    lesson.about = lesson.about._replace(title=words, sentences={'s': (words, words)}, questions={
        words: None, 'mine': Question(words, (Choice(words, words), Choice(f'{words} ', words, words)))
    })  # fmt: skip
    asked = lesson.predict('mine')
    result = Waits(asked, words)
    pieces = [asked.html(), result.html()]
    lesson.hear({'of': asked.id, 'chosen': number % 2})
    pieces += [asked.html(), result.html()]
    lesson.unlock()
    lesson.kept.tell('sentence s', said=words)
    pieces += [asked.html(), lesson.sentence('s').html(), lesson.progress().html()]

    exercise = replace(lesson.about.exercises['3a'])
    lesson.about = lesson.about._replace(exercises={'3a': exercise})
    exercise.title = exercise.task = words
    exercise.hints = (words,) * 3
    kept = {'mistakes': (Mistake('m', words, words, words),), 'solution': words, 'why': words}
    vars(exercise).update(kept, start=words, known=[], due=Trial(True, True, {words: 'x'}, f'✓ {words}'))
    card = lesson.exercise('3a')
    pieces.append(card.html())
    for verdict in (
        exercise.check_code(f'raise ValueError({words!r})'),
        Verdict('failed', words, words, Mistake('m', words, words, words)),
    ):
        card.judged(verdict)
        pieces.append(card.html())

    found = show(pieces)
    assert obeyed(found, LESSON) == []
    assert found['text'].count('canary') + found['text'].count('evil') > 10
    capsys.readouterr()


CAUGHT = ('<img src=x onerror=window.canary=1>', '<svg><script>1</script></svg>', '<p onclick="1">x</p>')


@pytest.mark.browser
@pytest.mark.parametrize('raw', CAUGHT)
def test_what_is_not_escaped_is_caught(show, raw):
    assert obeyed(show([f'<p>{raw}</p>']), PICTURE | LESSON)


@pytest.mark.browser
def test_a_canary_dies_where_a_page_obeys(show):
    found = show(['<img src=x onerror="window.canary=1; alert(7)">'])
    assert found['canary'] == '1' and found['dialogs'] == ['7'] and 'dead canary' in obeyed(found, PICTURE)


@pytest.mark.browser
def test_a_request_is_seen(show):
    address = 'http://evil.invalid/'
    assert show([f'<img src="{address}">'])['requests'] == [address]
