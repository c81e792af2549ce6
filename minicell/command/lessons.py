"""Where the lessons are, and how a learner gets a copy of them that nothing overwrites."""

import importlib.metadata
import json
import os
import platform
import shutil
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

START = '00_start_here.ipynb'
COPY = 'minicell-lessons'
PACKAGE = Path(__file__).resolve().parents[1]
# what the lessons are made from holds the solutions: it travels, and is not laid before learners
NOT_FOR_LEARNERS = 'source', 'WRITING.md', 'WHERE.md', '.ipynb_checkpoints'

# What JupyterLab writes into a notebook that it opens. Without it, a lesson that nobody has touched asks to be saved.
LANGUAGE = '"language_info": {'
HERE = f'{LANGUAGE}"codemirror_mode": {{"name": "ipython", "version": 3}}, "nbconvert_exporter": "python", '
HERE += f'"version": "{platform.python_version()}",'


class Trouble(Exception):
    """What keeps the command from doing its work, in a sentence for the learner."""


def checkout_lessons() -> Path | None:
    """Return the lessons of the checkout that this package is run or was installed from, if they can be written."""
    for root in (PACKAGE.parent, installed_from()):
        if root and (root / 'pyproject.toml').is_file() and (root / 'lessons' / START).is_file():
            lessons = root / 'lessons'
            if os.access(lessons, os.W_OK):
                return lessons
    return None


def installed_from() -> Path | None:
    """Return the folder that `pip install FOLDER` was given, which pip keeps beside the package (PEP 610)."""
    try:
        record = importlib.metadata.distribution('minicell').read_text('direct_url.json')
    except importlib.metadata.PackageNotFoundError:
        return None
    origin = json.loads(record) if record else {}
    url = urlsplit(origin.get('url', ''))
    return Path(url2pathname(url.path)) if url.scheme == 'file' and 'dir_info' in origin else None


def shipped() -> Path:
    """Return the folder of the lessons that came with this package: of the wheel, or of the checkout."""
    for folder in (PACKAGE / 'lessons', PACKAGE.parent / 'lessons'):
        if (folder / START).is_file():
            return folder
    raise Trouble('this installation has no lessons. Install it again: pip install --force-reinstall minicell')


def copy_lessons(target: Path) -> tuple[int, int]:
    """Copy the lessons that are not in `target` yet; what is there is the learner's and stays. How many were and are.

    Raises Trouble where that folder cannot be written.
    """
    source, new, kept = shipped(), 0, 0
    try:
        target.mkdir(parents=True, exist_ok=True)
        for lesson in sorted(file for file in source.rglob('*') if file.is_file()):
            within = lesson.relative_to(source)
            if within.parts[0] in NOT_FOR_LEARNERS:
                continue
            place = target / within
            if os.path.lexists(place):
                kept += 1
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            # whole or not at all: half a lesson would be taken for the learner's own the next time
            part = place.with_name(place.name + '.part')
            shutil.copyfile(lesson, part)
            if place.suffix == '.ipynb':
                part.write_text(part.read_text(encoding='utf-8').replace(LANGUAGE, HERE, 1), encoding='utf-8')
            part.replace(place)
            new += 1
    except OSError as error:
        raise Trouble(f'the lessons cannot be written to {target}: {error.strerror}. {ELSEWHERE}') from None
    if not os.access(target, os.W_OK):
        raise Trouble(f'{target} belongs to someone else. {ELSEWHERE}')
    return new, kept


ELSEWHERE = 'Go to a folder of your own, say `cd ~`, and try again.'
