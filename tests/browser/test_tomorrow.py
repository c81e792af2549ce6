"""A lesson that is half answered, saved and opened again: with its kernel, without, in a new one, trusted by nobody."""

import json
from collections.abc import Iterator

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, expect

from tests.browser.axe import UNROLLED
from tests.browser.lab import Notebook, Server, serve
from tests.servers import ROOT

PUSHED = '03', '07', '09'  # the lessons that each push looks at
NAMES = [
    pytest.param(path.name, marks=pytest.mark.browser if path.name[:2] in PUSHED else pytest.mark.nightly)
    for path in sorted(ROOT.glob('lessons/[0-9][0-9]_*.ipynb'))
]
# What stands in each card, whether it can be used, and how many sliders are in it; one that is not trusted has no name.
SAID = """() => Object.fromEntries([...document.querySelectorAll('.jp-Notebook .mc-card')].map((card, k) => [
  card.dataset.of ?? k, [card.matches('.live'), card.querySelectorAll('[role=slider]').length,
  card.innerText.replace(/\\s+/g, ' ')]]))"""
RESTART = '() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()'


@pytest.fixture(scope='module')
def server(browser: Browser) -> Iterator[Server]:
    with serve(ROOT / 'lessons') as server:
        yield server


def said(notebook: Notebook, live: bool = True) -> dict[str, list]:
    """What the cards say, all of which can be used, or none."""
    notebook.page.add_style_tag(content=UNROLLED)  # what was not drawn says nothing
    notebook.page.wait_for_timeout(1000)  # the kernel has drawn them again
    cards = notebook.page.evaluate(SAID)
    assert 'model not found' not in notebook.page.inner_text('body')
    assert {used for used, *_ in cards.values()} == {live} and all(text for *_, text in cards.values()), cards
    return cards


def answer(notebook: Notebook, told: str = 'your answer') -> str:
    """Answer the first question that is open, and read what it says then; return which it was, or ''."""
    asked = notebook.page.locator('.mc-card.question.live:not(.done)')
    if not asked.count():
        return ''
    name = asked.first.get_attribute('data-of')
    asked = notebook.page.locator(f'.mc-card[data-of="{name}"]')
    asked.get_by_role('radio').first.check()
    asked.get_by_role('button', name='Commit').click()
    expect(asked).to_contain_text(told)
    notebook._ready()
    return name


def half(notebook: Notebook) -> None:
    """Answer every other question, open a hint, and write a sentence."""
    for _ in range(notebook.page.locator('.mc-card.question').count() // 2):
        answer(notebook)
    for hint in notebook.page.locator('.hint > summary:visible').all()[:1]:
        hint.click()
    for own in notebook.page.locator('.mc-card.sentence').all():
        own.get_by_role('textbox').fill('In my own words')
        own.get_by_text('Show the model answer').click()


@pytest.mark.parametrize('name', NAMES)
def test_what_was_answered_is_there_tomorrow(name, browser, server):
    notebook = Notebook(browser, server, name)
    notebook.run_all()
    half(notebook)
    due = said(notebook)
    notebook.save()
    notebook.reopen()
    assert said(notebook) == due
    answer(notebook)  # JupyterLab knows this output no more: the bridge writes it
    due = said(notebook)
    notebook.save()
    notebook.reopen(shut=True)
    assert said(notebook) == due
    answer(notebook, 'no kernel hears this card')
    notebook.run_all()
    assert said(notebook) == due
    notebook.page.evaluate(RESTART)
    notebook._ready()
    answer(notebook, 'no kernel hears this card')

    book, marks = nbformat.read(server.root / name, 4), sum('(your answer)' in text for *_, text in due.values())
    page, _ = HTMLExporter().from_notebook_node(book)
    assert page.count('(your answer: ') == marks and 'model not found' not in page
    for cell in book['cells']:
        cell['id'] += '-'  # another notebook, which nobody has signed
    (server.root / 'other.ipynb').write_text(json.dumps(book), encoding='utf-8')
    other = Notebook(browser, server, 'other.ipynb')
    cards = said(other, live=False)
    assert len(cards) == len(due)
    assert sum('(your answer: ' in text for *_, text in cards.values()) == marks
    for opened in (other, notebook):
        assert opened.seen.well()
        opened.close()
