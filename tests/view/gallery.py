"""A gallery of programs, each run as a notebook cell would be: compiled from text that linecache knows."""

import linecache
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np

import minicell as ms
from minicell.view.picture import ZOOMS as LENSES
from minicell.view.picture import Picture
from tests.view.encodings import ENCODINGS, LONG
from tests.view.programs import PROGRAMS as FIRST

HEAD = 'import numpy as np\nimport minicell as ms\nfrom minicell import nn, ops\n'
PROGRAMS = {**FIRST, **ENCODINGS}
ALL = {**PROGRAMS, **LONG}
ZOOMS = tuple(LENSES)


def written(file):
    """The programs of a text file, by what they are called there."""
    text = Path(__file__).with_name(file).read_text(encoding='utf-8')
    return dict(re.findall(r'(?ms)^=== (.+?)$(.*?)(?=^=== |\Z)', text))


FOREIGN, OTHERS = written('foreign.txt'), written('others.txt')  # the second: sixty, short ones


@cache
def run(name):
    """The tape of a program; an exception that the program ends with is on it."""
    return tape_of(ALL[name].strip() + '\n', name)


def tape_of(source, name):
    """The tape of a program's text."""
    return space_of(source, name)['tape']


def space_of(source, name):
    """All that a program's text defines, its tape among it."""
    file = f'<cell {name}>'
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {}
    exec(compile(HEAD, '<head>', 'exec'), space)
    try:
        with warnings.catch_warnings(), np.errstate(all='ignore'):  # some programs are wrong on purpose
            warnings.simplefilter('ignore')
            exec(compile(source, file, 'exec'), space)
    except Exception:
        assert isinstance(space.get('tape'), ms.Tape)
    return space


@cache
def picture(name, zoom='ops', compare=True):
    """The picture of a program of the gallery."""
    return Picture(run(name), zoom=zoom, compare=compare)


def made(source, name, **options):
    """The picture of a program's text."""
    return Picture(tape_of(source.strip() + '\n', name), **options)


def texts(frame):
    """All that a frame shows as text."""
    return [s.attrs['T'] for s in frame.values() if s.tag == 'text' and 'zero' not in s.attrs.get('class', '').split()]


def shown(picture, step=-1, narrow=False):
    """All that a picture shows as text at a step."""
    return texts(picture.films[narrow].frames[step])


def kinds(picture):
    """The kinds of the record's steps."""
    return [step.kind for step in picture.record.steps]


def titles(picture):
    """The titles of a picture's steps."""
    return [step.title for step in picture.films[0].steps]


def at(picture, start):
    """The first step whose title starts so."""
    return next(n for n, title in enumerate(titles(picture)) if title.startswith(start))
