"""The picture of a tape in a page, as somebody at the keyboard has it: in JupyterLab, on the site, in a saved page."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.browser.lab import ARM

# Title, caption, and all that is written in the picture.
SAYS = """root => ['.title', '.says p', '.box'].map(part => root.querySelector(part))
  .flatMap(part => [part, ...part.querySelectorAll('text')]).filter(one => one.children.length === 0)
  .map(one => one.textContent).join(' ')"""


class Picture:
    """One picture: `root` is its element `.mc2`."""

    def __init__(self, page: Page, root: Locator, name: str = 'tape') -> None:
        self.page, self.root, self.name = page, root, name
        self.slider = root.get_by_role('slider', name='Step of the tape')

    @property
    def step(self) -> int:
        """The step that it shows, counted from 1."""
        return int(self.slider.get_attribute('aria-valuenow'))

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return int(self.slider.get_attribute('aria-valuemax'))

    def button(self, name: str) -> Locator:
        """A button by its words."""
        return self.root.get_by_role('button', name=name)

    def press(self, key: str) -> float | None:
        """Press a key on the tape line; return the milliseconds until the step is painted, None where none comes."""
        self.slider.focus()
        before = self.step
        self.page.evaluate(ARM, [self.root.element_handle(), 80])
        self.page.keyboard.press(key)
        if self.step == before:
            return None
        took = self.page.evaluate('() => window.step')
        assert took is not None, 'the step has moved, and the picture stayed'
        return took

    def text(self) -> str:
        """Return what it says at this step."""
        return re.sub(r'\s+', ' ', self.root.evaluate(SAYS))

    def walk(self, shots: Path | None = None) -> list[str]:
        """Step from the first step to the last; return what each says, and lay a screenshot of each in `shots`."""
        self.root.scroll_into_view_if_needed()
        self.slider.focus()
        self.page.keyboard.press('Home')
        said = []
        while not said or self.press('ArrowRight') is not None:
            assert self.step == len(said) + 1
            said.append(self.text())
            if shots:
                shots.mkdir(parents=True, exist_ok=True)
                self.root.screenshot(path=shots / f'{self.name}-{self.step:02}.png')
        assert len(said) == self.steps
        return said


def pictures(page: Page, within: Locator | None = None) -> list[Picture]:
    """All pictures of a page, or within an element of it."""
    found = (within or page).locator('.mc2')
    return [Picture(page, found.nth(k), f'tape-{k + 1}' if k else 'tape') for k in range(found.count())]
