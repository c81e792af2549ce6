"""Cards in a page that has no kernel: the same module as in a notebook, in both themes, on a phone, by keys."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from minicell.teach import Map, lesson
from minicell.teach.progress import SWITCH
from minicell.teach.question import Waits
from tests.browser.axe import axe
from tests.browser.lab import BLANK, Seen
from tests.browser.served import served

pytestmark = pytest.mark.browser

HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Cards</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>body { margin: 8px; background: #fff; color: #111 }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }</style><main><h1>Cards</h1>"""


@pytest.fixture(scope='module')
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page with a card of each kind, as a notebook shows them."""
    folder = tmp_path_factory.mktemp('cards')
    L = lesson('03', keep=False)
    shown = [L.predict('takeover'), L.check('3a', 3), L.sentence('takeover'), L.progress(), Map()]
    shown.insert(1, Waits(L.predict('takeover'), 'printed 42'))
    asked = L.recall('recall 1').bundle()['text/html']
    damaged = [asked.replace('data-card="{', 'data-card="edited by hand'), asked.replace('class="choices"', '')]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, 'off')  # the map is of nobody
        page = HEAD + ''.join(
            [*(card.bundle()['text/html'] for card in shown), *damaged, L.recall('recall 2').html(), '</main></html>']
        )
    (folder / 'index.html').write_text(page, encoding='utf-8')
    with served(folder) as url:
        yield url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page, seen = browser.new_page(viewport={'width': 900, 'height': 900}), Seen()
    seen.watch(page)
    page.goto(address)
    yield page
    assert seen.well()
    page.close()


def card(page: Page, kind: str) -> Locator:
    return page.locator(f'.mc-card.live.{kind}')


def test_a_question_is_answered_by_keys_opens_what_waits_and_is_there_tomorrow(page):
    asked, result = card(page, 'question'), card(page, 'lock')
    assert [row.get_attribute('data-key') for row in asked.locator('.row').all()] == ['A', 'B', 'C', 'D']
    expect(result.locator('.wait')).to_contain_text('when you have answered Predict')
    assert result.bounding_box()['height'] < 50, 'what waits is one line'
    expect(result.get_by_text('printed 42')).to_be_hidden()
    group = asked.get_by_role('radiogroup', name='Your answer to: Predict')
    assert group.get_by_role('radio').count() == 4
    asked.get_by_role('button', name='Commit').click()
    expect(asked).to_contain_text('Choose an answer first')
    group.get_by_role('radio').first.focus()
    top = asked.bounding_box()['y']
    row, radio = (group.locator(part).nth(2).bounding_box() for part in ('.row', 'input'))
    assert row['width'] - radio['width'] < 4 > row['height'] - radio['height'], 'it is pressed anywhere in its row'
    page.keyboard.press('3')
    expect(asked).not_to_contain_text('Choose an answer first')
    page.keyboard.press('Enter')
    assert asked.bounding_box()['y'] == top, 'nothing above it moves'
    expect(asked.locator('.choices').first.locator('> li')).to_have_count(2)
    assert [re.sub(r'\W+', ' ', each) for each in asked.locator('.mark').all_inner_texts()[:2]] == [
        ' your answer not so ',
        ' right ',
    ]
    expect(page.get_by_role('status')).to_contain_text('Not so.')
    assert page.evaluate("() => document.activeElement.matches('.mc-card.done')")
    asked.get_by_text('The other answers, and why not').click()
    expect(asked.locator('.others .reply')).to_have_count(2)
    expect(result.get_by_text('printed 42')).to_be_visible()
    expect(result).to_contain_text('You said: The true gradient of the product.')
    page.reload()
    expect(asked).to_contain_text('answered')
    expect(result.get_by_text('printed 42')).to_be_visible()


def test_an_exercise_shows_hints_in_order_mistakes_one_by_one_and_the_solution(page):
    asked = card(page, 'exercise')
    for k in (1, 2, 3):
        expect(asked.locator('.hint > summary:visible')).to_have_count(k)
        asked.get_by_text(f'Hint {k} of 3').press('Enter')
        expect(asked.locator('.hint[open] > p:visible')).to_have_count(k)
    tops = [hint.bounding_box()['y'] for hint in asked.locator('.hint > p').all()]
    assert tops == sorted(tops)
    expect(asked.locator('.checks li')).to_have_count(4)
    asked.get_by_text('Try a common mistake').click()
    for k, mistake in enumerate(('document', 'no-dout')):
        asked.locator('.tries > details > summary').nth(k).click()
        expect(asked.get_by_text(f"L.insert('3a', '{mistake}')")).to_be_visible()
    asked.get_by_text('Solution', exact=True).click()
    expect(asked.locator('.solution pre')).to_be_visible()
    page.context.grant_permissions(['clipboard-read', 'clipboard-write'])
    asked.locator('.solution').get_by_role('button', name='Copy').click()
    assert 'x.T' in page.evaluate('() => navigator.clipboard.readText()')
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # as without https
    asked.locator('.tries').get_by_role('button', name='Copy').first.click()
    assert 'x + 1' in page.evaluate('() => getSelection().toString()')


# A cell of a notebook, as long as it runs and so many cells wait for it; somebody looks at what is below.
RUNS = """waiting => {
  const asked = document.querySelector('.mc-card.exercise'), cell = document.createElement('div');
  cell.className = 'jp-Cell';
  cell.innerHTML = '<div class="jp-InputPrompt">[*]:</div>'.repeat(waiting + 1);
  (asked.closest('.jp-Cell') ?? asked).replaceWith(cell);
  cell.append(asked);
  scrollTo(0, document.body.scrollHeight);
  window.minicellCard(asked);
}"""


def test_what_a_check_found_comes_into_view_unless_more_cells_run(page):
    head = card(page, 'exercise').locator('header')
    page.evaluate(RUNS, 1)
    page.wait_for_timeout(400)
    expect(head).not_to_be_in_viewport()
    page.evaluate(RUNS, 0)
    expect(head).to_be_in_viewport()


def test_a_card_whose_cell_has_not_run_says_so_and_has_its_letters(page):
    still = page.locator('.mc-card:not(.live)').last
    told = still.locator('.state').evaluate("state => getComputedStyle(state, '::after').content")
    assert 'run this cell' in told
    assert still.locator('li').first.evaluate('row => getComputedStyle(row).listStyleType') == 'upper-alpha'


@pytest.mark.parametrize('how', [0, 1], ids=['its facts', 'its parts'])
def test_a_card_that_was_edited_by_hand_is_a_still_and_says_so(page, how):
    still = page.locator('.mc-card:not(.live)').nth(how)
    expect(still).to_contain_text('One entry on the tape')
    expect(still.locator('> .note')).to_contain_text('Run its cell again')
    still.get_by_text('Reply').first.click()
    expect(still.locator('details[open] p').first).to_be_visible()


def test_the_map_has_its_minutes_and_states_in_columns(page):
    states = card(page, 'map').locator('[data-stands]').all()
    assert len({state.bounding_box()['x'] for state in states}) == 1 and len(states) == 16
    expect(card(page, 'map').get_by_role('link')).to_have_count(16)


def test_a_sentence_is_compared_and_kept(page):
    asked = card(page, 'sentence')
    expect(asked.locator('.model p')).to_be_hidden()
    asked.get_by_role('textbox').fill('Whoever wrote it. xdd')
    asked.get_by_text('Show the model answer').click()
    expect(asked.locator('.model')).to_contain_text('nobody checks it')
    page.reload()
    expect(asked.get_by_role('textbox')).to_have_value('Whoever wrote it. xdd')
    expect(asked.locator('.model p')).to_be_visible()
    asked.get_by_role('textbox').fill('Another one.')
    asked.get_by_text('Show the model answer').click()
    page.reload()
    expect(asked.get_by_role('textbox')).to_have_value('Another one.')


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('width', [390, 900, 1366])
def test_no_card_has_blank_room_or_is_too_wide_and_axe_finds_nothing(page, scheme, width, shots: Path):
    page.emulate_media(color_scheme=scheme, reduced_motion='reduce')
    page.set_viewport_size({'width': width, 'height': 900})
    for state in ('untouched', 'used'):
        if state == 'used':
            card(page, 'question').get_by_role('radio').nth(0).check()
            for name in ('Commit', 'Hint 1 of 3', 'Try a common mistake', 'Solution', 'Show the model answer'):
                page.locator('.live :is(button, summary)', has_text=re.compile(f'^{name}$')).first.click()
        page.screenshot(path=shots / f'cards-{scheme}-{width}-{state}.png', full_page=True)
        assert max(page.evaluate(BLANK)) <= 22, page.evaluate(BLANK)
        assert page.evaluate('() => document.documentElement.scrollWidth') <= width
        found = axe(page)
        assert (found.serious, found.doubtful) == ([], []), state
        assert found.looked > 20
