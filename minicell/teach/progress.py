"""How far a learner has come, kept in a small file of the learner's own, on this machine and nowhere else.

It holds one word for each question and exercise: no answers, no names, no times. What stands in it is believed only as
far as the lesson knows the words; whatever else is found there costs a sentence and a fresh start, never an error.
"""

import json
import os
import tempfile
from collections.abc import Collection
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

SWITCH = 'MINICELL_PROGRESS'  # set to `off`, nothing is read or written: tests and builds do that
STATES = ('passed', 'failed')
LARGEST = 100_000  # bytes; twelve lessons take two thousand


def place() -> Path:
    """The file: Jupyter's own folder for data of this user."""
    return Path(jupyter_data_dir(), 'minicell', 'progress.json')


class Kept:
    """What is kept of one lesson. `states`: name -> 'passed' or 'failed'. `trouble`: what went wrong, in a sentence."""

    def __init__(self, lesson: str, names: Collection[str], keep: bool = True) -> None:
        self.lesson = lesson
        self.on = keep and os.environ.get(SWITCH, '').lower() != 'off'
        self.path = place()
        self.trouble = ''
        found = self.read().get(lesson, {})
        known = found if isinstance(found, dict) else {}
        self.states = {name: state for name, state in known.items() if name in names and state in STATES}

    def read(self) -> dict[str, object]:
        """All lessons as the file has them; nothing where there is none, or none that can be read."""
        if not self.on or not os.path.lexists(self.path):
            return {}
        try:
            if not self.path.is_file() or self.path.stat().st_size > LARGEST:
                raise ValueError
            found = json.loads(self.path.read_text(encoding='utf-8'))
            if not isinstance(found, dict):
                raise ValueError
            json.dumps(found)  # what is nested too deep to be written again is not read either
            return found
        except (OSError, ValueError, RecursionError):
            self.trouble = f'What {self.path} says of earlier progress cannot be read, so it starts afresh.'
            return {}

    def keep(self, states: dict[str, str]) -> None:
        """Keep these states, beside those of other lessons. Where that cannot be done, say so once and stop trying."""
        states = {name: state for name, state in states.items() if state in STATES}
        if not self.on or states == self.states:
            return
        self.states = states
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # whole or not at all: two lessons may be open at once
            with tempfile.NamedTemporaryFile(
                'w', encoding='utf-8', dir=self.path.parent, prefix='progress-', delete=False
            ) as file:
                # in ASCII: half a character cannot be written otherwise; and not indented: nested lists would swell
                file.write(json.dumps({**self.read(), self.lesson: states}))
            os.replace(file.name, self.path)
        except OSError as error:
            self.on = False
            self.trouble = f'Progress cannot be kept in {self.path}: {error.strerror}.'
