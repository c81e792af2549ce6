"""Where the lessons are, and how a learner gets a copy of them that nothing overwrites."""

import hashlib
import json
import os
import platform
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

START = '00_start_here.ipynb'
COPY = 'minicell-lessons'
PACKAGE = Path(__file__).resolve().parents[1]
# what the lessons are made from holds the solutions, and TEACHING.md the right answers: they travel, and are not laid
# before learners
NOT_FOR_LEARNERS = 'source', 'WRITING.md', 'WHERE.md', '.ipynb_checkpoints'
FOR_TEACHERS = 'TEACHING.md'

# What JupyterLab writes into a notebook that it opens. Without it, a lesson that nobody has touched asks to be saved.
LANGUAGE = '"language_info": {'
HERE = f'{LANGUAGE}"codemirror_mode": {{"name": "ipython", "version": 3}}, "nbconvert_exporter": "python", '
HERE += f'"version": "{platform.python_version()}",'


class Trouble(Exception):
    """What keeps the command from doing its work, in a sentence for the learner."""


class Copied(NamedTuple):
    """What a copy came to: how many files are new, how many were there, and the lessons that came out anew since."""

    new: int
    kept: int
    older: list[str]


def shipped() -> Path:
    """Return the folder of the lessons that came with this package: of the wheel, or of the checkout."""
    for folder in (PACKAGE / 'lessons', PACKAGE.parent / 'lessons'):
        if (folder / START).is_file():
            return folder
    raise Trouble('this installation has no lessons. Install it again: pip install --force-reinstall minicell')


def copy_lessons(target: Path, teacher: bool = False) -> Copied:
    """Copy the lessons that are not in `target` yet; what is there is the learner's and stays.

    `teacher`: the plans, with the right answers, too.
    Raises Trouble where that folder cannot be written.
    """
    source, new, kept, older = shipped(), 0, 0, []
    try:
        if target.is_file():
            raise Trouble(f'{target} is a file: the lessons cannot be written there. {ELSEWHERE}')
        target.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: half a lesson would be taken for the learner's own the next time. So each is written in a
        # folder apart, which goes with all that is in it, and then put in its place.
        with tempfile.TemporaryDirectory(prefix='.minicell-', dir=target) as apart:
            for lesson in sorted(file for file in source.rglob('*') if file.is_file()):
                within = lesson.relative_to(source)
                if within.parts[0] in NOT_FOR_LEARNERS or (within.name == FOR_TEACHERS and not teacher):
                    continue
                place, written = target / within, lesson.read_bytes()
                mark = hashlib.sha256(written).hexdigest()
                if os.path.lexists(place):
                    kept += 1
                    if mark_of(place) not in (None, mark):
                        older.append(str(within))
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                if place.suffix == '.ipynb':
                    written = re.sub(rb'"execution_count": \d+', b'"execution_count": null', written)  # not here
                    written = written.replace(LANGUAGE.encode(), marked(mark).encode(), 1)
                whole = Path(apart, within.name)
                whole.write_bytes(written)
                whole.replace(place)
                new += 1
    except OSError as error:
        raise Trouble(f'the lessons cannot be written to {target}: {error.strerror}. {ELSEWHERE}') from None
    return Copied(new, kept, older)


def marked(mark: str) -> str:
    """The beginning of a copy's metadata: of which notebook it is one, and what JupyterLab writes of the language."""
    return f'"minicell": {{"copy_of": "{mark}"}},\n  {HERE}'


def mark_of(notebook: Path) -> str | None:
    """Which notebook this is a copy of, as far as its metadata say."""
    try:
        return json.loads(notebook.read_bytes())['metadata']['minicell']['copy_of'] if notebook.is_file() else None
    except (ValueError, LookupError, TypeError, OSError, RecursionError):
        return None  # the learner's own file, whatever it is


ELSEWHERE = 'Go to a folder of your own, say `cd ~`, and try again.'
