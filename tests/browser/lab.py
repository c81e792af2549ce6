"""Drives a notebook in JupyterLab with a real Chromium, and writes down what it saw.

`serve` is the `minicell` command on a copy of a folder of notebooks; `Notebook` is one of them, open in a page.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, Playwright, Request, Response

from tests.servers import opened

TOKEN = 'a-token-for-the-tests'
LOOPBACK = '127.0.0.1'
PATIENCE = 300  # seconds: machines that run tests are busy, and lesson 12 trains for a minute on a quiet one

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')

FLAGS = [
    '--no-sandbox',  # root, and most containers, have none; all that is opened here is our own
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    # whatever is asked for elsewhere fails at once, on a machine with a network as on one without
    f'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {LOOPBACK}',
]


def find_chromium() -> str | None:
    """Return the path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright) -> Browser:
    """Start the installed Chromium, headless."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)


class Server(NamedTuple):
    """Where a JupyterLab has its notebooks, and where it answers."""

    root: Path
    host: str

    def url(self, path: str) -> str:
        """The address of a path of the server, token and all."""
        return f'{self.host}/{path}?token={TOKEN}'


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """JupyterLab, by the `minicell` command, on a copy of `folder`."""
    home = Path(tempfile.mkdtemp(prefix='lab-'))  # short: Unix sockets of the kernels live below it
    try:
        shutil.copytree(folder, home / 'lessons', ignore=shutil.ignore_patterns('.ipynb_checkpoints'))
        options = [f'--ServerApp.root_dir={home / "lessons"}', f'--IdentityProvider.token={TOKEN}']
        parts = '_CONFIG', '_DATA', '_RUNTIME', 'LAB_SETTINGS'
        own = {f'JUPYTER{part}_DIR': str(home / part.lower()) for part in parts} | {'IPYTHONDIR': str(home / 'ipython')}
        with opened(home, '--no-browser', '--', *options, '--expose-app-in-browser', **own) as (_, address):
            yield Server(home / 'lessons', address.partition('/lab/')[0])
    finally:
        shutil.rmtree(home, ignore_errors=True)


@dataclass
class Seen:
    """What happened in the page, beside what was asked for."""

    console: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def watch(self, page: Page) -> None:
        """Listen to all that a page does from now on."""
        page.on('console', lambda message: message.type == 'error' and self.console.append(message.text))
        page.on('pageerror', lambda error: self.console.append(f'uncaught: {error}'))
        page.context.on('request', self._request)
        page.context.on('response', self._response)
        page.context.on('requestfailed', lambda r: self.failed.append(f'{_bare(r.url)}: {r.failure}'))
        page.on('websocket', lambda ws: self.hosts.add(urlsplit(ws.url).hostname or ''))

    def _request(self, request: Request) -> None:
        if request.url.startswith('http'):  # data: and blob: stay in the page
            self.hosts.add(urlsplit(request.url).hostname or '')

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.failed.append(f'{_bare(response.url)}: {response.status}')

    def well(self, alone: bool = True) -> bool:
        """Nothing was complained of and nothing failed; `alone`: nobody but this machine was asked."""
        assert (self.console, self.failed) == ([], [])
        assert not alone or self.hosts == {LOOPBACK}
        return True


def _bare(url: str) -> str:
    return re.sub(r'\?.*', '', url)


# The panel that is open, once its kernel can be spoken to: a Run All before that is lost, without a word.
READY = """path => {
  const panel = window.jupyterapp?.shell.currentWidget, kernel = panel?.sessionContext?.session?.kernel;
  return panel?.context?.path === path && panel.context.isReady
    && kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}"""

RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"

# JupyterLab may leave out what was never in view, so look at each cell, and end at the first.
LEAF_THROUGH = """async () => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  for (let cell = notebook.widgets.length - 1; cell >= 0; cell--) {
    await notebook.scrollToItem(cell);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}"""

# From the notebook's model, since cells out of view are not in the page.
CELLS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
  .filter(cell => cell.type === 'code' && cell.sharedModel.getSource().trim())
  .map(cell => ({count: cell.executionCount, source: cell.sharedModel.getSource(), outputs: cell.outputs.toJSON()}))"""

PLACE = 'id => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(cell => cell.model.id === id)'
SHOW = f"async id => window.jupyterapp.shell.currentWidget.content.scrollToItem(({PLACE})(id), 'start')"

WRITE = f"""async ([id, code]) => {{
  const notebook = window.jupyterapp.shell.currentWidget.content, at = ({PLACE})(id);
  notebook.widgets[at].model.sharedModel.setSource(code);
  notebook.activeCellIndex = at;
  await window.jupyterapp.commands.execute('notebook:run-cell');
}}"""

# What is blank in a card: room below its last part that is more than its padding.
BLANK = """() => [...document.querySelectorAll('.mc-card')].map(card => {
  const seen = [...card.querySelectorAll('*')].filter(one => one.checkVisibility() && !one.closest('svg'));
  const low = Math.max(...seen.map(one => one.getBoundingClientRect().bottom));
  return Math.round(card.getBoundingClientRect().bottom - low);
})"""

# A name comes from a label, from words on the control, or from one of these attributes.
NAMELESS = """() => ['button', 'input', 'select', 'textarea', '[role=slider]', '[tabindex="0"]']
  .flatMap(kind => [...document.querySelectorAll(`.jp-OutputArea-output ${kind}`)])
  .filter(one => one.checkVisibility())
  .filter(one => !(one.ariaLabel || one.title || one.textContent.trim()
    || [...one.labels ?? []].some(label => label.textContent.trim())))
  .map(one => one.outerHTML.slice(0, 200))"""

# One step: from the key's own time stamp to the second animation frame after the picture's last change, which is
# when the change is on the screen. The page keeps the time by itself: asking it meanwhile would cost time.
ARM = """([target, quiet]) => {
  window.step = new Promise(resolve => {
    let start = null, changes = 0;
    document.addEventListener('keydown', event => { start = event.timeStamp; }, {capture: true, once: true});
    const observer = new MutationObserver(async () => {
      const change = ++changes;
      await Promise.allSettled([...target.querySelectorAll('img')].map(image => image.decode()));
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const painted = performance.now();
        setTimeout(() => { if (change === changes) { observer.disconnect(); resolve(painted - start); } }, quiet);
      }));
    });
    observer.observe(target, {subtree: true, childList: true, attributes: true, characterData: true});
    setTimeout(() => { observer.disconnect(); resolve(null); }, 5000);
  });
}"""


class Notebook:
    """A notebook open in a page of its own, its kernel connected."""

    def __init__(self, browser: Browser, server: Server, name: str) -> None:
        self.name, self.seen, self.server = name, Seen(), server
        self.page = browser.new_page(viewport={'width': 1400, 'height': 1000})
        self.page.set_default_timeout(PATIENCE * 1000)
        self.seen.watch(self.page)
        # without the reset, the notebooks of an earlier page would open too
        self.page.goto(server.url(f'lab/tree/{name}') + '&reset', wait_until='domcontentloaded')
        self._ready()

    def _ready(self) -> None:
        self.page.wait_for_function(READY, arg=self.name, polling=100)

    def run_all(self) -> list[dict[str, Any]]:
        """Run all cells; return the code cells that have a source: count, source, outputs."""
        self.page.evaluate(RUN_ALL)
        self._ready()
        self.page.evaluate(LEAF_THROUGH)
        self.page.wait_for_timeout(500)  # the widgets draw themselves once the kernel is through
        return self.page.evaluate(CELLS)

    def show(self, cell: str) -> None:
        """Scroll to the cell of this id."""
        self.page.evaluate(SHOW, cell)

    def output(self, cell: str) -> Locator:
        """Return the output of the cell of this id; it is in the page while the cell is in view."""
        self.show(cell)
        place = self.page.evaluate(PLACE, cell)
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{place}"] .jp-OutputArea').first

    def commit(self, cell: str) -> None:
        """Commit the first answer of the question that the cell of this id asks."""
        asked = self.output(cell)
        asked.get_by_role('radio').first.check()
        asked.get_by_role('button', name='Commit').click()

    def write(self, cell: str, code: str) -> None:
        """Write code into the cell of this id, and run it."""
        self.show(cell)
        self.page.evaluate(WRITE, [cell, code])
        self._ready()

    def save(self) -> None:
        """Save the notebook."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        self.page.wait_for_function('() => !window.jupyterapp.shell.currentWidget.context.model.dirty')

    def reopen(self, shut: bool = False) -> None:
        """Open the notebook anew, as it was saved; with `shut`, its kernel has ended meanwhile."""
        if shut:
            self.page.evaluate('() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()')
        self.page.goto('about:blank')
        self.seen.failed.clear()  # what was asked for while the page was left
        self.page.goto(self.server.url(f'lab/tree/{self.name}') + '&reset', wait_until='domcontentloaded')
        self._ready()
        self.page.evaluate(LEAF_THROUGH)

    def nameless(self) -> list[str]:
        """Return what takes the focus in an output that is seen, and has no name for somebody who hears the page."""
        return self.page.evaluate(NAMELESS)

    def theme(self, name: str) -> None:
        """Change the theme of JupyterLab."""
        self.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
        self.page.wait_for_selector(f'body[data-jp-theme-name="{name}"]', state='attached')

    def close(self) -> None:
        """Close the page."""
        self.page.close()


class Stepper:
    """A slider and the picture that it steps, as somebody at the keyboard has them."""

    def __init__(self, page: Page, name: str, handle: Locator, target: Locator) -> None:
        self.page, self.name, self.handle, self.target = page, name, handle, target

    def place(self) -> str:
        """Return where the slider's handle stands."""
        return self.handle.get_attribute('aria-valuenow')

    def press(self, key: str) -> float | None:
        """Press a key on the slider; return the milliseconds until the picture is painted, None at the slider's end."""
        self.handle.focus()
        before = self.place()
        self.page.evaluate(ARM, [self.target.element_handle(), 80])
        self.page.keyboard.press(key)
        if self.place() == before:
            return None
        took = self.page.evaluate('() => window.step')
        assert took is not None, f'the slider {self.name!r} moved, and its picture stayed'
        return took

    def text(self) -> str:
        """Return what the picture says: the text on it, its title and its description."""
        return re.sub(r'\s+', ' ', self.target.evaluate('one => one.textContent'))

    def walk(self, shots: Path) -> list[str]:
        """Step from the first frame to the last; return the text of each, and lay a screenshot of each in `shots`."""
        self.target.scroll_into_view_if_needed()
        self.press('Home')
        texts = []
        while not texts or self.press('ArrowRight') is not None:
            self.target.screenshot(path=shots / f'{self.name}-{len(texts):02}.png')
            texts.append(self.text())
        return texts


def errors(cells: list[dict[str, Any]]) -> list[str]:
    """Return what the cells complained of: exceptions, and all that they wrote to stderr."""
    found = []
    for cell in cells:
        for output in cell['outputs']:
            if output['output_type'] == 'error':
                found.append(f'{output["ename"]}: {output["evalue"]}')
            elif output.get('name') == 'stderr':
                found.append(''.join(output['text']))
    return found
