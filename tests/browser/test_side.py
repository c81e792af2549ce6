"""The command opens JupyterLab with its left side folded in, so that the pictures have the width they are made for."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import sample
from tests.browser.lab import Server

pytestmark = pytest.mark.browser


def test_the_left_side_is_folded_in_and_can_be_unfolded(browser: Browser, tmp_path):
    sample.write(tmp_path / 'good.ipynb', sample.STEPPER)
    with Server(tmp_path) as server:
        page = browser.new_page(viewport={'width': 1400, 'height': 900})
        page.goto(server.url('lab/tree/good.ipynb'))
        page.locator('.jp-Notebook').wait_for(timeout=60_000)
        files = page.locator('#filebrowser')
        expect(files).to_be_hidden()
        assert page.locator('.jp-Notebook').bounding_box()['width'] > 1264
        page.keyboard.press('Control+b')
        expect(files).to_be_visible()
        page.close()
