"""What a cell shows that plays in the page, and what a reader has who opens the notebook without running anything."""

import os
from importlib.resources import files
from typing import Any

from IPython.display import display

from minicell.view.picture import STILL

SCRIPT = 'application/javascript'


class Shown:
    """What a cell shows: its `text` everywhere, a `page` that plays, and `pictures` where the notebook is kept."""

    def __init__(self, text: str, page: str, pictures: dict[str, str] | None = None) -> None:
        self.text, self.page, self.pictures = text, page, pictures or {}

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = self.pictures if os.environ.get(STILL) else {'text/html': self.page}
        return {'text/plain': self.text, **shown}


def script(name: str) -> None:
    """Run a script of this package in the page; what is shown works without it."""
    display({SCRIPT: files(__package__).joinpath(name).read_text(encoding='utf-8')}, raw=True)
