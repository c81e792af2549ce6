"""How far a learner has come: in a lesson, and on the map of the course, with each lesson's question and minutes."""

import re
from functools import cache
from typing import Any, NamedTuple

from . import words
from .card import DOT, START, Card, head
from .progress import Kept
from .source import opened, parse, paths

OPENS = re.compile(r'<!-- cell title: (\d+) minutes -->\n# (?:Lesson \d\d · )?(.+)\n\n\*\*(.+)\*\*\n')
STATES = '○ not yet', '◐ begun', '✓ done'
ASKED = {'': '○ {}: to do', 'passed': '✓ {}: done', 'failed': '✓ {}: done, and surprised'}
TRIED = {'': '○ {}: to do', 'passed': '✓ {}: passed', 'failed': '✗ {}: not yet'}


class Stop(NamedTuple):
    """A lesson on the map. `asks` are the names of its questions, `tries` those of its exercises."""

    number: str
    title: str
    question: str
    minutes: int
    stem: str
    asks: list[str]
    tries: list[str]

    def stands(self) -> str:
        """How far a learner has come in it."""
        if self.number == START:
            return 'this page'
        kept = Kept(self.number, {*self.asks, *self.tries})
        done = sum(name in kept.states for name in self.asks)
        done += sum(kept.states.get(name) == 'passed' for name in self.tries)
        return STATES[2 if done == len(self.asks + self.tries) else bool(kept.told)]


@cache
def stops() -> list[Stop]:
    """All lessons in their order, as their sources tell it."""
    found = []
    for number, path in paths().items():
        source = opened(path)
        minutes, title, question = OPENS.match(source.text).groups()
        asks = [cell.asks for cell in parse(source) if cell.kind in ('predict', 'recall')]
        tries = sorted(each.stem for each in path.with_suffix('').glob('*.md'))
        found.append(Stop(number, title, question, int(minutes), path.stem, asks, tries))
    return found


class Map(Card):
    """The lessons, with links. In a notebook it says what is kept on the machine, on a page what that page keeps."""

    kind, label = 'map', 'Map {0.name}'

    def __init__(self) -> None:
        super().__init__(None, 'of the course')

    def facts(self) -> dict[str, Any]:
        """What each lesson asks, for a page, which keeps the answers itself."""
        return {'asks': {stop.number: stop.asks + stop.tries for stop in stops()}}

    def body(self) -> str:
        rows = ''.join(
            f'<li data-of="{each.number}"><a href="{each.stem}.ipynb">{each.number} {words.inline(each.title)}</a>{DOT}'
            f'<span>{words.inline(each.question)}</span>{DOT}{each.minutes} min{DOT}<b>{each.stands()}</b></li>'
            for each in stops()
        )
        return f'<ol class="course">{rows}</ol>{words.note(Kept(START, set()).trouble)}'


class Progress(Card):
    """How far a lesson has come, at a glance. A wrong prediction is done, too."""

    kind, label = 'progress', 'Progress'

    def states(self) -> list[str]:
        """How many are done, then a line for each question and exercise."""
        of, states = self.lesson.about, self.lesson.kept.states
        said = [ASKED[states.get(name, '')].format(name) for name in of.questions]
        said += [TRIED[states.get(name, '')].format(f'exercise {name}') for name in of.exercises]
        done = sum(line.startswith(words.SIGNS['passed']) for line in said)
        return [f'Lesson {self.number}: {done} of {len(said)} done', *said]

    def body(self) -> str:
        """Those lines, and where that is kept."""
        done, *said = self.states()
        kept = self.lesson.kept
        where = kept.trouble or (f'Kept in {kept.path}, on this machine alone.' if kept.on else '')
        return f'{head(done)}{words.listed(said)}{words.note(where)}'
