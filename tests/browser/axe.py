"""Axe-core over what is ours in a page of JupyterLab.

Ours: all that a cell shows, down to what ipywidgets made of it; the text cells; and the presentation. Not ours:
JupyterLab's bars, prompts, folders and editors, and the colours that its theme gives to code in a text.
"""

from typing import NamedTuple

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.lab import READY, Notebook

OURS = {
    'include': [['.jp-OutputArea-output'], ['.jp-RenderedMarkdown']],
    'exclude': [['.jp-RenderedMarkdown code[class*=language-]']],
}
PRESENTED = {'include': [['.minicell-present']], 'exclude': OURS['exclude']}

# JupyterLab's body is 0 pixels high, and its cells are drawn when they are in view: for axe, nothing could be seen.
# Nor does axe find the ground of a piece of code that goes on in the next line.
UNROLLED = """body, .jp-LabShell {overflow: visible !important} .jp-Cell {content-visibility: visible !important}
.jp-Cell :not(pre) > code {white-space: nowrap !important}"""
HEIGHT = "() => document.querySelector('.jp-WindowedPanel-outer').scrollHeight"

# What a learner does who takes the last answer each time, asks for every hint, and makes a common mistake.
USE = """async () => {
  const press = words => [...document.querySelectorAll('.jp-OutputArea-output :is(button, summary)')]
    .filter(button => words.test(button.ariaLabel ?? button.textContent)).map(button => button.click()).length;
  for (const list of document.querySelectorAll('.mc-card [role=radiogroup]'))
    [...list.querySelectorAll('input')].at(-1).click();
  const words = [/^Commit$/, ...Array(3).fill(/^Hint \\d/), /^Try a common mistake$/, /^Solution$/];
  return [...words, /^Show the model answer$/, /^Next/, /^Takeover$/, /^Compare$/].map(press);
}"""

# ... and the page's own script names what is new soon after: nothing has changed for a second, or for 20.
QUIET = """() => new Promise(resolve => {
  let still = setTimeout(resolve, 1000);
  setTimeout(resolve, 20000);
  new MutationObserver(() => { clearTimeout(still); still = setTimeout(resolve, 1000); })
    .observe(document.body, {childList: true, subtree: true, attributes: true, characterData: true});
})"""


class Found(NamedTuple):
    """What axe says. `looked`: how many pieces of text it could measure the contrast of."""

    serious: list[str]
    doubtful: list[str]
    looked: int


def unroll(notebook: Notebook) -> None:
    """Make the window as high as the notebook, so that axe sees all of it."""
    page = notebook.page
    page.add_style_tag(content=UNROLLED)
    page.set_viewport_size({'width': 1400, 'height': page.evaluate(HEIGHT) + 200})
    page.wait_for_timeout(500)


def use(notebook: Notebook) -> list[int]:
    """Answer, ask for hints, make mistakes; return how often each button was pressed."""
    pressed = notebook.page.evaluate(USE)
    notebook.page.wait_for_function(READY, arg=notebook.name, polling=100)
    notebook.page.evaluate(QUIET)
    return pressed


def axe(page: Page, context: dict | None = None) -> Found:
    """Run axe over what is ours; without a context, over the whole page."""
    results = Axe().run(page, context, {}).response
    measured = next((each['nodes'] for each in results['passes'] if each['id'] == 'color-contrast'), [])
    serious = [told(each) for each in results['violations'] if each['impact'] in ('serious', 'critical')]
    return Found(serious, [each for each in map(doubt, results['incomplete']) if each], len(measured))


def told(rule: dict, nodes: list[dict] | None = None) -> str:
    """A rule that is broken, and where first."""
    nodes = rule['nodes'] if nodes is None else nodes
    why = (nodes[0]['failureSummary'] or '').replace('\n', ' ')
    return f'{rule["id"]}, {len(nodes)} times: {nodes[0]["html"][:200]}: {why[:300]}'


def doubt(rule: dict) -> str:
    """What axe could not decide. Text on shapes it never can, nor text that is not yet drawn where the page has grown:
    `looked` counts what it did measure. A list of choices has an arrow for a background."""
    signs = 'obscured', 'only non-text characters'  # a sign such as ✓ stands beside its words
    told_so = lambda node: any(sign in (node['failureSummary'] or '') for sign in signs)
    never = lambda node: node['html'].startswith(('<text', '<select')) or told_so(node)
    left = [node for node in rule['nodes'] if not never(node)]
    return told(rule, left) if left else ''
