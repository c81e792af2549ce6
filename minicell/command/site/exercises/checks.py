"""What checks an exercise in the browser: the lesson's own cards, drawn by the lesson's own code, with no notebook."""

import contextlib
import io
import json
import sys
from types import ModuleType
from typing import Any


class Nobody(ModuleType):
    """In the place of IPython: there is no shell, nobody displays, and nothing is kept in a file."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        return lambda *_, **__: None


if sys.platform == 'emscripten':  # whoever imports this elsewhere, to read its docstrings, has IPython
    for name in ('IPython', 'IPython.display', 'IPython.utils', 'IPython.utils.capture', 'jupyter_core'):
        sys.modules[name] = Nobody(name)
    sys.modules['jupyter_core.paths'] = Nobody('jupyter_core.paths')
    sys.modules['jupyter_core.paths'].jupyter_data_dir = lambda: '/nowhere'

from minicell import __version__  # noqa: E402
from minicell.teach.lesson import Lesson  # noqa: E402


class Page:
    """Where a lesson's cards go: a notebook has its bridge there."""

    def __init__(self) -> None:
        self.cards: dict[str, str] = {}

    def send(self, drawn: dict[str, Any]) -> None:
        """Take a card that is drawn again."""
        self.cards[drawn['of']] = drawn['data']['text/html']


lessons: dict[str, Lesson] = {}


def hear(number: str, said: str) -> str:
    """Tell a lesson what was done on a card, as JSON; the answer has the card as it is now, and how all stands."""
    told, page, printed = json.loads(said), Page(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        if number not in lessons:
            lessons[number] = Lesson(number, keep=False)
            printed.truncate(printed.seek(0))
        lesson = lessons[number]
        lesson.bridge = page
        if told.get('tape') and told['of'] not in lesson.cards:  # Python was stopped since it was checked
            lesson.hear(told | {'tape': None, 'code': told['editor']})
        lesson.hear(told)
    return json.dumps(
        {'card': page.cards.get(told['of'], ''), 'states': lesson.kept.states, 'printed': printed.getvalue()}
    )


ready = json.dumps({'python': sys.version.split()[0], 'minicell': __version__})
