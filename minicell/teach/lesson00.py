"""Lesson 00: the map of the course, and a look at the installation that the lesson runs on."""

from typing import Any

from minicell import __version__, installation

from . import words
from .about import stops
from .card import DOT, START, Card, head
from .progress import Kept

KEPT = 'application/vnd.minicell.still+json'  # in an output that is of one machine: what is kept instead of it
ABOUT = f'Run this cell. It looks at Python, {", ".join(installation.NEEDS)} and two gradients, and says how it went.'


class Map(Card):
    """The lessons, with links. In a notebook it says what is kept on the machine, on the site what is kept there."""

    kind, label = 'map', 'Map {0.name}'

    def __init__(self) -> None:
        super().__init__(None, 'of the course')

    def body(self) -> str:
        rows = ''.join(
            f'<li><a href="{each.stem}.ipynb">{each.number} {words.inline(each.title)}</a>{DOT}'
            f'<span>{words.inline(each.question)}</span>{DOT}{each.minutes} min{DOT}'
            f'<b data-stands="{each.number}">{each.stands()}</b></li>'
            for each in stops()
        )
        return f'<ul class="course">{rows}</ul>{words.note(Kept(START, set()).trouble)}'


def self_test() -> 'SelfTest':
    """Look at this installation; no kernel is started, since one is running."""
    return SelfTest(installation.look(deep=False))


class SelfTest(Card):
    """What was found, a line each."""

    kind, label = 'test', 'Test {0.name}'

    def __init__(self, findings: list[installation.Finding]) -> None:
        super().__init__(None, 'of this installation')
        missing = ', '.join(each.what for each in findings if each.ok is False)
        said = f'will not work as it is: {missing}' if missing else 'is ready'
        self.head = f'{words.SIGNS["failed" if missing else "passed"]} minicell {__version__} {said}'
        self.lines = list(map(str, findings))

    def bundle(self) -> dict[str, Any]:
        """What was found; of a notebook that is kept, what the cell does, since this is of one machine."""
        return super().bundle() | {KEPT: {'text/plain': ABOUT, 'text/html': words.paragraphs(ABOUT)}}

    def body(self) -> str:
        return head(self.head) + words.listed(self.lines)
