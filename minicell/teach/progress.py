"""How far a learner has come, kept in a small file of the learner's own, on this machine and nowhere else.

Each thing that a card is told is a line of JSON, added at the end: the lesson, the card, and what was said. So two
notebooks, two kernels and two tabs may write at once and nothing is lost, and a line that is damaged costs what stood
in that line. What stands in the file is believed only as far as the lesson knows the words.
"""

import json
import os
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

from . import words
from .card import Card, head

SWITCH = 'MINICELL_PROGRESS'  # set to `off`, nothing is read or written: tests and builds do that
RESULTS = ('passed', 'failed')
KINDS = {'state': str, 'said': str, 'hints': int}  # what may be said of a card
LARGEST = 5_000_000  # bytes; a course takes some ten thousand
LONGEST = 4_000  # characters of a sentence
# How a lesson stands, a question, and an exercise.
STATES = '○ not yet', '◐ begun', '✓ done'
ASKED = {'': '○ {}: to do', 'passed': '✓ {}: done', 'failed': '✓ {}: done, and surprised'}
TRIED = {'': '○ {}: to do', 'passed': '✓ {}: passed', 'failed': '✗ {}: not yet'}


def place() -> Path:
    """The file: Jupyter's own folder for data of this user."""
    return Path(jupyter_data_dir(), 'minicell', 'progress.json')


class Kept:
    """What is kept of one lesson. `told`: card -> what was said of it. `trouble`: what went wrong, in a sentence."""

    def __init__(self, lesson: str, names: set[str], keep: bool = True, path: Path | None = None) -> None:
        self.lesson, self.names = lesson, names
        self.on = keep and (path is not None or os.environ.get(SWITCH, '').lower() != 'off')
        self.path = path or place()
        self.trouble = ''
        self.told: dict[str, dict[str, Any]] = {}
        self.look()

    @property
    def states(self) -> dict[str, str]:
        """Name -> 'passed' or 'failed'."""
        return {name: said['state'] for name, said in self.told.items() if 'state' in said}

    def look(self) -> None:
        """Read the file: another notebook may have written to it."""
        if not self.on or not os.path.lexists(self.path):
            return
        self.told, lost = {}, []
        try:
            if not self.path.is_file() or self.path.stat().st_size > LARGEST:
                raise OSError
            lines = self.path.read_bytes().splitlines()
        except OSError:
            self.trouble = f'What {self.path} says of earlier progress cannot be read, so it starts afresh.'
            return
        for number, line in enumerate(lines, 1):
            try:
                found = json.loads(line) if line.strip() else {}
                if not isinstance(found, dict):
                    raise ValueError
            except (ValueError, RecursionError):
                lost.append(str(number))
            else:
                self.take(found)
        which = f'Line {lost[0]}' if len(lost) == 1 else f'Lines {", ".join(lost[:5])}{" …" if lost[5:] else ""}'
        self.trouble = f'{which} of {self.path} cannot be read. All else that it says is here.' if lost else ''

    def take(self, line: dict[str, Any]) -> None:
        """Believe a line, as far as its words are known."""
        if 'card' not in line:  # as it was kept at first: lesson -> card -> state
            old = line.get(self.lesson)
            for name, state in old.items() if isinstance(old, dict) else ():
                self.take({'lesson': self.lesson, 'card': name, 'state': state})
        elif line.get('lesson') == self.lesson and line['card'] is None:
            self.told = {}  # from here on, a new beginning
        elif line.get('lesson') == self.lesson and isinstance(line['card'], str) and line['card'] in self.names:
            said = {key: line[key] for key, kind in KINDS.items() if type(line.get(key)) is kind}
            before = self.told.get(line['card'], {})
            if said.get('state') not in RESULTS or before.get('state') == 'passed':  # what is passed stays passed
                said.pop('state', None)
            if said:
                self.told[line['card']] = before | said

    def tell(self, card: str | None, **said: Any) -> None:
        """Keep what was said of a card; of None, that all begins anew. Where that cannot be done, say so once."""
        if isinstance(said.get('said'), str):
            said['said'] = said['said'][:LONGEST]
        line = {'lesson': self.lesson, 'card': card, **said}
        self.take(line)
        if not self.on:
            return
        try:
            if os.path.lexists(self.path) and not self.path.is_file():
                raise OSError(None, 'something else is in its place')
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # One write at the end of the file, whole, and on a line of its own whatever stands before it. In ASCII:
            # half a character cannot be written otherwise.
            with open(self.path, 'ab', buffering=0) as file:
                file.write(f'\n{json.dumps(line)}'.encode('ascii'))
        except OSError as error:
            self.on = False
            self.trouble = f'Progress cannot be kept in {self.path}: {error.strerror}.'


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
