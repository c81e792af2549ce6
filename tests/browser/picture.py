"""The picture of a tape in a page, as somebody at the keyboard has it: in JupyterLab, on the site, in a saved page."""

import re

from playwright.sync_api import Locator, Page

from tests.browser.lab import Stepper

# Title, caption, and all that is written in the picture.
SAYS = """root => ['.title', '.says p', '.box'].map(part => root.querySelector(part))
  .flatMap(part => [part, ...part.querySelectorAll('text')]).filter(one => one.children.length === 0)
  .map(one => one.textContent).join(' ')"""


class Picture(Stepper):
    """One picture: `root` is its element `.mc2`, and its line is the slider that steps it."""

    def __init__(self, page: Page, root: Locator, name: str = 'tape') -> None:
        super().__init__(page, name, root.locator('[role=slider]'), root)
        self.root, self.slider = root, self.handle

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
        return self.root.get_by_role('button', name=name, exact=True)

    def title(self) -> str:
        """The title of the step."""
        return self.root.locator('.title').first.text_content()

    def text(self) -> str:
        """What it says at this step."""
        return re.sub(r'\s+', ' ', self.root.evaluate(SAYS))


def pictures(page: Page, within: Locator | None = None) -> list[Picture]:
    """All pictures of a page, or within an element of it."""
    found = (within or page).locator('.mc2:not(.mc-film)')
    return [Picture(page, found.nth(k), f'tape-{k + 1}' if k else 'tape') for k in range(found.count())]
