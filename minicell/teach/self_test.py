"""Lesson 00 looks at the installation that it runs on."""

from typing import Any

from minicell import __version__, installation

from . import words
from .freeze import STILL

ABOUT = f'Run this cell. It looks at Python, {", ".join(installation.NEEDS)} and two gradients, and says how it went.'


def self_test() -> 'SelfTest':
    """Look at this installation; no kernel is started, since one is running."""
    return SelfTest(installation.look(deep=False))


class SelfTest:
    """What was found, a line each: as text, and as HTML in a notebook."""

    def __init__(self, findings: list[installation.Finding]) -> None:
        missing = ', '.join(each.what for each in findings if each.ok is False)
        self.state = 'failed' if missing else 'passed'
        self.head = f'minicell {__version__} ' + (f'will not work as it is: {missing}' if missing else 'is ready')
        self.lines = list(map(str, findings))

    def __repr__(self) -> str:
        return '\n'.join([f'{words.SIGNS[self.state]} {self.head}', *self.lines])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        found = ''.join(f'<li>{words.inline(line)}</li>' for line in self.lines)
        listed = f'<ul style="list-style:none;margin:0;padding:0">{found}</ul>'
        page = words.block(words.headline(self.state, self.head) + listed, self.state)
        still = {'text/plain': ABOUT, 'text/html': words.block(words.paragraphs(ABOUT))}
        return {'text/plain': repr(self), 'text/html': page, STILL: still}
