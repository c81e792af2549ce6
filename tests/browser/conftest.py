"""Chromium for the browser tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.front import look, typing  # noqa: F401
from tests.browser.lab import NAMES, find_chromium, launch
from tests.browser.play import site, visit  # noqa: F401
from tests.browser.served import address, built, folder, url  # noqa: F401


# A module at a time: while Playwright's sync API is open, nothing else in this process can start an event loop.
@pytest.fixture(scope='module')
def browser() -> Iterator[Browser]:
    """Headless Chromium. Without one the test is skipped, but never on CI."""
    if not find_chromium():
        pytest.skip(f'no Chromium on this machine (looked for {", ".join(NAMES)})')
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """The folder for screenshots: $MINICELL_SHOTS, or one that pytest removes."""
    shots = Path(os.environ.get('MINICELL_SHOTS') or tmp_path)
    shots.mkdir(parents=True, exist_ok=True)
    return shots
