"""JupyterLab as the command opens it; and the harness sees what goes wrong in a notebook."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import sample
from tests.browser.lab import Notebook, Server, errors, serve
from tests.messages import tells

pytestmark = pytest.mark.nightly

FAULTS = """\
import sys
from IPython.display import HTML, Javascript, display
print('mumble', file=sys.stderr)
display(Javascript('console.error("faulty front")'))
display(HTML('<img src="http://elsewhere.invalid/pixel.png" alt="">'))
raise ValueError('faulty cell')
"""


@pytest.fixture
def server(browser: Browser, tmp_path: Path) -> Iterator[Server]:
    """A new one for each test: JupyterLab keeps the layout that the last page had."""
    sample.write(tmp_path / 'good.ipynb', '1')
    sample.write(tmp_path / 'bad.ipynb', FAULTS)
    with serve(tmp_path) as server:
        yield server


def test_a_bad_notebook_is_found_out(browser, server):
    notebook = Notebook(browser, server, 'bad.ipynb')
    assert errors(notebook.run_all()) == ['mumble\n', 'ValueError: faulty cell']
    tells('\n'.join(notebook.seen.console), 'faulty front', keep=False)
    assert 'elsewhere.invalid' in notebook.seen.hosts
    assert any('elsewhere.invalid' in line for line in notebook.seen.failed)
    notebook.close()


def test_the_left_side_is_folded_in_and_can_be_unfolded(browser, server):
    """So that the pictures have the width that they are made for."""
    page = browser.new_page(viewport={'width': 1400, 'height': 900})
    page.goto(server.url('lab/tree/good.ipynb'))
    page.locator('.jp-Notebook').wait_for(timeout=60_000)
    files = page.locator('#filebrowser')
    expect(files).to_be_hidden()
    assert page.locator('.jp-Notebook').bounding_box()['width'] > 1264
    page.keyboard.press('Control+b')
    expect(files).to_be_visible()
    page.close()
